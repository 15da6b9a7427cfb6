#include "loaders/ctf/model/clock_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/ctf/model/device_clock.h"

namespace tfprof::ctf {
namespace {

constexpr int64_t kShift = 1'795'299'049'222'065'207;
constexpr int64_t kSecond = 1'000'000'000;

// A device that drifts against its host: host = device + ShiftOf(device).
struct MadeClock {
  double drift;  // drift of the device, as a ratio
  int64_t length = 20 * kSecond;

  int64_t ShiftOf(int64_t device) const {
    return kShift + std::llround(drift * static_cast<double>(device));
  }
};

// Commands at random times, calls of 1 to 50 µs around them, and callbacks.
struct MadeCommands {
  std::vector<int64_t> queued, ends, callbacks;
  std::vector<HostCall> calls;

  MadeCommands(const MadeClock& clock, int count, uint32_t seed) {
    std::mt19937 random(seed);
    const auto between = [&](int64_t from, int64_t to) {
      return std::uniform_int_distribution<int64_t>(from, to)(random);
    };
    for (int i = 0; i < count; ++i) {
      const int64_t time = between(0, clock.length);
      const int64_t host = time + clock.ShiftOf(time);
      queued.push_back(time);
      calls.push_back(
          {host - between(500, 25'000), host + between(500, 25'000)});
      ends.push_back(time + between(1'000, 100'000));
      callbacks.push_back(ends.back() + clock.ShiftOf(ends.back()) +
                          between(200, 50'000));
    }
  }
};

void ExpectTruth(const ClockBounds& bounds, const MadeClock& clock) {
  ASSERT_TRUE(bounds.known());
  const int64_t truth = clock.ShiftOf(bounds.origin);
  EXPECT_LE(bounds.low, truth);
  EXPECT_GE(bounds.high, truth);
  ASSERT_TRUE(bounds.knows_drift);
  // A shift is rounded to a nanosecond.
  const double rounding = 2.0 / static_cast<double>(clock.length);
  EXPECT_LE(bounds.drift_low, clock.drift + rounding);
  EXPECT_GE(bounds.drift_high, clock.drift - rounding);
}

class ClockFitTest : public ::testing::TestWithParam<int> {};

TEST_P(ClockFitTest, ADriftIsInItsBounds) {
  const auto seed = static_cast<uint32_t>(GetParam());
  for (const double ppm : {-50.0, -5.0, 5.0, 50.0, 200.0}) {
    const MadeClock clock = {ppm * 1e-6};
    const MadeCommands made(clock, 400, seed);
    for (const bool named : {false, true}) {
      SCOPED_TRACE(testing::Message() << ppm << " ppm, named: " << named);
      const ClockBounds bounds = BoundDeviceClock(
          made.queued, made.ends, made.calls, made.callbacks,
          named ? LimitsOfCalls(made.queued, made.calls) : ShiftLimits());
      EXPECT_EQ(bounds.rule,
                named ? ClockBounds::kCorrelation : ClockBounds::kOrder);
      ExpectTruth(bounds, clock);
      EXPECT_TRUE(bounds.drifts);
      EXPECT_GT(bounds.drift_low * ppm, 0) << "not zero";
      // A single number is wrong by as much as the clocks drift apart.
      EXPECT_LT(static_cast<double>(2 * bounds.slack),
                std::abs(clock.drift) * static_cast<double>(clock.length));
      for (const int64_t time : made.queued) {
        EXPECT_LE(std::abs(bounds.ShiftAt(time) - clock.ShiftOf(time)),
                  bounds.slack);
      }
    }
  }
}

TEST_P(ClockFitTest, WithoutDriftTheBoundsAreThoseOfANumber) {
  const MadeClock clock = {0};
  const MadeCommands made(clock, 400, static_cast<uint32_t>(GetParam()));
  const ClockBounds bounds =
      BoundDeviceClock({}, {}, {}, {}, LimitsOfCalls(made.queued, made.calls));
  ExpectTruth(bounds, clock);
  EXPECT_FALSE(bounds.drifts);
  int64_t low = INT64_MIN, high = INT64_MAX;
  for (size_t i = 0; i < made.queued.size(); ++i) {
    low = std::max(low, made.calls[i].entry - made.queued[i]);
    high = std::min(high, made.calls[i].exit - made.queued[i]);
  }
  EXPECT_EQ(bounds.low, low);
  EXPECT_EQ(bounds.high, high);
  EXPECT_EQ(bounds.ShiftAt(0), bounds.ShiftAt(clock.length));
  EXPECT_LE(bounds.drift_low, 0);
  EXPECT_GE(bounds.drift_high, 0);
}

TEST_P(ClockFitTest, HostsDriftToo) {
  std::mt19937 random(static_cast<uint32_t>(GetParam()));
  const auto between = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  // B's lead over A, at a time of B.
  const MadeClock clock = {50e-6, 100 * kSecond};
  const auto on_a = [&](int64_t b) { return b - clock.ShiftOf(b); };
  std::vector<RoundTrip> forth, back;
  for (int i = 0; i < 200; ++i) {
    const int64_t seen = between(0, clock.length);
    const int64_t answered = seen + between(1'000, 1'000'000);
    forth.push_back({on_a(seen) - between(20'000, 200'000), seen, answered,
                     on_a(answered) + between(20'000, 200'000)});
    const int64_t sent = between(0, clock.length);
    const int64_t received = sent + between(100'000, 1'000'000);
    back.push_back({sent, on_a(sent) + between(20'000, 45'000),
                    on_a(received) - between(20'000, 45'000), received});
  }
  const ClockBounds bounds = BoundHosts(forth, back);
  ExpectTruth(bounds, clock);
  EXPECT_TRUE(bounds.drifts);
  EXPECT_LT(bounds.high - bounds.low, 200'000);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ClockFitTest, ::testing::Range(1, 9));

TEST(ClockFit, ContradictionsHaveNoBounds) {
  // The shift at 0 is at least 5 and at most 3, which is impossible.
  ShiftLimits limits = {{{0, 5}}, {{0, 3}}};
  EXPECT_FALSE(FitClock(limits, ClockBounds::kOrder).known());
  // Half a second of drift per second is not a clock.
  limits = {};
  for (int64_t i = 0; i < 20; ++i) {
    const int64_t time = i * kSecond;
    limits.lows.push_back({time, time / 2 - 10});
    limits.highs.push_back({time, time / 2 + 10});
  }
  EXPECT_FALSE(FitClock(limits, ClockBounds::kOrder).known());
  // One side has no limits.
  EXPECT_FALSE(FitClock({{{0, 5}}, {}}, ClockBounds::kOrder).known());
}

TEST(ClockFit, TimesOfOneMomentTellNoDrift) {
  const ClockBounds bounds =
      FitClock({{{7, 5}, {7, 4}}, {{7, 9}}}, ClockBounds::kOrder);
  ASSERT_TRUE(bounds.known());
  EXPECT_FALSE(bounds.knows_drift);
  EXPECT_EQ(bounds.low, 5);
  EXPECT_EQ(bounds.high, 9);
  EXPECT_EQ(bounds.ShiftAt(0), 7);
}

TEST(ClockFit, HostileTimesDoNoHarm) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    ShiftLimits limits;
    for (int i = 0; i < 20; ++i) {
      const auto any = [&] { return static_cast<int64_t>(random()); };
      limits.lows.push_back({any(), any()});
      limits.highs.push_back({any(), any()});
    }
    if (round % 2 == 0) {
      limits.lows.push_back({INT64_MIN, INT64_MIN});
      limits.highs.push_back({INT64_MAX, INT64_MAX});
    }
    const ClockBounds bounds = FitClock(limits, ClockBounds::kOrder);
    bounds.ShiftAt(INT64_MIN);
    bounds.ShiftAt(INT64_MAX);
  }
}

}  // namespace
}  // namespace tfprof::ctf
