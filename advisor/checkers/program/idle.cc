// Finds devices without work in a step, and accelerators that wait for their
// host, in processes whose ops are recorded one by one. In a process with
// accelerators, each accelerator is judged. Any other process is judged as a
// whole, because one of its CPUs may be idle while another works. WallChecker
// judges processes that record calls.

#include <algorithm>
#include <map>
#include <span>
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
#include "util/arithmetic.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace idle {

constexpr std::string_view kName = "IdleChecker";

constexpr Rule kRules[] = {
    {"idle_accelerator",
     "An accelerator did nothing for more than the threshold of its steps.",
     "idle share of the step", "idle", Rule::Says::kOnlyThatTimeIsLost},
    {"idle_host",
     "A process without accelerators did nothing for more than the threshold "
     "of its steps.",
     "idle share of the step", "idle", Rule::Says::kOnlyThatTimeIsLost},
    {"host_bound",
     "All accelerators idled while the host worked, for more than the "
     "threshold of the steps.",
     "share of the step", "host_bound", Rule::Says::kWhoWaits},
};
constexpr CheckerOption kOptions[] = {
    {"idle", 0.3, "share", "A device that idles for less is not reported."},
    {"host_bound", 0.3, "share",
     "Accelerators that wait for the host for less are not reported."},
    kMinStep,
};

// The longest time without any work, and the ops around it.
struct Gap {
  int64_t step = 0;
  int64_t offset = 0;  // from the start of the step
  int64_t micros = 0;
  std::string after, before;  // the ops around it
};

struct Device {
  bool accelerator = false;
  StepShare idle;
  // Sums over the judged steps. A transfer that overlaps computation is not
  // counted.
  int64_t compute = 0;
  int64_t communication = 0;
  int64_t copies = 0;
  Gap longest;
};

std::string NameOf(timeline::Activities& activities,
                   const timeline::DeviceRun& run) {
  return NameAndOp(activities.NodeName(run), activities.Op(run));
}

// Finds the op that ended when `gap` began, and the op that began when `gap`
// ended.
void NameNeighbours(timeline::Activities& activities,
                    std::span<const timeline::DeviceActivity* const> devices,
                    const timeline::Interval& gap, Gap& named) {
  named.after = "the start of the step";
  named.before = "the end of the step";
  for (const timeline::DeviceActivity* device : devices) {
    bool found = false;
    for (const timeline::DeviceRun& run : device->runs) {
      if (run.length() <= 0) continue;
      if (run.end == gap.start) named.after = NameOf(activities, run);
      if (run.start != gap.end || std::exchange(found, true)) continue;
      named.before = NameOf(activities, run);
    }
  }
}

void AddStep(timeline::Activities& activities, const profile::Step& step,
             const ProcessStep& process,
             std::span<const timeline::DeviceActivity* const> devices,
             Device& sum) {
  timeline::UnionOfMany all_compute, all_communication, all_copies;
  for (const timeline::DeviceActivity* device : devices) {
    all_compute.Add(device->compute);
    all_communication.Add(device->communication);
    all_copies.Add(device->copies);
  }
  const timeline::Intervals compute = std::move(all_compute).Take();
  const timeline::Intervals communication = std::move(all_communication).Take();
  const timeline::Intervals copies = std::move(all_copies).Take();
  const timeline::Intervals computing_or_copying =
      timeline::Union(compute, copies);
  const timeline::Intervals idle = timeline::Subtract(
      process.runs, timeline::Union(computing_or_copying, communication));
  sum.idle.Add(step, process.span, process.Micros(idle));
  sum.compute = util::WrapAdd(sum.compute, process.Micros(compute));
  sum.copies = util::WrapAdd(
      sum.copies, process.Micros(timeline::Subtract(copies, compute)));
  sum.communication = util::WrapAdd(
      sum.communication,
      process.Micros(timeline::Subtract(communication, computing_or_copying)));
  const timeline::Interval* longest = nullptr;
  for (const timeline::Interval& gap : idle) {
    if (process.Micros(gap.length()) <= sum.longest.micros) continue;
    sum.longest.micros = process.Micros(gap.length());
    longest = &gap;
  }
  if (longest == nullptr) return;
  sum.longest.step = step.id;
  sum.longest.offset =
      process.Micros(longest->start - process.runs.front().start);
  NameNeighbours(activities, devices, *longest, sum.longest);
}

