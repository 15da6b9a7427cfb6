#include "timeline/replay_time.h"

#include <algorithm>

#include "util/arithmetic.h"

namespace tfprof::timeline {

ReplayTime UnnamedReplays(const profile::Profile& profile) {
  ReplayTime time;
  for (const profile::GraphReplay& row : profile.graph_replays()) {
    time.launches = util::SaturatingAdd(time.launches, row.unnamed_launches);
    time.kernels = util::SaturatingAdd(time.kernels, row.unnamed_kernels);
    time.ticks = util::SaturatingAdd(time.ticks, row.unnamed_time);
  }
  if (time.ticks <= 0) return time;
  for (const auto& step : profile.steps()) {
    for (size_t g = 0; g < step->num_groups(); ++g) {
      time.of_all =
          util::SaturatingAdd(time.of_all, step->sums.accelerator_time[g]);
    }
  }
  time.of_all = std::max(time.of_all, time.ticks);
  return time;
}

}  // namespace tfprof::timeline
