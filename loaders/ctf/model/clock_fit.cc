#include "loaders/ctf/model/clock_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace tfprof::ctf {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
// The largest drift between clocks of computers: Linux corrects at most 500
// ppm.
constexpr double kMostDrift = 500e-6;
// Steeper slopes do not bound a drift.
constexpr double kSteepest = 0.01;
// With fewer limits, a line may fit by chance.
constexpr size_t kLeastLimits = 16;
// The search ends much earlier, because each step removes a corner for good.
constexpr int kMostSteps = 200;

struct Point {
  double x = 0, y = 0;
};

int64_t ToInteger(double value) {
  if (!(value > -9e18)) return kMin;
  return value < 9e18 ? static_cast<int64_t>(std::llround(value)) : kMax;
}

// Returns the corners of the hull that lines above `points` can touch, or, for
// `sign` -1, lines below `points`.
std::vector<Point> Hull(std::vector<Point> points, double sign) {
  std::sort(points.begin(), points.end(), [&](const Point& a, const Point& b) {
    return std::pair(a.x, sign * a.y) < std::pair(b.x, sign * b.y);
  });
  std::vector<Point> hull;
  for (const Point& next : points) {
    if (!hull.empty() && hull.back().x == next.x) hull.pop_back();
    while (hull.size() >= 2) {
      const Point& a = hull[hull.size() - 2];
      const Point& b = hull.back();
      const double turn =
          (b.x - a.x) * (next.y - a.y) - (b.y - a.y) * (next.x - a.x);
      if (sign * turn < 0) break;
      hull.pop_back();
    }
    hull.push_back(next);
  }
  return hull;
}

// The lines a + d x that pass above all lows and below all highs.
class Lines {
 public:
  Lines(std::vector<Point> lows, std::vector<Point> highs)
      : lows_(Hull(std::move(lows), 1)), highs_(Hull(std::move(highs), -1)) {}

  // Returns the steepest slope up to `from`, or down to it if `from` is
  // negative; nullopt if there is no line.
  std::optional<double> Steepest(double from) const {
    const double side = from > 0 ? 1 : -1;
    double slope = from;
    for (int i = 0; i < kMostSteps; ++i) {
      const auto [low, high] = Tightest(slope, 0);
      if (low.y - slope * low.x <= high.y - slope * high.x) break;
      const double across = high.x - low.x;
      // No smaller slope satisfies these two points.
      if (side * across <= 0) return std::nullopt;
      const double next = (high.y - low.y) / across;
      if (side * next >= side * slope) break;  // the limit of precision
      slope = next;
    }
    return slope;
  }

  // Returns the range at `x` of all lines with this slope. Rounding may swap
  // its ends.
  std::pair<double, double> At(double slope, double x) const {
    const auto [low, high] = Tightest(slope, x);
    return {low.y - slope * (low.x - x), high.y - slope * (high.x - x)};
  }

  // Returns the range at `x` of all lines whose slope is between the two.
  std::pair<double, double> At(double least, double most, double x) const {
    const auto best = [&](auto value) {
      double from = least, to = most;
      for (int i = 0; i < kMostSteps; ++i) {
        const double a = from + (to - from) / 3, b = to - (to - from) / 3;
        (value(a) <= value(b) ? to : from) = value(a) <= value(b) ? b : a;
      }
      return value(from);
    };
    const double low = best([&](double d) { return At(d, x).first; });
    const double high = -best([&](double d) { return -At(d, x).second; });
    return {low, high};
  }

 private:
  // Returns the points that leave the least room for a line of this slope.
  std::pair<Point, Point> Tightest(double slope, double x) const {
    const auto height = [&](const Point& p) { return p.y - slope * (p.x - x); };
    const auto less = [&](const Point& a, const Point& b) {
      return height(a) < height(b);
    };
    return {*std::max_element(lows_.begin(), lows_.end(), less),
            *std::min_element(highs_.begin(), highs_.end(), less)};
  }

  std::vector<Point> lows_, highs_;
};

}  // namespace

void ShiftLimits::Add(const ShiftLimits& other) {
  lows.insert(lows.end(), other.lows.begin(), other.lows.end());
  highs.insert(highs.end(), other.highs.begin(), other.highs.end());
}

