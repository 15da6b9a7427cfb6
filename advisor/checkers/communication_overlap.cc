// Communication of a trace that nothing hides: while it runs, its accelerator
// computes nothing.

#include <string>
#include <string_view>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/checkers/trace_check.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "util/arithmetic.h"
#include "util/percent.h"

namespace tfprof {
namespace {

constexpr Rule kRules[] = {
    {"communication_overlap",
     "An accelerator communicates and computes nothing meanwhile, for more "
     "than "
     "the threshold of its time.",
     "share of the device's time", "communication_overlap",
     Rule::Says::kWhoWaits},
};
constexpr CheckerOption kOptions[] = {
    {"communication_overlap", 0.1, "share", "Less is not reported."},
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const auto check = OpenAcceleratorTrace(input);
  if (!check) return result;
  for (const AcceleratorActivity& device : check->activity->accelerators) {
    const Intervals exposed = Subtract(device.communication, device.compute);
    const int64_t time = Length(exposed);
    const int64_t span = device.span.length();
    Finding f =
        ShareFinding(*check, "communication_overlap", check->Name(device.unit),
                     time, span, settings.Get("communication_overlap"), time);
    if (f.value <= f.threshold) continue;
    const Overlap inside(exposed);
    TraceSums ops;
    for (const TraceRun& run : device.runs) {
      if (run.kind != TraceRunKind::kCommunication) continue;
      const int64_t of_run = inside.Length(run.start, run.end);
      if (of_run > 0) ops.Add(check->traces.Op(run), of_run);
    }
    f.evidence = "devices";
    f.advice =
        "Start communication earlier and in parts (gradient buckets, "
        "prefetching of shards), so that it runs beside computation. A rank "
        "that is late makes the others wait too: see rank_skew.";
    const int64_t all = Length(device.communication);
    f.text = fmt::format(
        "{}: communicates and computes nothing for {} of its time ({} of {}); "
        "{} of the communication is hidden; most of it {}",
        f.subject, Percent(time, span), check->Time(time), check->Time(span),
        Percent(all - time, all), ops.Times(*check));
    result.findings.push_back(std::move(f));
  }
  return result;
}

}  // namespace

const Checker kCommunicationOverlapChecker = {
    "CommunicationOverlapChecker",
    "Whether communication of accelerators runs beside computation.",
    Checker::Kind::kAdvice,
    kRules,
    kOptions,
    Check,
    Checker::Needs::kAcceleratorTrace};

}  // namespace tfprof
