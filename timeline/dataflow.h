// Finds what an execution waited for if the input has no links. In TensorFlow
// 1, the edges of the graph show which op reads which tensor, and the names of
// kernels show which op launched them.
//
// If an op ran several times (in a loop), a reader waits for the execution of
// the op that ended last before the reader began. If there is none, the edge is
// ignored. A kernel was launched by the last execution of its op on a lane for
// launches that began before the kernel.
//
// Takes O(n log n) time in the executions and edges of the step.

#ifndef TFPROF_TIMELINE_DATAFLOW_H_
#define TFPROF_TIMELINE_DATAFLOW_H_

#include <cstddef>
#include <vector>

#include "profile/profile.h"
#include "profile/tables/links.h"

namespace tfprof::timeline {

// Returns the links within a step, sorted by the execution that waits. `step`
// is an index in Profile::steps(). Returns nothing if the profile has links, or
// if its lanes have calls, because then the edges of a graph do not apply to
// executions.
std::vector<profile::Link> DataflowOf(const profile::Profile& profile,
                                      size_t step);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_DATAFLOW_H_
