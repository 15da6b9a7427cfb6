// Flags: the arguments of the program that are not options of a command
// (options.h): its inputs, the profile to compare with, and how the program
// itself runs. One table has each flag and the function that sets it.

#ifndef TFPROF_PROFILER_OPTIONS_FLAGS_H_
#define TFPROF_PROFILER_OPTIONS_FLAGS_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/core/load.h"

namespace tfprof::options {

struct ProgramFlags {
  loaders::LoadRequest inputs;
  std::vector<std::string> base;  // files; empty: nothing to compare with
  std::string script;             // -f FILE
  std::string self_profile;       // a file; empty: none
  unsigned max_seconds = 0;       // 0: no limit
  // Whether the inputs are read in a confined process; not set: as the command
  // does it.
  std::optional<bool> untrusted;
};

struct FlagInfo {
  std::string_view name;
  std::string_view value_name;
  std::string_view help;
  bool takes_file;
  // It may be given without a value, which is then "true". A value follows '='.
  bool is_switch = false;
  // False: the value is invalid.
  std::function<bool(std::string_view value, ProgramFlags& flags)> set;
};

// The flags of the input formats (loaders/core/registry.h) come first.
std::span<const FlagInfo> FlagTable();
// nullptr: no such flag.
const FlagInfo* FindFlag(std::string_view name);

// Whether the reference has this flag, which names an input. Who uses one calls
// the program as the reference is called.
bool IsReferenceFlag(std::string_view name);

// The parts of a list of files, "FILE,FILE".
std::vector<std::string> SplitFiles(std::string_view list);

}  // namespace tfprof::options

#endif  // TFPROF_PROFILER_OPTIONS_FLAGS_H_
