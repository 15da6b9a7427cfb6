// The words of people who come from other programs: other spellings of options
// and of their values ("-sort", "-order-by", "cuda"), and what is said about a
// word that means nothing here. The reference's command line knows none of
// them.
//
// A word is only taken for another one if it can mean nothing else.

#ifndef TFPROF_PROFILER_OPTIONS_OTHER_WORDS_H_
#define TFPROF_PROFILER_OPTIONS_OTHER_WORDS_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "accounting/statistics.h"
#include "profiler/options/options.h"

namespace tfprof::options {

// The name of the option that is meant by `name`, which has no dash: "order-by"
// and "sort" are "order_by". "": none.
std::string_view OptionMeantBy(std::string_view name);

// Whether a name is another word for an option, and not its own in any
// spelling.
bool IsOtherWord(std::string_view name);

// The statistic of this word, name or title, or of another word for it.
// nullptr: none.
const accounting::Statistic* StatisticMeantBy(std::string_view word);

// What to use instead of an option of other programs: "use serve". "": the name
// is not known. It may also be another word for an option, as "top" is for
// -limit: other programs have an option of this name without a value.
std::string_view InsteadOfOption(std::string_view name);

// "did you mean -order_by?", or what to use instead of an option that there is
// not; "" if nothing is near. `name` has no dash; names are written after
// `dash`.
std::string OptionHint(std::string_view name, std::string_view dash = "-");

// InvalidArgument with a sentence about a value that `option` does not take:
// what was found, and the nearest values or all that there are. `reason` is the
// error of its parser.
absl::Status RefusedValue(const Option& option, std::string_view value,
                          const absl::Status& reason);

}  // namespace tfprof::options

#endif  // TFPROF_PROFILER_OPTIONS_OTHER_WORDS_H_
