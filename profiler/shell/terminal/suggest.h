// Suggestions for a filter that matched nothing: a sentence for a person, or
// "".

#ifndef TFPROF_PROFILER_SHELL_TERMINAL_SUGGEST_H_
#define TFPROF_PROFILER_SHELL_TERMINAL_SUGGEST_H_

#include <string>

#include "profiler/shell/terminal/name_index.h"
#include "views/options.h"

namespace tfprof::shell {

// For a report without rows: the names nearest to those in the options that the
// profile does not have.
std::string SuggestNames(views::View view, const views::ViewOptions& options,
                         NameIndex& names);

}  // namespace tfprof::shell

#endif  // TFPROF_PROFILER_SHELL_TERMINAL_SUGGEST_H_
