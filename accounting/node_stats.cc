#include "accounting/node_stats.h"

#include <algorithm>
#include <vector>

#include "util/run/threads.h"

namespace tfprof::accounting {
namespace {

void AddGroup(const profile::Step& step, size_t g, Stats& s) {
  const auto add = [&s](Stat stat, int64_t v) {
    s[stat] = util::WrapAdd(s[stat], v);
  };
  add(kAcceleratorMicros, step.sums.accelerator_time[g]);
  add(kCpuMicros, step.sums.cpu_time[g]);
  add(kRequestedBytes, step.sums.requested_bytes[g]);
  add(kPeakBytes, step.sums.peak_bytes[g]);
  add(kResidualBytes, step.sums.residual_bytes[g]);
  add(kOutputBytes, step.sums.output_bytes[g]);
  add(kRunCount, step.sums.run_count[g]);
}

// Divides and rounds to the nearest integer. `count` must be positive.
int64_t Rounded(int64_t sum, int64_t count) {
  const int64_t quotient = profile::FloorDiv(sum, count);
  return quotient + (sum - quotient * count >= count - count / 2);
}

// Converts the sum over `steps` steps to the average.
void Average(uint32_t steps, bool self_times, Stats& s) {
  if (steps < 2) return;
  for (int64_t& v : s) {
    v = self_times ? Rounded(v, steps)
                   : static_cast<int64_t>(static_cast<uint64_t>(v) / steps);
  }
}

// Computes the statistics of the nodes begin … end - 1.
void ComputeRange(const profile::Profile& profile, int64_t step_id,
                  const std::vector<int64_t>* float_ops, profile::NodeId begin,
                  profile::NodeId end, StatsTable& stats) {
  const profile::NodeTable& nodes = profile.nodes();
  std::fill(stats.begin() + begin, stats.begin() + end, Stats{});
  const bool self_times = profile.graph().self_times;
  const bool averages = step_id < 0 && step_id != kAllSteps;
  uint32_t num_listed = 0;
  // The number of steps in which each node has executions.
  std::vector<uint32_t> num_steps(end - begin, 0);
  const auto add = [&](const profile::Step& step, bool counts) {
    const size_t last = step.GroupAt(end);
    for (size_t g = step.GroupAt(begin); g < last; ++g) {
      const auto n = static_cast<profile::NodeId>(step.node[g]);
      ++num_steps[n - begin];
      if (counts) AddGroup(step, g, stats[n]);
    }
  };
  const auto float_ops_of = [&](profile::NodeId n) {
    return float_ops == nullptr ? nodes.FloatOps(n) : (*float_ops)[n];
  };
  if (step_id < 0) {
    for (const auto& step : profile.steps()) {
      num_listed += step->listed;
      add(*step, !averages || !self_times || step->listed);
    }
  } else {
    const auto of =
        std::ranges::lower_bound(profile.steps(), step_id, {},
                                 [](const auto& step) { return step->id; });
    if (of != profile.steps().end() && (*of)->id == step_id) add(**of, true);
    // The other steps only matter for float operations of nodes that did not
    // run in this one. To read all steps for each step would be quadratic.
    bool matters = false;
    for (profile::NodeId n = begin; n < end && !matters; ++n) {
      matters = num_steps[n - begin] == 0 && float_ops_of(n) != 0;
    }
    for (size_t i = 0; matters && i < profile.steps().size(); ++i) {
      add(*profile.steps()[i], false);
    }
  }
  for (profile::NodeId n = begin; n < end; ++n) {
    Stats& s = stats[n];
    const uint32_t steps = num_steps[n - begin];
    s[kMicros] = util::WrapAdd(s[kAcceleratorMicros], s[kCpuMicros]);
    if (averages) Average(self_times ? num_listed : steps, self_times, s);
    // Add the rounded parts again, so that they still add up to the total.
    if (self_times)
      s[kMicros] = util::WrapAdd(s[kAcceleratorMicros], s[kCpuMicros]);
    s[kParameters] =
        profile.graph().shapes.Parameters(nodes.parameter_shape[n]);
    const int64_t runs =
        steps > 0 || profile.RanElsewhere(n) ? s[kRunCount] : 1;
    s[kFloatOps] = float_ops == nullptr
                       ? util::WrapMul(float_ops_of(n), runs)
                       : util::SaturatingMul(float_ops_of(n), runs);
  }
}

}  // namespace

Stats StatsOfGroup(const profile::Step& step, size_t group) {
  Stats stats = {};
  AddGroup(step, group, stats);
  stats[kMicros] = util::WrapAdd(stats[kAcceleratorMicros], stats[kCpuMicros]);
  return stats;
}

StatsTable ComputeNodeStats(const profile::Profile& profile, int64_t step_id,
                            const std::vector<int64_t>* float_ops,
                            const util::TaskOptions& work) {
  StatsTable stats;
  stats.resize(profile.nodes().size());
  util::ParallelRanges(work, stats.size(), [&](size_t begin, size_t end) {
    ComputeRange(profile, step_id, float_ops,
                 static_cast<profile::NodeId>(begin),
                 static_cast<profile::NodeId>(end), stats);
  });
  return stats;
}

}  // namespace tfprof::accounting
