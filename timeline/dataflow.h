// What an execution waited for, where the input has no links for it: in
// TensorFlow 1, the edges of the graph say which op reads what, and the names
// of kernels which op launched them.
//
// Of the executions of an op that made a tensor, the one that ended last before
// the reader began counts: an op in a loop runs several times. Without such a
// one the edge is left out. A kernel was launched by the last execution of its
// op on a lane of launches that began before it.
//
// Takes time n log n in the executions and edges of the step.

#ifndef TFPROF_TIMELINE_DATAFLOW_H_
#define TFPROF_TIMELINE_DATAFLOW_H_

#include <cstddef>
#include <vector>

#include "profile/links.h"
#include "profile/profile.h"

namespace tfprof {

// Links within a step, by the end that waits. `step`: a place in
// Profile::steps(). None if the profile has links, or if its times are in lanes
// of calls: there an edge of a graph says nothing about executions.
std::vector<Link> DataflowOf(const Profile& profile, size_t step);

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_DATAFLOW_H_
