// Glossary: the words of tables and messages that are neither options nor
// statistics, with their meaning, for `help WORD`.

#ifndef TFPROF_PROFILER_COMMANDS_HELP_GLOSSARY_H_
#define TFPROF_PROFILER_COMMANDS_HELP_GLOSSARY_H_

#include <span>
#include <string_view>

namespace tfprof::commands {

struct Term {
  std::string_view word;
  std::string_view meaning;  // sentences
};

// Finds a term by its word.
std::span<const Term> Glossary();
// nullptr: no such word. Capitals make no difference, nor do '-' and '_'
// instead of a blank.
const Term* FindTerm(std::string_view word);

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_HELP_GLOSSARY_H_
