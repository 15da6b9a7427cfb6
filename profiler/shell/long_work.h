// Loading and writing with a progress bar (util/run/progress.h).

#ifndef TFPROF_PROFILER_SHELL_LONG_WORK_H_
#define TFPROF_PROFILER_SHELL_LONG_WORK_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "loaders/core/load.h"
#include "util/files/sink.h"

namespace tfprof::shell {

// Load(); request.progress is set here.
absl::StatusOr<loaders::Loaded> LoadWithBar(loaders::LoadRequest request);

// WriteFile(). `write` may compute for long before its first byte.
absl::Status WriteFileWithBar(
    const std::string& path,
    const std::function<absl::Status(util::Sink&)>& write,
    const util::Cancellation* cancellation = nullptr);

}  // namespace tfprof::shell

#endif  // TFPROF_PROFILER_SHELL_LONG_WORK_H_
