#include "profile/profile_builder.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/graph_testing.h"
#include "util/run/cancellation.h"

namespace tfprof::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ProfileBuilderTest, FirstDefinitionWins) {
  ProfileBuilder builder;
  EXPECT_EQ(builder.AddNode("n", "Conv2D", 5), 0u);
  EXPECT_EQ(builder.AddNode("n", "MatMul", 6), kNone);
  EXPECT_EQ(builder.AddNode("m", "n", 7), 1u);
  const Profile profile = std::move(builder).Build();
  ASSERT_EQ(profile.nodes().size(), 2u);
  EXPECT_EQ(profile.node_name(0), "n");
  EXPECT_EQ(profile.strings().Get(profile.nodes().op[0]), "Conv2D");
  EXPECT_EQ(profile.nodes().record[0], 5u);
}

TEST(ProfileBuilderTest, EdgesFindTheirSourcesWhenTheyCome) {
  ProfileBuilder builder;
  const NodeId consumer =
      AddNodeWithInputs(builder, "c", "Add", {"late", "never"}, {});
  const NodeId late = AddNodeWithInputs(builder, "late", "Const", {}, {4});
  const Profile profile = std::move(builder).Build();
  const NodeTable& nodes = profile.nodes();
  ASSERT_EQ(nodes.num_inputs(consumer), 2u);
  EXPECT_EQ(nodes.Source(consumer, 0), late);
  EXPECT_EQ(nodes.Source(consumer, 1), kNone);
  EXPECT_THAT(profile.graph().shapes[nodes.InputShape(consumer, 0)],
              ElementsAre(4));
  EXPECT_EQ(nodes.InputShape(consumer, 1), kUnknownShape);
  EXPECT_EQ(nodes.num_inputs(late), 0u);
}

TEST(ProfileBuilderTest, OptionalEdgeColumns) {
  ProfileBuilder builder;
  GraphTables& graph = builder.mutable_graph();
  builder.AddNode("s", "Split", kNoRecord);
  builder.AddOutputShape(0, graph.shapes.Intern(std::vector<int64_t>{1}));
  builder.AddOutputShape(2, graph.shapes.Intern(std::vector<int64_t>{2, 2}));
  const StringId s = graph.strings.Find("s");
  builder.AddNode("a", "Add", kNoRecord);
  builder.AddEdge(s, 0, 0, 0);
  builder.AddNode("b", "Add", kNoRecord);
  builder.AddEdge(s, 3, 0, 2);  // leaves a gap at positions 0 to 2
  builder.AddEdge(s, 7, 0, 1);
  const Profile profile = std::move(builder).Build();
  const NodeTable& nodes = profile.nodes();
  EXPECT_EQ(nodes.Position(1, 0), 0);
  EXPECT_EQ(nodes.Position(2, 1), 3);
  EXPECT_EQ(nodes.Position(2, 2), 7);
  const ShapeTable& shapes = profile.graph().shapes;
  // The reference sees output 0; the graph records output 2.
  EXPECT_THAT(shapes[nodes.InputShape(2, 1)], ElementsAre(1));
  EXPECT_THAT(shapes[nodes.InputShape(2, 1, true)], ElementsAre(2, 2));
  EXPECT_EQ(nodes.InputShape(2, 2, true), kUnknownShape);
}

TEST(ProfileBuilderTest, TypesAreOpDeviceAndWhatLogsSay) {
  ProfileBuilder builder;
  const NodeId n = builder.AddNode("n", "Zeta", kNoRecord);
  GraphTables& graph = builder.mutable_graph();
  builder.AddType(n, graph.strings.Intern("_trainable_variables"));
  builder.AddType(n, graph.strings.Intern("Alpha"));
  builder.AddType(n, graph.strings.Intern("Alpha"));
  builder.SetDevice(n, graph.devices.Intern("/cpu:0"));
  const Profile profile = std::move(builder).Build();
  std::vector<std::string_view> types;
  for (const StringId t : profile.graph().type_sets[profile.nodes().types[n]]) {
    types.push_back(profile.strings().Get(t));
  }
  EXPECT_THAT(types,
              ElementsAre("/cpu:0", "Alpha", "Zeta", "_trainable_variables"));
}

TEST(ProfileBuilderTest, FloatOpsColumnAppearsWithTheFirstValue) {
  ProfileBuilder builder;
  const NodeId a = builder.AddNode("a", "A", kNoRecord);
  const NodeId b = builder.AddNode("b", "B", kNoRecord);
  builder.SetFloatOps(b, 7);
  const NodeId c = builder.AddNode("c", "C", kNoRecord);
  const Profile profile = std::move(builder).Build();
  EXPECT_EQ(profile.nodes().FloatOps(a), 0);
  EXPECT_EQ(profile.nodes().FloatOps(b), 7);
  EXPECT_EQ(profile.nodes().FloatOps(c), 0);
}

