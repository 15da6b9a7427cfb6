// Finds where the wall time of devices goes while they do not compute, from the
// account of the steps (timeline/account/account.h): one rule for each cause.
//
// Devices with the same cause are one finding, about the device that loses
// most. With three steps or more, those that take much longer than the median
// are left out. If the ops of a process are recorded one by one, its
// accelerators are judged in steps that are long enough for times in
// microseconds; IdleChecker judges such a process without accelerators.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "advisor/checkers/steps/late_rank.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "timeline/account/account.h"
#include "timeline/account/framework.h"
#include "timeline/account/graph_holes.h"
#include "timeline/account/queued_waits.h"
#include "timeline/account/step_wall.h"
#include "timeline/lane_units.h"
#include "timeline/ranks/communication.h"
#include "util/arithmetic.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace wall {

using timeline::Part;

constexpr Rule kRules[] = {
    {"input_gaps",
     "A device has nothing to do while the host reads or prepares input.",
     "share of the wall time", "input"},
    {"python_overhead",
     "A device has nothing to do while Python runs between operations.",
     "share of the wall time", "python"},
    {"host_work",
     "An accelerator has nothing to do while the host runs operations itself.",
     "share of the wall time", "host_work"},
    {"launch_bound",
     "An accelerator has nothing to do because the host launches work too "
     "slowly.",
     "share of the wall time", "launches"},
    {"synchronization",
     "An accelerator has nothing to do after the host waited for it or read a "
     "result back.",
     "share of the wall time", "synchronization"},
    {"allocation",
     "A device has nothing to do while memory is allocated or freed.",
     "share of the wall time", "allocation"},
    {"compilation", "A device has nothing to do while a program is compiled.",
     "share of the wall time", "compilation"},
    {"first_use",
     "A device has nothing to do while kernels, libraries or the device itself "
     "are used for the first time.",
     "share of the wall time", "first_use"},
    {"queued_work",
     "An accelerator has nothing to do while work that was launched waits for "
     "another stream, an event, another device or a function of the host.",
     "share of the wall time", "queued_work", Rule::Says::kWhoWaits},
    {"kernel_starts",
     "An accelerator has nothing to do for a moment after each kernel, "
     "although "
     "the next one was launched.",
     "share of the wall time", "kernel_starts"},
    {"profiler_time", "A device has nothing to do while the profiler works.",
     "share of the wall time", "profiler"},
    {"offload",
     "An accelerator waits for tensors that are copied to or from the host.",
     "share of the wall time", "offload"},
    {"late_rank",
     "A rank waits in collectives for the rank that begins them last.",
     "share of the wall time", "late_rank"},
    {"idle_gaps",
     "An accelerator has nothing to do, and the file does not say why.",
     "share of the wall time", "not_recorded", Rule::Says::kOnlyThatTimeIsLost},
    {"unaccounted_time", "Nothing was recorded on a host without accelerators.",
     "share of the wall time", "not_recorded", Rule::Says::kOnlyThatTimeIsLost},
    {"unfused_work",
     "Kernels that only read and write tensors (elementwise operations, "
     "reductions, normalization, copies in the device) take more than the "
     "threshold, and more than products, convolutions and attention.",
     "share of the wall time", "unfused_work"},
    {"mixed_idle",
     "An accelerator has nothing to do for more than the threshold, and no "
     "cause alone is large enough for another rule.",
     "share of the wall time", "mixed_idle", Rule::Says::kOnlyThatTimeIsLost},
    {"unrecorded_device",
     "A host of PyTorch waits for results, and the file has no device.",
     "share of the wall time", "unrecorded_device"},
    {"work_outside_steps",
     "Most of the work of an accelerator is outside of the recorded steps, so "
     "its idle time in them is not judged.",
     "share of the busy time"},
};
constexpr CheckerOption kOptions[] = {
    {"input", 0.1, "share", "Less is not reported."},
    {"python", 0.1, "share", "Less is not reported."},
    {"host_python", 0.25, "share",
     "Less is not reported of a host without accelerators."},
    {"host_work", 0.1, "share", "Less is not reported."},
    {"launches", 0.2, "share", "Less is not reported."},
    {"synchronization", 0.05, "share",
     "Less is not reported; less than twice as much is for information."},
    {"allocation", 0.05, "share", "Less is not reported."},
    {"compilation", 0.05, "share", "Less is not reported."},
    {"first_use", 0.2, "share", "Less is not reported."},
    {"queued_work", 0.2, "share", "Less is not reported."},
    {"kernel_starts", 0.1, "share", "Less is not reported."},
    {"profiler", 0.1, "share", "Less is not reported."},
    {"offload", 0.1, "share", "Less is not reported."},
    {"late_rank", 0.1, "share", "Less is not reported."},
    {"not_recorded", 0.15, "share", "Less is not reported."},
    {"unfused_work", 0.4, "share", "Less is not reported."},
    {"mixed_idle", 0.5, "share", "Less is not reported."},
    {"unrecorded_device", 0.2, "share", "Less is not reported."},
    {"min_micros", 1000, "us",
     "Less time per step in which a host recorded nothing is not reported."},
    kMinStep,
};

