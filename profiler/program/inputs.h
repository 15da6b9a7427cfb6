// The inputs of a command line: its profile and the one of --base, loaded into
// a workspace. The program, its shell and `pipe` open their inputs here, and
// each reports in its own way what the loaders found.

#ifndef TFPROF_PROFILER_PROGRAM_INPUTS_H_
#define TFPROF_PROFILER_PROGRAM_INPUTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "profiler/commands/parse.h"
#include "profiler/commands/workspace.h"
#include "util/run/cancellation.h"

namespace tfprof::program {

struct LoadedInputs {
  // `opened` is nullptr if the profile could not be opened, and `base` if there
  // is none or it could not be opened.
  commands::Workspace workspace;
  // The error if an input could not be opened. For the base it begins with
  // "--base".
  absl::Status error;
  // CheckLoaded() of the profile; its message says what is missing.
  absl::Status state;
  std::string missing;
  // Notes of the loaders about the profile and about the base.
  std::vector<std::string> notes, base_notes;
};

// Loads the inputs of `line` with `load`. `cancellation` is used by the
// commands that run later, and must outlive the workspace.
LoadedInputs OpenLine(const commands::CommandLine& line, commands::Loader load,
                      util::Cancellation& cancellation);

}  // namespace tfprof::program

#endif  // TFPROF_PROFILER_PROGRAM_INPUTS_H_
