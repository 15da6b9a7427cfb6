// An answer of one word: a line of text, or data in a column.

#ifndef TFPROF_PROFILER_COMMANDS_WORD_ANSWER_H_
#define TFPROF_PROFILER_COMMANDS_WORD_ANSWER_H_

#include <string>
#include <string_view>

#include "tables/answer.h"

namespace tfprof {

// `word` in a column of that name, or nothing for ""; as text, `text`.
Answer WordAnswer(std::string_view kind, std::string_view column,
                  const std::string& word, std::string text);

// Makes `text` the form of an answer in every output that asks for none.
void SetText(std::string text, Answer& answer);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_COMMANDS_WORD_ANSWER_H_
