// What is said about a word that a line or the program's arguments do not take.
//
// Our own sentence leads with what was wrong, and ends with the nearest valid
// words: there is no command "opp"; did you mean op? The reference's command
// line has the reference's message instead, and a hint after it.

#ifndef TFPROF_PROFILER_COMMANDS_REFUSAL_H_
#define TFPROF_PROFILER_COMMANDS_REFUSAL_H_

#include <string>
#include <string_view>

#include "profiler/commands/parse.h"
#include "profiler/options/options.h"

namespace tfprof::commands {

// Our sentence about the word; "" if its error says everything.
std::string RefusalText(const Refusal& refusal);

// Names the refused word: `unknown command "opp"`; "" if the error does so.
std::string RefusedText(const Refusal& refusal);
// A hint behind the reference's message, or "".
std::string SuggestFor(const Refusal& refusal);
// For an option's value that was refused: the choice nearest to the first wrong
// element, else the values that the option takes.
std::string SuggestValue(const options::Option& option, std::string_view value);

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_REFUSAL_H_
