#include "profiler/shell/long_work.h"

#include "util/run/progress.h"

namespace tfprof {

absl::StatusOr<Loaded> LoadWithBar(LoadRequest request) {
  Progress progress;
  request.progress = &progress;
  const ProgressBar bar("loading", progress, "B");
  return Load(request);
}

absl::Status WriteFileWithBar(const std::string& path,
                              const std::function<absl::Status(Sink&)>& write,
                              const Cancellation* cancellation) {
  WriteProgress progress;
  const ProgressBar bar("writing", progress.bytes, "B");
  return WriteFile(path, write,
                   {.progress = &progress, .cancellation = cancellation});
}

}  // namespace tfprof