TEST(ProfileBuilderTest, AnEmptyBuilderMakesAnEmptyProfile) {
  const Profile profile = ProfileBuilder().Build();
  EXPECT_EQ(profile.nodes().size(), 0u);
  EXPECT_EQ(profile.nodes().edge_begin.size(), 1u);
  EXPECT_THAT(profile.steps(), IsEmpty());
}

TEST(ProfileBuilderTest, NodesByIdAndByNameAreTheSame) {
  ProfileBuilder builder;
  StringPool& strings = builder.mutable_graph().strings;
  const StringId op = strings.Intern("Op");
  const StringId name = strings.Intern("n");
  EXPECT_EQ(builder.AddNode(name, op, 3), 0u);
  EXPECT_EQ(builder.AddNode(name, op, 4), kNone);
  EXPECT_EQ(builder.AddNode("n", "Op", 5), kNone);
  // An op and a node may have the same name.
  EXPECT_EQ(builder.AddNode(op, op, 6), 1u);
  const Profile profile = std::move(builder).Build();
  EXPECT_EQ(profile.nodes().Find(name), 0u);
  EXPECT_EQ(profile.nodes().Find(op), 1u);
}

TEST(ProfileBuilderTest, ReservingChangesNothing) {
  ProfileBuilder builder;
  builder.AddNode("a", "A", kNoRecord);
  builder.ReserveNodes(100, 1000);
  AddNodeWithInputs(builder, "b", "B", {"a"}, {2});
  const Profile profile = std::move(builder).Build();
  EXPECT_EQ(profile.nodes().size(), 2u);
  EXPECT_EQ(profile.nodes().Source(1, 0), 0u);
  // Build() frees unused reserved memory.
  EXPECT_LT(profile.nodes().edge_source.capacity(), 100u);
  EXPECT_LT(profile.nodes().name.capacity(), 50u);
}

using Edge = std::pair<StringId, int32_t>;

TEST(ProfileBuilderTest, EdgesOfOutput0NeedNoColumn) {
  ProfileBuilder builder;
  const StringId a = builder.mutable_graph().strings.Intern("a");
  builder.AddNode("n", "N", kNoRecord);
  builder.AddEdges(3, [&](size_t) { return Edge(a, 0); });
  builder.AddNode("none", "N", kNoRecord);
  builder.AddEdges(0, [&](size_t) { return Edge(a, 7); });
  const Profile profile = std::move(builder).Build();
  const NodeTable& nodes = profile.nodes();
  EXPECT_EQ(nodes.num_inputs(0), 3u);
  EXPECT_EQ(nodes.num_inputs(1), 0u);
  EXPECT_THAT(nodes.edge_output, IsEmpty());
  EXPECT_THAT(nodes.edge_position, IsEmpty());
  EXPECT_EQ(nodes.Position(0, 2), 2);
}

TEST(ProfileBuilderTest, TheColumnOfOutputsBeginsWithTheFirstOther) {
  ProfileBuilder builder;
  const StringId a = builder.mutable_graph().strings.Intern("a");
  const auto add = [&](std::string_view name, std::vector<int32_t> outputs) {
    builder.AddNode(name, "N", kNoRecord);
    builder.AddEdges(outputs.size(),
                     [&](size_t i) { return Edge(a, outputs[i]); });
  };
  add("zeros", {0, 0});
  add("one", {0, 5});
  add("zeros again", {0});
  EXPECT_THAT(builder.graph().nodes.edge_output, ElementsAre(0, 0, 0, 5, 0));
  EXPECT_THAT(builder.graph().nodes.edge_begin, ElementsAre(0u, 2u, 4u, 5u));
}

// Both ways of adding edges must fill the same columns.
TEST(ProfileBuilderTest, EdgesAfterEdgesWithPositions) {
  ProfileBuilder builder;
  const StringId a = builder.mutable_graph().strings.Intern("a");
  builder.AddNode("odd", "N", kNoRecord);
  builder.AddEdge(a, /*position=*/2, /*seen_output=*/1, /*output=*/1);
  builder.AddNode("n", "N", kNoRecord);
  builder.AddEdges(
      2, [&](size_t i) { return Edge(a, static_cast<int32_t>(3 * i)); });
  const Profile profile = std::move(builder).Build();
  const NodeTable& nodes = profile.nodes();
  EXPECT_THAT(nodes.edge_position, ElementsAre(2, 0, 1));
  EXPECT_THAT(nodes.edge_seen_output, ElementsAre(1, 0, 0));
  EXPECT_THAT(nodes.edge_output, ElementsAre(1, 0, 3));
}

