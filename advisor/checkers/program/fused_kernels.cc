// Finds work of many kernels for which one fused kernel exists: attention that
// is computed as products and a softmax, and an optimizer that goes over the
// parameters several times.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "util/text/ascii.h"

namespace tfprof::advisor {
namespace {
namespace fused_kernels {

constexpr Rule kRules[] = {
    {"unfused_attention",
     "Batched matrix products and a softmax, as attention is computed without "
     "a fused kernel, take more than the threshold of the busy time of an "
     "accelerator.",
     "share of the busy time", "attention"},
    {"optimizer_time",
     "An optimizer without fused kernels takes more than the threshold of the "
     "busy time of an accelerator.",
     "share of the busy time", "optimizer"},
};
constexpr CheckerOption kOptions[] = {
    {"attention", 0.2, "share", "Less is not reported."},
    {"softmax", 0.1, "share",
     "Products with less time of a softmax beside them are no attention."},
    {"optimizer", 0.25, "share", "Less is not reported."},
};

// The operations of PyTorch of which attention consists.
bool IsSoftmax(std::string_view op) {
  return op == "aten::_softmax" || op == "aten::_softmax_backward_data";
}
bool IsBatchedProduct(std::string_view op) {
  return op == "aten::bmm" || op == "aten::baddbmm";
}

// PyTorch's range around an optimizer: "Optimizer.step#AdamW.step".
bool IsInOptimizer(std::string_view node) {
  return node.find("Optimizer.step#") != node.npos;
}

Finding FindingOf(const DeviceCheck& check,
                  const timeline::DeviceActivity& device, const Rule& rule,
                  const RunSum& sum, double threshold, std::string_view what,
                  std::string_view advice) {
  const int64_t busy = timeline::Length(device.busy);
  Finding f = ShareFinding(check, rule.id, check.Name(device.unit), sum.time(),
                           busy, threshold, check.InSteps(device, sum.times));
  f.severity = Finding::Severity::kWarning;
  // A fused kernel takes time, too, and how much is unknown.
  f.saving_micros = f.saving_micros / 2;
  f.evidence = "kernels";
  f.advice = advice;
  f.text = fmt::format("{}: {} for {}", f.subject, what, sum.Text(check, busy));
  return f;
}

// What a node is for this checker.
enum class Use : uint8_t { kUnknown, kOther, kSoftmax, kProduct, kOptimizer };

Use UseOf(const profile::Profile& profile, profile::NodeId node) {
  const std::string_view op = profile.strings().Get(profile.nodes().op[node]);
  if (IsSoftmax(op)) return Use::kSoftmax;
  if (IsBatchedProduct(op)) return Use::kProduct;
  return IsInOptimizer(profile.node_name(node)) ? Use::kOptimizer : Use::kOther;
}

void CheckDevice(const DeviceCheck& check,
                 const timeline::DeviceActivity& device,
                 const CheckerSettings& settings, CheckResult& result) {
  // Many runs share a node, so each is looked at once.
  std::vector<Use> uses(check.profile().nodes().size(), Use::kUnknown);
  RunSum attention, optimizer;
  int64_t softmax = 0, products = 0;
  bool is_fused = false;
  for (const timeline::DeviceRun& run : device.runs) {
    if (check.work.cancelled()) return;
    if (run.node == profile::kNone) continue;
    Use& use = uses[run.node];
    if (use == Use::kUnknown) use = UseOf(check.profile(), run.node);
    if (use == Use::kOther || run.length() <= 0 ||
        run.kind != timeline::RunKind::kCompute) {
      continue;
    }
    const std::string_view op = check.activities.Op(run);
    if (use == Use::kOptimizer) {
      is_fused |= util::LowerCase(op).find("fused") != std::string::npos;
      optimizer.Add(check, run, op);
    } else {
      (use == Use::kSoftmax ? softmax : products) += run.length();
      attention.Add(check, run, op);
    }
  }
  const auto busy = static_cast<double>(timeline::Length(device.busy));
  const auto exceeds = [&](const RunSum& sum, std::string_view option) {
    return static_cast<double>(sum.time()) > settings.Get(option) * busy;
  };
  if (exceeds(attention, "attention") && products > 0 &&
      static_cast<double>(softmax) >
          settings.Get("softmax") * static_cast<double>(softmax + products)) {
    result.findings.push_back(FindingOf(
        check, device, kRules[0], attention, settings.Get("attention"),
        "computes attention with products and a softmax",
        "Use torch.nn.functional.scaled_dot_product_attention (or "
        "attn_implementation=\"sdpa\" or \"flash_attention_2\"): one kernel, "
        "which does not write the matrix of all scores."));
  }
  if (exceeds(optimizer, "optimizer") && !is_fused) {
    result.findings.push_back(FindingOf(
        check, device, kRules[1], optimizer, settings.Get("optimizer"),
        "runs the optimizer",
        "Use a fused optimizer (fused=True), which reads and writes each "
        "parameter once; step less often (accumulate gradients), or shard the "
        "optimizer over the ranks."));
  }
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  return CheckAccelerators(input, settings, CheckDevice);
}

}  // namespace fused_kernels
}  // namespace

const Checker kFusedKernelChecker = {
    "FusedKernelChecker",
    "Whether attention and the optimizer use fused kernels.",
    Checker::Kind::kAdvice,
    fused_kernels::kRules,
    fused_kernels::kOptions,
    fused_kernels::Check,
    Checker::Needs::kAccelerators};

}  // namespace tfprof::advisor
