// Presence: how much of a profile has what some question needs. Checkers of
// health share it.

#ifndef TFPROF_ADVISOR_PRESENCE_H_
#define TFPROF_ADVISOR_PRESENCE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "advisor/checker.h"

namespace tfprof {

// `part` of `whole`, from 0 to 1. 0 when there is no whole.
double Share(size_t part, size_t whole);

// The finding that `with` of `all` things have something. `text` says so. When
// none has it, the finding is a warning with `advice`. Its value is the share.
Finding PresenceFinding(std::string_view rule, size_t with, size_t all,
                        std::string text, std::string advice);

}  // namespace tfprof

#endif  // TFPROF_ADVISOR_PRESENCE_H_
