#include "advisor/can_judge.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/account/framework.h"
#include "timeline/account/step_wall.h"
#include "timeline/activity.h"
#include "timeline/ranks/pipeline_what_if.h"
#include "util/median.h"

namespace tfprof::advisor {
namespace {

constexpr char kOtherRecords[] =
    "a memory snapshot, a log or a dump has no runs of operations";
constexpr char kNoExecutions[] = "no execution was recorded";
constexpr char kOnlyMemory[] = "a memory snapshot has no times";
constexpr char kNoStarts[] = "no execution with a start and a length";
constexpr char kNoSingleOps[] = "no ops that are recorded one by one";
constexpr char kNoCalls[] = "no calls of a host";
constexpr char kNoKernels[] = "no kernels and no copies of an accelerator";

constexpr char kNoWaiting[] =
    "the waiting of a pipeline's workers is not recorded; PipelineChecker "
    "judges them";

// The timeline of a pipeline has each transfer from the moment at which all
// its participants are there, so that waiting looks like idle time, and the
// lengths of its steps depend on the slowest worker.
bool JudgesWaiting(const Checker& checker) {
  switch (checker.needs) {
    case Checker::Needs::kTimes:
    case Checker::Needs::kStepTimes:
    case Checker::Needs::kSteps:
    case Checker::Needs::kProcesses:
    case Checker::Needs::kSeveral:
    case Checker::Needs::kAccelerators:
    case Checker::Needs::kCalls:
    case Checker::Needs::kAcceleratorCalls:
    case Checker::Needs::kBetweenSteps:
    case Checker::Needs::kOtherProgram:
    case Checker::Needs::kNegotiations:
      return true;
    default:
      return false;
  }
}

bool HasExecutions(const profile::Profile& profile) {
  return std::any_of(profile.steps().begin(), profile.steps().end(),
                     [](const auto& step) { return step->num_groups() > 0; });
}

bool HasTimes(const profile::Profile& profile) {
  return std::any_of(profile.steps().begin(), profile.steps().end(),
                     [](const auto& step) {
                       for (size_t g = 0; g < step->num_groups(); ++g) {
                         if (step->sums.Time(g) != 0) return true;
                       }
                       return false;
                     });
}

// A memory snapshot, a log of a compiler or a dump of a flight recorder.
bool HasOtherRecords(const profile::Profile& profile) {
  return !profile.allocators().empty() ||
         !profile.compile_logs().logs.empty() ||
         !profile.collective_records().dumps.empty();
}

bool HasOption(const Checker& checker, std::string_view name) {
  return std::any_of(
      checker.options.begin(), checker.options.end(),
      [&](const CheckerOption& option) { return option.name == name; });
}

// Whether a host has a lane whose calls may be nested (`calls_nest`), or one
// whose ops are recorded one by one.
bool HasHostLane(const profile::Profile& profile, bool calls_nest) {
  const profile::LaneTable& lanes = profile.lanes();
  for (profile::LaneId id = 0; id < lanes.size(); ++id) {
    const profile::LaneKind kind = lanes[id].kind;
    if (lanes[id].calls_nest == calls_nest &&
        (kind == profile::LaneKind::kCompute ||
         kind == profile::LaneKind::kLaunches)) {
      return true;
    }
  }
  return false;
}

// The longest step in microseconds; 0 if none was recorded.
int64_t LongestMicros(views::Views& views) {
  int64_t longest = 0;
  for (const timeline::StepWall& wall : timeline::StepWalls(views)) {
    if (!wall.step->aggregated) longest = std::max(longest, wall.ticks);
  }
  return views.profile().Micros(longest);
}

std::string WhyNoTimes(const Checker& checker, const CheckerSettings& settings,
                       views::Views& views) {
  const auto everything = views.Kept<timeline::Activities>().Everything();
  const auto works = [](const timeline::DeviceActivity& device) {
    return timeline::Length(device.busy) > 0 ||
           timeline::Length(device.launching) > 0;
  };
  if (std::none_of(everything->devices.begin(), everything->devices.end(),
                   works)) {
    return kNoStarts;
  }
  // The length of a step does not matter if calls, or kernels alone, were
  // recorded.
  const profile::LaneTable& lanes = views.profile().lanes();
  for (profile::LaneId id = 0;
       id < lanes.size() && checker.needs == Checker::Needs::kTimes; ++id) {
    if (lanes[id].calls_nest &&
        lanes[id].kind != profile::LaneKind::kAnnotation &&
        lanes[id].kind != profile::LaneKind::kOther) {
      return "";
    }
  }
  if (!HasHostLane(views.profile(), /*calls_nest=*/false)) return kNoSingleOps;
  if (!HasOption(checker, "min_step")) return "";
  const int64_t longest = LongestMicros(views);
  const double least = settings.Get("min_step");
  if (static_cast<double>(longest) >= least) return "";
  return fmt::format("judges steps of {} and more; the longest takes {}",
                     tables::FormatMicros(util::ToInteger(least)),
                     tables::FormatMicros(longest));
}

int64_t NumNamedProcesses(const profile::Profile& profile) {
  const profile::LaneTable& lanes = profile.lanes();
  int64_t named = 0;
  for (profile::ProcessId id = 0; id < lanes.num_processes(); ++id) {
    named += !lanes.process(id).name.empty();
  }
  return named;
}

std::string WhyNoSteps(const CheckerSettings& settings, views::Views& views) {
  const std::vector<timeline::StepWall> walls = timeline::StepWalls(views);
  const auto known =
      std::count_if(walls.begin(), walls.end(),
                    [](const timeline::StepWall& w) { return w.known; });
  const double least = settings.Get("min_steps");
  if (static_cast<double>(known) >= least) return "";
  return fmt::format("needs {} steps with times, the profile has {}", least,
                     known);
}

int64_t NumAccelerators(views::Views& views) {
  const auto everything = views.Kept<timeline::Activities>().Everything();
  return std::count_if(everything->devices.begin(), everything->devices.end(),
                       [](const timeline::DeviceActivity& device) {
                         return device.accelerator && !device.runs.empty();
                       });
}

bool HasBytesCounter(const profile::Profile& profile) {
  return std::any_of(profile.counters().begin(), profile.counters().end(),
                     [&](const profile::Counter& counter) {
                       return counter.unit != profile::kNone &&
                              profile.strings().Get(counter.unit) == "bytes";
                     });
}

bool HasNegotiations(const profile::Profile& profile) {
  const std::vector<profile::StringId>& ops = profile.graph().nodes.op;
  return std::ranges::any_of(ops, [&](profile::StringId op) {
    return profile.strings().Get(op).starts_with("NEGOTIATE_");
  });
}

}  // namespace

std::string WhyNotJudged(const Checker& checker,
                         const CheckerSettings& settings,
                         const CheckerInput& input) {
  using Needs = Checker::Needs;
  views::Views& views = input.views;
  const profile::Profile& profile = views.profile();
  if (checker.needs == Needs::kNothing) return "";
  // These judge other records than executions.
  switch (checker.needs) {
    case Needs::kCollectiveRecords:
      return profile.collective_records().dumps.empty()
                 ? "no dump of a flight recorder"
                 : "";
    case Needs::kCompileLogs:
      return profile.compile_logs().logs.empty() ? "no log of torch.compile"
                                                 : "";
    case Needs::kAllocators:
      return profile.allocators().empty() ? "no memory snapshot" : "";
    case Needs::kRuns:
      return HasOtherRecords(profile) && !HasTimes(profile) ? kOtherRecords
                                                            : "";
    default:
      break;
  }
  if (!HasExecutions(profile)) return kNoExecutions;
  if (!profile.allocators().empty() && !HasTimes(profile)) return kOnlyMemory;
  if (JudgesWaiting(checker) && views.profile().pipeline_ops().size() > 0) {
    return kNoWaiting;
  }
  switch (checker.needs) {
    case Needs::kNothing:
    case Needs::kExecutions:
    case Needs::kCollectiveRecords:
    case Needs::kCompileLogs:
    case Needs::kAllocators:
    case Needs::kRuns:
      return "";
    case Needs::kTimes:
    case Needs::kStepTimes:
      return WhyNoTimes(checker, settings, views);
    case Needs::kSteps:
      return WhyNoSteps(settings, views);
    case Needs::kProcesses:
      return NumNamedProcesses(views.profile()) > 1 ? "" : "one process";
    case Needs::kSeveral:
      return NumNamedProcesses(views.profile()) > 1 ||
                     NumAccelerators(views) > 1
                 ? ""
                 : "one process and at most one accelerator";
    case Needs::kAccelerators:
      return NumAccelerators(views) > 0 ? "" : kNoKernels;
    case Needs::kCalls:
      return NumAccelerators(views) > 0 ||
                     HasHostLane(views.profile(), /*calls_nest=*/true)
                 ? ""
                 : kNoCalls;
    case Needs::kAcceleratorCalls:
      if (NumAccelerators(views) == 0) return kNoKernels;
      return HasHostLane(views.profile(), /*calls_nest=*/true) ? "" : kNoCalls;
    case Needs::kBetweenSteps:
      if (NumAccelerators(views) == 0) return kNoKernels;
      return HasHostLane(profile, /*calls_nest=*/true) ||
                     profile.step_intervals().size() > 0
                 ? ""
                 : kNoCalls;
    case Needs::kOtherProgram:
      if (timeline::FrameworkOf(profile) != timeline::Framework::kUnknown) {
        return "a program of PyTorch, JAX or TensorFlow: WallChecker judges "
               "its threads";
      }
      return HasHostLane(profile, /*calls_nest=*/true) ? "" : kNoCalls;
    case Needs::kNegotiations:
      return HasNegotiations(profile) ? "" : "no negotiation of Horovod";
    case Needs::kCounters:
      return HasBytesCounter(views.profile()) ? "" : "no counter in bytes";
    case Needs::kPipeline:
      if (views.profile().pipeline_ops().size() == 0) {
        return "no workers of a pipeline-parallel job";
      }
      return std::string(
          views.Kept<timeline::KeptPipeline>().status().message());
  }
  return "";
}

}  // namespace tfprof::advisor
