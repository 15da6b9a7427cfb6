#include "util/median.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {
namespace median_test {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

using Ints = std::vector<int64_t>;
using Numbers = std::vector<double>;

TEST(MedianTest, OddAndEven) {
  EXPECT_EQ(Median(Ints{7}), 7);
  EXPECT_EQ(Median(Ints{9, 1, 5}), 5);
  EXPECT_EQ(Median(Ints{4, 1, 3, 2}), 2);  // 2.5, rounded down
  EXPECT_EQ(Median(Ints{-3, -2}), -3 + 0);
  EXPECT_EQ(Median(Ints{5, 5, 5, 5}), 5);
}

TEST(MedianTest, LargeValuesDoNotOverflow) {
  EXPECT_EQ(Median(Ints{kMax, kMax}), kMax);
  EXPECT_EQ(Median(Ints{kMax - 2, kMax}), kMax - 1);
  EXPECT_EQ(Median(Ints{kMin, kMin}), kMin);
}

TEST(MedianTest, OfNumbers) {
  EXPECT_EQ(Median(Numbers{}), 0);
  EXPECT_EQ(Median(Numbers{3, 1, 2}), 2);
  EXPECT_EQ(Median(Numbers{4, 1, 2, 3}), 2.5);
}

TEST(ToIntegerTest, Clamps) {
  EXPECT_EQ(ToInteger(2.9), 2);
  EXPECT_EQ(ToInteger(1e300), 9'000'000'000'000'000'000);
  EXPECT_EQ(ToInteger(-1e300), -9'000'000'000'000'000'000);
}

TEST(MedianTest, TheOrderOfTheValuesDoesNotMatter) {
  Ints values = {1, 2, 3, 4, 5, 6};
  do {
    ASSERT_EQ(Median(values), 3);  // 3.5, rounded down
  } while (std::next_permutation(values.begin(), values.end()));
}

TEST(MedianTest, OfTheSmallestAndTheLargest) {
  // The exact mean is -0.5.
  EXPECT_EQ(Median(Ints{kMin, kMax}), -1);
}

TEST(ToIntegerTest, WhatIsNotANumberIs0) {
  EXPECT_EQ(ToInteger(std::numeric_limits<double>::quiet_NaN()), 0);
  EXPECT_EQ(ToInteger(std::numeric_limits<double>::infinity()),
            9'000'000'000'000'000'000);
}

}  // namespace median_test
}  // namespace
}  // namespace tfprof::util