Finding IdleFinding(const std::string& subject, const Device& device,
                    bool several_processes, double threshold) {
  // Processes that work together exchange data, but a ProfileProto does not
  // record it.
  const bool lacks_transfers =
      several_processes && !device.accelerator && device.communication == 0;
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
    transfers +=
        fmt::format(", only communication {}",
                    util::Percent(device.communication, device.idle.span));
  }
  if (device.copies > 0) {
    transfers += fmt::format(", only copies {}",
                             util::Percent(device.copies, device.idle.span));
  }
  f.text = fmt::format(
      "{}: idle for {}; compute {}{}; longest gap {} at {} of step {}, from {} "
      "to {}{}",
      subject, device.idle.Text(),
      util::Percent(device.compute, device.idle.span), transfers,
      tables::FormatMicros(device.longest.micros),
      tables::FormatMicros(device.longest.offset), device.longest.step,
      device.longest.after, device.longest.before,
      lacks_transfers ? "; the profile has no record of transfers" : "");
  return f;
}

// The accelerators of a process, and its name in findings if none of its
// devices is judged separately.
struct ProcessDevices {
  bool has_accelerator = false;
  int num_devices = 0;
  std::string called;  // the name of its device, if it has only one
};

std::map<profile::ProcessId, ProcessDevices> DevicesOfProcesses(
    const timeline::Activities& activities) {
  std::map<profile::ProcessId, ProcessDevices> processes;
  for (const timeline::LaneUnit& unit : activities.units()) {
    ProcessDevices& of = processes[unit.process];
    of.has_accelerator |= unit.accelerator;
    const std::string& name = ProcessTitle(activities, unit.process);
    of.called = ++of.num_devices == 1 || name.empty() ? unit.name : name;
  }
  return processes;
}

bool IsParameterServer(const timeline::Activities& activities,
                       profile::ProcessId process) {
  return process != profile::kNone &&
         activities.profile().lanes().process(process).parameter_server;
}

void CheckSteps(const CheckerInput& input, const CheckerSettings& settings,
                CheckResult& result) {
  const double threshold = settings.Get("idle");
  timeline::Activities& activities = input.views.Kept<timeline::Activities>();
  std::map<profile::ProcessId, ProcessDevices> processes =
      DevicesOfProcesses(activities);
  std::map<std::string, Device> devices;
  ForEachProcess(
      input.views, settings.Get("min_step"),
      [&](const profile::Step& step, const ProcessStep& process) {
        std::vector<const timeline::DeviceActivity*> host;
        for (const timeline::DeviceActivity* device : process.devices) {
          if (!device->accelerator) {
            host.push_back(device);
            continue;
          }
          if (device->compute.empty()) continue;
          const timeline::DeviceActivity* one[] = {device};
          Device& sum = devices[activities.units()[device->unit].name];
          sum.accelerator = true;
          AddStep(activities, step, process, one, sum);
        }
        const ProcessDevices& of = processes[process.process];
        if (of.has_accelerator || host.empty() ||
            IsParameterServer(activities, process.process)) {
          return;
        }
        AddStep(activities, step, process, host, devices[of.called]);
      });
  const auto named = std::count_if(
      processes.begin(), processes.end(), [&](const auto& process) {
        return !ProcessTitle(activities, process.first).empty();
      });
  for (const auto& [name, device] : devices) {
    if (device.idle.share() > threshold) {
      result.findings.push_back(
          IdleFinding(name, device, named > 1, threshold));
    }
  }
}

// The time in which the accelerators of a process wait for the host.
struct Waiting {
  StepShare share;
  int64_t on_ops = 0;  // the part while an op ran on a CPU
  // Times of host work while accelerators idled, by op.
  OpSums ops;
};

