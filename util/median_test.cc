#include "util/median.h"

#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace tfprof {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

TEST(MedianTest, OddAndEven) {
  EXPECT_EQ(Median({7}), 7);
  EXPECT_EQ(Median({9, 1, 5}), 5);
  EXPECT_EQ(Median({4, 1, 3, 2}), 2);  // 2.5, towards the lower
  EXPECT_EQ(Median({-3, -2}), -3 + 0);
  EXPECT_EQ(Median({5, 5, 5, 5}), 5);
}

TEST(MedianTest, LargeValuesDoNotOverflow) {
  EXPECT_EQ(Median({kMax, kMax}), kMax);
  EXPECT_EQ(Median({kMax - 2, kMax}), kMax - 1);
  EXPECT_EQ(Median({kMin, kMin}), kMin);
}

TEST(ToIntegerTest, Clamps) {
  EXPECT_EQ(ToInteger(2.9), 2);
  EXPECT_EQ(ToInteger(1e300), 9'000'000'000'000'000'000);
  EXPECT_EQ(ToInteger(-1e300), -9'000'000'000'000'000'000);
}

}  // namespace
}  // namespace tfprof
