// Finds time spent on starting work: kernels too short to hide the launch of
// the next one, chains of tiny ops on the host for which an accelerator waits,
// and launches that return only when their kernel is done. Kernels of a
// replayed graph have one launch together.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/account/framework.h"
#include "util/arithmetic.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace kernels {

constexpr std::string_view kName = "ShortKernelChecker";

// The first two rules judge steps of processes whose ops are recorded one by
// one; the last one judges accelerators of processes that record calls.
constexpr Rule kRules[] = {
    {"tiny_kernels",
     "Tiny kernels and the short gaps after them take more than the threshold "
     "of the steps.",
     "share of the step", "tiny_kernels"},
    {"tiny_host_ops",
     "Accelerators idle for more than the threshold of the steps while the "
     "host runs tiny ops.",
     "share of the step", "tiny_host_ops"},
    {"short_kernels",
     "Short kernels and the short gaps after them take more than the threshold "
     "of the time of an accelerator.",
     "share of the device's time", "short_kernels", Rule::Says::kWhoWaits},
    {"blocking_launches",
     "Almost all launches of kernels return only after their kernel has ended.",
     "share of the launches", "blocking_launches"},
};
constexpr CheckerOption kOptions[] = {
    {"kernel", 10, "us", "A kernel that takes less is tiny."},
    {"kernel_gap", 100, "us",
     "In a step, a longer gap after a tiny kernel has other reasons."},
    {"gap", 20, "us",
     "Elsewhere, a longer gap after a tiny kernel has other reasons."},
    {"op", 5, "us", "An op on a CPU that takes less is tiny."},
    {"op_gap", 20, "us", "A longer gap after a tiny op has other reasons."},
    {"tiny_kernels", 0.3, "share", "Less than that is not reported."},
    {"tiny_host_ops", 0.2, "share", "Less than that is not reported."},
    {"short_kernels", 0.3, "share", "Less is not reported."},
    {"blocking_launches", 0.9, "share", "Less is not reported."},
    {"long_kernel", 20, "us",
     "A shorter kernel may end before its launch returns without a wait."},
    kMinStep,
};

// The tiny runs of a device, and the short gaps after them, in ticks.
struct Tiny {
  timeline::Intervals runs;
  timeline::Intervals large;  // intervals of the other runs
  timeline::Intervals gaps;
  int64_t count = 0;
  double limit = 0, gap_limit = 0;
};

// Sums over the judged steps, for a finding.
struct Sum {
  StepShare share;
  int64_t gaps = 0;  // of the share, in microseconds
  int64_t tiny = 0;
  int64_t all = 0;
  OpSums ops;  // counts of tiny ops
};

// Adds the runs of a device that compute.
void FindTiny(timeline::Activities& activities,
              const timeline::DeviceActivity& device, Tiny& tiny, Sum& sum) {
  const timeline::DeviceRun* last = nullptr;  // the run so far that ended last
  for (const timeline::DeviceRun& run : device.runs) {
    // A gap after a copy has other reasons.
    if (run.kind == timeline::RunKind::kCopy) last = nullptr;
    if (run.kind != timeline::RunKind::kCompute || run.length() <= 0) continue;
    const bool is_tiny = static_cast<double>(run.length()) < tiny.limit;
    if (last != nullptr && run.start > last->end &&
        static_cast<double>(last->length()) < tiny.limit &&
        static_cast<double>(run.start - last->end) <= tiny.gap_limit) {
      timeline::AddInterval(tiny.gaps, last->end, run.start);
    }
    if (last == nullptr || run.end > last->end) last = &run;
    timeline::AddInterval(is_tiny ? tiny.runs : tiny.large, run.start, run.end);
    ++sum.all;
    if (!is_tiny) continue;
    ++sum.tiny;
    ++sum.ops[activities.Op(run)];
  }
}

Tiny Limits(const ProcessStep& process, double limit, double gap_limit) {
  const auto ticks = static_cast<double>(process.ticks_per_micro);
  Tiny tiny;
  tiny.limit = limit * ticks;
  tiny.gap_limit = gap_limit * ticks;
  return tiny;
}

