// NodeStats: the reference's statistics of every node, for one step or as the
// average over steps.
//
// Rules (with all their oddities, because published numbers depend on them):
// an average divides by the number of steps in which *this node* ran, in
// integers, and as unsigned: a negative sum over two or more steps comes out
// huge. A node that ran in no step has zeros, except float operations: those
// are the static number, while a node that ran has static number × run count
// of the step (so 0 in a step in which it did not run). Parameters do not
// depend on the step.
//
// Traces whose times are self times (GraphTables::self_times) have a plain
// average: the sum over the listed steps divided by their number, rounded to
// the nearest.
//
// Units: ticks of the profile (Profile::ticks_per_micro()), bytes. 80 bytes per
// node; computed in one pass over the groups of the steps (about 10 ms for 100
// steps of 10,000 nodes).

#ifndef TFPROF_ACCOUNTING_NODE_STATS_H_
#define TFPROF_ACCOUNTING_NODE_STATS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "accounting/statistics.h"
#include "profile/profile.h"
#include "profile/uninitialized.h"
#include "util/work.h"

namespace tfprof {

using Stats = std::array<int64_t, kNumStats>;

// Instead of the number of a step: the average over the steps, and the sum of
// all executions, those outside of steps included. Other negative numbers mean
// the average as well.
inline constexpr int64_t kAverageOfSteps = -1;
inline constexpr int64_t kAllSteps = std::numeric_limits<int64_t>::min();

// The same with kAverageOfSteps for every number that means the average.
constexpr int64_t CanonicalStep(int64_t step) {
  return step < 0 && step != kAllSteps ? kAverageOfSteps : step;
}

inline void AddStats(Stats& sum, const Stats& value) {
  for (int s = 0; s < kNumStats; ++s) sum[s] = WrapAdd(sum[s], value[s]);
}

// The statistics of executions of one group of a step (the executions of one
// node). All other statistics are 0.
Stats StatsOfGroup(const Step& step, size_t group);

using StatsTable = UninitializedVector<Stats>;

// By node id, on all cores. `step`: kAllSteps, or another negative number for
// the average, or a listed step of `profile`. `float_ops` has the float
// operations of one run by node id, and replaces those of op logs; their
// product with the runs saturates.
StatsTable ComputeNodeStats(const Profile& profile, int64_t step,
                            const std::vector<int64_t>* float_ops = nullptr,
                            const Work& work = {});

}  // namespace tfprof

#endif  // TFPROF_ACCOUNTING_NODE_STATS_H_
