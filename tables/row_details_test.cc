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

namespace tfprof::tables {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

views::FieldSet Selected(const std::vector<accounting::Stat>& stats) {
  views::FieldSet select;
  for (const accounting::Stat stat : stats) select.Add(stat);
  return select;
}

TEST(StatsOfSelectionTest, MicrosStandsForAllTimes) {
  EXPECT_THAT(TimeStats(Selected({accounting::kMicros})),
              ElementsAre(accounting::kMicros, accounting::kAcceleratorMicros,
                          accounting::kCpuMicros));
  EXPECT_THAT(TimeStats(Selected({accounting::kCpuMicros})),
              ElementsAre(accounting::kCpuMicros));
  EXPECT_THAT(TimeStats(Selected({accounting::kPeakBytes})), IsEmpty());
}

TEST(StatsOfSelectionTest, BytesAreInTheOrderOfTheReport) {
  EXPECT_THAT(
      ByteStats(Selected({accounting::kOutputBytes, accounting::kRequestedBytes,
                          accounting::kPeakBytes})),
      ElementsAre(accounting::kRequestedBytes, accounting::kPeakBytes,
                  accounting::kOutputBytes));
  EXPECT_THAT(ByteStats(Selected({accounting::kMicros})), IsEmpty());
}

// a and b feed c, which also has an input that is not a node. a and b ran on
// different devices, and c did not run; d is like c, but has unknown shapes.
class RowDetailsTest : public testing::Test {
 protected:
  RowDetailsTest() : profile_(Make()), views_(profile_) {}

  static profile::Profile Make() {
    profile::ProfileBuilder builder(accounting::TfprofRules());
    const profile::NodeId a =
        profile::AddNodeWithInputs(builder, "a", "In", {}, {2, 3});
    const profile::NodeId b =
        profile::AddNodeWithInputs(builder, "b", "In", {}, {5});
    profile::AddNodeWithInputs(builder, "c", "Add", {"a", "b", "gone"}, {2});
    profile::AddNodeWithInputs(builder, "d", "Add", {"gone"}, {2});
    profile::GraphTables& graph = builder.mutable_graph();
    builder.AddType(a, graph.strings.Intern("_trainable_variables"));
    const profile::LaneId one = tensorflow::DeviceLane("/device:CPU:1", graph);
    const profile::LaneId zero = tensorflow::DeviceLane("/device:CPU:0", graph);
    builder.AddExecutions(
        0,
        {{.node = a, .lane = one, .start = 1000, .duration = 10},
         {.node = a, .lane = one, .start = 1010, .duration = 10},
         {.node = b, .lane = zero, .start = 1020, .duration = 5}},
        {});
    return std::move(builder).Build();
  }

  views::Report Show(views::View view) {
    return views_.Show(view, views::ViewOptions());
  }
  const views::Report::Row& Row(const views::Report& report,
                                std::string_view name) {
    for (const views::Report::Row& row : report.rows) {
      if (row.name == name) return row;
    }
    ADD_FAILURE() << "no row " << name;
    return report.rows[0];
  }

  const profile::Profile profile_;
  views::Views views_;
};

TEST_F(RowDetailsTest, InputShapesAreByPosition) {
  const views::Report report = Show(views::View::kScope);
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
  const views::Report report = Show(views::View::kOp);
  EXPECT_THAT(MembersOf(report, Row(report, "In")), ElementsAre(0u, 1u));
}

TEST_F(RowDetailsTest, ARootHasNoMembers) {
  views::Report::Row root;
  root.name = views::kRootName;
  EXPECT_THAT(MembersOf(Show(views::View::kOp), root), IsEmpty());
}

TEST_F(RowDetailsTest, DevicesAreSortedAndMayBeEmpty) {
  const views::Report report = Show(views::View::kOp);
  EXPECT_THAT(DevicesOf(report, {0, 1, 0}),
              ElementsAre("/device:cpu:0", "/device:cpu:1"));
  EXPECT_THAT(DevicesOf(report, {0, 2}), ElementsAre("", "/device:cpu:1"));
  EXPECT_THAT(DevicesOf(report, {}), IsEmpty());
}

TEST_F(RowDetailsTest, TypesAreSortedAndUnique) {
  const views::Report report = Show(views::View::kOp);
  std::vector<std::string_view> names;
  for (const profile::StringId type : TypesOf(report, {0, 1, 2})) {
    names.push_back(profile_.strings().Get(type));
  }
  EXPECT_THAT(names, ElementsAre("/device:cpu:0", "/device:cpu:1", "Add", "In",
                                 "_trainable_variables"));
}

TEST_F(RowDetailsTest, TypesAreWrittenWithBars) {
  std::string text;
  AppendTypes(profile_, TypesOf(Show(views::View::kOp), {2}), text);
  EXPECT_EQ(text, "Add");
  text.clear();
  AppendTypes(profile_, TypesOf(Show(views::View::kOp), {1, 2}), text);
  EXPECT_EQ(text, "/device:cpu:0|Add|In");
  text.clear();
  AppendTypes(profile_, {}, text);
  EXPECT_EQ(text, "");
}

TEST_F(RowDetailsTest, ARowWithoutANodeHasTheTypeOfAParent) {
  const auto types = [&](views::View view) {
    const views::Report report = Show(view);
    std::string text;
    AppendNodeTypes(report, report.rows[0], text);
    return text;
  };
  EXPECT_EQ(types(views::View::kScope), views::kScopeParentType);
  EXPECT_EQ(types(views::View::kGraph), views::kGraphParentType);
}

TEST_F(RowDetailsTest, GroupsOfShapesAreOrderedByRuns) {
  const views::Report report = Show(views::View::kOp);
  std::vector<std::string> groups;
  for (const ShapeGroup& g : ShapeGroupsOf(report, Row(report, "Add"), "|")) {
    groups.push_back(g.shapes + " of " + std::to_string(g.defined));
  }
  // They are sorted by their text, because neither ran.
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
}  // namespace tfprof::tables
