#include "loaders/nsys/launches.h"

#include <gtest/gtest.h>

#include <limits>

namespace tfprof::nsys {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(LaunchesTest, FindsCallsOfTheirProcess) {
  Launches launches;
  launches.Add(1, 10, 0);
  launches.Add(2, 10, 1);
  launches.Add(1, 11, 2);
  launches.Finish();
  EXPECT_EQ(launches.Find(1, 10), 0u);
  EXPECT_EQ(launches.Find(2, 10), 1u);
  EXPECT_EQ(launches.Find(1, 11), 2u);
  EXPECT_EQ(launches.Find(2, 11), profile::kNone);
  EXPECT_EQ(launches.Find(3, 10), profile::kNone);
  EXPECT_EQ(launches.Find(1, 9), profile::kNone);
  EXPECT_EQ(launches.Find(1, 12), profile::kNone);
}

TEST(LaunchesTest, IdsMayBeAnyInAnyOrder) {
  Launches launches;
  uint32_t call = 0;
  for (const int64_t id :
       {kMost, int64_t{-1}, int64_t{5}, kLeast, int64_t{0}}) {
    launches.Add(0, id, call++);
  }
  launches.Finish();
  EXPECT_EQ(launches.Find(0, kMost), 0u);
  EXPECT_EQ(launches.Find(0, -1), 1u);
  EXPECT_EQ(launches.Find(0, 5), 2u);
  EXPECT_EQ(launches.Find(0, kLeast), 3u);
  EXPECT_EQ(launches.Find(0, 0), 4u);
}

TEST(LaunchesTest, TheFirstCallOfAnIdCounts) {
  Launches sorted, mixed;
  for (const uint32_t call : {0, 1, 2}) {
    sorted.Add(0, 7, call);
    mixed.Add(0, call == 1 ? 3 : 7, call);
  }
  sorted.Finish();
  mixed.Finish();
  EXPECT_EQ(sorted.Find(0, 7), 0u);
  EXPECT_EQ(mixed.Find(0, 7), 0u);
  EXPECT_EQ(mixed.Find(0, 3), 1u);
}

}  // namespace
}  // namespace tfprof::nsys
