#include "util/arithmetic.h"

#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {
namespace arithmetic_test {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

TEST(ArithmeticTest, Wraps) {
  EXPECT_EQ(WrapAdd(kMax, 1), kMin);
  EXPECT_EQ(WrapSub(kMin, 1), kMax);
  EXPECT_EQ(WrapMul(kMax, 2), -2);
  EXPECT_EQ(WrapAdd(-3, 5), 2);
}

TEST(ArithmeticTest, SaturatingAddStopsAtBothEnds) {
  EXPECT_EQ(SaturatingAdd(kMax, 1), kMax);
  EXPECT_EQ(SaturatingAdd(kMin, -1), kMin);
  EXPECT_EQ(SaturatingAdd(kMax, kMin), -1);
}

TEST(ArithmeticTest, SaturatingMulHasTheSignOfTheProduct) {
  EXPECT_EQ(SaturatingMul(kMax, 2), kMax);
  EXPECT_EQ(SaturatingMul(kMax, -2), kMin);
  EXPECT_EQ(SaturatingMul(kMin, -1), kMax);
  EXPECT_EQ(SaturatingMul(-4, 5), -20);
}

TEST(ArithmeticTest, NothingSaturatesBeforeTheEnds) {
  EXPECT_EQ(SaturatingAdd(kMax - 1, 1), kMax);
  EXPECT_EQ(SaturatingAdd(kMin + 1, -1), kMin);
  EXPECT_EQ(SaturatingMul(kMax, 1), kMax);
  EXPECT_EQ(SaturatingMul(kMax, -1), kMin + 1);
  EXPECT_EQ(SaturatingMul(kMax, 0), 0);
}

TEST(ArithmeticTest, ProductsOfLargeNumbers) {
  EXPECT_EQ(SaturatingMul(int64_t{1} << 32, int64_t{1} << 31), kMax);
  EXPECT_EQ(SaturatingMul(int64_t{1} << 32, int64_t{1} << 30),
            int64_t{1} << 62);
  EXPECT_EQ(SaturatingMul(int64_t{1} << 32, -(int64_t{1} << 32)), kMin);
  EXPECT_EQ(SaturatingMul(-3, 5), -15);
}

}  // namespace arithmetic_test
}  // namespace
}  // namespace tfprof::util