void AddWaiting(timeline::Activities& activities, const profile::Step& step,
                const ProcessStep& process, Waiting& sum) {
  timeline::UnionOfMany all_accelerators, all_ops, all_launches;
  for (const timeline::DeviceActivity* device : process.devices) {
    if (device->accelerator) {
      all_accelerators.Add(device->busy);
      all_launches.Add(device->launching);
    } else {
      all_ops.Add(device->compute);
    }
  }
  const timeline::Intervals ops = std::move(all_ops).Take();
  const timeline::Intervals launches = std::move(all_launches).Take();
  const timeline::Intervals idle =
      timeline::Subtract(process.runs, std::move(all_accelerators).Take());
  sum.share.Add(step, process.span,
                process.Micros(
                    timeline::Intersect(idle, timeline::Union(ops, launches))));
  sum.on_ops =
      util::WrapAdd(sum.on_ops, process.Micros(timeline::Intersect(idle, ops)));
  const timeline::Overlap in_idle(idle);
  ForEachOp(activities, step, process.process,
            [&](const timeline::DeviceRun& run) {
              const int64_t micros =
                  process.Micros(in_idle.Length(run.start, run.end));
              if (micros == 0) return;
              int64_t& of_op = sum.ops[activities.Op(run)];
              of_op = util::WrapAdd(of_op, micros);
            });
}

Finding WaitingFinding(const std::string& process, const Waiting& waiting,
                       double threshold) {
  const StepShare& share = waiting.share;
  Finding f = share.MakeFinding("host_bound", threshold);
  f.subject = process;
  f.evidence = fmt::format(
      "op -step {} -order_by cpu_micros -select "
      "cpu_micros,accelerator_micros,occurrence",
      share.worst_step);
  const int64_t on_launches = util::WrapSub(share.micros, waiting.on_ops);
  f.advice =
      waiting.on_ops >= on_launches
          ? "Place the named ops on the accelerator, move them into the "
            "input pipeline, or run them less often."
          : "The host starts ops more slowly than the accelerator runs them: "
            "fuse them (XLA), give each more work, and look for what blocks "
            "the host in the named ones.";
  f.text = fmt::format(
      "{}: accelerators wait for the host for {}: {} while ops run on a CPU, "
      "{} while ops are started; most of it {}",
      f.subject, share.Text(), util::Percent(waiting.on_ops, share.span),
      util::Percent(on_launches, share.span),
      LargestText(waiting.ops, share.steps, /*micros=*/true));
  return f;
}

void CheckWaiting(const CheckerInput& input, const CheckerSettings& settings,
                  CheckResult& result) {
  timeline::Activities& activities = input.views.Kept<timeline::Activities>();
  std::map<profile::ProcessId, Waiting> processes;
  ForEachProcess(
      input.views, settings.Get("min_step"),
      [&](const profile::Step& step, const ProcessStep& process) {
        if (std::any_of(process.devices.begin(), process.devices.end(),
                        [](const auto* d) {
                          return d->accelerator && !d->compute.empty();
                        })) {
          AddWaiting(activities, step, process, processes[process.process]);
        }
      });
  for (const auto& [id, waiting] : processes) {
    if (waiting.share.share() <= settings.Get("host_bound")) continue;
    result.findings.push_back(WaitingFinding(
        ProcessTitle(activities, id), waiting, settings.Get("host_bound")));
  }
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  NoteMissing(input.views, kName, /*needs_kernels=*/true, result.notes);
  CheckSteps(input, settings, result);
  CheckWaiting(input, settings, result);
  return result;
}

}  // namespace idle
}  // namespace

const Checker kIdleChecker = {
    idle::kName,
    "Whether devices have nothing to do for much of a step, and why.",
    Checker::Kind::kAdvice,
    idle::kRules,
    idle::kOptions,
    idle::Check,
    Checker::Needs::kTimes};

}  // namespace tfprof::advisor
