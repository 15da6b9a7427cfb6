#include "inspect/steps/explain.h"

#include <optional>
#include <string>
#include <vector>

#include "accounting/shaped_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "loaders/tensorflow/profile_testing.h"
#include "views/views.h"

namespace tfprof {
namespace {
namespace explain_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kCpu[] = "/job:w/device:CPU:0";

class ExplainTest : public ProfileTest {
 protected:
  Views& Made() {
    profile_ = Build();
    return views_.emplace(profile_);
  }
  // Four steps of equal length; in step 2, an additional operation takes 900.
  void OddSteps() {
    const NodeId a = Node("net/layer/mul", "MatMul");
    svd_ = Node("monitor/Svd", "Svd");
    for (int step = 0; step < 4; ++step) Ran(a, 1000, 100, step, kCpu);
    Ran(svd_, 1100, 900, 2, kCpu);
  }

  NodeId svd_ = kNone;
  Profile profile_;
  std::optional<Views> views_;
};

TEST_F(ExplainTest, TheChainGoesFromTheStepToTheScope) {
  OddSteps();
  Views& views = Made();
  const DataTable table = ExplainTable(views, 2, kNone);
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
  Views& views = Made();
  EXPECT_THAT(Column(ExplainTable(views, 0, kNone), "name"),
              ElementsAre("step 0", "cpu:0", "MatMul", "net/layer/mul", "net",
                          "net/layer"));
}

TEST_F(ExplainTest, ANodeMayBeNamed) {
  OddSteps();
  Views& views = Made();
  const NodeId mul =
      *views.profile()
           .NodesNamed(views.profile().strings().Find("net/layer/mul"))
           .begin();
  EXPECT_THAT(Column(ExplainTable(views, 2, mul), "name"),
              Contains("net/layer/mul"));
}

TEST_F(ExplainTest, MuchIdleTimeIsALink) {
  const NodeId a = Node("a", "MatMul");
  Ran(a, 1000, 100, 0, kCpu);
  Ran(a, 1900, 100, 0, kCpu);
  Views& views = Made();
  EXPECT_THAT(
      Rows(ExplainTable(views, 0, kNone), {"part", "micros", "time_is"}),
      Contains("device 800 idle"));
}

TEST_F(ExplainTest, WithoutAnotherStepNothingIsMore) {
  Ran(Node("a", "MatMul"), 1000, 100, 0, kCpu);
  Views& views = Made();
  const DataTable table = ExplainTable(views, 0, kNone);
  EXPECT_THAT(Column(table, "more_micros"), testing::Each("-"));
  EXPECT_THAT(Fact(table, "why"), HasSubstr("no other step"));
}

TEST_F(ExplainTest, SumsAboveTheWallTimeAreExplained) {
  RanOn(Node("a", "MatMul"), "/job:w/device:CPU:0", 1000, 30);
  RanOn(Node("b", "MatMul"), "/job:w/device:CPU:0", 1000, 30);
  Views& views = Made();
  EXPECT_THAT(Fact(ExplainTable(views, 0, kNone), "note"),
              HasSubstr("lanes work at the same time"));
}

TEST_F(ExplainTest, TheOddStepIsExplainedFirst) {
  OddSteps();
  Views& views = Made();
  EXPECT_EQ(*StepToExplain(views), 2);
  EXPECT_EQ(*StepOfNode(views, svd_), 2);
}

TEST_F(ExplainTest, WithoutTimesThereIsNothingToExplain) {
  const NodeId a = Node("a", "MatMul");
  Views& views = Made();
  EXPECT_TRUE(absl::IsFailedPrecondition(StepToExplain(views).status()));
  EXPECT_THAT(std::string(StepOfNode(views, a).status().message()),
              HasSubstr("a ran in no step"));
}

TEST_F(ExplainTest, NamesWithBlanksAreQuotedInCommands) {
  Ran(Node("a b", "MatMul"), 1000, 100, 0, kCpu);
  Views& views = Made();
  EXPECT_THAT(Column(ExplainTable(views, 0, kNone), "see"),
              Contains("show 'a b' -step 0"));
}

TEST(ExplainShapedTest, TracesWithCallStacksEndInALine) {
  const Profile profile = ShapedModel();
  Views views(profile);
  const DataTable table =
      ExplainTable(views, profile.steps()[0]->id, ShapedNodes().dot);
  EXPECT_THAT(Column(table, "part"), Contains("line"));
}

}  // namespace explain_test
}  // namespace
}  // namespace tfprof
