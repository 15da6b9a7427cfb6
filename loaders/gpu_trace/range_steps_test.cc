#include "loaders/gpu_trace/range_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace tfprof::gpu_trace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NumberedNameTest, TheNumberIsAtTheEnd) {
  EXPECT_EQ(ReadNumberedName("step 3").row, "step *");
  EXPECT_EQ(ReadNumberedName("step 3").number, 3);
  EXPECT_EQ(ReadNumberedName("iteration12").row, "iteration*");
  EXPECT_EQ(ReadNumberedName("ProfilerStep#7").row, "ProfilerStep*");
  EXPECT_EQ(ReadNumberedName("train [4]").row, "train [*]");
  EXPECT_EQ(ReadNumberedName("train [4]").number, 4);
  for (const std::string_view name :
       {"", "step", "3", "3 steps", "#", "99999999999999999999",
        "step 99999999999999999999"}) {
    EXPECT_EQ(ReadNumberedName(name).number, -1) << name;
    EXPECT_EQ(ReadNumberedName(name).row, name);
  }
}

class RangeStepsTest : public ::testing::Test {
 protected:
  uint32_t Add(std::string_view name, int64_t start, int64_t end,
               HostKind kind = HostKind::kRange, int64_t thread = 1) {
    const profile::StringId text = strings_.Intern(name);
    trace_.host.push_back({.start = start,
                           .end = end,
                           .op = text,
                           .text = text,
                           .thread = trace_.Thread(9, thread),
                           .kind = kind});
    return static_cast<uint32_t>(trace_.host.size() - 1);
  }
  void Launch(int64_t start, int64_t thread = 1) {
    const uint32_t launch =
        Add("cudaLaunchKernel", start, start + 1, HostKind::kCall, thread);
    trace_.work.push_back(
        {.start = start + 2, .end = start + 5, .launch = launch});
  }
  // Adds a range that launches in its middle.
  void Working(std::string_view name, int64_t start, int64_t thread = 1) {
    Add(name, start, start + 80, HostKind::kRange, thread);
    Launch(start + 40, thread);
  }
  std::vector<std::string> Find() {
    FindRangeSteps(trace_, strings_);
    std::vector<std::string> steps;
    for (const TraceStep& step : trace_.steps) {
      std::string text = std::to_string(step.number);
      text += ' ';
      text += strings_.Get(trace_.host[step.range].text);
      steps.push_back(std::move(text));
    }
    return steps;
  }
  std::string_view Op(size_t event) {
    return strings_.Get(trace_.host[event].op);
  }

  profile::StringPool strings_;
  GpuTrace trace_;
};

TEST_F(RangeStepsTest, NumbersThatCountUp) {
  Working("step 7", 0);
  Working("step 8", 100);
  Working("step 10", 300);
  Working("other", 400);
  EXPECT_THAT(Find(), ElementsAre("7 step 7", "8 step 8", "10 step 10"));
  EXPECT_EQ(Op(0), "step 7") << "three names are no clutter";
}

TEST_F(RangeStepsTest, ManyNumbersAreOneOperation) {
  for (int64_t i = 0; i < 5; ++i) {
    Working("decode " + std::to_string(i), 100 * i);
  }
  EXPECT_THAT(Find(), testing::SizeIs(5));
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(Op(2 * i), "decode *");
}

TEST_F(RangeStepsTest, OneNameAgainAndAgain) {
  for (int64_t i = 0; i < 3; ++i) {
    Add("data", 100 * i, 100 * i + 10);
    Working("train_step", 100 * i + 10);
  }
  EXPECT_THAT(Find(),
              ElementsAre("0 train_step", "1 train_step", "2 train_step"));
}

TEST_F(RangeStepsTest, OneNameMustHaveNearlyAllLaunches) {
  for (int64_t i = 0; i < 3; ++i) {
    Working("forward", 200 * i);
    Working("backward", 200 * i + 100);
  }
  EXPECT_THAT(Find(), IsEmpty());
}

TEST_F(RangeStepsTest, RangesAroundEverythingAndEpochsAreOutside) {
  Add("train", 0, 1000);
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    Add("epoch " + std::to_string(epoch), 500 * epoch, 500 * epoch + 400);
    Working("step " + std::to_string(2 * epoch), 500 * epoch);
    Working("step " + std::to_string(2 * epoch + 1), 500 * epoch + 100);
  }
  EXPECT_THAT(Find(),
              ElementsAre("0 step 0", "1 step 1", "2 step 2", "3 step 3"));
}

TEST_F(RangeStepsTest, PartsOfAStepAreNoSteps) {
  Working("layer 0", 0);
  Working("layer 1", 100);
  EXPECT_THAT(Find(), IsEmpty());
  EXPECT_EQ(Op(0), "layer 0");
}

TEST_F(RangeStepsTest, NumbersThatBeginAgainAreNoSteps) {
  for (int64_t i = 0; i < 4; ++i) {
    Working("piece " + std::to_string(i % 2), 100 * i);
  }
  EXPECT_THAT(Find(), IsEmpty());
  EXPECT_EQ(Op(0), "piece 0");
}

TEST_F(RangeStepsTest, RangesThatOverlapAreNoSteps) {
  Working("step 0", 0);
  Working("step 1", 70);
  EXPECT_THAT(Find(), IsEmpty());
}

TEST_F(RangeStepsTest, RangesThatLaunchNothingAreNoSteps) {
  Add("batch 0", 0, 10, HostKind::kRange, 2);
  Add("batch 1", 500, 510, HostKind::kRange, 2);
  Launch(50);
  EXPECT_THAT(Find(), IsEmpty());
}

TEST_F(RangeStepsTest, AnotherThreadMayLaunch) {
  for (int64_t i = 0; i < 2; ++i) {
    Add("step " + std::to_string(i), 100 * i, 100 * i + 90);
    Launch(100 * i + 50, 2);
  }
  EXPECT_THAT(Find(), ElementsAre("0 step 0", "1 step 1"));
}

}  // namespace
}  // namespace tfprof::gpu_trace
