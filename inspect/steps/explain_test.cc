#include "inspect/steps/explain.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "accounting/shaped_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "loaders/tensorflow/profile_testing.h"
#include "timeline/trace_testing.h"
#include "views/views.h"

namespace tfprof::inspect {
namespace {
namespace explain_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kCpu[] = "/job:w/device:CPU:0";

class ExplainTest : public tensorflow::ProfileTest {
 protected:
  views::Views& Made() {
    profile_ = Build();
    return views_.emplace(profile_);
  }
  // Four steps of equal length; in step 2, an additional operation takes 900.
  void OddSteps() {
    const profile::NodeId a = Node("net/layer/mul", "MatMul");
    svd_ = Node("monitor/Svd", "Svd");
    for (int step = 0; step < 4; ++step) Ran(a, 1000, 100, step, kCpu);
    Ran(svd_, 1100, 900, 2, kCpu);
  }

  profile::NodeId svd_ = profile::kNone;
  profile::Profile profile_;
  std::optional<views::Views> views_;
};

TEST_F(ExplainTest, TheChainGoesFromTheStepToTheScope) {
  OddSteps();
  views::Views& views = Made();
  const tables::DataTable table = ExplainTable(views, 2, profile::kNone);
  EXPECT_THAT(
      Rows(table, {"part", "name", "micros", "time_is", "more_micros"}),
      ElementsAre("step step 2 1000 wall 900", "device cpu:0 1000 busy 900",
                  "op Svd 900 sum of op times 900",
                  "node monitor/Svd 900 sum of op times 900",
                  "scope monitor 900 cumulative 900"));
  EXPECT_EQ(Fact(table, "why"),
            "step 2 takes 1.00ms, 10.00 times the typical step 0 (100us)");
  EXPECT_THAT(
      Column(table, "see"),
      ElementsAre("steps", "devices -step 2", "op -step 2 -order_by micros",
                  "show monitor/Svd -step 2", "ls /monitor -step 2"));
}

TEST_F(ExplainTest, ATypicalStepIsExplainedByWhatTakesMost) {
  OddSteps();
  views::Views& views = Made();
  EXPECT_THAT(Column(ExplainTable(views, 0, profile::kNone), "name"),
              ElementsAre("step 0", "cpu:0", "MatMul", "net/layer/mul", "net",
                          "net/layer"));
}

TEST_F(ExplainTest, ANodeMayBeNamed) {
  OddSteps();
  views::Views& views = Made();
  const profile::NodeId mul =
      *views.profile()
           .NodesNamed(views.profile().strings().Find("net/layer/mul"))
           .begin();
  EXPECT_THAT(Column(ExplainTable(views, 2, mul), "name"),
              Contains("net/layer/mul"));
}

TEST_F(ExplainTest, MuchIdleTimeIsALink) {
  const profile::NodeId a = Node("a", "MatMul");
  Ran(a, 1000, 100, 0, kCpu);
  Ran(a, 1900, 100, 0, kCpu);
  views::Views& views = Made();
  EXPECT_THAT(Rows(ExplainTable(views, 0, profile::kNone),
                   {"part", "micros", "time_is"}),
              Contains("device 800 idle"));
}

TEST_F(ExplainTest, WithoutAnotherStepNothingIsMore) {
  Ran(Node("a", "MatMul"), 1000, 100, 0, kCpu);
  views::Views& views = Made();
  const tables::DataTable table = ExplainTable(views, 0, profile::kNone);
  EXPECT_THAT(Column(table, "more_micros"), testing::Each("-"));
  EXPECT_THAT(Fact(table, "why"), HasSubstr("no other step"));
}

TEST_F(ExplainTest, SumsAboveTheWallTimeAreExplained) {
  RanOn(Node("a", "MatMul"), "/job:w/device:CPU:0", 1000, 30);
  RanOn(Node("b", "MatMul"), "/job:w/device:CPU:0", 1000, 30);
  views::Views& views = Made();
  EXPECT_THAT(Fact(ExplainTable(views, 0, profile::kNone), "note"),
              HasSubstr("lanes work at the same time"));
}

TEST_F(ExplainTest, TheTypicalStepNamesTheOddOne) {
  OddSteps();
  views::Views& views = Made();
  const int64_t step = *StepToExplain(views);
  EXPECT_NE(step, 2);
  EXPECT_THAT(Fact(ExplainDocument(views, step).facts, "odd_step"),
              HasSubstr("explain step 2"));
  EXPECT_THAT(Fact(ExplainDocument(views, 2).facts, "odd_step"),
              "(no such fact)");
  EXPECT_EQ(*StepOfNode(views, svd_), 2);
}

TEST_F(ExplainTest, WithoutTimesThereIsNothingToExplain) {
  const profile::NodeId a = Node("a", "MatMul");
  views::Views& views = Made();
  EXPECT_TRUE(absl::IsFailedPrecondition(StepToExplain(views).status()));
  EXPECT_THAT(std::string(StepOfNode(views, a).status().message()),
              HasSubstr("a ran in no step"));
  profile::ProfileBuilder builder;
  builder.SetAllocators({{.name = "gpu:0"}});
  const profile::Profile snapshot = std::move(builder).Build();
  views::Views of_snapshot(snapshot);
  EXPECT_THAT(std::string(StepToExplain(of_snapshot).status().message()),
              HasSubstr("Try: memory"));
}

TEST_F(ExplainTest, NamesWithBlanksAreQuotedInCommands) {
  Ran(Node("a b", "MatMul"), 1000, 100, 0, kCpu);
  views::Views& views = Made();
  EXPECT_THAT(Column(ExplainTable(views, 0, profile::kNone), "see"),
              Contains("show 'a b' -step 0"));
}

// The host spends more time in an operation of its own, and the marker of the
// step more than both.
profile::Profile HostAndGpu(int64_t kernel) {
  timeline::TraceModel model;
  model.Add({.node = model.Op("ProfilerStep*"),
             .lane = model.Ops(),
             .start = 0,
             .duration = 10'000,
             .step = 1});
  model.Add({.node = model.Op("aten::nonzero_numpy"),
             .lane = model.Thread(2, profile::LaneKind::kCompute),
             .start = 0,
             .duration = 9'500,
             .step = 1});
  model.Add({.name = "gemm",
             .node = model.Op("aten::mm"),
             .lane = model.Stream(0, 7, profile::LaneKind::kKernels),
             .start = 1'000,
             .duration = kernel,
             .step = 1});
  model.kernels_are_runs = true;
  model.builder().AddStepInterval({.step = 1, .start = 0, .end = 10'000});
  return std::move(model).Build();
}

std::string OpOf(const profile::Profile& profile) {
  views::Views views(profile);
  const tables::DataTable table = ExplainTable(views, 1, profile::kNone);
  for (const std::string& row : Rows(table, {"part", "name"})) {
    if (row.starts_with("op ")) return row;
  }
  return "none";
}

TEST(ExplainGpuTest, TheOperationOfABusyAcceleratorIsNamed) {
  EXPECT_EQ(OpOf(HostAndGpu(9'000)), "op aten::mm");
}

TEST(ExplainGpuTest, TheHostIsNamedWhereItTakesLonger) {
  EXPECT_EQ(OpOf(HostAndGpu(500)), "op aten::nonzero_numpy");
}

TEST(ExplainShapedTest, TracesWithCallStacksEndInALine) {
  const profile::Profile profile = accounting::ShapedModel();
  views::Views views(profile);
  const tables::DataTable table = ExplainTable(views, profile.steps()[0]->id,
                                               accounting::ShapedNodes().dot);
  EXPECT_THAT(Column(table, "part"), Contains("line"));
}

}  // namespace explain_test
}  // namespace
}  // namespace tfprof::inspect
