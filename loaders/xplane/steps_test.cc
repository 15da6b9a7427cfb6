#include "loaders/xplane/steps.h"

#include "gtest/gtest.h"
#include "profile/steps/step.h"

namespace tfprof::xplane {
namespace {

TEST(StepMapTest, WithoutStepsAllIsInStep0) {
  const StepMap map;
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.At(0), 0);
  EXPECT_EQ(map.At(-5), 0);
}

TEST(StepMapTest, BeginsAtTheStartAndStopsAtTheEnd) {
  const StepMap map({{.step = 7, .start = 10, .end = 20},
                     {.step = 8, .start = 20, .end = 30}});
  EXPECT_EQ(map.At(9), profile::kOutsideSteps);
  EXPECT_EQ(map.At(10), 7);
  EXPECT_EQ(map.At(19), 7);
  EXPECT_EQ(map.At(20), 8);
  EXPECT_EQ(map.At(30), profile::kOutsideSteps);
}

TEST(StepMapTest, AHintChangesNothing) {
  const StepMap map({{.step = 7, .start = 10, .end = 20},
                     {.step = 8, .start = 20, .end = 30}});
  size_t hint = 0;
  for (const int64_t time : {12, 25, 5, 15, 40, 20, 9}) {
    EXPECT_EQ(map.At(time, hint), map.At(time)) << time;
  }
}

TEST(StepMapTest, InOneThatNestsTheInnerCounts) {
  const StepMap map({{.step = 2, .start = 12, .end = 15},
                     {.step = 1, .start = 10, .end = 20}});
  EXPECT_EQ(map.At(11), 1);
  EXPECT_EQ(map.At(12), 2);
  EXPECT_EQ(map.At(15), 1);
  EXPECT_EQ(map.At(20), profile::kOutsideSteps);
}

TEST(StepMapTest, OfTwoThatOverlapTheLaterCounts) {
  const StepMap map({{.step = 1, .start = 10, .end = 20},
                     {.step = 2, .start = 15, .end = 25}});
  EXPECT_EQ(map.At(14), 1);
  EXPECT_EQ(map.At(15), 2);
  EXPECT_EQ(map.At(22), 2);
  EXPECT_EQ(map.At(25), profile::kOutsideSteps);
}

TEST(StepMapTest, AnEmptyStepHasNoMoment) {
  const StepMap map({{.step = 1, .start = 10, .end = 10}});
  EXPECT_EQ(map.At(10), profile::kOutsideSteps);
  EXPECT_FALSE(map.empty());
}

TEST(StepMapTest, TakesLinearTimeForNests) {
  std::vector<StepSpan> spans;
  for (int64_t i = 0; i < 200000; ++i) {
    spans.push_back({.step = i, .start = i, .end = 1000000 - i});
  }
  const StepMap map(spans);
  EXPECT_EQ(map.At(500000), 199999);
  EXPECT_EQ(map.At(1000000 - 5), 4);
}

}  // namespace
}  // namespace tfprof::xplane
