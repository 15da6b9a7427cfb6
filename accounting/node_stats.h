// NodeStats: the reference's statistics of every node, for one step or as the
// average over steps.
//
// The rules include the reference's oddities, because published numbers depend
// on them. An average divides by the number of steps in which *this node* ran.
// It is an unsigned integer division, so a negative sum over two or more steps
// becomes huge. A node that never ran has zeros, except for its float
// operations, which are the static number. A node that ran has the static
// number × its run count in the step (so 0 in a step in which it did not run).
// Parameters do not depend on the step.
//
// Traces whose times are self times (GraphTables::self_times) have a plain
// average: the sum over the listed steps divided by their number, rounded to
// the nearest integer.
//
// Units: ticks of the profile (Profile::ticks_per_micro()) and bytes. The
// statistics take 80 bytes per node and are computed in one pass over the
// groups of the steps (about 10 ms for 100 steps of 10,000 nodes).

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
#include "util/run/task_options.h"

namespace tfprof::accounting {

using Stats = std::array<int64_t, kNumStats>;

// Returns whether sums have time of accelerators and of CPUs. Both run at the
// same time, and the CPU launches what the accelerator does: people see two
// numbers and never kMicros, their sum.
constexpr bool HasBothTimes(const Stats& sums) {
  return sums[kAcceleratorMicros] > 0 && sums[kCpuMicros] > 0;
}

// Special step numbers: the average over the steps, and the sum of all
// executions, including those outside of steps. Other negative numbers also
// mean the average.
inline constexpr int64_t kAverageOfSteps = -1;
inline constexpr int64_t kAllSteps = std::numeric_limits<int64_t>::min();

// Returns kAverageOfSteps for every number that means the average, and other
// numbers unchanged.
constexpr int64_t CanonicalStep(int64_t step) {
  return step < 0 && step != kAllSteps ? kAverageOfSteps : step;
}

inline void AddStats(Stats& sum, const Stats& value) {
  for (int s = 0; s < kNumStats; ++s) sum[s] = util::WrapAdd(sum[s], value[s]);
}

// Returns the statistics of the executions in one group of a step (the
// executions of one node). All other statistics are 0.
Stats StatsOfGroup(const profile::Step& step, size_t group);

using StatsTable = profile::UninitializedVector<Stats>;

// Computes the statistics by node id, on all cores. `step` is kAllSteps,
// another negative number for the average, or a listed step of `profile`.
// `float_ops` has the float operations of one run by node id and replaces the
// numbers of op logs; the product with the run count saturates.
StatsTable ComputeNodeStats(const profile::Profile& profile, int64_t step,
                            const std::vector<int64_t>* float_ops = nullptr,
                            const util::TaskOptions& work = {});

}  // namespace tfprof::accounting

#endif  // TFPROF_ACCOUNTING_NODE_STATS_H_
