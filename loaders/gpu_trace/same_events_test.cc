#include "loaders/gpu_trace/same_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "profile/tables/string_pool.h"

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

TEST(SameEventsTest, EqualRecordingsAgreeWholly) {
  const std::vector<NamedTime> times = Steps(3, 0);
  const auto shift = FindSameEvents(times, Moved(times, -5'000'000'123));
  ASSERT_TRUE(shift.ok()) << shift.status();
  EXPECT_EQ(shift->clock.shift, 5'000'000'123);
  EXPECT_EQ(shift->same, 12);
  EXPECT_EQ(shift->of, 12);
  EXPECT_EQ(shift->spread, 0);
}

// Nearly always one recording covers the whole program, and the other one a few
// of its steps.
TEST(SameEventsTest, AFewStepsAreFoundAmongMany) {
  const std::vector<NamedTime> all = Steps(40, 300'000);
  const std::vector<NamedTime> few(all.begin() + 4 * 17, all.begin() + 4 * 20);
  const auto shift = FindSameEvents(Moved(few, 1'000), all);
  ASSERT_TRUE(shift.ok()) << shift.status();
  EXPECT_EQ(shift->clock.shift, 1'000);
  EXPECT_EQ(shift->same, 12);
}

TEST(SameEventsTest, ClocksMayDifferByMicroseconds) {
  const std::vector<NamedTime> times = Steps(10, 300'000);
  std::vector<NamedTime> other = times;
  for (size_t i = 0; i < other.size(); ++i) {
    other[i].start += i % 2 == 0 ? 3'000 : -3'000;
  }
  const auto shift = FindSameEvents(times, other);
  ASSERT_TRUE(shift.ok()) << shift.status();
  EXPECT_LE(std::abs(shift->clock.shift), 3'000);
  EXPECT_EQ(shift->same, 40);
  EXPECT_LE(shift->spread, 6'000);
}

TEST(SameEventsTest, EventsOfOneRecordingOnlyDoNotDisturb) {
  std::vector<NamedTime> times = Steps(5, 300'000);
  const std::vector<NamedTime> other = Moved(times, 77);
  for (int64_t i = 0; i < 100; ++i) times.push_back({99, i * 1'000});
  const auto shift = FindSameEvents(times, other);
  ASSERT_TRUE(shift.ok()) << shift.status();
  EXPECT_EQ(shift->clock.shift, -77);
  EXPECT_EQ(shift->of, 20);
}

TEST(SameEventsTest, TheEndsOfEqualRecordingsTellAlikeStepsApart) {
  const std::vector<NamedTime> times = Steps(20, 0);
  const auto shift = FindSameEvents(times, Moved(times, -99));
  ASSERT_TRUE(shift.ok()) << shift.status();
  EXPECT_EQ(shift->clock.shift, 99);
}

TEST(SameEventsTest, StepsThatAreAllAlikeAreAmbiguous) {
  const std::vector<NamedTime> all = Steps(10, 0);
  const std::vector<NamedTime> few(all.begin() + 8, all.begin() + 16);
  const auto shift = FindSameEvents(few, all);
  ASSERT_FALSE(shift.ok());
  EXPECT_THAT(std::string(shift.status().message()),
              HasSubstr("two shifts of the clocks fit equally well"));
}

TEST(SameEventsTest, OtherProgramsAreRefused) {
  const std::vector<NamedTime> times = Steps(10, 300'000);
  EXPECT_THAT(std::string(FindSameEvents(times, {{50, 1}}).status().message()),
              HasSubstr("no event has the same name and thread in both"));
  std::mt19937 random(1);
  std::vector<NamedTime> other;
  for (const NamedTime& time : times) {
    other.push_back({time.key, static_cast<int64_t>(random())});
  }
  EXPECT_THAT(std::string(FindSameEvents(times, other).status().message()),
              HasSubstr("agree on a shift of the clocks"));
  EXPECT_FALSE(FindSameEvents({{1, 5}, {2, 9}}, {{1, 5}, {2, 9}}).ok())
      << "two events are too few";
}

TEST(SameEventsTest, ImpossibleTimesDoNotOverflow) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  std::vector<NamedTime> times = Steps(3, 300'000);
  std::vector<NamedTime> other = times;
  times.insert(times.end(), {{1, kMost}, {2, kLeast}});
  other.insert(other.end(), {{1, kLeast}, {2, kMost}});
  const auto shift = FindSameEvents(times, other);
  ASSERT_TRUE(shift.ok()) << shift.status();
  EXPECT_EQ(shift->clock.shift, 0);
}

// The first clock gains 20 us in a second.
TEST(SameEventsTest, ClocksMayDrift) {
  for (const int events : {800, 6'000, 60'000}) {
    const std::vector<NamedTime> times = Steps(events / 4, 300'000);
    std::vector<NamedTime> first = times;
    std::mt19937 random(3);
    std::uniform_int_distribution<int64_t> jitter(0, 1'500);
    for (NamedTime& time : first) {
      time.start += std::llround(20e-6 * static_cast<double>(time.start)) +
                    5'000'000'000 + jitter(random);
    }
    const auto found = FindSameEvents(first, times);
    ASSERT_TRUE(found.ok()) << events << ": " << found.status();
    EXPECT_EQ(found->same, events);
    EXPECT_NEAR(found->clock.drift * 1e6, 20, 2) << events;
    EXPECT_LE(found->spread, 1'000);
    for (size_t i = 0; i < times.size(); ++i) {
      ASSERT_EQ(found->second[i], i);
      ASSERT_NEAR(found->clock.Moved(times[i].start), first[i].start, 1'600);
    }
  }
}

// A clock is corrected while the program runs.
TEST(SameEventsTest, DriftsMayChange) {
  const std::vector<NamedTime> times = Steps(5'000, 300'000);
  std::vector<NamedTime> first = times;
  int64_t ahead = 0, last = 0;
  for (size_t i = 0; i < first.size(); ++i) {
    ahead += (times[i].start - last) / (i < 12'000 ? 20'000 : -100'000);
    last = times[i].start;
    first[i].start += ahead;
  }
  const auto found = FindSameEvents(first, times);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->same, 20'000);
  for (size_t i = 0; i < times.size(); ++i) ASSERT_EQ(found->second[i], i);
}

TEST(SameEventsTest, ClocksThatOnlyJitterHaveNoDrift) {
  const std::vector<NamedTime> times = Steps(10, 300'000);
  std::vector<NamedTime> first = times;
  std::mt19937 random(3);
  std::uniform_int_distribution<int64_t> jitter(0, 1'500);
  for (NamedTime& time : first) time.start += jitter(random);
  const auto found = FindSameEvents(first, times);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->clock.drift, 0);
}

// As an operation that calls one of the same name, which the other recording
// merged into it.
TEST(SameEventsTest, WhatIsMissingTakesNothingFromTheNext) {
  std::vector<NamedTime> first, second;
  std::mt19937 random(5);
  int64_t now = 0;
  for (int i = 0; i < 50; ++i) {
    now += 100'000 + static_cast<int64_t>(random() % 30'000);
    first.insert(first.end(), {{1, now}, {1, now + 2'500}, {1, now + 20'000}});
    second.insert(second.end(), {{1, now + 1}, {1, now + 20'001}});
  }
  const auto found = FindSameEvents(first, second);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->same, 100);
  for (uint32_t i = 0; i < 50; ++i) {
    EXPECT_EQ(found->second[3 * i], 2 * i);
    EXPECT_EQ(found->second[3 * i + 1], profile::kNone);
    EXPECT_EQ(found->second[3 * i + 2], 2 * i + 1);
  }
}

TEST(SameEventsTest, EachEventIsThatOfItsTime) {
  const auto found = FindSameEvents(
      {{1, 100}, {2, 5'000'000}, {1, 9'000'000}, {7, 0}, {2, 31'000'000}},
      {{2, 30'999'900}, {1, 0}, {2, 4'999'900}, {1, 8'999'900}});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(found->second,
              ::testing::ElementsAre(1, 2, 3, profile::kNone, 0));
}

}  // namespace
}  // namespace tfprof::gpu_trace