// A cause, and the words of its finding.
struct Cause {
  Part part;
  std::string_view rule;
  std::string_view option;
  std::string_view lost;       // before the share
  std::string_view meanwhile;  // after it
  bool hosts = false;          // it is also a problem of a host alone
  // The option for a host alone; "": the same.
  std::string_view host_option = {};
};

constexpr Cause kCauses[] = {
    {Part::kInput, "input_gaps", "input", "waits for input, idle for",
     "while the host reads or prepares it", true},
    {Part::kPython, "python_overhead", "python", "idle for",
     "while Python runs between operations", true, "host_python"},
    {Part::kHostWork, "host_work", "host_work", "idle for",
     "while the host runs operations itself"},
    {Part::kLaunches, "launch_bound", "launches", "idle for",
     "because the host launches work too slowly"},
    {Part::kSynchronization, "synchronization", "synchronization", "idle for",
     "because the host waited for it or read a result back"},
    {Part::kAllocation, "allocation", "allocation", "idle for",
     "while memory is allocated or freed", true},
    {Part::kCompilation, "compilation", "compilation", "idle for",
     "while a program is compiled", true},
    {Part::kFirstUse, "first_use", "first_use", "idle for",
     "while kernels, libraries or the device are used for the first time",
     true},
    {Part::kQueue, "queued_work", "queued_work", "idle for",
     "while work that was launched waits for other work"},
    {Part::kKernelStarts, "kernel_starts", "kernel_starts", "idle for",
     "between kernels that were launched in time, each of which needs a moment "
     "to start"},
    {Part::kProfiler, "profiler_time", "profiler", "idle for",
     "while the profiler itself works", true},
    {Part::kOffload, "offload", "offload", "waits for",
     "for tensors that are copied to or from the host"},
    {Part::kLateRank, "late_rank", "late_rank", "waits for",
     "in collectives for a rank that begins them later", true},
    {Part::kNotRecorded, "idle_gaps", "not_recorded", "idle for",
     "and the file does not say why"},
};

// The accounts of a device, added up over the judged steps.
struct Device {
  std::string name;
  timeline::DeviceAccount sum;
  int64_t compiling_steps = 0;  // of the judged ones
  bool explained = false;       // by a finding
};

// A device that works mostly outside of the recorded steps.
struct Outside {
  uint32_t unit = 0;
  int64_t outside = 0;
  int64_t busy = 0;
};

struct Judged {
  std::vector<Device> devices;
  std::vector<Outside> outside;
  std::vector<const timeline::StepAccount*> accounts;
  int64_t steps = 0;    // the number of accounts
  int64_t typical = 0;  // the number of a typical step
};

// The usual steps are judged: those that take much longer are for
// StepVarianceChecker and StepDifferenceChecker, which say what is different.
void LeaveOutSlowSteps(std::vector<timeline::StepWall>& walls) {
  constexpr size_t kMinSteps = 3;
  if (walls.size() < kMinSteps) return;
  const double limit =
      timeline::kOddStep * static_cast<double>(timeline::MedianWall(walls));
  std::erase_if(walls, [limit](const timeline::StepWall& wall) {
    return static_cast<double>(wall.ticks) > limit;
  });
}

// Whether a device is judged, from the sum of its accounts.
bool IsJudged(const DeviceCheck& check, const timeline::DeviceAccount& sum,
              int64_t min_wall) {
  const timeline::LaneUnit& unit = check.activities.units()[sum.unit];
  return !check.RecordsSingleOps(unit.process) ||
         (sum.accelerator && sum.wall >= min_wall);
}

