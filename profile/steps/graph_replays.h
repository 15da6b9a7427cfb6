// GraphReplays: the kernels of each step that the host started with replays of
// graphs, if the input has such replays.
//
// A program captures a graph of kernels once and replays it: one launch starts
// all of its kernels. The launch does not say to which operations they belong.
// Other parts of the input may say it: a recording of the capture, or names of
// the nodes of the graph. Kernels without any such name stay with their launch;
// they are unnamed here.
//
// There is one row for each step in a process with replays, ascending by step,
// then process. Executions outside of steps are in the row of kOutsideSteps.
// Times are sums over kernels in ticks of the profile
// (Profile::ticks_per_micro()). Immutable; shared between profiles.

#ifndef TFPROF_PROFILE_STEPS_GRAPH_REPLAYS_H_
#define TFPROF_PROFILE_STEPS_GRAPH_REPLAYS_H_

#include <compare>
#include <cstdint>
#include <vector>

#include "profile/steps/step_intervals.h"

namespace tfprof::profile {

struct GraphReplay {
  int64_t step = 0;  // Step::id
  ProcessId process = 0;
  int64_t launches = 0;  // that started a kernel
  int64_t kernels = 0;
  int64_t time = 0;
  // The part of the launches, kernels and time that nothing names.
  int64_t unnamed_launches = 0;
  int64_t unnamed_kernels = 0;
  int64_t unnamed_time = 0;
  friend auto operator<=>(const GraphReplay&, const GraphReplay&) = default;
};

using GraphReplays = std::vector<GraphReplay>;

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_STEPS_GRAPH_REPLAYS_H_
