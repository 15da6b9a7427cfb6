// Finds processes without accelerators that do nothing for much of a step, if
// their ops are recorded one by one. A process is judged as a whole, because
// one of its CPUs may be idle while another works. WallChecker judges
// accelerators, and processes that record calls.

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
    {"idle_host",
     "A process without accelerators did nothing for more than the threshold "
     "of its steps.",
     "idle share of the step", "idle", Rule::Says::kOnlyThatTimeIsLost},
};
constexpr CheckerOption kOptions[] = {
    {"idle", 0.3, "share", "A device that idles for less is not reported."},
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
  const bool lacks_transfers = several_processes && device.communication == 0;
  Finding f = device.idle.MakeFinding("idle_host", threshold);
  f.subject = subject;
  f.evidence = TimelineCommand(device.longest.step);
  f.advice =
      "Look at what runs in the gaps without being an operation: other "
      "processes, locks, reading, waiting for another task.";
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

// Whether a process has accelerators, and its name in findings.
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
  ForEachProcess(input.views, settings.Get("min_step"),
                 [&](const profile::Step& step, const ProcessStep& process) {
                   const ProcessDevices& of = processes[process.process];
                   if (of.has_accelerator ||
                       IsParameterServer(activities, process.process)) {
                     return;
                   }
                   AddStep(activities, step, process, process.devices,
                           devices[of.called]);
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

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  NoteMissing(input.views, kName, /*needs_kernels=*/true, result.notes);
  CheckSteps(input, settings, result);
  return result;
}

}  // namespace idle
}  // namespace

const Checker kIdleChecker = {
    idle::kName,
    "Whether hosts without accelerators have nothing to do in steps.",
    Checker::Kind::kAdvice,
    idle::kRules,
    idle::kOptions,
    idle::Check,
    Checker::Needs::kTimes};

}  // namespace tfprof::advisor
