// Finds work of many kernels for which one fused kernel exists: attention that
// is computed as products and a softmax, an optimizer that goes over the
// parameters several times, and a line of the program that launches a short
// kernel for each of many tensors.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/account/framework.h"
#include "util/text/ascii.h"
#include "util/text/percent.h"
#include "views/allocation_line.h"

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
    {"kernel_loop",
     "A line of the program, or an optimizer, runs many short kernels in each "
     "step, and they and the short gaps after them take more than the "
     "threshold of the time of an accelerator.",
     "share of the device's time", "kernel_loop"},
};
constexpr CheckerOption kOptions[] = {
    {"attention", 0.2, "share", "Less is not reported."},
    {"softmax", 0.1, "share",
     "Products with less time of a softmax beside them are no attention."},
    {"optimizer", 0.25, "share", "Less is not reported."},
    {"kernel_loop", 0.1, "share", "Less is not reported."},
    {"loop_kernels", 100, "count",
     "A line that runs fewer short kernels in a step is no loop."},
    {"kernel", 10, "us", "A kernel that takes less is short."},
    {"gap", 20, "us", "A longer gap after a short kernel has other reasons."},
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

// The short kernels of a line, with the short gaps after them.
struct Loop {
  timeline::Intervals times;
  int64_t runs = 0;
  TimeSums ops;  // how many kernels each has
};

// Calls use(line, run, end of the gap after it) for each short kernel that a
// line or an optimizer launched by itself. Kernels of a graph are launched
// together.
template <typename Use>
void EachShortKernel(const DeviceCheck& check,
                     const timeline::DeviceActivity& device,
                     const CheckerSettings& settings, Use use) {
  const profile::Profile& profile = check.profile();
  const int64_t limit = check.Ticks(settings.Get("kernel"));
  const int64_t gap_limit = check.Ticks(settings.Get("gap"));
  std::vector<uint32_t> runs_of(device.launches.size());
  for (const timeline::DeviceRun& run : device.runs) {
    if (run.launch != profile::kNone) ++runs_of[run.launch];
  }
  absl::flat_hash_map<profile::StackId, std::string> lines;
  for (size_t r = 0; r < device.runs.size(); ++r) {
    if (check.work.cancelled()) return;
    const timeline::DeviceRun& run = device.runs[r];
    if (run.node == profile::kNone || run.length() <= 0 ||
        run.length() >= limit || run.kind != timeline::RunKind::kCompute ||
        (run.launch != profile::kNone && runs_of[run.launch] > 1)) {
      continue;
    }
    const profile::StackId stack = profile.nodes().stack[run.node];
    std::string_view line;
    if (stack != profile::kNoStack) {
      std::string& text = lines[stack];
      if (text.empty()) text = views::AllocationLine(profile.graph(), stack);
      line = text;
    } else if (IsInOptimizer(profile.node_name(run.node))) {
      line = "the optimizer";
    }
    if (line.empty()) continue;
    const int64_t next =
        r + 1 < device.runs.size() ? device.runs[r + 1].start : run.end;
    const bool is_near = next > run.end && next - run.end <= gap_limit;
    use(line, run, is_near ? next : run.end);
  }
}

// Reports the line whose short kernels take most.
void CheckLoops(const DeviceCheck& check,
                const timeline::DeviceActivity& device,
                const CheckerSettings& settings, CheckResult& result) {
  std::map<std::string, Loop, std::less<>> loops;
  EachShortKernel(
      check, device, settings,
      [&](std::string_view line, const timeline::DeviceRun& run, int64_t end) {
        const auto at = loops.find(line);
        Loop& loop = at == loops.end() ? loops[std::string(line)] : at->second;
        timeline::AddInterval(loop.times, run.start, end);
        ++loop.runs;
        loop.ops.Add(check.activities.Op(run), 1);
      });
  const std::string* name = nullptr;
  const Loop* most = nullptr;
  for (const auto& [line, loop] : loops) {
    if (static_cast<double>(loop.runs) <
        settings.Get("loop_kernels") * static_cast<double>(check.steps)) {
      continue;
    }
    if (most != nullptr &&
        timeline::Length(loop.times) <= timeline::Length(most->times)) {
      continue;
    }
    name = &line;
    most = &loop;
  }
  if (most == nullptr) return;
  const int64_t time = timeline::Length(most->times);
  const int64_t span = check.Wall(device);
  Finding f = ShareFinding(check, kRules[2].id, check.Name(device.unit), time,
                           span, settings.Get("kernel_loop"),
                           check.InSteps(device, most->times));
  if (f.value <= f.threshold) return;
  f.severity = Finding::Severity::kWarning;
  // Kernels for many tensors take time, too, and how much is unknown.
  f.saving_micros = f.saving_micros / 2;
  f.evidence = "kernels";
  f.advice =
      timeline::FrameworkOf(check.profile()) == timeline::Framework::kTorch
          ? "Update many tensors in one kernel: torch._foreach_ functions, "
            "foreach=True or fused=True of optimizers and clip_grad_norm_, or "
            "torch.compile."
          : "Work on many tensors in one kernel: fuse them, or keep them in "
            "one "
            "array.";
  f.text = fmt::format(
      "{}: {} runs {} kernels per step that are shorter than {}us; they and "
      "the "
      "gaps after them take {} of its time ({} of {}); most are of {}",
      f.subject, *name, tables::FormatCount(most->runs / check.steps),
      settings.Get("kernel"), util::Percent(time, span), check.Time(time),
      check.Time(span), most->ops.Counts());
  result.findings.push_back(std::move(f));
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result = CheckAccelerators(input, settings, CheckDevice);
  CheckResult loops = CheckAccelerators(input, settings, CheckLoops);
  std::ranges::move(loops.findings, std::back_inserter(result.findings));
  return result;
}

}  // namespace fused_kernels
}  // namespace

const Checker kFusedKernelChecker = {"FusedKernelChecker",
                                     "Whether attention, the optimizer and "
                                     "loops over tensors use fused kernels.",
                                     Checker::Kind::kAdvice,
                                     fused_kernels::kRules,
                                     fused_kernels::kOptions,
                                     fused_kernels::Check,
                                     Checker::Needs::kAccelerators};

}  // namespace tfprof::advisor
