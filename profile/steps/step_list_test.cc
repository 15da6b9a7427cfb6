#include "profile/steps/step_list.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::profile {
namespace {

TEST(StepListTest, Parses) {
  EXPECT_EQ(ParseStepList("3"), (StepList{{3, 3}}));
  EXPECT_EQ(ParseStepList("3,5-7,0"), (StepList{{3, 3}, {5, 7}, {0, 0}}));
  EXPECT_EQ(ParseStepList("9223372036854775807"),
            (StepList{{INT64_MAX, INT64_MAX}}));
  for (const char* bad : {"", ",", "3,", "-3", "5-", "7-5", "x", "3 ,4", "3-x",
                          "9223372036854775808"}) {
    EXPECT_FALSE(ParseStepList(bad)) << bad;
  }
}

TEST(StepListTest, FormatsAndContains) {
  const StepList list = {{3, 3}, {5, 7}};
  EXPECT_EQ(FormatStepList(list), "3,5-7");
  EXPECT_TRUE(Contains(list, 6));
  EXPECT_FALSE(Contains(list, 4));
  const std::vector<int64_t> steps = {-4, 0, 1, 5, 6, 7, 9, INT64_MAX};
  EXPECT_EQ(FormatSteps(steps), "-4,0,1,5-7,9,9223372036854775807");
}

TEST(StepListTest, RangesMayOverlapAndRepeat) {
  const std::optional<StepList> list = ParseStepList("5-7,6,6,0-0");
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(*list, (StepList{{5, 7}, {6, 6}, {6, 6}, {0, 0}}));
  EXPECT_EQ(FormatStepList(*list), "5-7,6,6,0");
}

TEST(StepListTest, OnlyPlainNumbersAreSteps) {
  EXPECT_EQ(ParseStepList("007"), (StepList{{7, 7}}));
  for (const char* bad : {"+3", " 3", "3 ", "0x3", "3.0", "1-2-3", "1--2",
                          "1,,2", "1;2", "1-9223372036854775808"}) {
    EXPECT_FALSE(ParseStepList(bad)) << bad;
  }
}

TEST(StepListTest, RangesIncludeBothEnds) {
  const StepList list = {{5, 7}, {INT64_MAX, INT64_MAX}};
  for (const int64_t step : {int64_t{5}, int64_t{7}, INT64_MAX}) {
    EXPECT_TRUE(Contains(list, step)) << step;
  }
  for (const int64_t step : {int64_t{4}, int64_t{8}, INT64_MAX - 1}) {
    EXPECT_FALSE(Contains(list, step)) << step;
  }
  EXPECT_FALSE(Contains({}, 0));
}

TEST(StepListTest, AnEmptyListHasNoText) {
  EXPECT_EQ(FormatStepList({}), "");
  EXPECT_EQ(FormatSteps({}), "");
}

TEST(StepListTest, OnlyThreeConsecutiveStepsAreARange) {
  EXPECT_EQ(FormatSteps(std::vector<int64_t>{1, 2}), "1,2");
  EXPECT_EQ(FormatSteps(std::vector<int64_t>{1, 2, 3}), "1-3");
  EXPECT_EQ(FormatSteps(std::vector<int64_t>{1, 3, 5}), "1,3,5");
  EXPECT_EQ(FormatSteps(
                std::vector<int64_t>{INT64_MAX - 2, INT64_MAX - 1, INT64_MAX}),
            "9223372036854775805-9223372036854775807");
}

TEST(StepListTest, AFormattedListParsesToTheSameSteps) {
  const std::vector<int64_t> steps = {0, 1, 2, 3, 7, 9, 10, 100};
  const std::optional<StepList> list = ParseStepList(FormatSteps(steps));
  ASSERT_TRUE(list.has_value());
  size_t contained = 0;
  for (int64_t step = 0; step <= 101; ++step) {
    contained += Contains(*list, step);
  }
  EXPECT_EQ(contained, steps.size());
  for (const int64_t step : steps) EXPECT_TRUE(Contains(*list, step)) << step;
}

}  // namespace
}  // namespace tfprof::profile
