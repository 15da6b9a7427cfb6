// When an accelerator of a trace did nothing: because the host had launched no
// work, and in long gaps. Long gaps
// name what the host did meanwhile.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/checkers/trace_check.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/host_in_gaps.h"
#include "timeline/trace_metrics.h"
#include "util/arithmetic.h"
#include "util/ascii.h"
#include "util/percent.h"

namespace tfprof {
namespace {

constexpr Rule kRules[] = {
    {"launch_bound",
     "An accelerator had nothing to do because the host had launched nothing, "
     "in gaps shorter than `gap`, for more than the threshold of its time.",
     "share of the device's time", "launch_bound", Rule::Says::kWhoWaits},
    {"idle_gaps",
     "Gaps in which an accelerator does nothing, each of `gap` and more, take "
     "more than the threshold of its time.",
     "share of the device's time", "idle_gaps", Rule::Says::kWhoWaits},
    {"input_gaps",
     "The same, and the host reads or makes input in most of that time.",
     "share of the device's time", "idle_gaps"},
};
constexpr CheckerOption kOptions[] = {
    {"launch_bound", 0.2, "share", "Less is not reported."},
    {"idle_gaps", 0.1, "share", "Less is not reported."},
    {"gap", 100, "us", "Which gaps are long."},
};

// Parts of names, in lower case, of what reads or makes input: PyTorch's
// DataLoader, TensorFlow's and JAX's iterators, names that people give.
constexpr std::string_view kInputParts[] = {
    "batch",   "data_load", "dataload", "dataset",  "dequeue", "get_next",
    "getnext", "input",     "iterator", "__next__", "prefetch"};

bool IsInput(std::string_view name) {
  const std::string lower = LowerCase(name);
  // Not batch_norm, and not a layer or an op of the program.
  if (lower.find("norm") != lower.npos || lower.starts_with("aten::")) {
    return false;
  }
  return std::any_of(
      std::begin(kInputParts), std::end(kInputParts),
      [&](std::string_view part) { return lower.find(part) != lower.npos; });
}

// "load_batch 38.9ms, aten::copy_ 1.2ms"; "" if the file does not say it.
std::string HostText(const TraceCheck& check,
                     const std::vector<HostShare>& shares) {
  constexpr size_t kShown = 3;
  constexpr int64_t kLeastPart = 20;
  std::string text;
  int64_t all = 0;
  for (const HostShare& share : shares) all = WrapAdd(all, share.time);
  for (size_t i = 0; i < std::min(kShown, shares.size()); ++i) {
    // What hardly took time explains nothing.
    if (i > 0 && shares[i].time < all / kLeastPart) break;
    text += fmt::format(
        "{}{} {}", i == 0 ? "" : ", ",
        shares[i].name.empty() ? "nothing that was recorded" : shares[i].name,
        check.Time(shares[i].time));
  }
  return text;
}

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
  const int64_t shortest = check.Ticks(settings.Get("gap"));
  Intervals long_gaps;
  int64_t longest = 0;
  for (const Interval& gap : idle.all) {
    if (gap.length() < shortest) continue;
    long_gaps.push_back(gap);
    longest = std::max(longest, gap.length());
  }
  const Intervals late_parts = Subtract(idle.host_bound, long_gaps);
  const int64_t late_time = Length(late_parts);
  Finding late = ShareFinding(check, "launch_bound", name, late_time, span,
                              settings.Get("launch_bound"), late_time);
  if (late.value > late.threshold) {
    late.evidence = "devices";
    late.advice =
        "Launch work in fewer calls: CUDA graphs or torch.compile, larger "
        "batches, fused operations, no synchronization in the step.";
    late.text = fmt::format(
        "{}: in gaps shorter than {}us idle for {} of its time ({} of {}) with "
        "nothing launched; most of it before {}",
        name, settings.Get("gap"), Percent(late_time, span),
        check.Time(late_time), check.Time(span),
        ByNextOp(check, device, late_parts, idle.all).Times(check));
    result.findings.push_back(std::move(late));
  }
  const int64_t in_gaps = Length(long_gaps);
  Finding gaps = ShareFinding(check, "idle_gaps", name, in_gaps, span,
                              settings.Get("idle_gaps"), in_gaps);
  if (gaps.value <= gaps.threshold) return;
  const std::vector<HostShare> host =
      HostInGaps(check.traces, device, long_gaps);
  int64_t input = 0;
  for (const HostShare& share : host) {
    if (IsInput(share.name)) input = WrapAdd(input, share.time);
  }
  gaps.evidence = "steps";
  gaps.advice =
      "Find what the host does in the longest gaps: input data, "
      "checkpoints, logging, synchronization.";
  if (input > in_gaps / 2) {
    gaps.rule = "input_gaps";
    gaps.advice =
        "Prepare input ahead of the step, in other processes: num_workers and "
        "prefetch_factor of the DataLoader, prefetch() of tf.data and Grain; "
        "read and decode less.";
  }
  gaps.text = fmt::format(
      "{}: {}idle for {} of its time ({} of {}) in {} {} of {}us and more",
      name, gaps.rule == "input_gaps" ? "waits for input, " : "",
      Percent(in_gaps, span), check.Time(in_gaps), check.Time(span),
      FormatCount(static_cast<int64_t>(long_gaps.size())),
      long_gaps.size() == 1 ? "gap" : "gaps", settings.Get("gap"));
  if (!host.empty()) {
    gaps.text += ", while the host ran ";
    gaps.text += HostText(check, host);
  }
  gaps.text += fmt::format(
      "; the longest takes {}, and most are before {}", check.Time(longest),
      ByNextOp(check, device, long_gaps, long_gaps).Times(check));
  result.findings.push_back(std::move(gaps));
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
