// Time that goes into starting work and not into doing it: kernels too short
// to hide the start of the next, and on the host chains of tiny ops that an
// accelerator waits for.

#include <map>
#include <string>
#include <string_view>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "util/arithmetic.h"
#include "util/percent.h"

namespace tfprof {
namespace {

constexpr std::string_view kName = "TinyOpsChecker";

constexpr Rule kRules[] = {
    {"tiny_kernels",
     "Tiny kernels and the short gaps after them take more than the threshold "
     "of the steps.",
     "share of the step", "tiny_kernels"},
    {"tiny_host_ops",
     "Accelerators idle for more than the threshold of the steps while the "
     "host runs tiny ops.",
     "share of the step", "tiny_host_ops"},
};
constexpr CheckerOption kOptions[] = {
    {"kernel", 10, "us", "A kernel that takes less is tiny."},
    {"kernel_gap", 100, "us",
     "A longer gap after a tiny kernel has other reasons."},
    {"op", 5, "us", "An op on a CPU that takes less is tiny."},
    {"op_gap", 20, "us", "A longer gap after a tiny op has other reasons."},
    {"tiny_kernels", 0.3, "share", "Less than that is not reported."},
    {"tiny_host_ops", 0.2, "share", "Less than that is not reported."},
    kMinStep,
};

// The tiny runs of a track, and the short gaps after them.
struct Tiny {
  Intervals runs;
  Intervals large;  // when another ran
  Intervals gaps;
  int64_t count = 0;
  double limit = 0, gap_limit = 0;  // microseconds
};

// Sums over the judged steps, for a finding.
struct Sum {
  StepShare share;
  int64_t gaps = 0;  // of the share
  int64_t tiny = 0;
  int64_t all = 0;
  OpSums ops;  // numbers of tiny ones
};

void FindTiny(Activities& activities, const Step& step, const Track& track,
              Tiny& tiny, Sum& sum) {
  const Run* last = nullptr;  // of those so far, the one that ended last
  for (const Run& run : track.runs) {
    const bool is_tiny = static_cast<double>(run.micros()) < tiny.limit;
    if (last != nullptr && run.start > last->end &&
        static_cast<double>(last->micros()) < tiny.limit &&
        static_cast<double>(run.start - last->end) <= tiny.gap_limit) {
      AddInterval(tiny.gaps, last->end, run.start);
    }
    if (last == nullptr || run.end > last->end) last = &run;
    AddInterval(is_tiny ? tiny.runs : tiny.large, run.start, run.end);
    ++sum.all;
    if (!is_tiny) continue;
    ++sum.tiny;
    ++sum.ops[activities.Op(step, run)];
  }
}

void AddDevice(Activities& activities, const Step& step,
               const TaskActivity& task, const DeviceActivity& device,
               const CheckerSettings& settings, Sum& sum) {
  Tiny tiny;
  tiny.limit = settings.Get("kernel");
  tiny.gap_limit = settings.Get("kernel_gap");
  FindTiny(activities, step, device.compute, tiny, sum);
  const int64_t gaps = Micros(Subtract(
      tiny.gaps, Union(device.copies.busy, device.communication.busy)));
  sum.gaps = WrapAdd(sum.gaps, gaps);
  sum.share.Add(step, task.span,
                Micros(Subtract(tiny.runs, tiny.large)) + gaps);
}

void AddHost(Activities& activities, const Step& step, const TaskActivity& task,
             const CheckerSettings& settings, Sum& sum) {
  Tiny tiny;
  tiny.limit = settings.Get("op");
  tiny.gap_limit = settings.Get("op_gap");
  UnionOfMany all_accelerators, all_other, all_small, all_gaps;
  for (const DeviceActivity& device : task.devices) {
    if (device.accelerator) {
      all_accelerators.Add(device.Busy());
      all_other.Add(device.launches.busy);
      continue;
    }
    tiny.runs.clear();
    tiny.large.clear();
    tiny.gaps.clear();
    FindTiny(activities, step, device.compute, tiny, sum);
    all_small.Add(tiny.runs);
    all_gaps.Add(tiny.gaps);
    all_other.Add(tiny.large);
  }
  const Intervals small = std::move(all_small).Take();
  const Intervals gaps = std::move(all_gaps).Take();
  const Intervals idle =
      Subtract(task.runs, std::move(all_accelerators).Take());
  const Intervals waiting = Intersect(
      Subtract(idle, std::move(all_other).Take()), Union(small, gaps));
  const int64_t in_gaps = Micros(Subtract(Intersect(waiting, gaps), small));
  sum.gaps = WrapAdd(sum.gaps, in_gaps);
  sum.share.Add(step, task.span, Micros(waiting));
}

Finding MakeFinding(std::string_view rule, const std::string& subject,
                    const Sum& sum, double threshold) {
  Finding f = sum.share.MakeFinding(rule, threshold);
  f.subject = subject;
  // Fusing ops saves only the gaps, not the work itself.
  f.saving_micros = sum.gaps / sum.share.steps;
  return f;
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  Views& views = input.views;
  Activities& activities = views.Kept<Activities>();
  const DeviceRoles& roles = activities.roles();
  CheckResult result;
  NoteMissing(views, kName, /*needs_kernels=*/true, result.notes);
  std::map<uint32_t, Sum> devices, tasks;
  ForEachTask(views, settings.Get("min_step"),
              [&](const Step& step, const TaskActivity& task) {
                bool has_kernels = false;
                for (const DeviceActivity& device : task.devices) {
                  if (!device.accelerator || device.compute.runs.empty()) {
                    continue;
                  }
                  has_kernels = true;
                  AddDevice(activities, step, task, device, settings,
                            devices[device.unit]);
                }
                if (has_kernels) {
                  AddHost(activities, step, task, settings, tasks[task.task]);
                }
              });
  const double kernels_limit = settings.Get("tiny_kernels");
  for (const auto& [unit, sum] : devices) {
    if (sum.share.share() <= kernels_limit) continue;
    Finding f = MakeFinding("tiny_kernels", roles.units()[unit].name, sum,
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
        f.subject, sum.share.Text(), FormatCount(sum.tiny),
        FormatCount(sum.all), settings.Get("kernel"),
        Percent(sum.gaps, sum.share.span),
        LargestText(sum.ops, 1, /*micros=*/false));
    result.findings.push_back(std::move(f));
  }
  const double ops_limit = settings.Get("tiny_host_ops");
  for (const auto& [task, sum] : tasks) {
    if (sum.share.share() <= ops_limit) continue;
    Finding f =
        MakeFinding("tiny_host_ops", roles.tasks()[task].name, sum, ops_limit);
    f.evidence = fmt::format(
        "op -step {} -order_by occurrence -select cpu_micros,occurrence",
        sum.share.worst_step);
    f.advice =
        "Take small ops out of the step: compute shapes and constants once, "
        "fuse them (XLA, Grappler), or keep them on the accelerator.";
    f.text = fmt::format(
        "{}: accelerators wait for tiny ops of the host for {}; {} of {} ops "
        "on CPUs are shorter than {}us; most are {}",
        f.subject, sum.share.Text(), FormatCount(sum.tiny),
        FormatCount(sum.all), settings.Get("op"),
        LargestText(sum.ops, 1, /*micros=*/false));
    result.findings.push_back(std::move(f));
  }
  return result;
}

}  // namespace

const Checker kTinyOpsChecker = {
    "TinyOpsChecker",
    "Whether steps go into starting many tiny ops.",
    Checker::Kind::kAdvice,
    kRules,
    kOptions,
    Check,
    Checker::Needs::kTaskTimes};

}  // namespace tfprof