void AddDevice(timeline::Activities& activities, const profile::Step& step,
               const ProcessStep& process,
               const timeline::DeviceActivity& device,
               const CheckerSettings& settings, Sum& sum) {
  Tiny tiny =
      Limits(process, settings.Get("kernel"), settings.Get("kernel_gap"));
  FindTiny(activities, device, tiny, sum);
  const int64_t gaps = process.Micros(timeline::Subtract(
      tiny.gaps, timeline::Union(device.copies, device.communication)));
  sum.gaps = util::WrapAdd(sum.gaps, gaps);
  sum.share.Add(
      step, process.span,
      process.Micros(timeline::Subtract(tiny.runs, tiny.large)) + gaps);
}

void AddHost(timeline::Activities& activities, const profile::Step& step,
             const ProcessStep& process, const CheckerSettings& settings,
             Sum& sum) {
  timeline::UnionOfMany all_accelerators, all_other, all_small, all_gaps;
  for (const timeline::DeviceActivity* device : process.devices) {
    if (device->accelerator) {
      all_accelerators.Add(device->busy);
      all_other.Add(device->launching);
      continue;
    }
    Tiny tiny = Limits(process, settings.Get("op"), settings.Get("op_gap"));
    FindTiny(activities, *device, tiny, sum);
    all_small.Add(tiny.runs);
    all_gaps.Add(tiny.gaps);
    all_other.Add(tiny.large);
  }
  const timeline::Intervals small = std::move(all_small).Take();
  const timeline::Intervals gaps = std::move(all_gaps).Take();
  const timeline::Intervals idle =
      timeline::Subtract(process.runs, std::move(all_accelerators).Take());
  const timeline::Intervals waiting =
      timeline::Intersect(timeline::Subtract(idle, std::move(all_other).Take()),
                          timeline::Union(small, gaps));
  const int64_t in_gaps = process.Micros(
      timeline::Subtract(timeline::Intersect(waiting, gaps), small));
  sum.gaps = util::WrapAdd(sum.gaps, in_gaps);
  sum.share.Add(step, process.span, process.Micros(waiting));
}

Finding MakeFinding(std::string_view rule, const std::string& subject,
                    const Sum& sum, double threshold) {
  Finding f = sum.share.MakeFinding(rule, threshold);
  f.subject = subject;
  // Fusing ops saves only the gaps, not the work itself.
  f.saving_micros = sum.gaps / sum.share.steps;
  return f;
}

void CheckSteps(const CheckerInput& input, const CheckerSettings& settings,
                CheckResult& result) {
  timeline::Activities& activities = input.views.Kept<timeline::Activities>();
  std::map<uint32_t, Sum> devices, processes;
  ForEachProcess(
      input.views, settings.Get("min_step"),
      [&](const profile::Step& step, const ProcessStep& process) {
        bool has_kernels = false;
        for (const timeline::DeviceActivity* device : process.devices) {
          if (!device->accelerator || device->compute.empty()) continue;
          has_kernels = true;
          AddDevice(activities, step, process, *device, settings,
                    devices[device->unit]);
        }
        if (has_kernels) {
          AddHost(activities, step, process, settings,
                  processes[process.process]);
        }
      });
  const double kernels_limit = settings.Get("tiny_kernels");
  for (const auto& [unit, sum] : devices) {
    if (sum.share.share() <= kernels_limit) continue;
    Finding f = MakeFinding("tiny_kernels", activities.units()[unit].name, sum,
                            kernels_limit);
    f.evidence = fmt::format(
        "op -step {} -order_by occurrence -select "
        "accelerator_micros,occurrence",
        sum.share.worst_step);
    f.advice =
        "Give the GPU more work at a time: a larger batch, fused ops (XLA), "
        "fewer elementwise ops.";
    f.text = fmt::format(
        "{}: tiny kernels and the gaps after them take {}; {} of {} kernels "
        "are shorter than {}us, gaps after them are {}; most are {}",
        f.subject, sum.share.Text(), tables::FormatCount(sum.tiny),
        tables::FormatCount(sum.all), settings.Get("kernel"),
        util::Percent(sum.gaps, sum.share.span),
        LargestText(sum.ops, 1, /*micros=*/false));
    result.findings.push_back(std::move(f));
  }
  const double ops_limit = settings.Get("tiny_host_ops");
  for (const auto& [process, sum] : processes) {
    if (sum.share.share() <= ops_limit) continue;
    Finding f = MakeFinding("tiny_host_ops", ProcessTitle(activities, process),
                            sum, ops_limit);
    f.evidence = fmt::format(
        "op -step {} -order_by occurrence -select cpu_micros,occurrence",
        sum.share.worst_step);
    f.advice =
        "Take small ops out of the step: compute shapes and constants once, "
        "fuse them (XLA, Grappler), or keep them on the accelerator.";
    f.text = fmt::format(
        "{}: accelerators wait for tiny ops of the host for {}; {} of {} ops "
        "on CPUs are shorter than {}us; most are {}",
        f.subject, sum.share.Text(), tables::FormatCount(sum.tiny),
        tables::FormatCount(sum.all), settings.Get("op"),
        LargestText(sum.ops, 1, /*micros=*/false));
    result.findings.push_back(std::move(f));
  }
}

