// Presence: the share of nodes or records that have the data which a question
// needs. For health checkers.

#ifndef TFPROF_ADVISOR_PRESENCE_H_
#define TFPROF_ADVISOR_PRESENCE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "advisor/checker.h"

namespace tfprof::advisor {

// `part` divided by `whole`, from 0 to 1. 0 if `whole` is 0.
double Share(size_t part, size_t whole);

// The finding that `with` of `all` things have some data; `text` says so, and
// the value is the share. If none has it, the finding is a warning with
// `advice`.
Finding PresenceFinding(std::string_view rule, size_t with, size_t all,
                        std::string text, std::string advice);

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_PRESENCE_H_
