// An answer of one value: a line of text, or data with one column.

#ifndef TFPROF_PROFILER_COMMANDS_SHOW_WORD_ANSWER_H_
#define TFPROF_PROFILER_COMMANDS_SHOW_WORD_ANSWER_H_

#include <string>
#include <string_view>

#include "tables/answer.h"

namespace tfprof::commands {

// A table of one row and one column, which holds `word`, or no value for "". As
// text, the answer is `text`.
tables::Answer WordAnswer(std::string_view kind, std::string_view column,
                          const std::string& word, std::string text);

// Makes `text` the form of the answer in every output that names no format.
void SetText(std::string text, tables::Answer& answer);

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_SHOW_WORD_ANSWER_H_
