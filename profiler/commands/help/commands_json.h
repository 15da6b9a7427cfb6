// The tables of commands and options as JSON, for programs that make an
// interface of them: `tfprof help commands.json`. The Python package is one.
//
//   {"commands":[{"name":"op","arguments":"","min_arguments":0,
//     "max_arguments":0,"needs_profile":true,"gives_answer":true,
//     "help":"The profile by …","answers":"Which kinds …?",
//     "options":["max_depth",…]},…],
//    "options":[{"name":"max_depth","kind":"integer","value":"N",
//     "default":"10","choices":[],"help":"Show rows up to …"},…]}
//
// A kind is "integer", "boolean", "list" or "text". "gives_answer": it has
// -output. The server's pages read the same of the commands that it answers,
// and the glossary: "terms":[{"word":"busy","meaning":"The time …"},…].

#ifndef TFPROF_PROFILER_COMMANDS_HELP_COMMANDS_JSON_H_
#define TFPROF_PROFILER_COMMANDS_HELP_COMMANDS_JSON_H_

#include <span>
#include <string>

#include "profiler/commands/commands.h"
#include "profiler/commands/help/glossary.h"

namespace tfprof::commands {

enum class ValueKind { kInteger, kBoolean, kList, kText };
ValueKind ValueKindOf(const options::Option& option);

// The commands for which `has` is true, each with the options that it `takes`,
// all options, and `terms` if there are any.
std::string CatalogJson(bool (*has)(const CommandInfo& command),
                        bool (*takes)(const CommandInfo& command,
                                      const options::Option& option),
                        std::span<const Term> terms);

// All commands except those that only the shell has.
std::string CommandsJson();

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_HELP_COMMANDS_JSON_H_
