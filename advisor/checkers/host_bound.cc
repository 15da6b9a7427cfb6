// When the accelerators of a task waited for its host: none of them did
// anything while ops ran on a CPU or the host was busy starting ops.

#include <map>
#include <string>
#include <string_view>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "util/arithmetic.h"
#include "util/percent.h"

namespace tfprof {
namespace {

constexpr std::string_view kName = "HostBoundChecker";

constexpr Rule kRules[] = {
    {"host_bound",
     "All accelerators idled while the host worked, for more than the "
     "threshold of the steps.",
     "share of the step", "host_bound", Rule::Says::kWhoWaits},
};
constexpr CheckerOption kOptions[] = {
    {"host_bound", 0.3, "share",
     "Accelerators that wait for the host for less are not reported."},
    kMinStep,
};

struct Task {
  StepShare waiting;
  int64_t on_ops = 0;  // of `waiting`: while an op ran on a CPU
  // Times of host work while accelerators idled, by op.
  OpSums ops;
};

void AddStep(Activities& activities, const Step& step, const TaskActivity& task,
             std::map<uint32_t, Task>& tasks) {
  UnionOfMany all_accelerators, all_ops, all_launches;
  bool has_kernels = false;
  for (const DeviceActivity& device : task.devices) {
    if (device.accelerator) {
      has_kernels |= !device.compute.runs.empty();
      all_accelerators.Add(device.Busy());
      all_launches.Add(device.launches.busy);
    } else {
      all_ops.Add(device.compute.busy);
    }
  }
  if (!has_kernels) return;
  const Intervals ops = std::move(all_ops).Take();
  const Intervals launches = std::move(all_launches).Take();
  const Intervals idle =
      Subtract(task.runs, std::move(all_accelerators).Take());
  Task& sum = tasks[task.task];
  sum.waiting.Add(step, task.span,
                  Micros(Intersect(idle, Union(ops, launches))));
  sum.on_ops = WrapAdd(sum.on_ops, Micros(Intersect(idle, ops)));
  const Overlap in_idle(idle);
  for (const DeviceActivity& device : task.devices) {
    const Track& host = device.accelerator ? device.launches : device.compute;
    for (const Run& run : host.runs) {
      const int64_t micros = in_idle.Micros(run.start, run.end);
      if (micros == 0) continue;
      int64_t& of_op = sum.ops[activities.Op(step, run)];
      of_op = WrapAdd(of_op, micros);
    }
  }
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  Views& views = input.views;
  const double threshold = settings.Get("host_bound");
  Activities& activities = views.Kept<Activities>();
  CheckResult result;
  NoteMissing(views, kName, /*needs_kernels=*/true, result.notes);
  std::map<uint32_t, Task> tasks;
  ForEachTask(views, settings.Get("min_step"),
              [&](const Step& step, const TaskActivity& task) {
                AddStep(activities, step, task, tasks);
              });
  for (const auto& [id, task] : tasks) {
    if (task.waiting.share() <= threshold) continue;
    Finding f = task.waiting.MakeFinding("host_bound", threshold);
    f.subject = activities.roles().tasks()[id].name;
    f.evidence = fmt::format(
        "op -step {} -order_by cpu_micros -select "
        "cpu_micros,accelerator_micros,occurrence",
        task.waiting.worst_step);
    const int64_t on_launches = WrapSub(task.waiting.micros, task.on_ops);
    f.advice =
        task.on_ops >= on_launches
            ? "Place the named ops on the accelerator, move them into the "
              "input pipeline, or run them less often."
            : "The host starts ops more slowly than the accelerator runs them: "
              "fuse them (XLA), give each more work, and look for what blocks "
              "the host in the named ones.";
    f.text = fmt::format(
        "{}: accelerators wait for the host for {}: {} while ops run on a CPU, "
        "{} while ops are started; most of it {}",
        f.subject, task.waiting.Text(), Percent(task.on_ops, task.waiting.span),
        Percent(on_launches, task.waiting.span),
        LargestText(task.ops, task.waiting.steps, /*micros=*/true));
    result.findings.push_back(std::move(f));
  }
  return result;
}

}  // namespace

const Checker kHostBoundChecker = {
    "HostBoundChecker",
    "Whether accelerators wait for work of the host.",
    Checker::Kind::kAdvice,
    kRules,
    kOptions,
    Check,
    Checker::Needs::kTaskTimes};

}  // namespace tfprof
