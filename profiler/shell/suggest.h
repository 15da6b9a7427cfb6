// What somebody may have meant with a line that was refused, or with a filter
// that left nothing: a sentence for a person, "" when nothing is near.

#ifndef TFPROF_PROFILER_SHELL_SUGGEST_H_
#define TFPROF_PROFILER_SHELL_SUGGEST_H_

#include <string>
#include <string_view>

#include "profiler/commands/parse.h"
#include "profiler/options/options.h"
#include "profiler/shell/name_index.h"
#include "views/options.h"

namespace tfprof {

// For what the parser refused in a line or in the program's arguments.
std::string SuggestFor(const Refusal& refusal);

// For an option's value that was refused: the nearest choice of each element
// that is none, else what the option wants.
std::string SuggestValue(const Option& option, std::string_view value);

// For a report without rows: the names that the options name and that the
// profile does not have.
std::string SuggestNames(View view, const ViewOptions& options,
                         NameIndex& names);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_SHELL_SUGGEST_H_
