#include "loaders/ctf/model/device_clock.h"

#include "gtest/gtest.h"

namespace tfprof::ctf {
namespace {

TEST(DeviceClock, OrderBoundsTheShiftWithoutPairs) {
  // The device is 1000 behind, and commands are not in the order of calls.
  const ClockBounds bounds = BoundDeviceClock(
      {905, 105, 505}, {}, {{1100, 1110}, {1500, 1507}, {1904, 1920}}, {});
  EXPECT_EQ(bounds.rule, ClockBounds::kOrder);
  EXPECT_EQ(bounds.low, 999);
  EXPECT_EQ(bounds.high, 1002);
}

TEST(DeviceClock, WithMissingCommandsPairsVote) {
  const ClockBounds bounds = BoundDeviceClock(
      {105, 905}, {}, {{1100, 1110}, {1500, 1507}, {1904, 1920}}, {});
  EXPECT_EQ(bounds.rule, ClockBounds::kVoting);
  EXPECT_EQ(bounds.low, 999);
  EXPECT_EQ(bounds.high, 1005);
  EXPECT_EQ(bounds.votes, 2);
}

TEST(DeviceClock, NothingIsKnownOfNothing) {
  EXPECT_FALSE(BoundDeviceClock({}, {}, {}, {}).known());
  EXPECT_FALSE(BoundDeviceClock({1}, {}, {}, {}).known());
  EXPECT_FALSE(BoundHosts({}, {}).known());
  EXPECT_FALSE(BoundDeviceClock({}, {}, {{5, 6}}, {}).known());
}

TEST(BoundHosts, RequestsInBothDirectionsBoundTheLead) {
  // B is 500 ahead; each way takes 10.
  const RoundTrip forth = {100, 610, 620, 130};
  const RoundTrip back = {900, 410, 420, 930};
  const ClockBounds bounds = BoundHosts({&forth, 1}, {&back, 1});
  ASSERT_TRUE(bounds.known());
  EXPECT_EQ(bounds.low, 490);
  EXPECT_EQ(bounds.high, 510);
}

TEST(DeviceClock, WhatIsToldOfCommandsCountsMore) {
  // Two commands name their calls: the device is 1000 behind.
  const int64_t queued[] = {105, 505};
  const HostCall calls[] = {{1103, 1108}, {1504, 1512}};
  const ClockBounds bounds =
      BoundDeviceClock({}, {}, {}, {}, LimitsOfCalls(queued, calls));
  EXPECT_EQ(bounds.rule, ClockBounds::kCorrelation);
  EXPECT_EQ(bounds.low, 999);
  EXPECT_EQ(bounds.high, 1003);
}

TEST(DeviceClock, CallbacksBoundTheEnds) {
  const ClockBounds without =
      BoundDeviceClock({105}, {205}, {{1100, 1400}}, {});
  const ClockBounds with =
      BoundDeviceClock({105}, {205}, {{1100, 1400}}, {1210});
  EXPECT_EQ(without.high, 1295);
  EXPECT_EQ(with.high, 1005);
  EXPECT_EQ(with.low, without.low);
}

}  // namespace
}  // namespace tfprof::ctf
