// When an accelerator of a trace did nothing: because the host had launched no
// work, and in long gaps.

#include <algorithm>
#include <string>
#include <string_view>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/checkers/trace_check.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/trace_metrics.h"

namespace tfprof {
namespace {

constexpr Rule kRules[] = {
    {"launch_bound",
     "An accelerator had nothing to do because the host had launched nothing, "
     "for more than the threshold of its time.",
     "share of the device's time", "launch_bound"},
    {"idle_gaps",
     "Gaps in which an accelerator does nothing, each longer than `gap`, take "
     "more than the threshold of its time.",
     "share of the device's time", "idle_gaps"},
};
constexpr CheckerOption kOptions[] = {
    {"launch_bound", 0.2, "share", "Less is not reported."},
    {"idle_gaps", 0.1, "share", "Less is not reported."},
    {"gap", 100, "us", "Shorter gaps are not counted by idle_gaps."},
};

// The time of gaps by the op that ends them.
TraceSums ByNextOp(const TraceCheck& check, const AcceleratorActivity& device,
                   const Intervals& parts, const Intervals& gaps) {
  TraceSums sums;
  const Overlap inside(parts);
  auto run = device.runs.begin();
  for (const Interval& gap : gaps) {
    while (run != device.runs.end() && run->start < gap.end) ++run;
    if (run == device.runs.end()) break;
    const int64_t time = inside.Length(gap.start, gap.end);
    if (time > 0) sums.Add(check.traces.Op(*run), time);
  }
  return sums;
}

void CheckDevice(const TraceCheck& check, const AcceleratorActivity& device,
                 const CheckerSettings& settings, CheckResult& result) {
  const IdleTime idle = IdleTimeOf(device);
  const int64_t span = device.span.length();
  const std::string& name = check.Name(device.unit);
  const int64_t host_bound = Length(idle.host_bound);
  Finding late = ShareFinding(check, "launch_bound", name, host_bound, span,
                              settings.Get("launch_bound"), host_bound);
  if (late.value > late.threshold) {
    late.evidence = "devices";
    late.advice =
        "Launch work earlier or in fewer calls: CUDA graphs or torch.compile, "
        "larger batches, fused operations, no synchronization in the step.";
    late.text = fmt::format(
        "{}: idle for {} of its time ({} of {}) with nothing launched; most of "
        "it before {}",
        name, Percent(host_bound, span), check.Time(host_bound),
        check.Time(span),
        ByNextOp(check, device, idle.host_bound, idle.all).Times(check));
    result.findings.push_back(std::move(late));
  }
  const int64_t shortest = check.Ticks(settings.Get("gap"));
  Intervals long_gaps;
  int64_t longest = 0;
  for (const Interval& gap : idle.all) {
    if (gap.length() < shortest) continue;
    long_gaps.push_back(gap);
    longest = std::max(longest, gap.length());
  }
  const int64_t in_gaps = Length(long_gaps);
  Finding gaps = ShareFinding(check, "idle_gaps", name, in_gaps, span,
                              settings.Get("idle_gaps"), in_gaps);
  if (gaps.value > gaps.threshold) {
    gaps.evidence = "steps";
    gaps.advice =
        "Find what the host does in the longest gaps: input data, "
        "checkpoints, logging, synchronization.";
    gaps.text = fmt::format(
        "{}: {} gaps of {}us and more take {} of its time ({} of {}), the "
        "longest {}; most of it before {}",
        name, FormatCount(static_cast<int64_t>(long_gaps.size())),
        settings.Get("gap"), Percent(in_gaps, span), check.Time(in_gaps),
        check.Time(span), check.Time(longest),
        ByNextOp(check, device, long_gaps, long_gaps).Times(check));
    result.findings.push_back(std::move(gaps));
  }
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  return CheckAccelerators(input, settings, CheckDevice);
}

}  // namespace

const Checker kTraceIdleChecker = {
    "TraceIdleChecker",
    "Whether accelerators of a trace wait for launches, or have long gaps.",
    Checker::Kind::kAdvice,
    kRules,
    kOptions,
    Check,
    Checker::Needs::kAcceleratorTrace};

}  // namespace tfprof
