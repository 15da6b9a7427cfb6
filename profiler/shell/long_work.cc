#include "profiler/shell/long_work.h"

#include "util/run/progress.h"

namespace tfprof::shell {

absl::StatusOr<loaders::Loaded> LoadWithBar(loaders::LoadRequest request) {
  util::Progress progress;
  request.progress = &progress;
  const util::ProgressBar bar("loading", progress, "B");
  return loaders::Load(request);
}

absl::Status WriteFileWithBar(
    const std::string& path,
    const std::function<absl::Status(util::Sink&)>& write,
    const util::Cancellation* cancellation) {
  util::WriteProgress progress;
  const util::ProgressBar bar("writing", progress.bytes, "B");
  return util::WriteFile(path, write,
                         {.progress = &progress, .cancellation = cancellation});
}

}  // namespace tfprof::shell
