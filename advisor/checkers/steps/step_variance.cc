// Finds steps that take longer than similar steps: one slow step, or steps that
// vary.
//
// Only steps that ran the same nodes are compared: a step that initializes or
// evaluates is not a slow training step (step_kinds.h). Times are wall times
// (timeline/account/step_wall.h). A slow first step that sets things up is
// skipped.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/evidence.h"
#include "advisor/step_kinds.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/account/step_wall.h"
#include "util/arithmetic.h"
#include "util/median.h"

namespace tfprof::advisor {
namespace {
namespace step_variance {

constexpr std::string_view kName = "StepVarianceChecker";

constexpr Rule kRules[] = {
    {"slow_step", "The slowest step takes this many times the median or more.",
     "ratio to the median", "slow_step", Rule::Says::kWhoWaits},
    {"step_variation",
     "The standard deviation of step times is this share of their mean or "
     "more.",
     "share of the mean", "step_variation", Rule::Says::kWhoWaits},
};
constexpr CheckerOption kOptions[] = {
    {"slow_step", 1.5, "ratio", "Smaller ratios are not reported."},
    {"step_variation", 0.2, "share", "Smaller variation is not reported."},
    {"min_steps", 4, "count", "Fewer steps of a kind are not compared."},
    {"min_micros", 1000, "us", "Smaller differences are not reported."},
    {"same_nodes", 0.8, "share",
     "Steps are of a kind when they have this share of their nodes in common."},
};

struct TimedStep {
  const profile::Step* step = nullptr;
  int64_t micros = 0;
  timeline::StepWall wall = {};
};

class StepCheck {
 public:
  StepCheck(views::Views& views, const CheckerSettings& settings,
            CheckResult& result)
      : views_(views),
        profile_(views.profile()),
        settings_(settings),
        result_(result),
        min_micros_(settings.Get("min_micros")) {}

  void Run() {
    const std::vector<TimedStep> steps = StepsToCompare();
    if (static_cast<double>(steps.size()) >=
        std::max(2.0, settings_.Get("min_steps"))) {
      CheckSteps(steps);
    }
  }

 private:
  // The steps of one kind, without a first step that sets things up.
  std::vector<TimedStep> StepsToCompare() const {
    const std::vector<const profile::Step*> kind =
        StepsOfAKind(profile_, settings_.Get("same_nodes"));
    if (static_cast<double>(kind.size()) < settings_.Get("min_steps")) {
      return {};
    }
    std::vector<TimedStep> steps;
    for (const profile::Step* step : kind) {
      const timeline::StepWall wall = timeline::WallOf(views_, *step);
      const int64_t micros = profile_.Micros(wall.ticks);
      if (wall.known && micros > 0) steps.push_back({step, micros, wall});
    }
    if (timeline::IsWarmUp(LengthsOf(steps))) steps.erase(steps.begin());
    return steps;
  }

  static std::vector<int64_t> LengthsOf(const std::vector<TimedStep>& steps) {
    std::vector<int64_t> micros;
    for (const TimedStep& step : steps) micros.push_back(step.micros);
    return micros;
  }

  // A first step is not chosen if others are slow too, because it also sets
  // things up.
  static std::vector<TimedStep>::const_iterator Slowest(
      const std::vector<TimedStep>& steps) {
    return std::max_element(std::next(steps.begin()), steps.end(),
                            [](const TimedStep& a, const TimedStep& b) {
                              return a.micros < b.micros;
                            });
  }

  // The step before another one, or nullptr.
  static const TimedStep* Before(const std::vector<TimedStep>& steps,
                                 const TimedStep& of) {
    const auto at = std::ranges::find(steps, of.step, &TimedStep::step);
    return at == steps.begin() || at == steps.end() ? nullptr : &*std::prev(at);
  }

