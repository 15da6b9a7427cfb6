// Finds steps that take longer and longer, or less and less: a list that grows,
// sequences that become longer, a device that slows down. Also finds steps that
// take longer from one step on.
//
// The slope is the median of the slopes between all pairs of steps (Theil and
// Sen), so a few odd steps do not change it. A trend explains most of the
// differences of the steps, and explains them better than one jump between two
// levels. The account of the first and the last third of the steps says what
// grows (timeline/account/account.h).

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "advisor/step_kinds.h"
#include "fmt/format.h"
#include "timeline/account/account.h"
#include "timeline/account/step_wall.h"
#include "util/median.h"

namespace tfprof::advisor {
namespace {
namespace trend {

constexpr Rule kRules[] = {
    {"rising_steps",
     "Steps take longer and longer, steadily, by this share over the recording "
     "or more.",
     "growth from the first step to the last", "trend", Rule::Says::kReason},
    {"falling_steps",
     "Steps take less and less time, steadily, by this share over the "
     "recording or more.",
     "share of the first step", "trend"},
    {"slower_from_step",
     "From one step on, steps take longer by this share or more.", "growth",
     "trend", Rule::Says::kReason},
};
constexpr CheckerOption kOptions[] = {
    {"trend", 0.15, "share", "Less is not reported."},
    {"explained", 0.6, "share",
     "A trend that explains less of the variance of the steps is not "
     "reported."},
    {"min_steps", 8, "count", "Fewer steps are not judged."},
    {"min_micros", 100, "us",
     "A smaller difference between the first and the last step is not "
     "reported."},
    {"same_nodes", 0.8, "share",
     "Steps are of a kind when they have this share of their nodes in common."},
};

// If there are more steps, this many are used, at equal distances.
constexpr size_t kMaxSteps = 300;
// A step that is this many usual distances away from the line is left out, but
// at most this share of the steps.
constexpr double kFar = 6;
constexpr double kMaxFar = 0.2;

struct Point {
  const profile::Step* step = nullptr;
  double x = 0;
  double ticks = 0;
};

struct Line {
  double at = 0;  // the value at x = 0
  double slope = 0;
  double operator()(double x) const { return at + slope * x; }
};

Line MedianLine(const std::vector<Point>& points) {
  std::vector<double> slopes, levels;
  for (size_t i = 0; i < points.size(); ++i) {
    for (size_t k = i + 1; k < points.size(); ++k) {
      slopes.push_back((points[k].ticks - points[i].ticks) /
                       (points[k].x - points[i].x));
    }
  }
  Line line;
  line.slope = util::Median(std::move(slopes));
  for (const Point& p : points) levels.push_back(p.ticks - line.slope * p.x);
  line.at = util::Median(std::move(levels));
  return line;
}

// Leaves out the steps that are far from the line.
void DropFar(const Line& line, std::vector<Point>& points) {
  std::vector<double> distances;
  for (const Point& p : points) {
    distances.push_back(std::abs(p.ticks - line(p.x)));
  }
  const double far = kFar * util::Median(std::move(distances));
  std::vector<Point> near;
  for (const Point& p : points) {
    if (std::abs(p.ticks - line(p.x)) <= far) near.push_back(p);
  }
  if (static_cast<double>(near.size()) >=
      (1 - kMaxFar) * static_cast<double>(points.size())) {
    points = std::move(near);
  }
}

// The squared differences of points [begin, end) from their mean.
double Squares(const std::vector<Point>& points, size_t begin, size_t end) {
  double sum = 0, squares = 0;
  for (size_t i = begin; i < end; ++i) sum += points[i].ticks;
  const double mean = sum / static_cast<double>(end - begin);
  for (size_t i = begin; i < end; ++i) {
    squares += (points[i].ticks - mean) * (points[i].ticks - mean);
  }
  return squares;
}

// The squared differences of points from a line.
double SquaresFrom(const Line& line, const std::vector<Point>& points) {
  double squares = 0;
  for (const Point& p : points) {
    squares += (p.ticks - line(p.x)) * (p.ticks - line(p.x));
  }
  return squares;
}

// The share of the variance that a line explains; 0 if one jump explains more.
double Explained(const Line& line, const std::vector<Point>& points) {
  const double all = Squares(points, 0, points.size());
  if (all <= 0) return 0;
  const double left = SquaresFrom(line, points);
  for (size_t cut = 1; cut < points.size(); ++cut) {
    if (Squares(points, 0, cut) + Squares(points, cut, points.size()) < left) {
      return 0;
    }
  }
  return 1 - left / all;
}

std::vector<Point> PointsOf(views::Views& views,
                            const CheckerSettings& settings) {
  std::vector<Point> points;
  for (const profile::Step* step :
       StepsOfAKind(views.profile(), settings.Get("same_nodes"))) {
    const timeline::StepWall wall = timeline::WallOf(views, *step);
    if (!wall.known || wall.ticks <= 0) continue;
    points.push_back({step, static_cast<double>(points.size()),
                      static_cast<double>(wall.ticks)});
  }
  if (points.size() <= kMaxSteps) return points;
  std::vector<Point> some;
  for (size_t i = 0; i < kMaxSteps; ++i) {
    some.push_back(points[i * points.size() / kMaxSteps]);
  }
  return some;
}

// What changes most between two groups of steps, on one device.
struct Change {
  uint32_t unit = 0;
  timeline::Part part = timeline::Part::kNotRecorded;
  double from = 0, to = 0;  // ticks per step
  std::string detail;
  double detail_from = 0, detail_to = 0;
  double slower_clock = 0;  // 0: the clock is not why

