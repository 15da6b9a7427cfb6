// Copies of a trace: many small ones, and those from memory that the driver
// must copy once more.

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
#include "util/arithmetic.h"
#include "util/percent.h"

namespace tfprof {
namespace {

constexpr Rule kRules[] = {
    {"small_copies",
     "An accelerator makes more than the threshold of small copies between it "
     "and the host in each step.",
     "copies per step", "small_copies"},
    {"pageable_copies",
     "Copies from or to pageable memory take more than the threshold of the "
     "time of an accelerator.",
     "share of the device's time", "pageable_copies"},
};
constexpr CheckerOption kOptions[] = {
    {"small_copies", 50, "count", "Fewer in each step are not reported."},
    {"small_bytes", 65536, "bytes", "A copy of fewer bytes is small."},
    {"pageable_copies", 0.01, "share", "Less is not reported."},
};

struct Copies {
  int64_t count = 0;
  int64_t time = 0;
  int64_t bytes = 0;
  TraceSums ops;
  Intervals busy;
  std::vector<int64_t> starts;  // increasing

  void Add(const TraceCheck& check, const TraceRun& run, int64_t run_bytes) {
    ++count;
    time = WrapAdd(time, run.length());
    bytes = SaturatingAdd(bytes, run_bytes);
    ops.Add(check.traces.Op(run), 1);
    if (run.length() > 0) AddInterval(busy, run.start, run.end);
    starts.push_back(run.start);
  }
};

// The idle time of a device that ends with one of these starts.
int64_t IdleBefore(const AcceleratorActivity& device,
                   const std::vector<int64_t>& starts) {
  int64_t time = 0;
  for (size_t i = 1; i < device.busy.size(); ++i) {
    if (std::binary_search(starts.begin(), starts.end(),
                           device.busy[i].start)) {
      time = WrapAdd(time, device.busy[i].start - device.busy[i - 1].end);
    }
  }
  return time;
}

void CheckDevice(const TraceCheck& check, const AcceleratorActivity& device,
                 const CheckerSettings& settings, CheckResult& result) {
  Copies small, pageable;
  const double limit = settings.Get("small_bytes");
  for (const TraceRun& run : device.runs) {
    if (run.kind != TraceRunKind::kCopy) continue;
    const std::string_view name = check.traces.Name(run);
    const Transfer transfer = check.traces.TransferOf(run);
    const bool by_host = transfer.kind == CopyKind::kToDevice ||
                         transfer.kind == CopyKind::kToHost ||
                         name.find("HtoD") != name.npos ||
                         name.find("DtoH") != name.npos;
    if (by_host && transfer.bytes >= 0 &&
        static_cast<double>(transfer.bytes) < limit) {
      small.Add(check, run, transfer.bytes);
    }
    if (name.find("Pageable") != name.npos) {
      pageable.Add(check, run, transfer.bytes < 0 ? 0 : transfer.bytes);
    }
  }
  const int64_t span = device.span.length();
  const std::string& name = check.Name(device.unit);
  const double per_step =
      static_cast<double>(small.count) / static_cast<double>(check.steps);
  if (per_step > settings.Get("small_copies")) {
    Finding f;
    f.rule = "small_copies";
    f.severity = Finding::Severity::kWarning;
    f.subject = name;
    f.value = per_step;
    f.threshold = settings.Get("small_copies");
    // The copies themselves, and the time in which the host prepares each.
    const int64_t lost =
        WrapAdd(Length(Subtract(small.busy,
                                Union(device.compute, device.communication))),
                IdleBefore(device, small.starts));
    f.saving_micros = check.MicrosPerStep(lost);
    if (device.span.length() > 0 && lost > device.span.length() / 2) {
      f.severity = Finding::Severity::kCritical;
    }
    f.evidence = "kernels";
    f.advice =
        "Keep values on the device, or move several of them in one copy.";
    f.text = fmt::format(
        "{}: {:.0f} copies between it and the host in each step move fewer "
        "than {} each; they and the gaps before them take {} of {}; most are "
        "of {}",
        name, per_step, FormatBytes(static_cast<int64_t>(limit)),
        check.Time(lost), check.Time(device.span.length()), small.ops.Counts());
    result.findings.push_back(std::move(f));
  }
  // What is copied while kernels run costs nothing.
  const int64_t exposed = Length(
      Subtract(pageable.busy, Union(device.compute, device.communication)));
  Finding f =
      ShareFinding(check, "pageable_copies", name, Length(pageable.busy), span,
                   settings.Get("pageable_copies"), exposed);
  if (f.value > f.threshold) {
    f.evidence = "kernels";
    f.advice =
        "Pin the host's memory (pin_memory=True in the DataLoader) and copy "
        "with non_blocking=True: it is faster, and runs beside kernels.";
    f.text = fmt::format(
        "{}: {} copies from or to pageable memory take {} of its time ({} of "
        "{}) and move {}; most are of {}",
        name, FormatCount(pageable.count), Percent(Length(pageable.busy), span),
        check.Time(pageable.time), check.Time(span),
        FormatBytes(pageable.bytes), pageable.ops.Counts());
    result.findings.push_back(std::move(f));
  }
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  return CheckAccelerators(input, settings, CheckDevice);
}

}  // namespace

const Checker kTraceCopiesChecker = {
    "TraceCopiesChecker",
    "Whether a trace has many small copies, or copies of pageable memory.",
    Checker::Kind::kAdvice,
    kRules,
    kOptions,
    Check,
    Checker::Needs::kAcceleratorTrace};

}  // namespace tfprof
