// Finds why devices are idle: a device without work in a step, accelerators
// that wait for their host, launches that come too late, and long gaps, with
// what the host did meanwhile. In a process with accelerators, each accelerator
// is judged. Any other process is judged as a whole, because one of its CPUs
// may be idle while another works.

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
#include "timeline/device_metrics.h"
#include "timeline/host_in_gaps.h"
#include "util/arithmetic.h"
#include "util/text/ascii.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace idle {

constexpr std::string_view kName = "IdleChecker";

// The first three rules judge steps of processes whose ops are recorded one by
// one; the others judge processes that record calls.
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
    {"idle", 0.3, "share", "A device that idles for less is not reported."},
    {"host_bound", 0.3, "share",
     "Accelerators that wait for the host for less are not reported."},
    {"launch_bound", 0.2, "share", "Less is not reported."},
    {"idle_gaps", 0.1, "share", "Less is not reported."},
    {"gap", 100, "us", "A gap of at least this length is long."},
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

// Lower-case parts of the names of functions that read or prepare input:
// PyTorch's DataLoader, TensorFlow's and JAX's iterators, and common names in
// programs.
constexpr std::string_view kInputParts[] = {
    "batch",   "data_load", "dataload", "dataset",  "dequeue", "get_next",
    "getnext", "input",     "iterator", "__next__", "prefetch"};

bool IsInput(std::string_view name) {
  const std::string lower = util::LowerCase(name);
  // Excludes batch_norm, and the layers and ops of the program.
  if (lower.find("norm") != lower.npos || lower.starts_with("aten::")) {
    return false;
  }
  return std::any_of(
      std::begin(kInputParts), std::end(kInputParts),
      [&](std::string_view part) { return lower.find(part) != lower.npos; });
}

// "load_batch 38.9ms, aten::copy_ 1.2ms"; "" if the host was not recorded.
std::string HostText(const DeviceCheck& check,
                     const std::vector<timeline::HostShare>& shares) {
  constexpr size_t kShown = 3;
  constexpr int64_t kLeastPart = 20;
  std::string text;
  int64_t all = 0;
  for (const timeline::HostShare& share : shares)
    all = util::WrapAdd(all, share.time);
  for (size_t i = 0; i < std::min(kShown, shares.size()); ++i) {
    // Entries with a very small share explain nothing.
    if (i > 0 && shares[i].time < all / kLeastPart) break;
    text += fmt::format(
        "{}{} {}", i == 0 ? "" : ", ",
        shares[i].name.empty() ? "nothing that was recorded" : shares[i].name,
        check.Time(shares[i].time));
  }
  return text;
}

// The time of gaps, by the op that follows each gap.
TimeSums ByNextOp(const DeviceCheck& check,
                  const timeline::DeviceActivity& device,
                  const timeline::Intervals& parts,
                  const timeline::Intervals& gaps) {
  TimeSums sums;
  const timeline::Overlap inside(parts);
  auto run = device.runs.begin();
  for (const timeline::Interval& gap : gaps) {
    while (run != device.runs.end() && run->start < gap.end) ++run;
    if (run == device.runs.end()) break;
    const int64_t time = inside.Length(gap.start, gap.end);
    if (time > 0) sums.Add(check.activities.Op(*run), time);
  }
  return sums;
}

// Reports launches that come too late, in short gaps.
void CheckLaunches(const DeviceCheck& check,
                   const timeline::DeviceActivity& device,
                   const timeline::IdleTime& idle,
                   const timeline::Intervals& late_parts,
                   const CheckerSettings& settings, CheckResult& result) {
  const int64_t span = timeline::Length(device.window);
  const std::string& name = check.Name(device.unit);
  const int64_t late_time = timeline::Length(late_parts);
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
        name, settings.Get("gap"), util::Percent(late_time, span),
        check.Time(late_time), check.Time(span),
        ByNextOp(check, device, late_parts, idle.all).Times(check));
    result.findings.push_back(std::move(late));
  }
}

void CheckDevice(const DeviceCheck& check,
                 const timeline::DeviceActivity& device,
                 const CheckerSettings& settings, CheckResult& result) {
  const timeline::IdleTime idle = timeline::IdleTimeOf(device);
  const int64_t span = timeline::Length(device.window);
  const std::string& name = check.Name(device.unit);
  const int64_t shortest = check.Ticks(settings.Get("gap"));
  timeline::Intervals long_gaps;
  int64_t longest = 0;
  for (const timeline::Interval& gap : idle.all) {
    if (gap.length() < shortest) continue;
    long_gaps.push_back(gap);
    longest = std::max(longest, gap.length());
  }
  CheckLaunches(check, device, idle,
                timeline::Subtract(idle.host_bound, long_gaps), settings,
                result);
  const int64_t in_gaps = timeline::Length(long_gaps);
  Finding gaps = ShareFinding(check, "idle_gaps", name, in_gaps, span,
                              settings.Get("idle_gaps"), in_gaps);
  if (gaps.value <= gaps.threshold) return;
  const std::vector<timeline::HostShare> host =
      timeline::HostInGaps(check.activities, device, long_gaps);
  int64_t input = 0;
  for (const timeline::HostShare& share : host) {
    if (IsInput(share.name)) input = util::WrapAdd(input, share.time);
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
      util::Percent(in_gaps, span), check.Time(in_gaps), check.Time(span),
      tables::FormatCount(static_cast<int64_t>(long_gaps.size())),
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
  CheckResult result = CheckAccelerators(input, settings, CheckDevice);
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