TEST(ProfileBuilderTest, NodesOfTheBaseAreKnown) {
  ProfileBuilder first;
  AddNodeWithInputs(first, "late reader", "A", {"b"}, {});
  const Profile base = std::move(first).Build();
  EXPECT_EQ(base.nodes().Source(0, 0), kNone);
  ProfileBuilder second(NoAccounting(), base);
  EXPECT_EQ(second.AddNode("late reader", "B", kNoRecord), kNone);
  EXPECT_EQ(second.AddNode("b", "B", kNoRecord), 1u);
  const Profile profile = std::move(second).Build();
  EXPECT_EQ(profile.nodes().Source(0, 0), 1u);
  EXPECT_EQ(base.nodes().size(), 1u);
}

TEST(ProfileBuilderTest, ABaseThatIsOnlyReadStaysShared) {
  ProfileBuilder first;
  first.AddNode("n", "N", kNoRecord);
  const Profile base = std::move(first).Build();
  ProfileBuilder second(NoAccounting(), base);
  second.AddStep(4);
  const Profile profile = std::move(second).Build();
  EXPECT_EQ(&profile.graph(), &base.graph());
  EXPECT_NE(profile.FindStep(4), nullptr);
  EXPECT_EQ(base.FindStep(4), nullptr);
}

TEST(ProfileBuilderTest, InputsAreNumberedAfterThoseOfTheBase) {
  ProfileBuilder first;
  EXPECT_EQ(first.AddInput(nullptr), 0u);
  EXPECT_EQ(first.AddInput(nullptr), 1u);
  const Profile base = std::move(first).Build();
  ProfileBuilder second(NoAccounting(), base);
  EXPECT_EQ(second.AddInput(nullptr), 2u);
}

TEST(ProfileBuilderTest, ASecondDeviceIsAnotherType) {
  ProfileBuilder builder;
  GraphTables& graph = builder.mutable_graph();
  const DeviceId cpu = graph.devices.Intern("/cpu:0");
  const DeviceId gpu = graph.devices.Intern("/gpu:0");
  for (const char* name : {"a", "b", "c"}) {
    builder.AddNode(name, "Op", kNoRecord);
  }
  builder.SetDevice(0, cpu);
  builder.SetDevice(1, gpu);
  builder.SetDevice(2, cpu);
  const Profile profile = std::move(builder).Build();
  const NodeTable& nodes = profile.nodes();
  EXPECT_THAT(nodes.device, ElementsAre(cpu, gpu, cpu));
  EXPECT_EQ(nodes.types[0], nodes.types[2]);
  EXPECT_NE(nodes.types[0], nodes.types[1]);
  EXPECT_EQ(profile.graph().type_sets[nodes.types[1]].size(), 2u);
}

// ---- Steps

class BuilderStepsTest : public ::testing::Test {
 protected:
  BuilderStepsTest() {
    builder_.AddNode("n", "N", kNoRecord);
    lane_ = builder_.mutable_graph().lanes.Add({});
  }
  void AddRun(int64_t step) {
    builder_.AddExecutions(
        step, {{.node = 0, .lane = lane_, .start = 5, .duration = 1}}, {});
  }

  ProfileBuilder builder_;
  LaneId lane_;
};

TEST_F(BuilderStepsTest, FinishedStepsAreInAscendingOrder) {
  for (const int64_t step : {7, -1, 3}) AddRun(step);
  EXPECT_THAT(builder_.finished_steps(), IsEmpty());
  builder_.FinishSteps({7, 3, 3, 99});
  ASSERT_EQ(builder_.finished_steps().size(), 2u);
  EXPECT_EQ(builder_.finished_steps()[0]->id, 3);
  EXPECT_EQ(builder_.finished_steps()[1]->id, 7);
  const Profile profile = std::move(builder_).Build();
  ASSERT_EQ(profile.steps().size(), 3u);
  EXPECT_EQ(profile.steps()[0]->id, -1);
}

