#include "compare/aggregate.h"

#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::compare {
namespace {

std::vector<double> Steps(size_t n, double usual, size_t slow, double slow_time,
                          unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, usual * 0.02);
  std::vector<double> steps;
  for (size_t i = 0; i < n; ++i) {
    steps.push_back((i < slow ? slow_time : usual) + noise(random));
  }
  return steps;
}

TEST(SummarizeTest, OneNumberForManySteps) {
  const std::vector<double> values = {5, 1, 2, 3, 4, 6, 7, 8, 9, 100};
  EXPECT_DOUBLE_EQ(Summarize(Aggregate::kMean, values), 14.5);
  EXPECT_DOUBLE_EQ(Summarize(Aggregate::kMedian, values), 5.5);
  EXPECT_DOUBLE_EQ(Summarize(Aggregate::kP90, values), 9);
  EXPECT_DOUBLE_EQ(Summarize(Aggregate::kMax, values), 100);
  EXPECT_DOUBLE_EQ(Summarize(Aggregate::kP90, {7}), 7);
  for (const Aggregate aggregate : kAggregates) {
    EXPECT_EQ(Summarize(aggregate, {}), 0);
    EXPECT_EQ(FindAggregate(AggregateName(aggregate)), aggregate);
  }
  EXPECT_FALSE(FindAggregate("mode"));
}

TEST(SummarizeTest, WhatRecursComesBackAtAnEqualDistance) {
  std::vector<double> steps(30, 100);
  // Slow steps that do not come back, and a pair that does not last.
  for (const size_t step : {0, 1, 2, 7, 19}) steps[step] = 900;
  EXPECT_DOUBLE_EQ(Summarize(Aggregate::kRecurring, steps), 100);
  for (const size_t step : {4, 14, 24}) steps[step] = 400;
  EXPECT_DOUBLE_EQ(Summarize(Aggregate::kRecurring, steps), 400);
  // Twice is not often enough.
  steps[24] = 100;
  EXPECT_DOUBLE_EQ(Summarize(Aggregate::kRecurring, steps), 100);
  EXPECT_DOUBLE_EQ(Summarize(Aggregate::kRecurring, {8, 9}), 8);
}

TEST(PermutationNoiseTest, FewStepsAreNoEvidence) {
  EXPECT_FALSE(PermutationNoise(Aggregate::kMean, {1, 2, 3, 4}, {9, 9, 9, 9}));
}

TEST(PermutationNoiseTest, FiveStepsOnEachSideAreEnough) {
  const auto noise = PermutationNoise(Aggregate::kMean, {10, 11, 12, 13, 14},
                                      {20, 21, 22, 23, 24});
  ASSERT_TRUE(noise);
  EXPECT_LT(*noise, 10);
}

std::vector<double> HighAt(size_t n, const std::vector<size_t>& places) {
  std::vector<double> values(n, 1);
  for (const size_t place : places) values[place] = 3;
  return values;
}

TEST(RecursByDesignTest, EveryTenthStepDoes) {
  EXPECT_TRUE(RecursByDesign(HighAt(30, {3, 13, 23}), 2));
  EXPECT_TRUE(RecursByDesign(HighAt(60, {3, 13, 23, 33, 43, 53, 7, 40}), 2));
}

TEST(RecursByDesignTest, SomeOfManyAtAnEqualDistanceAreChance) {
  // 5, 25 and 45 are among twelve high ones.
  EXPECT_FALSE(RecursByDesign(
      HighAt(60, {5, 25, 45, 1, 2, 11, 17, 30, 31, 38, 52, 57}), 2));
  EXPECT_FALSE(RecursByDesign(HighAt(60, {1, 2, 4}), 2));
  EXPECT_FALSE(RecursByDesign({}, 2));
}

TEST(PermutationNoiseTest, OneSlowStepIsNoise) {
  const auto before = Steps(20, 100, 0, 0, 1);
  const auto after = Steps(20, 100, 1, 900, 2);
  const double delta =
      Summarize(Aggregate::kMean, after) - Summarize(Aggregate::kMean, before);
  EXPECT_GT(delta, 30);
  EXPECT_GE(*PermutationNoise(Aggregate::kMean, before, after), delta);
}

TEST(PermutationNoiseTest, EveryFifthStepIsNot) {
  const auto before = Steps(50, 100, 0, 0, 1);
  const auto after = Steps(50, 100, 10, 400, 2);
  const double delta =
      Summarize(Aggregate::kMean, after) - Summarize(Aggregate::kMean, before);
  EXPECT_LT(*PermutationNoise(Aggregate::kMean, before, after), delta);
}

TEST(PermutationNoiseTest, RunsThatDoNotDifferRarelySeemTo) {
  int alarms = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const auto before = Steps(12, 100, seed % 3, 300, 2 * seed);
    const auto after = Steps(12, 100, seed % 3, 300, 2 * seed + 1);
    const double delta = Summarize(Aggregate::kMean, after) -
                         Summarize(Aggregate::kMean, before);
    alarms +=
        std::abs(delta) > *PermutationNoise(Aggregate::kMean, before, after);
  }
  EXPECT_LE(alarms, 5);
}

TEST(PermutationNoiseTest, TheResultIsAlwaysTheSame) {
  const auto before = Steps(40, 100, 3, 200, 1);
  const auto after = Steps(40, 105, 3, 200, 2);
  EXPECT_EQ(PermutationNoise(Aggregate::kMean, before, after),
            PermutationNoise(Aggregate::kMean, before, after));
}

}  // namespace
}  // namespace tfprof::compare
