#include "loaders/perfetto/clocks.h"

#include <gtest/gtest.h>

#include <string>

#include "loaders/perfetto/perfetto_testing.h"

namespace tfprof::perfetto {
namespace {

using Known = Clocks::Known;

void AddReading(util::WireWriter& w, int64_t clock, int64_t time,
                bool incremental = false, int64_t unit = 0) {
  const util::WireMessage reading(w, 1);
  w.Int64(1, clock);
  w.Int64(2, time);
  w.Int64IfSet(3, incremental ? 1 : 0);
  w.Int64IfSet(4, unit);
}

class ClocksTest : public ::testing::Test {
 protected:
  bool Snapshot(const Fill& fill) {
    return clocks_.ReadSnapshot(Message(fill), own_);
  }
  int64_t Nanos(int64_t time, uint32_t clock, Known known = Known::kYes) {
    int64_t nanos = 0;
    EXPECT_EQ(clocks_.ToNanos(time, clock, own_, nanos), known);
    return nanos;
  }

  Clocks clocks_;
  ClockMap own_;
};

TEST_F(ClocksTest, AddsTheOffsetOfTheLastSnapshot) {
  ASSERT_TRUE(Snapshot([](auto& w) {
    AddReading(w, 6, 1000);
    AddReading(w, 3, 400);
  }));
  EXPECT_EQ(Nanos(500, 3), 1100);
  EXPECT_EQ(Nanos(500, 6), 500);
  EXPECT_EQ(Nanos(500, 0), 500);
  ASSERT_TRUE(Snapshot([](auto& w) {
    AddReading(w, 6, 2000);
    AddReading(w, 3, 400);
  }));
  EXPECT_EQ(Nanos(500, 3), 2100);
}

TEST_F(ClocksTest, TheTraceMayHaveAnotherClock) {
  ASSERT_TRUE(Snapshot([](auto& w) {
    AddReading(w, 6, 1000);
    AddReading(w, 3, 400);
    w.Int64(2, 3);
  }));
  EXPECT_EQ(Nanos(1500, 6), 900);
  EXPECT_EQ(Nanos(1500, 3), 1500);
}

TEST_F(ClocksTest, AnIncrementalClockCountsFromPacketToPacket) {
  ASSERT_TRUE(Snapshot([](auto& w) {
    AddReading(w, 6, 5000000);
    AddReading(w, 64, 1000, /*incremental=*/true, /*unit=*/1000);
  }));
  EXPECT_EQ(Nanos(3, 64), 5003000);
  EXPECT_EQ(Nanos(4, 64), 5007000);
  ASSERT_TRUE(Snapshot([](auto& w) {
    AddReading(w, 6, 9000000);
    AddReading(w, 64, 0, true, 1000);
  }));
  EXPECT_EQ(Nanos(1, 64), 9001000);
}

TEST_F(ClocksTest, AClockWithoutASnapshotIsTakenAsItIsUnlessItMayCount) {
  EXPECT_EQ(Nanos(12, 3, Known::kAsItIs), 12);
  Nanos(12, 64, Known::kNo);
}

TEST_F(ClocksTest, ClocksOfOtherSequencesAreNotKnown) {
  ASSERT_TRUE(Snapshot([](auto& w) {
    AddReading(w, 6, 0);
    AddReading(w, 65, 10);
  }));
  EXPECT_EQ(Nanos(15, 65), 5);
  ClockMap other;
  int64_t nanos = 0;
  EXPECT_EQ(clocks_.ToNanos(15, 65, other, nanos), Known::kNo);
}

TEST_F(ClocksTest, JumpsStayInRange) {
  ASSERT_TRUE(Snapshot([](auto& w) {
    AddReading(w, 6, INT64_MAX);
    AddReading(w, 64, INT64_MIN, true, INT64_MAX);
    AddReading(w, 3, INT64_MIN);
  }));
  for (const int64_t time : {INT64_MIN, int64_t{-1}, int64_t{1}, INT64_MAX}) {
    Nanos(time, 64);
    Nanos(time, 3);
  }
}

TEST_F(ClocksTest, ReportsDamage) {
  EXPECT_FALSE(Snapshot([](auto& w) { w.Bytes(1, "\x08"); }));
  EXPECT_FALSE(clocks_.ReadSnapshot("\x0a\x05", own_));
}

}  // namespace
}  // namespace tfprof::perfetto