  double amount() const { return std::abs(to - from); }
};

using Accounts = std::vector<const timeline::StepAccount*>;

timeline::DeviceAccount SumOf(const Accounts& steps, uint32_t unit) {
  std::vector<const timeline::DeviceAccount*> accounts;
  for (const timeline::StepAccount* step : steps) {
    if (const auto* device = step->Find(unit)) accounts.push_back(device);
  }
  return timeline::Sum(accounts);
}

// Returns the time of a detail; nullopt if it may be among those that are not
// listed.
std::optional<double> TicksOf(const timeline::PartTime& part,
                              const std::string& detail) {
  for (const timeline::PartDetail& of : part.details) {
    if (of.name == detail) return static_cast<double>(of.ticks);
  }
  return part.other > 0 ? std::nullopt : std::optional(0.0);
}

// Compares as many of the first steps and of the last ones.
Change LargestChange(views::Views& views, const std::vector<Point>& points,
                     size_t num_steps, double sign) {
  std::vector<const profile::Step*> first, last;
  for (size_t i = 0; i < num_steps; ++i) {
    first.push_back(points[i].step);
    last.push_back(points[points.size() - num_steps + i].step);
  }
  const auto count = static_cast<double>(num_steps);
  const Accounts before = timeline::AccountsOf(views, first);
  const Accounts after = timeline::AccountsOf(views, last);
  Change work, wait;
  bool most_computes = false;
  for (const timeline::DeviceAccount& device : after.front()->devices) {
    const timeline::DeviceAccount from = SumOf(before, device.unit);
    const timeline::DeviceAccount to = SumOf(after, device.unit);
    const bool computes = to.Of(timeline::PartKind::kCompute) > 0;
    if (most_computes && !computes) continue;
    if (computes && !most_computes) work = wait = {};
    most_computes = computes;
    for (const timeline::PartInfo& info : timeline::AllParts()) {
      Change& most = info.part == timeline::Part::kLateRank ? wait : work;
      const timeline::PartTime& a = from[info.part];
      const timeline::PartTime& b = to[info.part];
      const double more = sign * static_cast<double>(b.ticks - a.ticks) / count;
      if (more <= most.amount()) continue;
      most = {.unit = device.unit,
              .part = info.part,
              .from = static_cast<double>(a.ticks) / count,
              .to = static_cast<double>(b.ticks) / count,
              .slower_clock = SlowerClock(from, to)};
      double largest = 0;
      for (const timeline::PartTime* part : {&a, &b}) {
        for (const timeline::PartDetail& of : part->details) {
          const auto earlier = TicksOf(a, of.name), later = TicksOf(b, of.name);
          if (of.name.empty() || !earlier || !later) continue;
          const double change = sign * (*later - *earlier);
          if (change <= largest) continue;
          largest = change;
          most.detail = of.name;
          most.detail_from = *earlier / count;
          most.detail_to = *later / count;
        }
      }
    }
  }
  // A wait for a late rank changes because something changes on that rank.
  constexpr double kExplains = 0.5;
  return work.amount() >= kExplains * wait.amount() ? work : wait;
}

std::string ChangeText(const DeviceCheck& check, const Change& change,
                       bool rises) {
  if (change.amount() <= 0) return "";
  const auto time = [&](double ticks) {
    return check.Time(util::ToInteger(ticks));
  };
  std::string text = fmt::format(
      "; what {} most is {} of {}, from {} to {} per step",
      rises ? "grows" : "shrinks", timeline::InfoOf(change.part).title,
      check.Name(change.unit), time(change.from), time(change.to));
  if (!change.detail.empty()) {
    text += fmt::format(", in {} from {} to {}", change.detail,
                        time(change.detail_from), time(change.detail_to));
  }
  if (change.slower_clock > 0) {
    text += fmt::format(
        "; the kernels are the same ones, and each takes {:.2f} times as long, "
        "as if the clock of the device went down or its inputs grew",
        change.slower_clock);
  }
  return text;
}

std::string_view AdviceOf(const Change& change, bool rises) {
  if (!rises) return "Judge the later steps: the first ones are not typical.";
  return change.slower_clock > 0
             ? "Look at the clock, the power and the temperature of the device "
               "(nvidia-smi -q -d CLOCK,POWER,PERFORMANCE), at what else runs "
               "on it, and at the lengths of its inputs."
             : "Look for what becomes larger with each step: a list or a graph "
               "that is kept, a cache, longer sequences, a clock of the device "
               "that goes down.";
}

// Where the steps jump from one level to another, as the number of the first
// step of the second level in `points`; 0 if two levels do not explain them, or
// if a line explains them better.
size_t JumpOf(const std::vector<Point>& points) {
  constexpr size_t kLeastSteps = 3;  // of a level
  constexpr double kExplained = 0.8;
  size_t best = 0;
  double least = std::min((1 - kExplained) * Squares(points, 0, points.size()),
                          SquaresFrom(MedianLine(points), points));
  for (size_t cut = kLeastSteps; cut + kLeastSteps <= points.size(); ++cut) {
    const double left =
        Squares(points, 0, cut) + Squares(points, cut, points.size());
    if (left >= least) continue;
    least = left;
    best = cut;
  }
  return best;
}

double MedianOf(const std::vector<Point>& points, size_t begin, size_t end) {
  std::vector<double> ticks;
  for (size_t i = begin; i < end; ++i) ticks.push_back(points[i].ticks);
  return util::Median(std::move(ticks));
}

// The work that steps [begin, end) launch on a device, in ticks per step.
double LaunchedPerStep(const DeviceCheck& check, uint32_t unit,
                       const std::vector<Point>& points, size_t begin,
                       size_t end) {
  const timeline::DeviceActivity* device = check.activity->Find(unit);
  if (device == nullptr) return 0;
  std::vector<bool> counts(check.profile().steps().size(), false);
  for (size_t i = begin; i < end; ++i) {
    counts[check.activities.PlaceOf(*points[i].step)] = true;
  }
  double ticks = 0;
  for (const timeline::DeviceRun& run : device->runs) {
    if (run.launch != profile::kNone &&
        counts[device->launches[run.launch].step]) {
      ticks += static_cast<double>(run.length());
    }
  }
  return ticks / static_cast<double>(end - begin);
}

// Whether steps launch the same work before and after a jump, although a device
// works longer in the later ones. The first steps of a host that does not wait
// are short, until its queue is full: then it waits for its devices, which were
// as slow before.
bool OnlyWaitsLonger(const DeviceCheck& check, const Change& change,
                     const std::vector<Point>& points, size_t jump) {
  constexpr double kSame = 0.5;  // of the change
  if (timeline::InfoOf(change.part).kind != timeline::PartKind::kCompute) {
    return false;
  }
  const double before = LaunchedPerStep(check, change.unit, points, 0, jump);
  const double after =
      LaunchedPerStep(check, change.unit, points, jump, points.size());
  return before > 0 && after - before < kSame * change.amount();
}

// Reports steps that take longer from one step on.
void CheckJump(const CheckerInput& input, const CheckerSettings& settings,
               const std::vector<Point>& points, CheckResult& result) {
  const size_t jump = JumpOf(points);
  if (jump == 0) return;
  const double from = MedianOf(points, 0, jump);
  const double to = MedianOf(points, jump, points.size());
  const DeviceCheck check = OpenDevices(input);
  Finding f;
  f.value = from > 0 ? to / from - 1 : 0;
  f.threshold = settings.Get("trend");
  if (f.value < f.threshold || to - from < static_cast<double>(check.Ticks(
                                               settings.Get("min_micros")))) {
    return;
  }
  const Change change = LargestChange(
      input.views, points, std::min(jump, points.size() - jump), /*sign=*/1);
  if (OnlyWaitsLonger(check, change, points, jump)) return;
  const int64_t step = points[jump].step->id;
  f.rule = kRules[2].id;
  f.severity = Finding::Severity::kWarning;
  f.subject = change.detail;
  f.saving_micros = check.profile().Micros(
      util::ToInteger((to - from) * static_cast<double>(points.size() - jump) /
                      static_cast<double>(points.size())));
  f.evidence = fmt::format("explain step {}", step);
  f.advice = change.slower_clock > 0
                 ? AdviceOf(change, /*rises=*/true)
                 : "Look for what began in this step: more work, other "
                   "shapes, a recorder, or another program on the machine.";
  f.text = fmt::format(
      "from step {} on, steps take {}, {:.2f} times as long as before ({}){}",
      step, check.Time(util::ToInteger(to)), to / from,
      check.Time(util::ToInteger(from)), ChangeText(check, change, true));
  result.findings.push_back(std::move(f));
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  std::vector<Point> points = PointsOf(input.views, settings);
  const double min_steps = std::max(3.0, settings.Get("min_steps"));
  if (static_cast<double>(points.size()) < min_steps) return result;
  CheckJump(input, settings, points, result);
  if (!result.findings.empty()) return result;
  Line line = MedianLine(points);
  DropFar(line, points);
  const Point first = points.front();
  const Point last = points.back();
  const double from = line(first.x), to = line(last.x);
  const bool rises = to > from;
  const DeviceCheck check = OpenDevices(input);
  Finding f;
  f.value = std::abs(to - from) / from;
  f.threshold = settings.Get("trend");
  if (from <= 0 || to <= 0 || f.value < f.threshold ||
      std::abs(to - from) <
          static_cast<double>(check.Ticks(settings.Get("min_micros"))) ||
      Explained(line, points) < settings.Get("explained")) {
    return result;
  }
  const Change change =
      LargestChange(input.views, points, points.size() / 3, rises ? 1.0 : -1.0);
  f.rule = kRules[rises ? 0 : 1].id;
  f.severity = rises ? Finding::Severity::kWarning : Finding::Severity::kInfo;
  f.subject = change.detail;
  // A step takes half of the growth more than the first one, on average.
  f.saving_micros =
      check.profile().Micros(util::ToInteger(std::abs(to - from) / 2));
  f.evidence = fmt::format("explain step {}", last.step->id);
  f.advice = AdviceOf(change, rises);
  f.text = fmt::format(
      "steps take {} with each step: from {} (step {}) to {} (step {}), {} {} "
      "for each of {} steps ({:.0f}% in all){}",
      rises ? "longer and longer" : "less and less",
      check.Time(util::ToInteger(from)), first.step->id,
      check.Time(util::ToInteger(to)), last.step->id,
      check.Time(util::ToInteger(std::abs(line.slope))),
      rises ? "more" : "less", points.size(), 100 * f.value,
      ChangeText(check, change, rises));
  result.findings.push_back(std::move(f));
  return result;
}

}  // namespace trend
}  // namespace

const Checker kTrendChecker = {
    "TrendChecker",         "Whether steps take longer and longer.",
    Checker::Kind::kAdvice, trend::kRules,
    trend::kOptions,        trend::Check,
    Checker::Needs::kSteps};

}  // namespace tfprof::advisor
