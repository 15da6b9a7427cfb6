// How busy each accelerator was: the sum of its kernels' times over the span
// of its nodes, in the last step of each node.

#include <algorithm>
#include <limits>
#include <map>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"

namespace tfprof::advisor {
namespace {
namespace accelerator_utilization {

constexpr Rule kRules[] = {
    {"low_utilization", "An accelerator was busy for less than the threshold.",
     "utilization", "low_utilization"},
    {"utilization", "How busy an accelerator was.", "utilization",
     "low_utilization"},
};
// The reference has a second threshold of 0.2 with the same text.
constexpr CheckerOption kOptions[] = {
    {"low_utilization", 0.5, "share", "A smaller utilization is called low."},
};

struct Use {
  int64_t start = std::numeric_limits<int64_t>::max();
  int64_t end = std::numeric_limits<int64_t>::min();
  int64_t busy = 0;
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  views::Views& views = input.views;
  const double threshold = settings.Get("low_utilization");
  const profile::Profile& profile = views.profile();
  const profile::NodeTable& nodes = profile.nodes();
  // Each node's last step, from the last step backwards.
  std::vector<bool> seen(nodes.size(), false);
  std::map<std::string_view, Use> devices;
  for (auto step = profile.steps().rbegin(); step != profile.steps().rend();
       ++step) {
    for (size_t g = 0; g < (*step)->num_groups(); ++g) {
      const auto n = static_cast<profile::NodeId>((*step)->node[g]);
      if (seen[n]) continue;
      seen[n] = true;
      const profile::DeviceId device = nodes.device[n];
      if (device == profile::kNone || !profile.devices()[device].on_gpu)
        continue;
      Use& use = devices[profile.devices().name(device)];
      const profile::StepSums& sums = (*step)->sums;
      if (sums.HasSpan(g)) {
        use.start = std::min(use.start, sums.start.Micros(g));
        use.end = std::max(use.end, sums.end.Micros(g));
      }
      use.busy = util::WrapAdd(use.busy, sums.accelerator_time[g]);
    }
  }
  CheckResult result;
  for (const auto& [device, use] : devices) {
    if (use.end <= use.start) continue;
    const int64_t span = util::WrapSub(use.end, use.start);
    Finding f;
    f.subject = std::string(device);
    f.value = static_cast<double>(use.busy) / static_cast<double>(span);
    f.threshold = threshold;
    f.evidence = "op -select accelerator_micros -order_by accelerator_micros";
    const bool low = f.value < threshold;
    // Without kernel records, the busy time of the GPU is unknown.
    f.reference_text_only = low && use.busy == 0;
    f.rule = low ? "low_utilization" : "utilization";
    if (low) {
      f.advice = "Find what the device waits for: graph -output timeline.";
    }
    f.severity = low ? Finding::Severity::kWarning : Finding::Severity::kInfo;
    f.text = fmt::format("device: {} {}utilization: {:.2f}", device,
                         low ? "low " : "", f.value);
    result.findings.push_back(std::move(f));
  }
  return result;
}

}  // namespace accelerator_utilization
}  // namespace

const Checker kAcceleratorUtilizationChecker = {
    "AcceleratorUtilizationChecker",
    "How busy each accelerator was between its first and its last kernel.",
    Checker::Kind::kReference,
    accelerator_utilization::kRules,
    accelerator_utilization::kOptions,
    accelerator_utilization::Check,
    Checker::Needs::kExecutions};

}  // namespace tfprof::advisor
