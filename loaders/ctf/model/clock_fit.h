// Finds the shift between two clocks: the number to add to a time of one clock
// to get the time of the other one. The input is a list of limits: at a given
// time, the shift is at least, or at most, a given number.
//
// If one number agrees with all limits, the clocks are assumed to run at the
// same speed, and the bounds are the bounds of that number. If only a line
// agrees, the clocks drift, and the shift is a line. In both cases the slopes
// of all lines that agree bound the drift, if the limits span enough time. All
// limits count equally, and none is ignored.
//
// Times are nanoseconds of the clock that is shifted. A drift is nanoseconds
// per nanosecond: 1e-6 is one part in a million (ppm). Hostile times give
// meaningless bounds but no overflow.

#ifndef TFPROF_LOADERS_CTF_MODEL_CLOCK_FIT_H_
#define TFPROF_LOADERS_CTF_MODEL_CLOCK_FIT_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace tfprof::ctf {

struct ShiftLimit {
  int64_t time = 0;
  int64_t shift = 0;
};
struct ShiftLimits {
  std::vector<ShiftLimit> lows, highs;

  void Add(const ShiftLimits& other);
};

struct ClockBounds {
  enum Rule : uint8_t { kNone, kCorrelation, kOrder, kVoting, kRequests };
  Rule rule = kNone;
  // The bounds of the shift at `origin`, and at any time if the clock does not
  // drift.
  int64_t low = 0, high = 0;
  int64_t votes = 0;  // for kVoting: pairs that agree
  // The middle of the times of all limits.
  int64_t origin = 0;
  // True if the limits bound the drift.
  bool knows_drift = false;
  double drift_low = 0, drift_high = 0;
  // The shift is a line: no single number agrees with all limits.
  bool drifts = false;
  double drift = 0;
  // The shift at `origin`, and the largest error of the line between the first
  // and the last limit.
  int64_t middle = 0, slack = 0;

  bool known() const { return rule != kNone; }
  int64_t ShiftAt(int64_t time) const;
};

// Returns kNone if no number and no line agrees, or the shift is unbounded on
// one side.
ClockBounds FitClock(const ShiftLimits& limits, ClockBounds::Rule rule);

// Returns the bounds of a single number, without a drift.
ClockBounds ConstantClock(ClockBounds::Rule rule, int64_t low, int64_t high);

// Returns the name of a rule: "order statistics".
std::string_view RuleName(ClockBounds::Rule rule);

// Returns the difference; saturates.
int64_t ShiftBetween(int64_t from, int64_t to);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_MODEL_CLOCK_FIT_H_
