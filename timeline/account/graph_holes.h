// GraphHoles: work of graph launches that the file does not have.
//
// The nodes of a CUDA or HIP graph depend only on each other. If nothing runs
// on a device between two of them, other nodes of the graph ran, which were not
// recorded. A single graph may wait for the host or for another graph by a node
// of its own; so several different graphs must have such holes in most of their
// launches. Then time before or after the recorded nodes of a graph may be work
// of the graph, too: launched work that seems to wait there does not wait for
// sure.
//
// Times are ticks of the profile. The work is O(n log n) for n runs, and
// nothing if no launch has several runs.

#ifndef TFPROF_TIMELINE_ACCOUNT_GRAPH_HOLES_H_
#define TFPROF_TIMELINE_ACCOUNT_GRAPH_HOLES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "timeline/activity.h"

namespace tfprof::timeline {

// The name of such time among the details of an account.
inline constexpr std::string_view kGraphHole =
    "work of graph launches that is not in the file";

class GraphHoles {
 public:
  // `device` must have the runs of all steps, and outlive the object.
  GraphHoles(const Activities& activities, const DeviceActivity& device);

  // Whether the time before a run of the device may be such work: it, or the
  // run before it on its stream, is of a graph launch.
  bool Before(size_t run) const { return !before_.empty() && before_[run]; }

 private:
  std::vector<bool> before_;  // by run; empty: no graph has holes
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_ACCOUNT_GRAPH_HOLES_H_
