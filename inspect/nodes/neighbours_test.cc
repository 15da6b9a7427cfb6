#include "inspect/nodes/neighbours.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "profile/graph_testing.h"

namespace tfprof::inspect {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using NeighboursTest = SmallModelTest;

// "position:name" of each edge.
std::vector<std::string> Names(const std::vector<Edge>& edges) {
  std::vector<std::string> names;
  for (const Edge& edge : edges) {
    names.push_back(fmt::format("{}:{}", edge.position, edge.name));
  }
  return names;
}

TEST_F(NeighboursTest, InputsAreInTheOrderOfTheirPosition) {
  EXPECT_THAT(Names(InputsOf(profile_, Node("Conv2D"))),
              ElementsAre("0:zeros", "1:DW/read"));
  EXPECT_THAT(InputsOf(profile_, Node("zeros")), IsEmpty());
}

TEST_F(NeighboursTest, ConsumersHaveThePositionOfTheirInput) {
  EXPECT_THAT(Names(ConsumersOf(profile_, Node("DW/read"))),
              ElementsAre("1:Conv2D"));
  EXPECT_THAT(Names(ConsumersOf(profile_, Node("DW"))),
              ElementsAre("0:DW/Assign", "0:DW/read"));
  EXPECT_THAT(ConsumersOf(profile_, Node("Conv2D_1")), IsEmpty());
}

TEST(NeighboursOfGraphsTest, AnInputThatIsNoNodeKeepsItsName) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  const profile::NodeId a =
      profile::AddNodeWithInputs(builder, "a", "Op", {"gone"}, {2});
  const profile::Profile profile = std::move(builder).Build();
  const std::vector<Edge> inputs = InputsOf(profile, a);
  ASSERT_EQ(inputs.size(), 1u);
  EXPECT_EQ(inputs[0].node, profile::kNone);
  EXPECT_EQ(inputs[0].name, "gone");
  views::Views views(profile);
  const tables::DataTable table = PeekTable(views, a, -1, 0);
  EXPECT_THAT(Rows(table, {"relation", "micros", "op", "name"}),
              ElementsAre("input - - gone", "node 0 Op a"));
  EXPECT_EQ(table.columns[5].nothing, kNotInGraph);
}

TEST(NeighboursOfGraphsTest, ControlInputsCarryNothing) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  const auto details = std::make_shared<FakeDetails>();
  details->inputs = {{}, {"a", "^a"}};
  const uint32_t input = builder.AddInput(details);
  profile::AddNodeWithInputs(builder, "a", "Op", {}, {2, 3});
  const profile::NodeId b =
      builder.AddNode("b", "Op", profile::MakeRecordRef(input, 1));
  profile::GraphTables& graph = builder.mutable_graph();
  builder.AddEdge(graph.strings.Intern("a"), 0, 0, 0);
  builder.AddEdge(graph.strings.Intern("a"), 1, 0, 0);
  const profile::Profile profile = std::move(builder).Build();
  const std::vector<Edge> inputs = InputsOf(profile, b);
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_FALSE(inputs[0].control);
  EXPECT_TRUE(inputs[1].control);
  views::Views views(profile);
  EXPECT_THAT(Rows(PeekTable(views, b, -1, 0), {"relation", "edge_shape"}),
              ElementsAre("input [2,3]", "input control", "node -"));
  EXPECT_THAT(Rows(PeekTable(views, 0, -1, 0), {"relation", "edge_shape"}),
              ElementsAre("node -", "consumer [2,3]", "consumer control"));
}

TEST(StepOfTest, TheLastStepInWhichTheNodeRan) {
  const profile::Profile profile = TwoSteps();
  const profile::NodeId a = 0, b = 1;
  EXPECT_EQ(StepOf(profile, -1, a)->id, 7);
  EXPECT_EQ(StepOf(profile, -1, b)->id, 3);
  EXPECT_EQ(StepOf(profile, 3, a)->id, 3);
}

TEST(StepOfTest, AStepWithoutTheNodeIsNone) {
  const profile::Profile profile = TwoSteps();
  EXPECT_EQ(StepOf(profile, 7, 1), nullptr);
  EXPECT_EQ(StepOf(profile, 5, 0), nullptr);
}

// One node with two records, for the outputs of slots 0 and 1.
profile::Profile WithOutputs(size_t max_memory = 0) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  if (max_memory > 0) builder.SetMaxMemory(max_memory);
  const auto details = std::make_shared<FakeDetails>();
  details->executions.resize(2);
  details->executions[0].memory.push_back(
      {.outputs = {{.slot = 0, .bytes = 8}, {.slot = 1, .bytes = 100}}});
  details->executions[1].memory.push_back(
      {.outputs = {{.slot = 0, .bytes = 16}}});
  const uint32_t input = builder.AddInput(details);
  const profile::LaneId cpu =
      tensorflow::DeviceLane("/device:CPU:0", builder.mutable_graph());
  const profile::NodeId a = builder.AddNode("a", "Op", profile::kNoRecord);
  std::vector<profile::ExecutionRecord> records;
  for (uint32_t i = 0; i < 2; ++i) {
    records.push_back({.node = a,
                       .lane = cpu,
                       .start = 10 + 10 * i,
                       .duration = 5,
                       .record = profile::MakeRecordRef(input, i)});
  }
  builder.AddExecutions(0, records, {});
  return std::move(builder).Build();
}

TEST(OutputBytesTest, TheLastRecordOfASlotCounts) {
  const profile::Profile profile = WithOutputs();
  EXPECT_THAT(OutputBytes(profile, profile.FindStep(0), 0),
              ElementsAre(Pair(0, 16), Pair(1, 100)));
}

TEST(OutputBytesTest, WithoutRecordsThereAreNone) {
  EXPECT_THAT(OutputBytes(WithOutputs(), nullptr, 0), IsEmpty());
  const profile::Profile dropped = WithOutputs(/*max_memory=*/1);
  EXPECT_THAT(OutputBytes(dropped, dropped.FindStep(0), 0), IsEmpty());
}

TEST_F(NeighboursTest, PeekShowsBothSides) {
  const tables::DataTable table = PeekTable(views_, Node("Conv2D"), -1, 0);
  EXPECT_EQ(table.kind, "peek");
  EXPECT_THAT(Column(table, "relation"),
              ElementsAre("input", "input", "node", "consumer"));
  EXPECT_THAT(Column(table, "name"),
              ElementsAre("zeros", "DW/read", "Conv2D", "Conv2D_1"));
  EXPECT_THAT(Column(table, "edge_shape"),
              ElementsAre("[2,6,6,3]", "[3,3,3,6]", "-", "[2,3,3,6]"));
}

TEST_F(NeighboursTest, SharesAreOfTheTimeOfAllNodes) {
  EXPECT_THAT(
      Rows(PeekTable(views_, Node("Conv2D"), 0, 0), {"micros", "micros_share"}),
      ElementsAre("2 0.000", "0 0.000", "4292 0.868", "597 0.121"));
}

TEST_F(NeighboursTest, ALimitHoldsForEachSide) {
  const tables::DataTable table = PeekTable(views_, Node("DW"), -1, 1);
  EXPECT_THAT(Rows(table, {"relation", "name"}),
              ElementsAre("node DW", "consumer DW/Assign"));
  EXPECT_EQ(table.total_rows, 3u);
}

}  // namespace
}  // namespace tfprof::inspect
