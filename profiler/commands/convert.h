// The commands `convert` and `save`: what is loaded, in another form.
//
//   profile   one ProfileProto
//   files     a folder with graph.pb, op_log.pb (if there is anything for it)
//             and a run_meta_STEP.pb for each listed step
//
// A file is there as a whole or not at all, and so is a folder: it is written
// under another name beside it and renamed. The folder must not exist, or be
// empty: a run_meta_ file of somebody else would be loaded with it.
//
// What the form has no place for is said on the Ui, and so is what was written.
// Errors were told to the Ui as well: a step that is not there, a profile
// without nodes or without its executions, whatever writing met.

#ifndef TFPROF_PROFILER_COMMANDS_CONVERT_H_
#define TFPROF_PROFILER_COMMANDS_CONVERT_H_

#include "absl/status/status.h"
#include "profile/profile.h"
#include "profiler/options/options.h"
#include "profiler/shell/ui.h"

namespace tfprof {

absl::Status Convert(const ConvertSpec& spec, const Profile& profile, Ui& ui);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_COMMANDS_CONVERT_H_
