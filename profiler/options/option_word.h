// Words that are options: "-step", "-step=3", and in the program's arguments
// also "--step". In a line two dashes are an error, as in the reference.

#ifndef TFPROF_PROFILER_OPTIONS_OPTION_WORD_H_
#define TFPROF_PROFILER_OPTIONS_OPTION_WORD_H_

#include <optional>
#include <string_view>

#include "profiler/options/options.h"

namespace tfprof::options {

struct OptionWord {
  std::string_view name;                  // without dashes; "": not an option
  std::optional<std::string_view> value;  // the text after '='
  const Option* option = nullptr;         // nullptr: the name is unknown
  bool two_dashes = false;
};

inline OptionWord SplitOptionWord(std::string_view word) {
  OptionWord split;
  if (word.size() < 2 || word[0] != '-') return split;
  split.two_dashes = word[1] == '-';
  word.remove_prefix(split.two_dashes ? 2 : 1);
  const size_t equals = word.find('=');
  split.name = word.substr(0, equals);
  if (equals != word.npos) split.value = word.substr(equals + 1);
  split.option = FindOption(split.name);
  return split;
}

}  // namespace tfprof::options

#endif  // TFPROF_PROFILER_OPTIONS_OPTION_WORD_H_
