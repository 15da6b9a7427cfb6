#include "profile/node_stats.h"

namespace tfprof {
namespace {

void AddStep(const Step& step, std::vector<Stats>& stats) {
  for (size_t g = 0; g < step.num_groups(); ++g) {
    Stats& s = stats[step.node[g]];
    const int64_t accelerator = step.accelerator_micros[g];
    const int64_t cpu = step.cpu_micros[g];
    s[kAcceleratorMicros] = WrapAdd(s[kAcceleratorMicros], accelerator);
    s[kCpuMicros] = WrapAdd(s[kCpuMicros], cpu);
    s[kRequestedBytes] = WrapAdd(s[kRequestedBytes], step.requested_bytes[g]);
    s[kPeakBytes] = WrapAdd(s[kPeakBytes], step.peak_bytes[g]);
    s[kResidualBytes] = WrapAdd(s[kResidualBytes], step.residual_bytes[g]);
    s[kOutputBytes] = WrapAdd(s[kOutputBytes], step.output_bytes[g]);
    s[kRunCount] = WrapAdd(s[kRunCount], step.run_count[g]);
  }
}

}  // namespace

std::vector<Stats> ComputeNodeStats(const Profile& profile, int64_t step_id) {
  const NodeTable& nodes = profile.nodes();
  std::vector<Stats> stats(nodes.size(), Stats{});
  // In how many steps a node has executions.
  std::vector<uint32_t> num_steps(nodes.size(), 0);
  for (const auto& step : profile.steps()) {
    for (size_t g = 0; g < step->num_groups(); ++g) {
      ++num_steps[step->node[g]];
    }
    if (step_id < 0 || step->id == step_id) AddStep(*step, stats);
  }
  for (NodeId n = 0; n < nodes.size(); ++n) {
    Stats& s = stats[n];
    s[kMicros] = WrapAdd(s[kAcceleratorMicros], s[kCpuMicros]);
    if (step_id < 0 && num_steps[n] > 1) {
      for (int64_t& v : s) {
        v = static_cast<int64_t>(static_cast<uint64_t>(v) / num_steps[n]);
      }
    }
    s[kParameters] =
        profile.graph().shapes.Parameters(nodes.parameter_shape[n]);
    s[kFloatOps] = nodes.FloatOps(n);
    if (num_steps[n] > 0) s[kFloatOps] = WrapMul(s[kFloatOps], s[kRunCount]);
  }
  return stats;
}

}  // namespace tfprof