int64_t ShiftBetween(int64_t from, int64_t to) {
  int64_t result = 0;
  if (__builtin_sub_overflow(to, from, &result)) return to < from ? kMin : kMax;
  return result;
}

int64_t ClockBounds::ShiftAt(int64_t time) const {
  if (!drifts) return middle;
  const double change = drift * static_cast<double>(ShiftBetween(origin, time));
  return static_cast<int64_t>(static_cast<uint64_t>(middle) +
                              static_cast<uint64_t>(ToInteger(change)));
}

ClockBounds ConstantClock(ClockBounds::Rule rule, int64_t low, int64_t high) {
  ClockBounds bounds;
  bounds.rule = rule;
  bounds.low = low;
  bounds.high = high;
  // Hostile bounds may be so far apart that their difference overflows.
  bounds.middle = low / 2 + high / 2 + (low % 2 + high % 2) / 2;
  bounds.slack = ShiftBetween(bounds.middle, high);
  return bounds;
}

ClockBounds FitClock(const ShiftLimits& limits, ClockBounds::Rule rule) {
  if (limits.lows.empty() || limits.highs.empty()) return {};
  int64_t low = kMin, high = kMax, first = kMax, last = kMin;
  for (const ShiftLimit& limit : limits.lows) low = std::max(low, limit.shift);
  for (const ShiftLimit& limit : limits.highs) {
    high = std::min(high, limit.shift);
  }
  for (const auto* side : {&limits.lows, &limits.highs}) {
    for (const ShiftLimit& limit : *side) {
      first = std::min(first, limit.time);
      last = std::max(last, limit.time);
    }
  }
  const int64_t origin = first / 2 + last / 2;
  // Small numbers, which doubles represent exactly.
  const auto points = [&](const std::vector<ShiftLimit>& of) {
    std::vector<Point> result;
    result.reserve(of.size());
    for (const ShiftLimit& limit : of) {
      result.push_back({static_cast<double>(ShiftBetween(origin, limit.time)),
                        static_cast<double>(ShiftBetween(low, limit.shift))});
    }
    return result;
  };
  const Lines lines(points(limits.lows), points(limits.highs));
  const std::optional<double> most = lines.Steepest(kSteepest);
  const std::optional<double> least = lines.Steepest(-kSteepest);
  const bool knows_drift = most && least &&
                           *most<kSteepest&& * least> - kSteepest &&
                           *least <= *most;
  ClockBounds bounds;
  if (low <= high) {
    bounds = ConstantClock(rule, low, high);
  } else if (knows_drift && *least > -kMostDrift && *most < kMostDrift &&
             limits.lows.size() + limits.highs.size() >= kLeastLimits) {
    bounds.rule = rule;
    bounds.drifts = true;
    bounds.drift = (*least + *most) / 2;
    const auto add = [&](double shift) {
      return static_cast<int64_t>(static_cast<uint64_t>(low) +
                                  static_cast<uint64_t>(ToInteger(shift)));
    };
    const auto [from, to] = lines.At(*least, *most, 0);
    bounds.low = add(std::floor(from));
    bounds.high = add(std::ceil(to));
    const auto [slice_low, slice_high] = lines.At(bounds.drift, 0);
    const double middle = (slice_low + slice_high) / 2;
    bounds.middle = add(middle);
    double slack = 0;
    for (const int64_t time : {first, last}) {
      const auto x = static_cast<double>(ShiftBetween(origin, time));
      const auto [down, up] = lines.At(*least, *most, x);
      const double line = middle + bounds.drift * x;
      slack = std::max({slack, up - line, line - down});
    }
    bounds.slack = ToInteger(std::ceil(slack)) + 1;
  } else {
    return {};
  }
  bounds.origin = origin;
  bounds.knows_drift = knows_drift;
  bounds.drift_low = knows_drift ? *least : 0;
  bounds.drift_high = knows_drift ? *most : 0;
  return bounds;
}

std::string_view RuleName(ClockBounds::Rule rule) {
  switch (rule) {
    case ClockBounds::kNone:
      return "unknown";
    case ClockBounds::kCorrelation:
      return "correlation";
    case ClockBounds::kOrder:
      return "order statistics";
    case ClockBounds::kVoting:
      return "voting";
    case ClockBounds::kRequests:
      return "requests in both directions";
  }
  return "";
}

}  // namespace tfprof::ctf
