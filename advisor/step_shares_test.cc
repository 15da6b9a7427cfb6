#include "advisor/step_shares.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/profile_testing.h"
#include "views/views.h"

namespace tfprof::advisor {
namespace {
namespace step_shares_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kCpu[] = "/job:w/device:CPU:0";
constexpr char kGpu[] = "/job:w/device:GPU:0";

// A share of `micros` in steps of 10 ms each.
StepShare ShareOf(const std::vector<int64_t>& micros) {
  StepShare share;
  profile::Step step;
  for (const int64_t m : micros) {
    ++step.id;
    share.Add(step, 10000, m);
  }
  return share;
}

TEST(StepShareTest, AddsUpStepsAndKeepsTheWorst) {
  const StepShare share = ShareOf({1000, 5000, 3000});
  EXPECT_DOUBLE_EQ(share.share(), 0.3);
  EXPECT_EQ(share.micros_per_step(), 3000);
  EXPECT_EQ(share.worst_step, 2);
  EXPECT_DOUBLE_EQ(share.worst_share, 0.5);
}

TEST(NameAndOpTest, ANameThatIsTheTypeIsNotRepeated) {
  EXPECT_EQ(NameAndOp("layer/x", "MatMul"), "layer/x (MatMul)");
  EXPECT_EQ(NameAndOp("aten::mm", "aten::mm"), "aten::mm");
}

TEST(StepShareTest, OfEqualSharesTheFirstStepIsTheWorst) {
  EXPECT_EQ(ShareOf({0, 0}).worst_step, 1);
  EXPECT_EQ(ShareOf({7, 7}).worst_step, 1);
}

TEST(StepShareTest, TextHasAveragesOfSeveralSteps) {
  EXPECT_EQ(ShareOf({4120}).Text(), "41.2% of the step (4.12ms of 10.00ms)");
  EXPECT_EQ(ShareOf({1000, 5000}).Text(),
            "30.0% of 2 steps (3.00ms of 10.00ms)");
}

TEST(StepShareTest, HalfOfTheTimeIsCritical) {
  const Finding warning = ShareOf({4999}).MakeFinding("idle", 0.3);
  EXPECT_EQ(warning.severity, Finding::Severity::kWarning);
  EXPECT_EQ(warning.rule, "idle");
  EXPECT_EQ(warning.threshold, 0.3);
  EXPECT_EQ(warning.saving_micros, 4999);
  EXPECT_EQ(ShareOf({5000}).MakeFinding("idle", 0.3).severity,
            Finding::Severity::kCritical);
}

class StepSharesTest : public tensorflow::ProfileTest {
 protected:
  // "step span" for each judged task.
  std::vector<std::string> Judged(double min_step) {
    const profile::Profile profile = Build();
    views::Views views(profile);
    std::vector<std::string> tasks;
    ForEachProcess(
        views, min_step,
        [&](const profile::Step& step, const ProcessStep& process) {
          tasks.push_back(fmt::format("{} {}", step.id, process.span));
        });
    return tasks;
  }
  std::vector<std::string> Missing(bool needs_kernels) {
    const profile::Profile profile = Build();
    views::Views views(profile);
    std::vector<std::string> notes;
    NoteMissing(views, "SomeChecker", needs_kernels, notes);
    return notes;
  }
};

TEST_F(StepSharesTest, ShortStepsAreNotJudged) {
  const profile::NodeId a = Node("a", "Op");
  RanOn(a, kCpu, 1000, 999, 1);
  RanOn(a, kCpu, 1000, 1000, 2);
  EXPECT_THAT(Judged(1000), ElementsAre("2 1000"));
}

TEST_F(StepSharesTest, EachTaskIsJudgedByItself) {
  const profile::NodeId a = Node("a", "Op");
  RanOn(a, "/job:ps/cpu:0", 1000, 2000);
  RanOn(a, "/job:w/cpu:0", 1000, 3000);
  EXPECT_THAT(Judged(1000), ElementsAre("0 2000", "0 3000"));
}

TEST_F(StepSharesTest, StepsKeptAsSumsAreNotJudged) {
  builder_.SetMaxMemory(1);
  RanOn(Node("a", "Op"), kCpu, 1000, 5000);
  EXPECT_THAT(Judged(1000), IsEmpty());
}

TEST_F(StepSharesTest, NothingIsMissingOnACpu) {
  RanOn(Node("a", "Op"), kCpu, 1000, 5000);
  EXPECT_THAT(Missing(/*needs_kernels=*/true), IsEmpty());
}

TEST_F(StepSharesTest, AGpuWithoutStreamsLacksItsKernels) {
  RanOn(Node("a", "Op"), kGpu, 1000, 5000);
  EXPECT_THAT(Missing(/*needs_kernels=*/true),
              ElementsAre("Missing GPU stream records. Skip SomeChecker"));
}

TEST_F(StepSharesTest, KernelsAreOnlyMissedIfTheyAreNeeded) {
  RanOn(Node("a", "Op"), kGpu, 1000, 5000);
  EXPECT_THAT(Missing(/*needs_kernels=*/false), IsEmpty());
}

TEST_F(StepSharesTest, DroppedExecutionsAreNotedOnce) {
  builder_.SetMaxMemory(1);
  const profile::NodeId a = Node("a", "Op");
  RanOn(a, kGpu, 1000, 5000, 1);
  RanOn(a, kGpu, 1000, 5000, 2);
  EXPECT_THAT(Missing(/*needs_kernels=*/true),
              ElementsAre("Missing single executions, which --max_memory "
                          "dropped. Skip SomeChecker"));
}

TEST(LargestTextTest, ThreeOpsByTheirAverage) {
  const OpSums sums = {
      {"Add", 300}, {"MatMul", 9000}, {"Mul", 300}, {"Neg", 30}};
  EXPECT_EQ(LargestText(sums, 3, /*micros=*/true),
            "MatMul 3.00ms, Add 100us, Mul 100us");
  EXPECT_EQ(LargestText(sums, 1, /*micros=*/false),
            "MatMul 9.00k, Add 300, Mul 300");
  EXPECT_EQ(LargestText({}, 1, /*micros=*/false), "");
}

TEST(TimelineCommandTest, IsOfOneStep) {
  EXPECT_EQ(TimelineCommand(7),
            "graph -step 7 -max_depth 100000 -output "
            "timeline:outfile=timeline.json");
}

}  // namespace step_shares_test
}  // namespace
}  // namespace tfprof::advisor