TEST_F(BuilderStepsTest, AStepInThreePartsIsTheSame) {
  AddRun(1);
  AddRun(2);
  std::vector<ProfileBuilder::UnfinishedStep> steps =
      builder_.BeginSteps({2, 1, 5});
  ASSERT_EQ(steps.size(), 2u);
  builder_.MakeStep(steps[1], /*parallel=*/true);
  builder_.MakeStep(steps[0], /*parallel=*/false);
  builder_.EndSteps(std::move(steps));
  const Profile profile = std::move(builder_).Build();
  ASSERT_EQ(profile.steps().size(), 2u);
  for (const auto& step : profile.steps()) {
    EXPECT_EQ(step->num_executions(), 1u);
    EXPECT_TRUE(step->listed);
    EXPECT_EQ(step->exec_start.Micros(0), 5);
  }
}

TEST_F(BuilderStepsTest, AStepWithoutExecutionsIsListed) {
  builder_.AddStep(3);
  const Profile profile = std::move(builder_).Build();
  const Step* step = profile.FindStep(3);
  ASSERT_NE(step, nullptr);
  EXPECT_EQ(step->num_groups(), 0u);
  EXPECT_EQ(step->num_records(), 0u);
  EXPECT_EQ(step->bytes(), 0u);
}

TEST_F(BuilderStepsTest, AStepThatIsNotListedIsListedLater) {
  builder_.AddGroups(3, {{.node = 0, .run_count = 1}}, {});
  builder_.FinishStep(3);
  EXPECT_FALSE(builder_.finished_steps()[0]->listed);
  builder_.AddStep(3);
  const Profile profile = std::move(builder_).Build();
  ASSERT_NE(profile.FindStep(3), nullptr);
  EXPECT_EQ(profile.FindStep(3)->sums.run_count[0], 1);
}

TEST_F(BuilderStepsTest, ANodeMayHaveRunElsewhere) {
  const NodeId other = builder_.AddNode("other", "N", kNoRecord);
  builder_.SetRanElsewhere(0);
  const Profile base = std::move(builder_).Build();
  EXPECT_TRUE(base.RanElsewhere(0));
  EXPECT_FALSE(base.RanElsewhere(other));
  // Add a new node, and data that the base already has.
  ProfileBuilder more(NoAccounting(), base);
  const NodeId late = more.AddNode("late", "N", kNoRecord);
  more.SetRanElsewhere(other);
  const Profile profile = std::move(more).Build();
  EXPECT_TRUE(profile.RanElsewhere(0));
  EXPECT_TRUE(profile.RanElsewhere(other));
  EXPECT_FALSE(profile.RanElsewhere(late));
  EXPECT_FALSE(base.RanElsewhere(other));
}

// ---- The memory limit

TEST_F(BuilderStepsTest, WithoutALimitExecutionsStay) {
  EXPECT_EQ(builder_.max_memory(), 0u);
  AddRun(0);
  builder_.FinishStep(0);
  EXPECT_FALSE(builder_.dropped_executions());
}

TEST_F(BuilderStepsTest, UnderTheLimitExecutionsStay) {
  builder_.SetMaxMemory(size_t{1} << 30);
  AddRun(0);
  builder_.FinishStep(0);
  EXPECT_FALSE(builder_.dropped_executions());
  EXPECT_EQ(builder_.finished_steps()[0]->num_executions(), 1u);
}

TEST_F(BuilderStepsTest, OverTheLimitAllStepsLoseTheirExecutions) {
  AddRun(0);
  builder_.FinishStep(0);
  builder_.SetMaxMemory(1);
  AddRun(1);
  builder_.FinishStep(1);
  EXPECT_TRUE(builder_.dropped_executions());
  AddRun(2);
  const Profile profile = std::move(builder_).Build();
  ASSERT_EQ(profile.steps().size(), 3u);
  for (const auto& step : profile.steps()) {
    EXPECT_TRUE(step->aggregated) << step->id;
    EXPECT_EQ(step->num_executions(), 0u) << step->id;
    EXPECT_EQ(step->num_groups(), 1u) << step->id;
  }
}

TEST_F(BuilderStepsTest, StepsOfTheBaseKeepTheirExecutions) {
  AddRun(0);
  const Profile base = std::move(builder_).Build();
  ProfileBuilder more(NoAccounting(), base);
  more.SetMaxMemory(1);
  more.AddStep(1);
  const Profile profile = std::move(more).Build();
  EXPECT_EQ(profile.FindStep(0)->num_executions(), 0u);
  EXPECT_EQ(base.FindStep(0)->num_executions(), 1u);
}

