// Flags: the words of the program's arguments that are no options of a command
// (options.h), in one table with what sets them. Inputs, what to compare with,
// and how the program itself runs.

#ifndef TFPROF_PROFILER_OPTIONS_FLAGS_H_
#define TFPROF_PROFILER_OPTIONS_FLAGS_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/load.h"

namespace tfprof {

struct ProgramFlags {
  LoadRequest inputs;
  std::vector<std::string> base;  // files; empty: nothing to compare with
  std::string script;             // -f FILE
  std::string self_profile;       // a file; empty: none
  int threads = 0;                // 0: all cores
};

struct FlagInfo {
  std::string_view name;
  std::string_view value_name;
  std::string_view help;
  bool takes_file;
  // False: the value makes no sense.
  std::function<bool(std::string_view value, ProgramFlags& flags)> set;
};

// Those of the input formats (loaders/registry.h) first.
std::span<const FlagInfo> FlagTable();
// nullptr: no such flag.
const FlagInfo* FindFlag(std::string_view name);

// The parts of a list of files, "FILE,FILE".
std::vector<std::string> SplitFiles(std::string_view list);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_OPTIONS_FLAGS_H_