std::string ShortKernelAdvice(timeline::Framework framework) {
  switch (framework) {
    case timeline::Framework::kTorch:
      return "Fuse small operations (torch.compile, fused optimizers), use "
             "CUDA graphs, or give each kernel more work.";
    case timeline::Framework::kJax:
      return "Put more of the step into one jitted function, so that XLA fuses "
             "small operations, or give each kernel more work.";
    case timeline::Framework::kTensorFlow:
      return "Fuse small operations with XLA (jit_compile=True), or give each "
             "kernel more work.";
    case timeline::Framework::kUnknown:
      break;
  }
  return "Fuse small operations, use CUDA graphs, or give each kernel more "
         "work.";
}

// Which runs are nodes of a replayed graph: one launch starts many of them, so
// the host does not launch each. Empty if the launches are not known.
std::vector<bool> RunsOfGraphs(const timeline::DeviceActivity& device) {
  constexpr uint32_t kMany = 4;
  if (device.launches.empty()) return {};
  std::vector<uint32_t> runs_of(device.launches.size(), 0);
  for (const timeline::DeviceRun& run : device.runs) {
    if (run.launch != profile::kNone) ++runs_of[run.launch];
  }
  std::vector<bool> of_graph(device.runs.size(), false);
  for (size_t r = 0; r < of_graph.size(); ++r) {
    const uint32_t launch = device.runs[r].launch;
    of_graph[r] = launch != profile::kNone && runs_of[launch] >= kMany;
  }
  return of_graph;
}

bool IsShort(const timeline::DeviceRun& run, int64_t limit) {
  return run.kind == timeline::RunKind::kCompute && run.length() > 0 &&
         run.length() < limit;
}

// Reports launches that wait for their kernels.
void CheckBlocking(const DeviceCheck& check,
                   const timeline::DeviceActivity& device,
                   const CheckerSettings& settings, CheckResult& result) {
  constexpr int64_t kLeast = 20;  // kernels that are long enough
  const int64_t limit = check.Ticks(settings.Get("long_kernel"));
  int64_t launches = 0, blocking = 0;
  for (const timeline::DeviceRun& run : device.runs) {
    if (run.launch == profile::kNone || run.length() < limit ||
        run.kind != timeline::RunKind::kCompute) {
      continue;
    }
    ++launches;
    blocking += device.launches[run.launch].end >= run.end;
  }
  if (launches < kLeast) return;
  Finding f = ShareFinding(
      check, "blocking_launches", check.Name(device.unit), blocking, launches,
      settings.Get("blocking_launches"),
      check.InSteps(device, timeline::Subtract(device.window, device.busy)));
  if (f.value <= f.threshold) return;
  f.severity = Finding::Severity::kWarning;
  f.evidence = "kernels";
  f.advice =
      "Unset CUDA_LAUNCH_BLOCKING (HIP_LAUNCH_BLOCKING, AMD_SERIALIZE_KERNEL), "
      "and run without a debugger or sanitizer: launches wait for nothing "
      "then.";
  f.text = fmt::format(
      "{}: each launch waits until its kernel is done ({} of {} kernels of "
      "{}us "
      "or more), so the host never works ahead",
      f.subject, tables::FormatCount(blocking), tables::FormatCount(launches),
      settings.Get("long_kernel"));
  result.findings.push_back(std::move(f));
}