// The recorded steps may be those of a host that launches work and goes on:
// what a device does in them is not what it does for them.
std::optional<Outside> MostlyOutside(const DeviceCheck& check, uint32_t unit) {
  const timeline::DeviceActivity* device = check.activity->Find(unit);
  if (device == nullptr || !device->accelerator || device->runs.empty()) {
    return std::nullopt;
  }
  const int64_t busy = timeline::Length(device->busy);
  const int64_t outside = busy - check.InSteps(*device, device->busy);
  if (outside <= busy / 2) return std::nullopt;
  return Outside{unit, outside, busy};
}

Judged Collect(const DeviceCheck& check, const CheckerSettings& settings,
               views::Views& views) {
  Judged judged;
  std::vector<timeline::StepWall> walls;
  for (const timeline::StepWall& wall : timeline::StepWalls(views)) {
    if (wall.known && !wall.step->aggregated) walls.push_back(wall);
  }
  LeaveOutSlowSteps(walls);
  if (walls.empty()) return judged;
  judged.typical = timeline::TypicalStep(walls)->step->id;
  std::vector<const profile::Step*> steps;
  for (const timeline::StepWall& wall : walls) steps.push_back(wall.step);
  judged.steps = static_cast<int64_t>(steps.size());
  judged.accounts = timeline::AccountsOf(views, steps);
  for (const timeline::DeviceAccount& first :
       judged.accounts.front()->devices) {
    std::vector<const timeline::DeviceAccount*> of_steps;
    for (const timeline::StepAccount* account : judged.accounts) {
      of_steps.push_back(account->Find(first.unit));
    }
    timeline::DeviceAccount sum = Sum(of_steps);
    if (!IsJudged(check, sum,
                  judged.steps * check.Ticks(settings.Get("min_step")))) {
      continue;
    }
    if (const auto outside = MostlyOutside(check, first.unit)) {
      judged.outside.push_back(*outside);
      continue;
    }
    Device& device = judged.devices.emplace_back();
    device.name = check.Name(first.unit);
    device.sum = std::move(sum);
    device.compiling_steps = std::ranges::count_if(
        of_steps, [](const timeline::DeviceAccount* account) {
          return account != nullptr && (*account)[Part::kCompilation].ticks > 0;
        });
  }
  return judged;
}

std::string Details(const DeviceCheck& check, const timeline::PartTime& part) {
  constexpr size_t kShown = 3;
  constexpr int64_t kLeast = 20;
  std::string text;
  for (size_t i = 0; i < std::min(kShown, part.details.size()); ++i) {
    const timeline::PartDetail& detail = part.details[i];
    if (i > 0 && detail.ticks < part.details[0].ticks / kLeast) break;
    if (detail.name.empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", detail.name,
                        check.Time(detail.ticks));
  }
  return text;
}

// The part in which a device may have worked, but the recorder missed it.
int64_t MissedWork(const timeline::PartTime& part) {
  for (const timeline::PartDetail& detail : part.details) {
    if (detail.name == timeline::kGraphHole) return detail.ticks;
  }
  return 0;
}

// Whether the device may have worked all the time: the file lacks its kernels.
bool LacksKernels(const timeline::PartTime& part) {
  return !part.details.empty() &&
         part.details.front().name == timeline::kNoKernels;
}

// What is set up once is lost once; so is what happens in one of several steps.
bool HappensOnce(const Judged& judged, const Device& device, Part part) {
  return part == Part::kFirstUse || part == Part::kProfiler ||
         (part == Part::kCompilation && judged.steps > 1 &&
          device.compiling_steps == 1);
}

// Whether a device is idle for long, and mostly for other causes: JudgeRest()
// says all of them.
bool IsOneOfMany(const timeline::DeviceAccount& sum, int64_t ticks,
                 const CheckerSettings& settings) {
  return sum.accelerator && ticks < sum.idle() / 2 &&
         static_cast<double>(sum.idle()) >
             settings.Get("mixed_idle") * static_cast<double>(sum.wall);
}

