// How much of the accelerators' time is replays of graphs whose kernels nothing
// names (profile/steps/graph_replays.h): all of it is in the rows of their
// launches.

#ifndef TFPROF_TIMELINE_REPLAY_TIME_H_
#define TFPROF_TIMELINE_REPLAY_TIME_H_

#include <cstdint>

#include "profile/profile.h"

namespace tfprof::timeline {

// Sums over all steps, and over everything outside of steps.
struct ReplayTime {
  // The replays with kernels that nothing names.
  int64_t launches = 0;
  int64_t kernels = 0;
  int64_t ticks = 0;  // of the profile
  // The sum of all work of accelerators, in ticks.
  int64_t of_all = 0;

  // From 0 to 1.
  double share() const {
    return of_all <= 0
               ? 0
               : static_cast<double>(ticks) / static_cast<double>(of_all);
  }
};

ReplayTime UnnamedReplays(const profile::Profile& profile);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_REPLAY_TIME_H_
