#include "loaders/xplane/load.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "fmt/format.h"
#include "loaders/xplane/file_loader.h"
#include "util/arithmetic.h"
#include "util/run/self_profile.h"

namespace tfprof::xplane {
namespace {

// Sets the origin of each file. If all files give their start, they share one
// clock. Otherwise each file has its own clock, which begins with its first
// line.
void AlignClocks(std::vector<XPlaneFile>& files, loaders::ImportLog& log) {
  const bool one_clock =
      files.size() > 1 &&
      std::all_of(files.begin(), files.end(),
                  [](const XPlaneFile& f) { return f.began_ns > 0; });
  if (!one_clock) {
    for (size_t i = 0; i < files.size(); ++i) {
      files[i].origin_ns = files[i].first_ns;
      files[i].clock = static_cast<uint32_t>(i);
    }
    if (files.size() > 1) {
      log.Add(
          loaders::ImportLog::kNotice, "files without a common clock",
          fmt::format(
              "{}: its recorder did not record when it began, so times "
              "of different files cannot be compared",
              std::find_if(files.begin(), files.end(), [](const XPlaneFile& f) {
                return f.began_ns <= 0;
              })->path));
    }
    return;
  }
  int64_t first = std::numeric_limits<int64_t>::max();
  for (const XPlaneFile& file : files) {
    first = std::min(first, util::SaturatingAdd(file.began_ns, file.first_ns));
  }
  for (XPlaneFile& file : files) {
    file.origin_ns =
        util::SaturatingAdd(first, util::SaturatingMul(file.began_ns, -1));
  }
}

}  // namespace

absl::Status LoadXPlanes(std::span<const loaders::FormatFile> files,
                         loaders::LoadContext& context) {
  profile::ProfileBuilder& builder = context.builder;
  builder.SetTicksPerMicro(kXPlaneTicksPerMicro);
  std::vector<XPlaneFile> opened;
  for (const loaders::FormatFile& file : files) {
    const util::ScopedPhase phase("outline", file.path);
    loaders::LogIfEmpty(*file.file, "XPlane", context.log);
    opened.push_back(OpenXPlane(file.path, file.file, context.log));
  }
  AlignClocks(opened, context.log);
  XPlaneLoad load(context);
  load.several = opened.size() > 1;
  for (const XPlaneFile& file : opened) {
    const util::ScopedPhase phase("load", file.path);
    LoadXPlaneFile(file, load, context);
  }
  if (context.work.cancelled()) return absl::OkStatus();
  constexpr double kMicrosPerMilli = 1000;
  load.ahead.Log(kMicrosPerMilli * kXPlaneTicksPerMicro, context.log);
  {
    const util::ScopedPhase phase("steps of XPlane");
    builder.FinishSteps({load.steps.begin(), load.steps.end()});
  }
  std::move(load.texts).Finish(builder.mutable_graph().nodes);
  load.links.Resolve(builder, context.work.cancellation);
  return absl::OkStatus();
}

}  // namespace tfprof::xplane