// Says what a late rank does instead of who waits for it, and returns true; or
// returns false, if that is unknown.
bool NameLateRank(const DeviceCheck& check, const Judged& judged,
                  const Device& worst, Finding& f) {
  const timeline::PartTime& wait = worst.sum[Part::kLateRank];
  const auto cause = FollowLateRank(check, judged.accounts, worst.sum.unit);
  if (!cause || wait.details.empty()) return false;
  constexpr double kAlways = 0.8;
  const bool is_one = static_cast<double>(wait.details[0].ticks) >=
                      kAlways * static_cast<double>(wait.ticks);
  const timeline::PartInfo& part = timeline::InfoOf(cause->more.part);
  // The caller of a function is in `explain`; here it would be too long.
  constexpr size_t kLong = 50;
  std::string detail = cause->more.detail;
  if (detail.size() > kLong)
    detail.resize(std::min(detail.size(), detail.find(" in ")));
  if (!detail.empty()) detail = fmt::format(" ({})", detail);
  f.text = fmt::format(
      "{} late in collectives, with {} more per step of {}{} than {}, which "
      "waits for {} for {} of its wall time ({} of {}{})",
      is_one ? wait.details[0].name + " is" : "several ranks are",
      check.Time(cause->more.more / judged.steps), part.title, detail,
      worst.name, is_one ? "it" : "them",
      util::Percent(wait.ticks, worst.sum.wall), check.Time(wait.ticks),
      check.Time(worst.sum.wall), is_one ? "" : ": " + Details(check, wait));
  f.advice = part.kind == timeline::PartKind::kIdle
                 ? timeline::RemedyOf(part.part, cause->late, check.profile())
                 : "Give the ranks the same amount of work (lengths of "
                   "sequences, tokens of experts) and the same types, and look "
                   "for a slower device (clock, temperature).";
  return true;
}

// How many devices lose more than the threshold as `worst` does. Those that
// wait for another rank than it does have another cause.
int64_t CountAlike(const Judged& judged, Part part, double threshold,
                   const Device& worst) {
  const auto late = [](const Device& device) {
    const auto& details = device.sum[Part::kLateRank].details;
    return details.empty() ? std::string() : details[0].name;
  };
  return std::ranges::count_if(judged.devices, [&](const Device& device) {
    return device.sum.accelerator == worst.sum.accelerator &&
           device.sum.wall > 0 &&
           static_cast<double>(device.sum[part].ticks) >
               threshold * static_cast<double>(device.sum.wall) &&
           (part != Part::kLateRank || late(device) == late(worst));
  });
}

constexpr std::string_view kNothingRecorded =
    "in which nothing was recorded: such a program may wait for requests";

// The details of the part are then the operations that wait.
constexpr std::string_view kWaitsForUnknown =
    "while work that was launched waits, and the file does not say for what; "
    "this waits";

// " from /job:ps/replica:0/task:0": the task whose tensors the process of a
// device receives for the longest time in a typical step; "" if the file does
// not say it.
std::string SourceOfTensors(const DeviceCheck& check, const Judged& judged,
                            uint32_t unit) {
  const profile::ProcessId process = check.activities.units()[unit].process;
  std::map<std::string, int64_t> sources;
  const profile::Step* step = check.profile().FindStep(judged.typical);
  if (step == nullptr) return "";
  const auto activity = check.activities.Of(*step);
  for (const timeline::DeviceActivity& device : activity->devices) {
    if (check.activities.units()[device.unit].process != process) continue;
    for (const timeline::DeviceRun& run : device.runs) {
      if (run.kind != timeline::RunKind::kCommunication) continue;
      sources[std::string(check.activities.TransferOf(run).from)] +=
          run.length();
    }
  }
  const auto most = std::ranges::max_element(
      sources, {}, [](const auto& of) { return of.second; });
  return most == sources.end() || most->first.empty() ? ""
                                                      : " from " + most->first;
}

// The file of a library of communication does not have what the program does
// between its exchanges.
bool HasCommunicationOnly(const timeline::DeviceAccount& sum) {
  constexpr int64_t kLeast = 20;
  return sum.Of(timeline::PartKind::kCompute) <
         sum.Of(timeline::PartKind::kCommunication) / kLeast;
}

