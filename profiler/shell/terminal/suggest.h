// Suggestions for a line that was refused, or for a filter that matched
// nothing: a sentence for a person, or "".

#ifndef TFPROF_PROFILER_SHELL_TERMINAL_SUGGEST_H_
#define TFPROF_PROFILER_SHELL_TERMINAL_SUGGEST_H_

#include <string>
#include <string_view>

#include "profiler/commands/parse.h"
#include "profiler/options/options.h"
#include "profiler/shell/terminal/name_index.h"
#include "views/options.h"

namespace tfprof::shell {

// Names the refused word: `unknown command "opp"`; "" if the error does so.
std::string RefusedText(const commands::Refusal& refusal);

// For a word that the parser refused in a line or in the program's arguments.
std::string SuggestFor(const commands::Refusal& refusal);

// For an option's value that was refused: the choice nearest to the first wrong
// element, else the values that the option takes.
std::string SuggestValue(const options::Option& option, std::string_view value);

// For a report without rows: the names nearest to those in the options that the
// profile does not have.
std::string SuggestNames(views::View view, const views::ViewOptions& options,
                         NameIndex& names);

}  // namespace tfprof::shell

#endif  // TFPROF_PROFILER_SHELL_TERMINAL_SUGGEST_H_
