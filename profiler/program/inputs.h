// The inputs of a command line: its profile and the one of --base, loaded into
// a workspace. The program, its shell and `pipe` open theirs here, and each
// says in its own way what was met.

#ifndef TFPROF_PROFILER_PROGRAM_INPUTS_H_
#define TFPROF_PROFILER_PROGRAM_INPUTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "profiler/commands/parse.h"
#include "profiler/commands/workspace.h"
#include "util/cancellation.h"

namespace tfprof {

struct LoadedInputs {
  // `opened` is nullptr if the profile could not be opened, and `base` if there
  // is none or it could not be opened.
  Workspace workspace;
  // Why one of them could not be opened. That of the base begins with "--base".
  absl::Status error;
  // CheckLoaded() of the profile, and its line about what is missing.
  absl::Status state;
  std::string missing;
  // What the loaders say about the profile and about the base.
  std::vector<std::string> notes, base_notes;
};

// Loads the inputs of `line` with `load`. `cancellation` is that of the
// commands which will run, and must outlive the workspace.
LoadedInputs OpenLine(const CommandLine& line, Loader load,
                      Cancellation& cancellation);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_PROGRAM_INPUTS_H_
