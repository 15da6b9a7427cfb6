#include "tables/row_details.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/device_names.h"
#include "profile/graph_testing.h"
#include "profile/profile_builder.h"
#include "views/views.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

FieldSet Selected(const std::vector<Stat>& stats) {
  FieldSet select;
  for (const Stat stat : stats) select.Add(stat);
  return select;
}

TEST(StatsOfSelectionTest, MicrosStandsForAllTimes) {
  EXPECT_THAT(TimeStats(Selected({kMicros})),
              ElementsAre(kMicros, kAcceleratorMicros, kCpuMicros));
  EXPECT_THAT(TimeStats(Selected({kCpuMicros})), ElementsAre(kCpuMicros));
  EXPECT_THAT(TimeStats(Selected({kPeakBytes})), IsEmpty());
}

TEST(StatsOfSelectionTest, BytesAreInTheOrderOfTheReport) {
  EXPECT_THAT(ByteStats(Selected({kOutputBytes, kRequestedBytes, kPeakBytes})),
              ElementsAre(kRequestedBytes, kPeakBytes, kOutputBytes));
  EXPECT_THAT(ByteStats(Selected({kMicros})), IsEmpty());
}

// a and b feed c, which also has an input that is not a node. a and b ran on
// different devices, and c did not run; d is like c, but has unknown shapes.
class RowDetailsTest : public testing::Test {
 protected:
  RowDetailsTest() : profile_(Make()), views_(profile_) {}

  static Profile Make() {
    ProfileBuilder builder(TfprofRules());
    const NodeId a = AddNodeWithInputs(builder, "a", "In", {}, {2, 3});
    const NodeId b = AddNodeWithInputs(builder, "b", "In", {}, {5});
    AddNodeWithInputs(builder, "c", "Add", {"a", "b", "gone"}, {2});
    AddNodeWithInputs(builder, "d", "Add", {"gone"}, {2});
    GraphTables& graph = builder.mutable_graph();
    builder.AddType(a, graph.strings.Intern("_trainable_variables"));
    const LaneId one = DeviceLane("/device:CPU:1", graph);
    const LaneId zero = DeviceLane("/device:CPU:0", graph);
    builder.AddExecutions(
        0,
        {{.node = a, .lane = one, .start = 1000, .duration = 10},
         {.node = a, .lane = one, .start = 1010, .duration = 10},
         {.node = b, .lane = zero, .start = 1020, .duration = 5}},
        {});
    return std::move(builder).Build();
  }

  Report Show(View view) { return views_.Show(view, ViewOptions()); }
  const Report::Row& Row(const Report& report, std::string_view name) {
    for (const Report::Row& row : report.rows) {
      if (row.name == name) return row;
    }
    ADD_FAILURE() << "no row " << name;
    return report.rows[0];
  }

  const Profile profile_;
  Views views_;
};

TEST_F(RowDetailsTest, InputShapesAreByPosition) {
  const Report report = Show(View::kScope);
  std::string text = "shapes ";
  AppendInputShapes(report, 2, "|", text);
  EXPECT_EQ(text, "shapes 0:2x3|1:5|2:unknown");
  text.clear();
  AppendInputShapes(report, 0, "|", text);
  EXPECT_EQ(text, "");
}

TEST_F(RowDetailsTest, AShapeIsItsDimensions) {
  std::string text;
  AppendShape(profile_, profile_.nodes().OutputShapeOf(0, 0), text);
  EXPECT_EQ(text, "2x3");
}

TEST_F(RowDetailsTest, MembersOfAnOpAreItsNodes) {
  const Report report = Show(View::kOp);
  EXPECT_THAT(MembersOf(report, Row(report, "In")), ElementsAre(0u, 1u));
}

TEST_F(RowDetailsTest, ARootHasNoMembers) {
  Report::Row root;
  root.name = kRootName;
  EXPECT_THAT(MembersOf(Show(View::kOp), root), IsEmpty());
}

TEST_F(RowDetailsTest, DevicesAreSortedAndMayBeEmpty) {
  const Report report = Show(View::kOp);
  EXPECT_THAT(DevicesOf(report, {0, 1, 0}),
              ElementsAre("/device:cpu:0", "/device:cpu:1"));
  EXPECT_THAT(DevicesOf(report, {0, 2}), ElementsAre("", "/device:cpu:1"));
  EXPECT_THAT(DevicesOf(report, {}), IsEmpty());
}

TEST_F(RowDetailsTest, TypesAreSortedAndUnique) {
  const Report report = Show(View::kOp);
  std::vector<std::string_view> names;
  for (const StringId type : TypesOf(report, {0, 1, 2})) {
    names.push_back(profile_.strings().Get(type));
  }
  EXPECT_THAT(names, ElementsAre("/device:cpu:0", "/device:cpu:1", "Add", "In",
                                 "_trainable_variables"));
}

TEST_F(RowDetailsTest, TypesAreWrittenWithBars) {
  std::string text;
  AppendTypes(profile_, TypesOf(Show(View::kOp), {2}), text);
  EXPECT_EQ(text, "Add");
  text.clear();
  AppendTypes(profile_, TypesOf(Show(View::kOp), {1, 2}), text);
  EXPECT_EQ(text, "/device:cpu:0|Add|In");
  text.clear();
  AppendTypes(profile_, {}, text);
  EXPECT_EQ(text, "");
}

TEST_F(RowDetailsTest, ARowWithoutANodeHasTheTypeOfAParent) {
  const auto types = [&](View view) {
    const Report report = Show(view);
    std::string text;
    AppendNodeTypes(report, report.rows[0], text);
    return text;
  };
  EXPECT_EQ(types(View::kScope), kScopeParentType);
  EXPECT_EQ(types(View::kGraph), kGraphParentType);
}

TEST_F(RowDetailsTest, GroupsOfShapesAreOrderedByRuns) {
  const Report report = Show(View::kOp);
  std::vector<std::string> groups;
  for (const ShapeGroup& g : ShapeGroupsOf(report, Row(report, "Add"), "|")) {
    groups.push_back(g.shapes + " of " + std::to_string(g.defined));
  }
  // Neither ran, so they are sorted by their text.
  EXPECT_THAT(groups,
              ElementsAre("0:2x3|1:5|2:unknown of 1", "0:unknown of 1"));
  const std::vector<ShapeGroup> in =
      ShapeGroupsOf(report, Row(report, "In"), "|");
  ASSERT_EQ(in.size(), 1u);
  EXPECT_EQ(in[0].shapes, "");
  EXPECT_EQ(in[0].defined, 2);
  EXPECT_EQ(in[0].runs, 3);
  EXPECT_EQ(in[0].micros, 25);
}

}  // namespace
}  // namespace tfprof
