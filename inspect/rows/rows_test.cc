#include "inspect/rows/rows.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/self_time_rules.h"
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
  // Those with a row for each event are not made unless they are named.
  EXPECT_EQ(names, std::vector<std::string>(RowTables().begin(),
                                            RowTables().end() - 2));
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

// The runs of all steps are found together, those of one step alone: devices
// whose steps overlap, runs inside of others, lanes on which runs cross, and
// hosts with an account of their own.
TEST(RowsOfStepsTest, AllStepsHaveTheRowsOfEachStep) {
  std::mt19937 random(7);
  const auto number = [&](int end) { return static_cast<int>(random() % end); };
  for (int repeat = 0; repeat < 50; ++repeat) {
    timeline::TraceModel model;
    const int num_steps = 1 + number(4);
    const std::array nodes = {model.Op("gemm"), model.Op("all-reduce"),
                              model.Op("copy")};
    const auto add = [&](profile::LaneId lane, int count) {
      for (int i = 0; i < count; ++i) {
        const int step = number(num_steps);
        model.Add({.node = nodes[static_cast<size_t>(number(3))],
                   .lane = lane,
                   .start = 40 * step + number(60),
                   .duration = number(20),
                   .step = step});
      }
    };
    for (int gpu = 0; gpu < 2; ++gpu) {
      add(model.Stream(gpu, 7, profile::LaneKind::kKernels), 2 + number(5));
      add(model.Stream(gpu, 8, profile::LaneKind::kKernels), number(10));
      add(model.Stream(gpu, 9, profile::LaneKind::kCopies), number(3));
    }
    add(model.Ops(), 3);
    add(model.Launches(), 3);
    if (repeat % 3 == 0) {
      model.NextRank(1);
      add(model.Ops(), 6);
    }
    if (repeat % 2 == 0) {
      for (int step = 0; step < num_steps; ++step) {
        model.builder().AddStepInterval(
            {.step = step, .start = 40 * step, .end = 40 * step + 40});
      }
    }
    const profile::Profile profile = std::move(model).Build();
    // In views of their own, which share no results.
    const auto rows_of = [&](int64_t step, std::vector<std::string>& rows) {
      views::Views views(profile);
      RowOptions options = {.tables = {"steps", "collectives"}};
      options.view.step = step;
      for (const auto& part : RowsDocument(views, options).parts) {
        std::vector<std::string_view> columns;
        for (const tables::DataColumn& column : part.table.columns) {
          columns.push_back(column.name);
        }
        for (std::string& row : Rows(part.table, columns)) {
          rows.push_back(part.table.kind + ' ' + std::move(row));
        }
      }
    };
    std::vector<std::string> all, each;
    rows_of(-1, all);
    for (const auto& step : profile.steps()) {
      if (step->listed) rows_of(step->id, each);
    }
    std::ranges::stable_sort(each, std::ranges::greater(),
                             [](const std::string& row) { return row[0]; });
    EXPECT_EQ(all, each);
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

TEST(ExecutionRowsTest, CallsHaveParentsOwnTimesAndLaunches) {
  timeline::TraceModel model;
  model.builder().SetRules(accounting::SelfTimeRules());
  const profile::NodeId outer = model.Op("outer"), inner = model.Op("inner");
  const profile::LaneId ops = model.Ops();
  const profile::LaneId stream =
      model.Stream(0, 7, profile::LaneKind::kKernels);
  model.Add({.name = "outer",
             .node = outer,
             .lane = ops,
             .start = 100,
             .duration = 50,
             .self = 30});
  model.Add({.name = "inner",
             .node = inner,
             .lane = ops,
             .start = 110,
             .duration = 20,
             .self = 15});
  const int call = model.Add({.name = "cudaLaunchKernel",
                              .node = inner,
                              .lane = model.Launches(),
                              .start = 115,
                              .duration = 5});
  // A kernel that begins inside of a call of the host is not inside of it.
  model.Add({.name = "gemm",
             .node = inner,
             .lane = stream,
             .start = 120,
             .duration = 400,
             .launch = call});
  model.Add({.name = "mark", .lane = ops, .start = 900, .duration = 1});
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  const tables::DataDocument document =
      RowsDocument(views, {.tables = {"executions", "links"}});
  EXPECT_THAT(
      Rows(document.parts[0].table,
           {"id", "name", "op", "kind", "device", "start_nanos", "end_nanos",
            "self_nanos", "parent", "launched_by"}),
      ElementsAre("0 outer outer compute cpu:0 100 150 30 - -",
                  "1 inner inner compute cpu:0 110 130 15 0 -",
                  "2 gemm inner kernels gpu:0 120 520 400 - 3",
                  "3 cudaLaunchKernel inner launches cpu:0 115 120 5 1 -",
                  "4 mark - compute cpu:0 900 901 0 - -"));
  EXPECT_THAT(Rows(document.parts[1].table, {"kind", "from_id", "to_id"}),
              ElementsAre("launch 3 2"));
}

TEST(ExecutionRowsTest, OwnTimesThatDoNotAddUpAreNotKnown) {
  timeline::TraceModel model;
  model.builder().SetRules(accounting::SelfTimeRules());
  const profile::NodeId op = model.Op("op");
  // The loader knows better than the columns: 7 + 8 is not 10 + 10.
  model.Add(
      {.node = op, .lane = model.Ops(), .start = 0, .duration = 10, .self = 7});
  model.Add({.node = op,
             .lane = model.Ops(),
             .start = 20,
             .duration = 10,
             .self = 8});
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  const tables::DataDocument document =
      RowsDocument(views, {.tables = {"executions"}});
  EXPECT_THAT(Rows(document.parts[0].table, {"self_nanos"}),
              ElementsAre("-", "-"));
  std::map<std::string, std::string> facts;
  for (const auto& [column, cell] : document.facts) {
    facts[column.name] = CellText(cell);
  }
  EXPECT_EQ(facts["executions_without_self"], "2");
  EXPECT_EQ(facts["nanos_without_self"], "15");
}

TEST_F(RowsTest, ExecutionsHaveTheTimesOfTheReference) {
  const profile::NodeId a = Node("a", "MatMul");
  RanOn(a, "/job:w/device:CPU:0", 100, 30);
  RanOn(a, "/job:w/device:CPU:0", 140, 0);
  EXPECT_THAT(
      Rows(Table("executions"),
           {"step", "op", "node", "start_nanos", "self_nanos", "repeated"}),
      ElementsAre("0 MatMul a 100000 30000 0", "0 MatMul a 140000 1000 0"));
}

TEST(ExecutionRowsTest, AStepHasItsRowsAndTheNumbersOfTheProfile) {
  timeline::TraceModel model;
  const profile::NodeId op = model.Op("op");
  for (int step = 0; step < 3; ++step) {
    model.Add({.node = op,
               .lane = model.Ops(),
               .start = 100 * step,
               .duration = 10,
               .step = step});
  }
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  RowOptions options = {.tables = {"executions"}};
  options.view.step = 1;
  const tables::DataDocument document = RowsDocument(views, options);
  EXPECT_THAT(Rows(document.parts[0].table, {"id", "step", "start_nanos"}),
              ElementsAre("1 1 100"));
}

// Its own time may be a wait for another thread, so it is no operation.
TEST(OpRowsTest, ARangeBesideAnAcceleratorIsAFrame) {
  timeline::TraceModel model;
  const profile::NodeId range = model.Op("backward");
  model.builder().SetScope(
      range, model.builder().AddScope(profile::kRootScope, "backward"));
  model.Add({.node = range,
             .lane = model.Thread(1, profile::LaneKind::kCompute),
             .start = 0,
             .duration = 50});
  model.Add({.node = model.Op("gemm"),
             .lane = model.Stream(0, 7, profile::LaneKind::kKernels),
             .start = 10,
             .duration = 20});
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  const tables::DataDocument document =
      RowsDocument(views, {.tables = {"ops"}});
  EXPECT_THAT(Rows(document.parts[0].table, {"name", "class"}),
              ElementsAre("backward frame", "gemm compute"));
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