void Judge(const DeviceCheck& check, const Cause& cause,
           const CheckerSettings& settings, bool accelerators, Judged& judged,
           CheckResult& result) {
  const double threshold = settings.Get(
      accelerators || cause.host_option.empty() ? cause.option
                                                : cause.host_option);
  // One read at the end of a step may be wanted.
  constexpr double kMany = 2;
  const double warns =
      cause.part == Part::kSynchronization ? kMany * threshold : threshold;
  Device* worst = nullptr;
  for (Device& device : judged.devices) {
    const int64_t ticks = device.sum[cause.part].ticks;
    if (cause.part == Part::kNotRecorded &&
        IsOneOfMany(device.sum, ticks, settings)) {
      continue;
    }
    if (device.sum.accelerator != accelerators || device.sum.wall <= 0 ||
        static_cast<double>(ticks) <=
            threshold * static_cast<double>(device.sum.wall)) {
      continue;
    }
    device.explained |= static_cast<double>(ticks) >
                        warns * static_cast<double>(device.sum.wall);
    if (worst == nullptr || ticks > worst->sum[cause.part].ticks) {
      worst = &device;
    }
  }
  if (worst == nullptr) return;
  const bool is_silent_host = !accelerators && cause.part == Part::kNotRecorded;
  if (is_silent_host &&
      worst->sum[cause.part].ticks <
          judged.steps * check.Ticks(settings.Get("min_micros"))) {
    return;
  }
  if (is_silent_host && HasCommunicationOnly(worst->sum)) return;
  const timeline::PartTime& part = worst->sum[cause.part];
  Finding f = ShareFinding(check, cause.rule, worst->name, part.ticks,
                           worst->sum.wall, threshold, part.ticks);
  if (is_silent_host) f.rule = "unaccounted_time";
  // It may wait for requests, and no device waits for it.
  const bool may_wait =
      is_silent_host &&
      timeline::FrameworkOf(check.profile()) == timeline::Framework::kUnknown;
  if (may_wait) f.severity = Finding::Severity::kInfo;
  if (cause.part == Part::kFirstUse || cause.part == Part::kProfiler) {
    // The program does not lose this time when it is not recorded, or once.
    f.severity = Finding::Severity::kWarning;
  }
  if (f.value <= warns) f.severity = Finding::Severity::kInfo;
  const int64_t missed = MissedWork(part);
  if (missed * 2 > part.ticks) f.severity = Finding::Severity::kWarning;
  f.saving_micros =
      profile::TicksToMicros(part.ticks - missed, check.ticks_per_micro) /
      judged.steps;
  if (HappensOnce(judged, *worst, cause.part)) {
    f.once_micros = profile::TicksToMicros(part.ticks, check.ticks_per_micro);
  }
  f.evidence = fmt::format("explain step {}", judged.typical);
  f.advice = timeline::RemedyOf(cause.part, worst->sum, check.profile());
  const std::string details = Details(check, part);
  // A host is not idle in a call, but it loses the time.
  constexpr std::string_view kIdle = "idle for";
  std::string lost(cause.lost);
  std::string_view meanwhile = cause.meanwhile;
  if (may_wait) meanwhile = kNothingRecorded;
  if (cause.part == Part::kQueue && !part.details.empty() &&
      !timeline::NamesWhatIsWaitedFor(part.details[0].name)) {
    meanwhile = kWaitsForUnknown;
  }
  std::string source;
  if (cause.part == Part::kHostWork && !part.details.empty() &&
      timeline::IsCommunicationOp(part.details[0].name)) {
    const bool is_mpi = part.details[0].name.starts_with("MPI_");
    meanwhile = is_mpi ? "while its process waits for others"
                       : "while the host waits for tensors of another task";
    // What the last of them does is the cause.
    if (is_mpi) f.severity = std::min(f.severity, Finding::Severity::kWarning);
    source = SourceOfTensors(check, judged, worst->sum.unit);
  }
  const size_t idle = lost.find(kIdle);
  if (!worst->sum.accelerator && cause.part != Part::kNotRecorded &&
      idle != lost.npos) {
    lost.replace(idle, kIdle.size(), "loses");
  }
  f.text =
      fmt::format("{}: {} {} of its wall time ({} of {}) {}{}{}{}", worst->name,
                  lost, util::Percent(part.ticks, worst->sum.wall),
                  check.Time(part.ticks), check.Time(worst->sum.wall),
                  meanwhile, details.empty() ? "" : ": ", details, source);
  if (cause.part == Part::kLateRank &&
      !NameLateRank(check, judged, *worst, f) && HasStages(check)) {
    return;
  }
  if (LacksKernels(part)) {
    f.severity = Finding::Severity::kWarning;
    f.saving_micros = 0;
    f.text = fmt::format(
        "{}: its kernels are not in the file, so {} of its wall time ({} of "
        "{}) is unknown",
        worst->name, util::Percent(part.ticks, worst->sum.wall),
        check.Time(part.ticks), check.Time(worst->sum.wall));
  }
  f.text += SoDoOthers(CountAlike(judged, cause.part, threshold, *worst) - 1);
  result.findings.push_back(std::move(f));
}

