// Finds steps that take far longer than the others and ran other operations, so
// that StepVarianceChecker does not compare them.
//
// If most steps are of one kind, a long step of another kind may be on purpose:
// an evaluation, a checkpoint. Then the finding is for information. If steps
// are too different to say what is typical, it is a warning. A slow first
// step sets things up: it has a rule of its own.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/step_kinds.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/account/step_wall.h"
#include "util/arithmetic.h"

namespace tfprof::advisor {
namespace {
namespace step_difference {

constexpr Rule kRules[] = {
    {"steps_differ",
     "A step takes this many times the median of all steps or more, and ran "
     "other operations than most of them.",
     "ratio to the median", "steps_differ"},
    {"first_step",
     "The first step takes this many times the median of the others or more. "
     "It is a warning if this is a large part of the recording.",
     "ratio to the median", "first_step"},
};
constexpr CheckerOption kOptions[] = {
    {"steps_differ", 1.5, "ratio", "Smaller ratios are not reported."},
    {"first_step", 2, "ratio", "Smaller ratios are not reported."},
    {"first_share", 0.3, "share",
     "If the first step loses more of the recording, it is a warning."},
    {"idle_share", 0.1, "share",
     "Other operations are for information, unless devices wait in such steps "
     "and these lose more of all steps."},
    {"min_steps", 3, "count", "Fewer steps are not compared."},
    {"min_micros", 1000, "us", "Smaller differences are not reported."},
    {"same_nodes", 0.8, "share",
     "Steps are of a kind when they have this share of their nodes in common."},
    {"kind_steps", 4, "count",
     "Steps of a kind, if there are so many, are left to "
     "StepVarianceChecker."},
};

std::vector<timeline::StepWall> KnownWalls(views::Views& views) {
  std::vector<timeline::StepWall> walls = timeline::StepWalls(views);
  std::erase_if(walls,
                [](const timeline::StepWall& wall) { return !wall.known; });
  return walls;
}

std::vector<int64_t> TicksOf(const std::vector<timeline::StepWall>& walls) {
  std::vector<int64_t> ticks;
  for (const timeline::StepWall& wall : walls) ticks.push_back(wall.ticks);
  return ticks;
}

// The known wall times, without a first step that sets things up.
std::vector<timeline::StepWall> WallsToCompare(views::Views& views) {
  std::vector<timeline::StepWall> walls = KnownWalls(views);
  if (timeline::IsWarmUp(TicksOf(walls))) walls.erase(walls.begin());
  return walls;
}

// Reports a slow first step, with what it did that the others do not do.
void CheckFirstStep(views::Views& views, const CheckerSettings& settings,
                    CheckResult& result) {
  const profile::Profile& profile = views.profile();
  std::vector<timeline::StepWall> walls = KnownWalls(views);
  if (walls.empty() ||
      static_cast<double>(walls.size()) < settings.Get("min_steps")) {
    return;
  }
  const std::vector<int64_t> ticks = TicksOf(walls);
  int64_t all = 0;
  for (const int64_t of : ticks) all = util::SaturatingAdd(all, of);
  // What came back is left to the rules of slow steps.
  if (!timeline::IsWarmUp(ticks)) return;
  const timeline::StepWall first = walls.front();
  walls.erase(walls.begin());
  const timeline::StepWall& typical = *TypicalStep(walls);
  const double ratio = static_cast<double>(first.ticks) /
                       static_cast<double>(std::max<int64_t>(1, typical.ticks));
  const int64_t more = first.ticks - typical.ticks;
  if (ratio < settings.Get("first_step") ||
      static_cast<double>(profile.Micros(more)) < settings.Get("min_micros")) {
    return;
  }
  const StepCause cause =
      CauseOfSlowStep(views, *first.step, *typical.step, more);
  Finding f;
  f.rule = kRules[1].id;
  // Without a known cause it is a plain warm-up, as in any program.
  const bool is_large = static_cast<double>(more) >
                        settings.Get("first_share") * static_cast<double>(all);
  f.severity = is_large && cause.known ? Finding::Severity::kWarning
                                       : Finding::Severity::kInfo;
  f.subject = fmt::format("step {}", first.step->id);
  f.value = ratio;
  f.threshold = settings.Get("first_step");
  f.evidence = fmt::format("explain step {}", first.step->id);
  f.advice = cause.advice.empty()
                 ? "The first step sets things up: judge it apart from the "
                   "others, or record after some steps of warm-up."
                 : cause.advice;
  f.text = fmt::format(
      "the first step, step {}, takes {}, {:.1f} times a usual one ({}){}{}",
      first.step->id,
      tables::FormatTime(first.ticks, profile.ticks_per_micro()), ratio,
      tables::FormatTime(typical.ticks, profile.ticks_per_micro()),
      cause.text.empty() ? "" : "; ", cause.text);
  result.findings.push_back(std::move(f));
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  CheckFirstStep(input.views, settings, result);
  const profile::Profile& profile = input.views.profile();
  const std::vector<timeline::StepWall> walls = WallsToCompare(input.views);
  // The longer one of two steps may be the usual one.
  constexpr size_t kLeastSteps = 3;
  if (walls.size() < kLeastSteps ||
      static_cast<double>(walls.size()) + 1 < settings.Get("min_steps")) {
    return result;
  }
  const timeline::StepWall& longest = *LongestStep(walls);
  const timeline::StepWall& typical = *TypicalStep(walls);
  const int64_t median = timeline::MedianWall(walls);
  const double ratio = static_cast<double>(longest.ticks) /
                       static_cast<double>(std::max<int64_t>(1, median));
  const int64_t excess = profile.Micros(longest.ticks - median);
  if (ratio < settings.Get("steps_differ") ||
      static_cast<double>(excess) < settings.Get("min_micros")) {
    return result;
  }
  const std::vector<const profile::Step*> kind =
      StepsOfAKind(profile, settings.Get("same_nodes"));
  const bool has_kind =
      static_cast<double>(kind.size()) >= settings.Get("kind_steps");
  const bool is_of_kind =
      std::find(kind.begin(), kind.end(), longest.step) != kind.end();
  if (has_kind && is_of_kind) return result;
  Finding f;
  f.rule = kRules[0].id;
  f.severity =
      has_kind ? Finding::Severity::kInfo : Finding::Severity::kWarning;
  f.subject = fmt::format("step {}", longest.step->id);
  f.value = ratio;
  f.threshold = settings.Get("steps_differ");
  f.evidence = fmt::format("explain step {}", longest.step->id);
  f.advice =
      "Look at what only this step runs; if it is on purpose, judge it "
      "apart from the others.";
  f.text = fmt::format(
      "step {} takes {}, {:.1f} times the median of {} steps ({}); {}",
      longest.step->id,
      tables::FormatTime(longest.ticks, profile.ticks_per_micro()), ratio,
      walls.size(), tables::FormatTime(median, profile.ticks_per_micro()),
      has_kind ? "it ran other operations than most steps"
               : "the steps ran different operations");
  const StepCause cause = CauseOfSlowStep(
      input.views, *longest.step, *typical.step, longest.ticks - typical.ticks);
  // Devices that wait in such steps are no purpose of anybody.
  int64_t all = 0;
  for (const timeline::StepWall& wall : walls) {
    all = util::SaturatingAdd(all, wall.ticks);
  }
  const int64_t above = TimeAbove(profile, walls, median);
  if (cause.known && cause.node == profile::kNone &&
      static_cast<double>(above) >
          settings.Get("idle_share") * static_cast<double>(all)) {
    f.severity = Finding::Severity::kWarning;
    f.saving_micros =
        profile.Micros(above / static_cast<int64_t>(walls.size()));
  }
  if (!cause.text.empty()) f.text += fmt::format("; {}", cause.text);
  if (!cause.advice.empty()) f.advice = cause.advice;
  result.findings.push_back(std::move(f));
  return result;
}

}  // namespace step_difference
}  // namespace

const Checker kStepDifferenceChecker = {
    "StepDifferenceChecker",
    "Steps that take far longer than the others and ran other operations, and "
    "a slow first step.",
    Checker::Kind::kAdvice,
    step_difference::kRules,
    step_difference::kOptions,
    step_difference::Check,
    Checker::Needs::kSteps};

}  // namespace tfprof::advisor
