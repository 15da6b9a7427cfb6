#include "compare/noise.h"

#include <cmath>
#include <optional>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::compare {
namespace {

TEST(NoiseTest, SpreadIgnoresOutliers) {
  // One outlier does not count.
  EXPECT_DOUBLE_EQ(Spread({8, 9, 10, 11, 1000}), 1.4826);
  // More than half of the values are equal.
  EXPECT_DOUBLE_EQ(Spread({10, 10, 10, 14}), 1.2533);
  EXPECT_EQ(Spread({10, 10, 10}), 0);
}

TEST(NoiseTest, StudentTMeetsTheTables) {
  EXPECT_NEAR(StudentT(1, 0.01), 63.657, 0.001);
  EXPECT_NEAR(StudentT(2, 0.01), 9.925, 0.001);
  EXPECT_NEAR(StudentT(3, 0.01), 5.841, 0.001);
  EXPECT_NEAR(StudentT(10, 0.01), 3.169, 0.001);
  EXPECT_NEAR(StudentT(11, 0.05), 2.201, 0.001);
  EXPECT_NEAR(StudentT(30, 0.001), 3.646, 0.001);
  EXPECT_NEAR(StudentT(1000000, 0.01), 2.581, 0.001);
  EXPECT_GT(StudentT(1, 1e-12), 1e8);
}

std::optional<double> NoiseOf(const std::vector<double>& before,
                              const std::vector<double>& after,
                              size_t rows = 1) {
  return NoiseModel(rows).OfDifference(before, after);
}

TEST(NoiseTest, NeedsThreeSteps) {
  EXPECT_EQ(NoiseOf({1, 2}, {1, 2, 3}), std::nullopt);
  EXPECT_EQ(NoiseOf({1, 2, 3}, {}), std::nullopt);
  EXPECT_EQ(NoiseOf({5, 5, 5}, {7, 7, 7}), 0);
}

TEST(NoiseTest, ShrinksWithTheStepsAndGrowsWithTheRows) {
  const std::vector<double> few = {98, 99, 100, 101, 102};
  std::vector<double> many;
  for (int i = 0; i < 20; ++i) many.insert(many.end(), few.begin(), few.end());
  const double noise = *NoiseOf(few, few);
  // 1.2533 × t(8) × 1.4826 × √(2/5).
  EXPECT_NEAR(noise, 1.2533 * 3.355 * 1.4826 * std::sqrt(0.4), 0.01);
  EXPECT_LT(*NoiseOf(many, many), noise / 4);
  // t(8) for 0.1 %.
  EXPECT_NEAR(*NoiseOf(few, few, 10), noise * 5.041 / 3.355, 0.01);
}

TEST(NoiseTest, Clock) {
  EXPECT_EQ(ClockNoise(0), 1);
  EXPECT_EQ(ClockNoise(25), 5);
}

TEST(NoiseTest, ASpreadNeedsDifferentValues) {
  EXPECT_EQ(Spread({}), 0);
  EXPECT_EQ(Spread({7}), 0);
}

TEST(NoiseTest, StudentTHasAtLeastOneDegreeOfFreedom) {
  EXPECT_DOUBLE_EQ(StudentT(0, 0.01), StudentT(1, 0.01));
  EXPECT_DOUBLE_EQ(StudentT(-5, 0.01), StudentT(1, 0.01));
}

TEST(NoiseTest, AnOutlierOnOneSideHardlyChangesTheNoise) {
  const double calm =
      *NoiseOf({98, 99, 100, 101, 102}, {98, 99, 100, 101, 102});
  const double one =
      *NoiseOf({98, 99, 100, 101, 9000}, {98, 99, 100, 101, 102});
  EXPECT_NEAR(one, calm, calm / 2);
}

TEST(NoiseTest, WhatSomeStepsDoIsNoNoiseOfASingleStep) {
  NoiseModel model(1);
  std::vector<double> before, after;
  for (int i = 0; i < 50; ++i) before.push_back(100 + i % 5);
  after = before;
  const double calm = *model.OfSteps(before, after);
  EXPECT_GT(calm, 4);  // two steps may differ by so much
  for (size_t i = 0; i < after.size(); i += 10) after[i] += 1000;
  EXPECT_NEAR(*model.OfSteps(before, after), calm, calm / 2);
  EXPECT_FALSE(model.OfSteps({1, 2}, after));
}

TEST(NoiseTest, HugeAndTinyValuesHaveNoise) {
  const double huge = *NoiseOf({1e308, 0, -1e308}, {1e308, 0, -1e308});
  EXPECT_GT(huge, 1e300);
  const double tiny = *NoiseOf({1e-300, 2e-300, 3e-300}, {0, 0, 0});
  EXPECT_GE(tiny, 0);
  EXPECT_LT(tiny, 1e-100);
}

TEST(NoiseTest, AClockHasAtLeastOneMicrosecond) {
  EXPECT_EQ(ClockNoise(-3), 1);
  EXPECT_EQ(ClockNoise(1), 1);
}

}  // namespace
}  // namespace tfprof::compare
