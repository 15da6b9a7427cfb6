// Kinds of steps: steps that ran the same nodes can be compared; one that
// initializes or evaluates is no slow training step.

#ifndef TFPROF_ADVISOR_STEP_KINDS_H_
#define TFPROF_ADVISOR_STEP_KINDS_H_

#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace tfprof {

// Nodes in both steps, divided by nodes in one of them.
double NodesInCommon(const Step& a, const Step& b);

// The listed steps with executions that have at least the share `same_nodes` of
// their nodes in common with a typical one, which is the median by number of
// nodes. In the order of their numbers.
std::vector<const Step*> StepsOfAKind(const Profile& profile,
                                      double same_nodes);

// The node that takes the most time more in `slow` than in `usual`, in
// microseconds; kNone: none takes more. The host waits for accelerators in
// calls that take longer then, too: what accelerators ran is preferred if it is
// half of the largest difference or more.
struct NodeDifference {
  int64_t micros = 0;
  NodeId node = kNone;
};
NodeDifference LargestDifference(const Profile& profile, const Step& slow,
                                 const Step& usual);

}  // namespace tfprof

#endif  // TFPROF_ADVISOR_STEP_KINDS_H_
