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
// A kind is "integer", "boolean", "list" or "text". Commands of the shell only
// are left out. "gives_answer": it has -output.

#ifndef TFPROF_PROFILER_COMMANDS_COMMANDS_JSON_H_
#define TFPROF_PROFILER_COMMANDS_COMMANDS_JSON_H_

#include <string>

namespace tfprof {

std::string CommandsJson();

}  // namespace tfprof

#endif  // TFPROF_PROFILER_COMMANDS_COMMANDS_JSON_H_
