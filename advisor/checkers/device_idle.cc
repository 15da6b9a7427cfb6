// When a device did nothing at all: neither compute nor a transfer. In a task
// with accelerators, each accelerator is judged. Any other task is judged as a
// whole, because one of its CPUs may be idle while another works.

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "util/percent.h"

namespace tfprof {
namespace {

constexpr std::string_view kName = "DeviceIdleChecker";

constexpr Rule kRules[] = {
    {"idle_accelerator",
     "An accelerator did nothing for more than the threshold of its steps.",
     "idle share of the step", "idle", Rule::Says::kOnlyThatTimeIsLost},
    {"idle_host",
     "A process without accelerators did nothing for more than the threshold "
     "of its steps.",
     "idle share of the step", "idle", Rule::Says::kOnlyThatTimeIsLost},
};
constexpr CheckerOption kOptions[] = {
    {"idle", 0.3, "share", "A device that idles for less is not reported."},
    kMinStep,
};

// The longest time without any work.
struct Gap {
  int64_t step = 0;
  int64_t offset = 0;  // from the start of the step
  int64_t micros = 0;
  std::string after, before;  // the ops around it
};

struct Device {
  bool accelerator = false;
  StepShare idle;
  // In the judged steps: the time of computation, and the time of transfers
  // alone.
  int64_t compute = 0;
  int64_t communication = 0;
  int64_t copies = 0;
  Gap longest;
};

std::string NameOf(Activities& activities, const Step& step, const Run& run) {
  return NameAndOp(activities.Name(step, run), activities.Op(step, run));
}

// Finds the op that ended when `gap` began, and the one that began when it
// ended.
void NameNeighbours(Activities& activities, const Step& step,
                    std::span<const DeviceActivity* const> devices,
                    const Interval& gap, Gap& named) {
  named.after = "the start of the step";
  named.before = "the end of the step";
  for (const DeviceActivity* device : devices) {
    for (const Track* track :
         {&device->compute, &device->communication, &device->copies}) {
      for (const Run& run : track->runs) {
        if (run.end == gap.start) named.after = NameOf(activities, step, run);
      }
      for (const Run& run : track->runs) {
        if (run.start != gap.end) continue;
        named.before = NameOf(activities, step, run);
        break;
      }
    }
  }
}

void AddStep(Activities& activities, const Step& step, const TaskActivity& task,
             std::span<const DeviceActivity* const> devices, Device& sum) {
  UnionOfMany all_compute, all_communication, all_copies;
  for (const DeviceActivity* device : devices) {
    all_compute.Add(device->compute.busy);
    all_communication.Add(device->communication.busy);
    all_copies.Add(device->copies.busy);
  }
  const Intervals compute = std::move(all_compute).Take();
  const Intervals communication = std::move(all_communication).Take();
  const Intervals copies = std::move(all_copies).Take();
  const Intervals computing_or_copying = Union(compute, copies);
  const Intervals idle =
      Subtract(task.runs, Union(computing_or_copying, communication));
  sum.idle.Add(step, task.span, Micros(idle));
  sum.compute = WrapAdd(sum.compute, Micros(compute));
  sum.copies = WrapAdd(sum.copies, Micros(Subtract(copies, compute)));
  sum.communication = WrapAdd(
      sum.communication, Micros(Subtract(communication, computing_or_copying)));
  const Interval* longest = nullptr;
  for (const Interval& gap : idle) {
    if (gap.micros() <= sum.longest.micros) continue;
    sum.longest.micros = gap.micros();
    longest = &gap;
  }
  if (longest == nullptr) return;
  sum.longest.step = step.id;
  sum.longest.offset = longest->start - task.runs.front().start;
  NameNeighbours(activities, step, devices, *longest, sum.longest);
}

Finding MakeFinding(const std::string& subject, const Device& device,
                    bool several_tasks, double threshold) {
  // Tasks that work together exchange something, but a ProfileProto does not
  // say what.
  const bool lacks_transfers =
      several_tasks && !device.accelerator && device.communication == 0;
  Finding f = device.idle.MakeFinding(
      device.accelerator ? "idle_accelerator" : "idle_host", threshold);
  f.subject = subject;
  f.evidence = TimelineCommand(device.longest.step);
  f.advice = device.accelerator
                 ? "Look at what the host does in the gaps: prepare the next "
                   "input while a step runs, keep Python and blocking calls "
                   "out of the step."
                 : "Look at what runs in the gaps without being an operation: "
                   "other processes, locks, reading, waiting for another task.";
  std::string transfers;
  if (device.communication > 0) {
    transfers += fmt::format(", only communication {}",
                             Percent(device.communication, device.idle.span));
  }
  if (device.copies > 0) {
    transfers += fmt::format(", only copies {}",
                             Percent(device.copies, device.idle.span));
  }
  f.text = fmt::format(
      "{}: idle for {}; compute {}{}; longest gap {} at {} of step {}, from {} "
      "to {}{}",
      subject, device.idle.Text(), Percent(device.compute, device.idle.span),
      transfers, FormatMicros(device.longest.micros),
      FormatMicros(device.longest.offset), device.longest.step,
      device.longest.after, device.longest.before,
      lacks_transfers ? "; the profile has no record of transfers" : "");
  return f;
}

struct Task {
  bool has_accelerator = false;
  int num_devices = 0;
  std::string called;  // by its device, if it has only one
};

std::vector<Task> TasksOf(const DeviceRoles& roles) {
  std::vector<Task> tasks(roles.tasks().size());
  for (const DeviceRoles::Unit& unit : roles.units()) {
    Task& task = tasks[unit.task];
    task.has_accelerator |= unit.accelerator;
    const std::string& name = roles.tasks()[unit.task].name;
    task.called = ++task.num_devices == 1 || name.empty() ? unit.name : name;
  }
  return tasks;
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  Views& views = input.views;
  const double threshold = settings.Get("idle");
  Activities& activities = views.Kept<Activities>();
  const DeviceRoles& roles = activities.roles();
  CheckResult result;
  NoteMissing(views, kName, /*needs_kernels=*/true, result.notes);
  const std::vector<Task> tasks = TasksOf(roles);
  std::map<std::string, Device> devices;
  ForEachTask(views, settings.Get("min_step"),
              [&](const Step& step, const TaskActivity& task) {
                std::vector<const DeviceActivity*> host;
                for (const DeviceActivity& device : task.devices) {
                  if (!device.accelerator) {
                    host.push_back(&device);
                    continue;
                  }
                  if (device.compute.runs.empty()) continue;
                  const DeviceActivity* one[] = {&device};
                  Device& sum = devices[roles.units()[device.unit].name];
                  sum.accelerator = true;
                  AddStep(activities, step, task, one, sum);
                }
                if (tasks[task.task].has_accelerator || host.empty() ||
                    roles.tasks()[task.task].parameter_server) {
                  return;
                }
                AddStep(activities, step, task, host,
                        devices[tasks[task.task].called]);
              });
  const auto num_tasks =
      std::count_if(roles.tasks().begin(), roles.tasks().end(),
                    [](const Process& task) { return !task.name.empty(); });
  for (const auto& [name, device] : devices) {
    if (device.idle.share() > threshold) {
      result.findings.push_back(
          MakeFinding(name, device, num_tasks > 1, threshold));
    }
  }
  return result;
}

}  // namespace

const Checker kDeviceIdleChecker = {
    "DeviceIdleChecker",
    "Whether devices have nothing to do for much of a step.",
    Checker::Kind::kAdvice,
    kRules,
    kOptions,
    Check,
    Checker::Needs::kTaskTimes};

}  // namespace tfprof