// "elementwise 35.5%, copies in the device 20.5%": parts of the wall time of a
// device, the largest first.
std::string Shares(const timeline::DeviceAccount& account,
                   std::span<const Part> parts) {
  std::vector<Part> sorted(parts.begin(), parts.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           [&](Part part) { return account[part].ticks; });
  std::string text;
  for (const Part part : sorted) {
    if (account[part].ticks <= 0) break;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        timeline::InfoOf(part).title,
                        util::Percent(account[part].ticks, account.wall));
  }
  return text;
}

// Reports the device that spends most time in kernels that a fused kernel would
// not need: they read what the one before has written. It is for information,
// because it is unknown whether they can be fused.
void JudgeUnfused(const DeviceCheck& check, const CheckerSettings& settings,
                  const Judged& judged, CheckResult& result) {
  constexpr Part kMoves[] = {Part::kElementwise, Part::kReductions,
                             Part::kNormalization, Part::kDeviceCopies};
  constexpr Part kComputes[] = {Part::kMatrixProducts, Part::kConvolutions,
                                Part::kAttention};
  const double threshold = settings.Get("unfused_work");
  const Device* worst = nullptr;
  int64_t most = 0;
  for (const Device& device : judged.devices) {
    int64_t moves = 0, computes = 0;
    for (const Part part : kMoves) moves += device.sum[part].ticks;
    for (const Part part : kComputes) computes += device.sum[part].ticks;
    if (!device.sum.accelerator || moves <= std::max(computes, most) ||
        static_cast<double>(moves) <=
            threshold * static_cast<double>(device.sum.wall)) {
      continue;
    }
    worst = &device;
    most = moves;
  }
  if (worst == nullptr) return;
  Finding f = ShareFinding(check, "unfused_work", worst->name, most,
                           worst->sum.wall, threshold, most);
  f.severity = Finding::Severity::kInfo;
  f.saving_micros = 0;  // unknown
  f.evidence = fmt::format("explain step {}", judged.typical);
  f.advice =
      timeline::FrameworkOf(check.profile()) == timeline::Framework::kTorch
          ? "Fuse them: torch.compile, or fused kernels for normalization, "
            "activations, rotary embeddings and the optimizer."
          : "Fuse them: compile more of the step as one program (jax.jit, "
            "tf.function with jit_compile=True), or use fused kernels.";
  f.text = fmt::format(
      "{}: kernels that only move data or compute element by element take {} "
      "of its wall time ({} of {}): {}",
      worst->name, util::Percent(most, worst->sum.wall), check.Time(most),
      check.Time(worst->sum.wall), Shares(worst->sum, kMoves));
  result.findings.push_back(std::move(f));
}

// Says that the steps do not show what a device does.
void NoteOutside(const DeviceCheck& check, const Judged& judged,
                 CheckResult& result) {
  if (judged.outside.empty()) return;
  const Outside& worst =
      *std::ranges::max_element(judged.outside, {}, &Outside::outside);
  Finding f = ShareFinding(check, "work_outside_steps", check.Name(worst.unit),
                           worst.outside, worst.busy, 0, 0);
  f.severity = Finding::Severity::kInfo;
  f.evidence = "devices";
  f.advice =
      "Times of steps are those of the host, which is ahead of the device. "
      "Record ranges that wait for their work (block_until_ready at the end of "
      "a step), or look at the devices as a whole.";
  f.text = fmt::format(
      "{}: {} of its work ({} of {}) is outside of the recorded steps, so its "
      "idle time in them was not judged",
      f.subject, util::Percent(worst.outside, worst.busy),
      check.Time(worst.outside), check.Time(worst.busy));
  if (judged.outside.size() > 1) {
    f.text += fmt::format("; so is that of {} other device{}",
                          judged.outside.size() - 1,
                          judged.outside.size() == 2 ? "" : "s");
  }
  result.findings.push_back(std::move(f));
}

