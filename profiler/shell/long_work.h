// Loading and writing with a progress bar (util/run/progress.h).

#ifndef TFPROF_PROFILER_SHELL_LONG_WORK_H_
#define TFPROF_PROFILER_SHELL_LONG_WORK_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "loaders/core/load.h"
#include "util/files/sink.h"

namespace tfprof {

// Load(); request.progress is set here.
absl::StatusOr<Loaded> LoadWithBar(LoadRequest request);

// WriteFile(). `write` may compute for long before its first byte.
absl::Status WriteFileWithBar(const std::string& path,
                              const std::function<absl::Status(Sink&)>& write,
                              const Cancellation* cancellation = nullptr);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_SHELL_LONG_WORK_H_
