// Kernels of a trace that are too short: the device spends its time between
// them.

#include <string>
#include <string_view>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/checkers/trace_check.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "util/percent.h"

namespace tfprof {
namespace {

constexpr Rule kRules[] = {
    {"short_kernels",
     "Short kernels and the short gaps after them take more than the threshold "
     "of the time of an accelerator.",
     "share of the device's time", "short_kernels", Rule::Says::kWhoWaits},
};
constexpr CheckerOption kOptions[] = {
    {"short_kernels", 0.3, "share", "Less is not reported."},
    {"kernel", 10, "us", "A kernel that takes less is short."},
    {"gap", 20, "us", "A longer gap after a short kernel has other reasons."},
};

void CheckDevice(const TraceCheck& check, const AcceleratorActivity& device,
                 const CheckerSettings& settings, CheckResult& result) {
  const int64_t limit = check.Ticks(settings.Get("kernel"));
  const int64_t gap_limit = check.Ticks(settings.Get("gap"));
  Intervals short_runs, long_runs, gaps;
  TraceSums ops;
  int64_t kernels = 0, short_kernels = 0;
  const TraceRun* last = nullptr;  // of those so far, the one that ended last
  for (const TraceRun& run : device.runs) {
    if (run.length() <= 0) continue;
    if (last != nullptr && run.start > last->end && last->length() < limit &&
        run.start - last->end <= gap_limit) {
      AddInterval(gaps, last->end, run.start);
    }
    if (last == nullptr || run.end > last->end) last = &run;
    const bool is_short =
        run.kind == TraceRunKind::kCompute && run.length() < limit;
    AddInterval(is_short ? short_runs : long_runs, run.start, run.end);
    kernels += run.kind == TraceRunKind::kCompute;
    if (!is_short) continue;
    ++short_kernels;
    ops.Add(check.traces.Op(run), 1);
  }
  const int64_t in_gaps = Length(gaps);
  const int64_t time = Length(Subtract(short_runs, long_runs)) + in_gaps;
  const int64_t span = device.span.length();
  Finding f = ShareFinding(check, "short_kernels", check.Name(device.unit),
                           time, span, settings.Get("short_kernels"), in_gaps);
  if (f.value <= f.threshold) return;
  f.evidence = "kernels";
  f.advice =
      "Fuse small operations (torch.compile, XLA, fused optimizers), use CUDA "
      "graphs, or give each kernel more work.";
  f.text = fmt::format(
      "{}: short kernels and the gaps after them take {} of its time ({} of "
      "{}); {} of {} kernels are shorter than {}us; most are of {}",
      f.subject, Percent(time, span), check.Time(time), check.Time(span),
      FormatCount(short_kernels), FormatCount(kernels), settings.Get("kernel"),
      ops.Counts());
  result.findings.push_back(std::move(f));
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  return CheckAccelerators(input, settings, CheckDevice);
}

}  // namespace

const Checker kTraceKernelsChecker = {
    "TraceKernelsChecker",
    "Whether accelerators of a trace run many short kernels.",
    Checker::Kind::kAdvice,
    kRules,
    kOptions,
    Check,
    Checker::Needs::kAcceleratorTrace};

}  // namespace tfprof