// Returns events of two nodes, events of no node, and ignored events.
LaneEvents SomeEvents(ProfileBuilder& builder) {
  LaneEvents events;
  events.input = 2;
  events.groups = {
      {.node = builder.AddNode("a", "A", kNoRecord), .lane = 1},
      {.node = builder.AddNode("b", "B", kNoRecord), .lane = 1},
      {.name = builder.mutable_graph().strings.Intern("copy"), .lane = 2},
      {}};
  for (const uint32_t group : {1, 0, 2, 3, 1}) {
    const auto i = static_cast<int64_t>(events.events.size());
    events.events.push_back({.start = 100 + i,
                             .duration = 10 * i,
                             .offset = 40 * static_cast<uint64_t>(i),
                             .group = group});
  }
  events.linked = {0, 3, 4};
  events.places =
      std::make_shared<std::vector<ExecutionRef>>(3, ExecutionRef{0, kNone});
  return events;
}

TEST(ProfileBuilderTest, EventsAreSortedByNode) {
  ProfileBuilder builder;
  builder.AddEvents(SomeEvents(builder),
                    {{.step = 6, .begin = 0, .end = 5, .has_nodes = true}});
  const Profile profile = std::move(builder).Build();
  const Step& step = *profile.FindStep(6);
  ASSERT_EQ(step.num_executions(), 3u);
  ASSERT_EQ(step.num_outside(), 1u);
  EXPECT_EQ(step.exec_begin(step.FindGroup(1)), 1u);
  EXPECT_EQ(step.exec_record[0], static_cast<int64_t>(MakeRecordRef(2, 40)));
  EXPECT_EQ(step.exec_record[2], static_cast<int64_t>(MakeRecordRef(2, 160)));
  EXPECT_EQ(step.exec_start.Ticks(2), 104);
  EXPECT_EQ(step.exec_duration.Ticks(2), 40);
  EXPECT_TRUE(step.HasStart(2));
  EXPECT_EQ(step.LaneOf(3), 2u);
  EXPECT_EQ(profile.strings().Get(step.OutsideName(3)), "copy");
}

TEST(ProfileBuilderTest, LinkedEventsGetTheirPlaces) {
  ProfileBuilder builder;
  LaneEvents events = SomeEvents(builder);
  const auto places = events.places;
  builder.AddEvents(std::move(events),
                    {{.step = 6, .begin = 0, .end = 4, .has_nodes = true},
                     {.step = 7, .begin = 4, .end = 5, .has_nodes = true}});
  builder.FinishSteps({6, 7});
  EXPECT_EQ((*places)[0], (ExecutionRef{6, 1}));
  EXPECT_EQ((*places)[1].index, kNone);
  EXPECT_EQ((*places)[2], (ExecutionRef{7, 0}));
}

TEST(ProfileBuilderTest, EventsOfNoNodeDoNotListTheirStep) {
  ProfileBuilder builder;
  builder.AddEvents(
      SomeEvents(builder),
      {{.step = 6, .begin = 2, .end = 3},
       {.step = kOutsideSteps, .begin = 0, .end = 1, .has_nodes = true}});
  const Profile profile = std::move(builder).Build();
  ASSERT_EQ(profile.steps().size(), 2u);
  EXPECT_FALSE(profile.steps()[0]->listed);
  EXPECT_FALSE(profile.steps()[1]->listed);
  EXPECT_EQ(profile.steps()[1]->num_outside(), 1u);
}

TEST(ProfileBuilderTest, EventsComeBehindRecordsOfTheirNode) {
  ProfileBuilder builder;
  LaneEvents events = SomeEvents(builder);
  builder.AddEvents(std::move(events),
                    {{.step = 6, .begin = 0, .end = 5, .has_nodes = true}});
  builder.AddExecutions(
      6, {{.node = 1, .lane = 3, .start = 7, .duration = 2, .record = 9}}, {});
  const Profile profile = std::move(builder).Build();
  const Step& step = *profile.FindStep(6);
  ASSERT_EQ(step.num_executions(), 4u);
  EXPECT_EQ(step.LaneOf(1), 3u);
  EXPECT_EQ(step.exec_start.Ticks(1), 7'000'000);  // in picoseconds
  EXPECT_EQ(step.exec_start.Ticks(2), 100);
}

TEST(ProfileBuilderTest, ACancelledBuilderMakesNoColumns) {
  util::Cancellation cancellation;
  cancellation.Request();
  ProfileBuilder builder;
  builder.SetWork({.cancellation = &cancellation});
  for (int i = 0; i < 2; ++i) {  // the second time adds to a finished step
    builder.AddEvents(SomeEvents(builder),
                      {{.step = 6, .begin = 0, .end = 5, .has_nodes = true}});
    builder.FinishStep(6);
  }
  const Profile profile = std::move(builder).Build();
  ASSERT_NE(profile.FindStep(6), nullptr);
  EXPECT_EQ(profile.FindStep(6)->num_records(), 0u);
}

}  // namespace
}  // namespace tfprof::profile