void CheckDevice(const DeviceCheck& check,
                 const timeline::DeviceActivity& device,
                 const CheckerSettings& settings, CheckResult& result) {
  CheckBlocking(check, device, settings, result);
  const int64_t limit = check.Ticks(settings.Get("kernel"));
  const int64_t gap_limit = check.Ticks(settings.Get("gap"));
  timeline::Intervals short_runs, long_runs, gaps;
  int64_t kernels = 0, short_kernels = 0;
  const std::vector<bool> of_graph = RunsOfGraphs(device);
  const auto in_graph = [&](size_t r) {
    return !of_graph.empty() && of_graph[r];
  };
  const timeline::DeviceRun* last = nullptr;  // the run so far that ended last
  bool last_of_graph = false;
  for (size_t r = 0; r < device.runs.size(); ++r) {
    const timeline::DeviceRun& run = device.runs[r];
    if (run.length() <= 0) continue;
    if (last != nullptr && run.start > last->end && last->length() < limit &&
        !last_of_graph && run.start - last->end <= gap_limit) {
      timeline::AddInterval(gaps, last->end, run.start);
    }
    if (last == nullptr || run.end > last->end) {
      last = &run;
      last_of_graph = in_graph(r);
    }
    const bool is_short = IsShort(run, limit) && !in_graph(r);
    timeline::AddInterval(is_short ? short_runs : long_runs, run.start,
                          run.end);
    kernels += run.kind == timeline::RunKind::kCompute;
    short_kernels += is_short;
  }
  const int64_t in_gaps = timeline::Length(gaps);
  const int64_t time =
      timeline::Length(timeline::Subtract(short_runs, long_runs)) + in_gaps;
  const int64_t span = check.Wall(device);
  Finding f =
      ShareFinding(check, "short_kernels", check.Name(device.unit), time, span,
                   settings.Get("short_kernels"), check.InSteps(device, gaps));
  if (f.value <= f.threshold) return;
  TimeSums ops;
  for (size_t r = 0; r < device.runs.size(); ++r) {
    const timeline::DeviceRun& run = device.runs[r];
    if (IsShort(run, limit) && !in_graph(r)) {
      ops.Add(check.activities.Op(run), 1);
    }
  }
  f.evidence = "kernels";
  f.advice = ShortKernelAdvice(timeline::FrameworkOf(check.profile()));
  f.text = fmt::format(
      "{}: short kernels and the gaps after them take {} of its time ({} of "
      "{}); {} of {} kernels are shorter than {}us; most are of {}",
      f.subject, util::Percent(time, span), check.Time(time), check.Time(span),
      tables::FormatCount(short_kernels), tables::FormatCount(kernels),
      settings.Get("kernel"), ops.Counts());
  result.findings.push_back(std::move(f));
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result = CheckAccelerators(input, settings, CheckDevice);
  NoteMissing(input.views, kName, /*needs_kernels=*/true, result.notes);
  CheckSteps(input, settings, result);
  return result;
}

}  // namespace kernels
}  // namespace

const Checker kShortKernelChecker = {
    kernels::kName,
    "Whether time goes into starting many short kernels or tiny ops.",
    Checker::Kind::kAdvice,
    kernels::kRules,
    kernels::kOptions,
    kernels::Check,
    Checker::Needs::kAccelerators};

}  // namespace tfprof::advisor