// A host of PyTorch that waits for results waits for a device: an operation of
// its own computes in the thread that calls it.
void JudgeUnrecorded(const DeviceCheck& check, const CheckerSettings& settings,
                     const Judged& judged, CheckResult& result) {
  if (timeline::FrameworkOf(check.profile()) != timeline::Framework::kTorch) {
    return;
  }
  const Device* worst = nullptr;
  for (const Device& device : judged.devices) {
    if (device.sum.accelerator) return;
    if (worst == nullptr || device.sum[Part::kSynchronization].ticks >
                                worst->sum[Part::kSynchronization].ticks) {
      worst = &device;
    }
  }
  if (worst == nullptr) return;
  const timeline::PartTime& part = worst->sum[Part::kSynchronization];
  Finding f =
      ShareFinding(check, "unrecorded_device", worst->name, part.ticks,
                   worst->sum.wall, settings.Get("unrecorded_device"), 0);
  if (f.value <= f.threshold) return;
  f.severity = Finding::Severity::kWarning;
  f.evidence = fmt::format("explain step {}", judged.typical);
  f.advice =
      "Record the device, too: activities=[ProfilerActivity.CPU, "
      "ProfilerActivity.CUDA]. What it does in this time is unknown.";
  f.text = fmt::format(
      "{}: waits for results for {} of its wall time ({} of {}), and the file "
      "has no work of a device: {}",
      worst->name, util::Percent(part.ticks, worst->sum.wall),
      check.Time(part.ticks), check.Time(worst->sum.wall),
      Details(check, part));
  result.findings.push_back(std::move(f));
}

// Reports devices that are idle for long, for several causes.
void JudgeRest(const DeviceCheck& check, const CheckerSettings& settings,
               const Judged& judged, CheckResult& result) {
  const double threshold = settings.Get("mixed_idle");
  for (const Device& device : judged.devices) {
    const int64_t idle = device.sum.idle();
    if (device.explained || !device.sum.accelerator) continue;
    Finding f = ShareFinding(check, "mixed_idle", device.name, idle,
                             device.sum.wall, threshold, idle);
    if (f.value <= threshold) continue;
    f.severity = Finding::Severity::kWarning;
    f.saving_micros =
        profile::TicksToMicros(idle, check.ticks_per_micro) / judged.steps;
    f.evidence = fmt::format("explain step {}", judged.typical);
    f.advice = "Look at the largest parts of the account.";
    std::vector<const timeline::PartInfo*> parts;
    for (const timeline::PartInfo& info : timeline::AllParts()) {
      if (info.kind == timeline::PartKind::kIdle) parts.push_back(&info);
    }
    std::stable_sort(
        parts.begin(), parts.end(), [&](const auto* a, const auto* b) {
          return device.sum[a->part].ticks > device.sum[b->part].ticks;
        });
    std::string text;
    for (size_t i = 0; i < 3; ++i) {
      text += fmt::format("{}{} {}", i == 0 ? "" : ", ", parts[i]->title,
                          check.Time(device.sum[parts[i]->part].ticks));
    }
    f.text = fmt::format("{}: idle for {} of its wall time ({} of {}): {}",
                         device.name, util::Percent(idle, device.sum.wall),
                         check.Time(idle), check.Time(device.sum.wall), text);
    result.findings.push_back(std::move(f));
  }
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const DeviceCheck check = OpenDevices(input);
  Judged judged = Collect(check, settings, input.views);
  for (const Cause& cause : kCauses) {
    Judge(check, cause, settings, /*accelerators=*/true, judged, result);
    if (cause.hosts || cause.part == Part::kNotRecorded) {
      Judge(check, cause, settings, /*accelerators=*/false, judged, result);
    }
  }
  JudgeUnfused(check, settings, judged, result);
  JudgeUnrecorded(check, settings, judged, result);
  JudgeRest(check, settings, judged, result);
  NoteOutside(check, judged, result);
  return result;
}

}  // namespace wall
}  // namespace

const Checker kWallChecker = {
    "WallChecker",
    "Where the wall time of devices goes while they do not compute.",
    Checker::Kind::kAdvice,
    wall::kRules,
    wall::kOptions,
    wall::Check,
    Checker::Needs::kCalls};

}  // namespace tfprof::advisor
