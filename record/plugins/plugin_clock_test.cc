#include "record/plugins/plugin_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/recording_testing.h"

namespace tfprof::record {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

constexpr uint64_t kAhead = 1'000'000'000'000;

int num_reads = 0;

// A clock that is ahead of the host's clock; the first two readings fail.
uint64_t ReadAhead() { return ++num_reads <= 2 ? 0 : Now() + kAhead; }

TEST(PluginClockTest, TimesBecomeThoseOfTheHost) {
  num_reads = 0;
  PluginClock clock(ReadAhead);
  clock.Read();
  EXPECT_EQ(num_reads, 5);
  // The result is as exact as a reading takes time.
  const uint64_t before = Now();
  const uint64_t host = clock.ToHost(Now() + kAhead);
  const uint64_t after = Now();
  constexpr uint64_t kSlack = 100'000'000;
  EXPECT_GE(host + kSlack, before);
  EXPECT_LE(host, after + kSlack);
}

TEST(PluginClockTest, ThePairIsToldAsItWasRead) {
  num_reads = 2;
  const Recording recording;
  PluginClock clock(ReadAhead);
  clock.Read();
  clock.Tell("gpu:0");
  EXPECT_THAT(recording.Events(),
              ElementsAre(testing::MatchesRegex(
                  "clock_pair host_before=[0-9]+ device_time=[0-9]+ "
                  "host_after=[0-9]+ device=gpu:0")));
}

// Times of a clock that is behind the host's clock are moved forwards.
TEST(PluginClockTest, ADifferenceMayBeNegative) {
  PluginClock clock(+[]() -> uint64_t { return 1000; });
  const uint64_t before = Now();
  clock.Read();
  EXPECT_GE(clock.ToHost(1000), before);
  EXPECT_LE(clock.ToHost(1000), Now());
  EXPECT_EQ(clock.ToHost(1500), clock.ToHost(1000) + 500);
}

}  // namespace
}  // namespace tfprof::record
