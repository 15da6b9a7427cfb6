// Finds the shift between two clocks: the number that must be added to a time
// of one clock to get the time of the other one. The input is a list of limits:
// at a given time, the shift is at least, or at most, a given number.
//
// If one number agrees with all limits, the clocks are taken to run at one
// speed, and the bounds are those of that number. If only a line agrees, the
// clocks drift, and the shift is a line. In both cases the slopes of all lines
// that agree bound the drift, if the times are far enough apart to tell it. All
// limits count alike, and none is left out.
//
// Times are nanoseconds of the clock that is moved. A drift is nanoseconds for
// each nanosecond: 1e-6 is one part in a million (ppm). Hostile times give odd
// bounds and no overflow.

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
  // The shift at `origin` lies between these, and so does the shift at any time
  // if the clock does not drift.
  int64_t low = 0, high = 0;
  int64_t votes = 0;  // of kVoting: pairs that agree
  // The middle of the times of the limits.
  int64_t origin = 0;
  // The bounds of the drift, if the limits determine it.
  bool knows_drift = false;
  double drift_low = 0, drift_high = 0;
  // The shift is a line: no single number agrees with all limits.
  bool drifts = false;
  double drift = 0;
  // The shift at `origin`, and by how much the line may be wrong between the
  // first and the last limit.
  int64_t middle = 0, slack = 0;

  bool known() const { return rule != kNone; }
  int64_t ShiftAt(int64_t time) const;
};

// kNone: no number and no line agrees, or the shift has no bound on one side.
ClockBounds FitClock(const ShiftLimits& limits, ClockBounds::Rule rule);

// The bounds of one number, without a drift.
ClockBounds ConstantClock(ClockBounds::Rule rule, int64_t low, int64_t high);

// "order statistics".
std::string_view RuleName(ClockBounds::Rule rule);

// The difference, or the end of the range that it lies beyond.
int64_t ShiftBetween(int64_t from, int64_t to);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_MODEL_CLOCK_FIT_H_