  void CheckSteps(const std::vector<TimedStep>& steps) {
    const std::vector<int64_t> micros = LengthsOf(steps);
    const double sum = std::accumulate(micros.begin(), micros.end(), 0.0);
    double squares = 0;
    const auto count = static_cast<double>(steps.size());
    const double mean = sum / count;
    for (const int64_t m : micros) {
      squares +=
          (static_cast<double>(m) - mean) * (static_cast<double>(m) - mean);
    }
    const double variation = std::sqrt(squares / count) / mean;
    const int64_t median = util::Median(micros);
    const int64_t fast = FastIfRegular(steps);
    const int64_t base = fast > 0 ? fast : median;
    TimedStep slow = *Slowest(steps);
    const double ratio =
        static_cast<double>(slow.micros) / static_cast<double>(base);
    const int64_t excess = util::WrapSub(slow.micros, base);
    if (static_cast<double>(excess) < min_micros_) return;
    const bool is_slow = ratio >= settings_.Get("slow_step");
    if (!is_slow && variation < settings_.Get("step_variation")) return;

    std::vector<timeline::StepWall> walls;
    for (const TimedStep& step : steps) walls.push_back(step.wall);
    const auto above = static_cast<double>(profile_.Micros(
        TimeAbove(profile_, walls,
                  util::SaturatingMul(base, profile_.ticks_per_micro()))));
    // The usual step is the one nearest to that time.
    const TimedStep& usual = *std::min_element(
        steps.begin(), steps.end(),
        [&](const TimedStep& a, const TimedStep& b) {
          return std::abs(static_cast<double>(a.micros - base)) <
                 std::abs(static_cast<double>(b.micros - base));
        });
    const auto cause_of = [&](const TimedStep& step) {
      return CauseOfSlowStep(
          views_, *step.step, *usual.step,
          util::SaturatingMul(excess, profile_.ticks_per_micro()));
    };
    StepCause cause = cause_of(slow);
    // Ranks wait in one step for what another rank did at the end of the last.
    if (const TimedStep* last = cause.waits ? Before(steps, slow) : nullptr;
        last != nullptr && last->micros > slow.micros / 2) {
      StepCause earlier = cause_of(*last);
      if (earlier.known && !earlier.waits) {
        cause = std::move(earlier);
        slow = *last;
      }
    }
    Finding f;
    f.severity = cause.on_purpose   ? Finding::Severity::kInfo
                 : above >= sum / 2 ? Finding::Severity::kCritical
                                    : Finding::Severity::kWarning;
    f.subject = fmt::format("step {}", slow.step->id);
    f.saving_micros = util::ToInteger(above / count);
    f.names_cause = is_slow && cause.known;
    f.advice =
        "Compare the step with a usual one; look for input, "
        "checkpoints, summaries and shapes that change.";
    if (is_slow) {
      f.rule = kRules[0].id;
      f.value = ratio;
      f.threshold = settings_.Get("slow_step");
      f.text = fmt::format(
          "step {} takes {}, {:.2f} times {} ({}){}", slow.step->id,
          tables::FormatMicros(slow.micros), ratio,
          fast > 0 ? std::string("a usual step")
                   : fmt::format("the median of {} steps", steps.size()),
          tables::FormatMicros(base), OthersAsSlow(steps, base));
    } else {
      f.rule = kRules[1].id;
      f.value = variation;
      f.threshold = settings_.Get("step_variation");
      f.text = fmt::format(
          "the times of {} steps vary by {:.1f}% around {}; step {} takes {}",
          steps.size(), 100 * variation,
          tables::FormatMicros(util::ToInteger(mean)), slow.step->id,
          tables::FormatMicros(slow.micros));
    }
    f.text += "; ";
    f.text += cause.text.empty() ? "no op takes longer than usual" : cause.text;
    if (!cause.advice.empty()) f.advice = cause.advice;
    if (cause.node == profile::kNone) {
      f.evidence = fmt::format("explain step {}", slow.step->id);
    } else {
      f.evidence = fmt::format(
          "scope -step {} -max_depth 100000 -show_name_regexes {} -select "
          "micros,occurrence",
          slow.step->id, NamePattern(profile_.node_name(cause.node)));
    }
    result_.findings.push_back(std::move(f));
  }

