#include "loaders/gpu_trace/clock_shift.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

namespace tfprof::gpu_trace {
namespace {

using ::testing::HasSubstr;

// Steps of four events whose lengths vary by up to `jitter`.
std::vector<NamedTime> Steps(int steps, int64_t jitter) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int64_t> more(0, jitter);
  std::vector<NamedTime> times;
  int64_t now = 0;
  for (int step = 0; step < steps; ++step) {
    for (uint64_t key = 1; key <= 4; ++key) {
      times.push_back({key, now});
      now += 1'000'000 + (jitter > 0 ? more(random) : 0);
    }
  }
  return times;
}

std::vector<NamedTime> Moved(std::vector<NamedTime> times, int64_t by) {
  for (NamedTime& time : times) time.start += by;
  return times;
}

TEST(ClockShiftTest, EqualRecordingsAgreeWholly) {
  const std::vector<NamedTime> times = Steps(3, 0);
  const auto shift = FindClockShift(times, Moved(times, -5'000'000'123));
  ASSERT_TRUE(shift.ok()) << shift.status();
  EXPECT_EQ(shift->nanos, 5'000'000'123);
  EXPECT_EQ(shift->votes, 12);
  EXPECT_EQ(shift->of, 12);
  EXPECT_EQ(shift->spread, 0);
}

// Nearly always one recording covers the whole program, and the other one a few
// of its steps.
TEST(ClockShiftTest, AFewStepsAreFoundAmongMany) {
  const std::vector<NamedTime> all = Steps(40, 300'000);
  const std::vector<NamedTime> few(all.begin() + 4 * 17, all.begin() + 4 * 20);
  const auto shift = FindClockShift(Moved(few, 1'000), all);
  ASSERT_TRUE(shift.ok()) << shift.status();
  EXPECT_EQ(shift->nanos, 1'000);
  EXPECT_EQ(shift->votes, 12);
}

TEST(ClockShiftTest, ClocksMayDifferByMicroseconds) {
  const std::vector<NamedTime> times = Steps(10, 300'000);
  std::vector<NamedTime> other = times;
  for (size_t i = 0; i < other.size(); ++i) {
    other[i].start += i % 2 == 0 ? 3'000 : -3'000;
  }
  const auto shift = FindClockShift(times, other);
  ASSERT_TRUE(shift.ok()) << shift.status();
  EXPECT_LE(std::abs(shift->nanos), 3'000);
  EXPECT_EQ(shift->votes, 40);
  EXPECT_LE(shift->spread, 6'000);
}

TEST(ClockShiftTest, EventsOfOneRecordingOnlyDoNotDisturb) {
  std::vector<NamedTime> times = Steps(5, 300'000);
  const std::vector<NamedTime> other = Moved(times, 77);
  for (int64_t i = 0; i < 100; ++i) times.push_back({99, i * 1'000});
  const auto shift = FindClockShift(times, other);
  ASSERT_TRUE(shift.ok()) << shift.status();
  EXPECT_EQ(shift->nanos, -77);
  EXPECT_EQ(shift->of, 20);
}

TEST(ClockShiftTest, StepsThatAreAllAlikeAreAmbiguous) {
  const std::vector<NamedTime> all = Steps(10, 0);
  const std::vector<NamedTime> few(all.begin() + 8, all.begin() + 16);
  const auto shift = FindClockShift(few, all);
  ASSERT_FALSE(shift.ok());
  EXPECT_THAT(std::string(shift.status().message()),
              HasSubstr("two shifts of the clocks fit equally well"));
}

TEST(ClockShiftTest, OtherProgramsAreRefused) {
  const std::vector<NamedTime> times = Steps(10, 300'000);
  EXPECT_THAT(std::string(FindClockShift(times, {{50, 1}}).status().message()),
              HasSubstr("no event has the same name and thread in both"));
  std::mt19937 random(1);
  std::vector<NamedTime> other;
  for (const NamedTime& time : times) {
    other.push_back({time.key, static_cast<int64_t>(random())});
  }
  EXPECT_THAT(std::string(FindClockShift(times, other).status().message()),
              HasSubstr("agree on a shift of the clocks"));
  EXPECT_FALSE(FindClockShift({{1, 5}, {2, 9}}, {{1, 5}, {2, 9}}).ok())
      << "two events are too few";
}

TEST(ClockShiftTest, ImpossibleTimesDoNotOverflow) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  std::vector<NamedTime> times = Steps(3, 300'000);
  std::vector<NamedTime> other = times;
  times.insert(times.end(), {{1, kMost}, {2, kLeast}});
  other.insert(other.end(), {{1, kLeast}, {2, kMost}});
  const auto shift = FindClockShift(times, other);
  ASSERT_TRUE(shift.ok()) << shift.status();
  EXPECT_EQ(shift->nanos, 0);
}

}  // namespace
}  // namespace tfprof::gpu_trace
