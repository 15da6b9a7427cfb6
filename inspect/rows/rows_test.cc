#include "inspect/rows/rows.h"

#include <map>
#include <string>
#include <vector>

#include "accounting/shaped_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "loaders/tensorflow/profile_testing.h"
#include "timeline/account/op_class.h"
#include "timeline/trace_testing.h"

namespace tfprof::inspect {
namespace {

using ::testing::ElementsAre;

class RowsTest : public tensorflow::ProfileTest {
 protected:
  tables::DataTable Table(std::string name) {
    profile_ = Build();
    views_.emplace(profile_);
    tables::DataDocument document =
        RowsDocument(*views_, {.tables = {std::move(name)}});
    EXPECT_EQ(document.parts.size(), 1u);
    return document.parts[0].table;
  }
  profile::Profile profile_;
  std::optional<views::Views> views_;
};

TEST_F(RowsTest, OperationsHaveTheirOwnTimeInEachStep) {
  const profile::NodeId a = Node("a", "MatMul"), b = Node("b", "MatMul");
  const profile::NodeId r = Node("r", "_Recv");
  RanOn(a, "/job:w/device:CPU:0", 100, 30);
  RanOn(b, "/job:w/device:CPU:0", 140, 5);
  RanOn(r, "/job:w/device:CPU:0", 150, 7);
  EXPECT_THAT(
      Rows(Table("ops"), {"step", "name", "class", "runs", "self_nanos"}),
      ElementsAre("0 MatMul compute 2 35000", "0 _Recv collective 1 7000"));
}

TEST_F(RowsTest, ThePartsOfAStepAddUpToItsWallTime) {
  RanOn(Node("a", "MatMul"), "/job:w/device:CPU:0", 100, 30);
  RanOn(Node("r", "_Recv"), "/job:w/device:CPU:0", 120, 40);
  RanOn(Node("b", "MatMul"), "/job:w/device:CPU:0", 180, 10);
  EXPECT_THAT(Rows(Table("steps"),
                   {"step", "accelerator", "wall_nanos", "compute_nanos",
                    "communication_nanos", "exposed_communication_nanos",
                    "copies_nanos", "idle_nanos"}),
              ElementsAre("0 0 90000 40000 40000 30000 0 20000"));
}

TEST_F(RowsTest, TheAccountHasTheSameSum) {
  RanOn(Node("a", "MatMul"), "/job:w/device:CPU:0", 100, 30);
  RanOn(Node("r", "_Recv"), "/job:w/device:CPU:0", 120, 40);
  int64_t sum = 0;
  for (const std::string& row : Rows(Table("account"), {"nanos"})) {
    sum += std::stoll(row);
  }
  EXPECT_EQ(sum, 60000);
}

TEST_F(RowsTest, CollectivesHaveTimesAndNoInventedValues) {
  RanOn(Node("r", "_Recv"), "/job:w/device:CPU:0", 120, 40);
  const tables::DataTable table = Table("collectives");
  EXPECT_THAT(Rows(table, {"step", "kind", "sequence", "communicator"}),
              ElementsAre("0 _Recv - -"));
}

TEST(RowsOfShapedModelTest, AllTablesAreThereInOrder) {
  const profile::Profile profile = accounting::ShapedModel();
  views::Views views(profile);
  const tables::DataDocument document = RowsDocument(views, {});
  std::vector<std::string> names;
  for (const auto& part : document.parts) names.push_back(part.table.kind);
  EXPECT_EQ(names,
            std::vector<std::string>(RowTables().begin(), RowTables().end()));
}

TEST(RowsOfShapedModelTest, ScopesAreOfEachStep) {
  const profile::Profile profile = accounting::ShapedModel();
  views::Views views(profile);
  const tables::DataDocument document =
      RowsDocument(views, {.tables = {"scopes"}, .depth = 1});
  std::map<std::string, int> rows;
  for (const std::string& step : Rows(document.parts[0].table, {"step"})) {
    ++rows[step];
  }
  EXPECT_EQ(rows.size(), 2u);
  for (const std::string& depth : Rows(document.parts[0].table, {"depth"})) {
    EXPECT_EQ(depth, "1");
  }
}

TEST(RowsOfCountersTest, AStepHasTheHighestLevelAlsoFromBefore) {
  timeline::TraceModel model;
  profile::StringPool& strings = model.graph().strings;
  const profile::LaneId ops = model.Ops();
  for (int step = 0; step < 3; ++step) {
    model.Add({.node = model.Op("op"),
               .lane = ops,
               .start = 1000 * step,
               .duration = 900,
               .step = step});
    model.builder().AddStepInterval(
        {.step = step, .start = 1000 * step, .end = 1000 * step + 1000});
  }
  model.builder().AddCounter({.name = strings.Intern("heap"),
                              .unit = strings.Intern("bytes"),
                              .kind = profile::Counter::Kind::kChange,
                              .process = model.process()},
                             {{50, 100}, {150, 600}, {300, -200}, {2100, 50}});
  model.builder().AddCounter({.name = strings.Intern("load"),
                              .unit = strings.Intern("%"),
                              .process = model.process()},
                             {{50, 70}});
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  const tables::DataDocument document =
      RowsDocument(views, {.tables = {"memory"}});
  EXPECT_THAT(
      Rows(document.parts[0].table, {"step", "counter", "counter_peak_bytes"}),
      ElementsAre("0 heap 700", "1 heap 500", "2 heap 550"));
}

TEST(OpClassTest, EachKindOfWorkHasAClass) {
  const timeline::CommunicationRules rules;
  const auto of = [&](std::string_view op) {
    return std::string(timeline::OpClassName(timeline::ClassOfOp(rules, op)));
  };
  EXPECT_EQ(of("MatMul"), "compute");
  EXPECT_EQ(of("ncclDevKernel_AllReduce_Sum_f32"), "collective");
  EXPECT_EQ(of("IteratorGetNext"), "input");
  EXPECT_EQ(of("cudaStreamSynchronize"), "wait");
}

}  // namespace
}  // namespace tfprof::inspect