  // The numbers of the steps that are slow beside one of `base` microseconds.
  std::vector<int64_t> SlowSteps(const std::vector<TimedStep>& steps,
                                 int64_t base) const {
    std::vector<int64_t> slow;
    for (const TimedStep& s : steps) {
      if (static_cast<double>(s.micros) >=
              settings_.Get("slow_step") * static_cast<double>(base) &&
          static_cast<double>(util::WrapSub(s.micros, base)) >= min_micros_) {
        slow.push_back(s.step->id);
      }
    }
    return slow;
  }

  // The distance of three or more numbers, if it is always the same and more
  // than 1; otherwise 0.
  static int64_t DistanceOf(const std::vector<int64_t>& numbers) {
    if (numbers.size() < 3) return 0;
    const int64_t distance = util::WrapSub(numbers[1], numbers[0]);
    for (size_t i = 2; i < numbers.size(); ++i) {
      if (util::WrapSub(numbers[i], numbers[i - 1]) != distance) return 0;
    }
    return distance > 1 ? distance : 0;
  }

  // If every second or third step is slow, the median is no usual step: it may
  // be one of the slow ones. Then returns the time of the fast ones; else 0.
  int64_t FastIfRegular(const std::vector<TimedStep>& steps) const {
    constexpr size_t kPart = 5;
    constexpr int64_t kMostDistance = 3;
    std::vector<int64_t> micros = LengthsOf(steps);
    const auto fast =
        micros.begin() + static_cast<std::ptrdiff_t>(micros.size() / kPart);
    std::ranges::nth_element(micros, fast);
    const int64_t distance = DistanceOf(SlowSteps(steps, *fast));
    return distance > 0 && distance <= kMostDistance ? *fast : 0;
  }

  // ", as every 5th step does" or ", as 2 other steps do": the program causes
  // slow steps at a regular distance itself, so they can be found in it.
  std::string OthersAsSlow(const std::vector<TimedStep>& steps,
                           int64_t base) const {
    const std::vector<int64_t> slow = SlowSteps(steps, base);
    if (slow.size() < 2) return "";
    const int64_t distance = DistanceOf(slow);
    if (distance > 0) {
      return fmt::format(", as every {} step does", Ordinal(distance));
    }
    return fmt::format(", as {} other step{}", slow.size() - 1,
                       slow.size() == 2 ? " does" : "s do");
  }

  // "1st", "2nd", "3rd", "4th", "11th", "21st".
  static std::string Ordinal(int64_t n) {
    const bool teen = n / 10 % 10 == 1;
    return fmt::format("{}{}", n,
                       teen          ? "th"
                       : n % 10 == 1 ? "st"
                       : n % 10 == 2 ? "nd"
                       : n % 10 == 3 ? "rd"
                                     : "th");
  }

  views::Views& views_;
  const profile::Profile& profile_;
  const CheckerSettings& settings_;
  CheckResult& result_;
  const double min_micros_;
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  views::Views& views = input.views;
  CheckResult result;
  if (static_cast<double>(views.profile().steps().size()) >=
      settings.Get("min_steps")) {
    NoteMissing(views, kName, /*needs_kernels=*/false, result.notes);
  }
  StepCheck(views, settings, result).Run();
  return result;
}

}  // namespace step_variance
}  // namespace

const Checker kStepVarianceChecker = {
    step_variance::kName,
    "Steps that take longer than others of their kind.",
    Checker::Kind::kAdvice,
    step_variance::kRules,
    step_variance::kOptions,
    step_variance::Check,
    Checker::Needs::kSteps};

}  // namespace tfprof::advisor
