#include "views/graph.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "accounting/small_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/graph_testing.h"
#include "profile/profile_builder.h"
#include "views/views.h"
#include "views/views_testing.h"

namespace tfprof::views {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class SmallModelGraphTest : public ::testing::Test {
 protected:
  profile::Profile profile_ = accounting::SmallModel();
  Views views_{profile_};
};

TEST_F(SmallModelGraphTest, FromAStart) {
  ViewOptions options;
  options.max_depth = 100;
  options.start_names = {"DW/Initializer/random_normal/mul"};
  const Report report = views_.Show(View::kGraph, options);
  EXPECT_THAT(
      Rows(report),
      ElementsAre("_TFProfRoot --/4945",
                  " DW/Initializer/random_normal/mul 0/0",
                  "  DW/Initializer/random_normal/RandomStandardNormal 0/0",
                  "   DW/Initializer/random_normal/shape 0/0",
                  "  DW/Initializer/random_normal/stddev 0/0"));
  EXPECT_EQ(report.rows[0].definitions, 32);
  EXPECT_EQ(report.rows[1].definitions, 4);
}

TEST_F(SmallModelGraphTest, SourcesOfUnaccountedNodesGoToTheConsumer) {
  ViewOptions options = OrderBy(accounting::kMicros);
  options.max_depth = 4;
  options.account_types = {"Conv2D", "VariableV2"};
  EXPECT_THAT(Rows(views_.Show(View::kGraph, options)),
              ElementsAre("_TFProfRoot --/4902", " Conv2D_1 597/4902",
                          "  Conv2D 4292/4294", "   DW 2/2", "  DW2 11/11",
                          " ScalarW 0/0"));
}

using GraphTest = HandMadeTest;

TEST_F(GraphTest, ASourceIsUnderItsFirstConsumer) {
  Node("a", {"shared"}, 1);
  Node("b", {"shared", "b_own", "shared"}, 2);
  Node("b_own", {}, 4);
  Node("shared", {}, 8);
  EXPECT_THAT(Show(View::kGraph),
              ElementsAre("_TFProfRoot --/15", " a 1/9", "  shared 8/8",
                          " b 2/6", "  b_own 4/4"));
}

TEST_F(GraphTest, CyclesWithoutAConsumerAreNotShown) {
  Node("a", {"b"});
  Node("b", {"a"});
  Node("self", {"self"});
  Node("c");
  EXPECT_THAT(Show(View::kGraph), ElementsAre("_TFProfRoot --/1", " c 1/1"));
}

TEST_F(GraphTest, CyclesBelowAConsumerCountOnce) {
  Node("exit", {"merge"});
  Node("merge", {"next"}, 2);
  Node("next", {"merge", "next"}, 4);
  EXPECT_THAT(Show(View::kGraph), ElementsAre("_TFProfRoot --/7", " exit 1/7",
                                              "  merge 2/6", "   next 4/4"));
}

TEST_F(GraphTest, CyclesAndAccountTypes) {
  Node("exit", {"merge"});
  Node("merge", {"next"}, 2);
  Node("next", {"merge"}, 4);
  ViewOptions options;
  options.account_types = {"Op_next", "Op_exit"};
  EXPECT_THAT(Show(View::kGraph, options),
              ElementsAre("_TFProfRoot --/5", " exit 1/5", "  next 4/4"));
}

TEST_F(GraphTest, DanglingInputsAreSkipped) {
  Node("a", {"gone", "b", "gone too"});
  Node("b");
  EXPECT_THAT(Show(View::kGraph),
              ElementsAre("_TFProfRoot --/2", " a 1/2", "  b 1/1"));
}

TEST_F(GraphTest, ChainOfAMillion) {
  constexpr int kNodes = 1000000;
  profile::GraphTables& graph = builder_.mutable_graph();
  const profile::LaneId cpu = tensorflow::DeviceLane("/cpu:0", graph);
  for (int i = 0; i < kNodes; ++i) {
    // The consumer comes first, so n0 is at the top.
    const profile::NodeId n = builder_.AddNode("n" + std::to_string(i),
                                               "Identity", profile::kNoRecord);
    if (i + 1 < kNodes) {
      builder_.AddEdge(graph.strings.Intern("n" + std::to_string(i + 1)), 0, 0,
                       0);
    }
    records_.push_back({.node = n, .lane = cpu, .start = 1, .duration = 1});
  }
  const profile::Profile profile = Build();
  Views views(profile);
  ViewOptions options;
  options.max_depth = kDeep;
  const Report report = views.Show(View::kGraph, options);
  ASSERT_THAT(report.rows, SizeIs(kNodes + 1));
  EXPECT_EQ(report.rows[1].name, "n0");
  EXPECT_EQ(report.rows[1].total[accounting::kMicros], kNodes);
  EXPECT_EQ(report.rows[1].definitions, kNodes);
  EXPECT_EQ(report.rows.back().name, "n999999");
  EXPECT_EQ(report.rows.back().depth, uint32_t{kNodes});
  // Start at the far end, with everything above hidden.
  options.start_names = {"n99999[89]"};
  EXPECT_THAT(
      Rows(views.Show(View::kGraph, options)),
      ElementsAre("_TFProfRoot --/1000000", " n999998 1/2", "  n999999 1/1"));
  options.start_names = {".*"};
  options.show_names = {"n999999"};
  EXPECT_THAT(Names(views.Show(View::kGraph, options)),
              ElementsAre("_TFProfRoot", " n999999"));
  EXPECT_THAT(views.Show(View::kScope, ViewOptions()).rows, SizeIs(kNodes + 1));
}

TEST_F(GraphTest, ANodeWithManyInputs) {
  constexpr int kInputs = 100000;
  profile::GraphTables& graph = builder_.mutable_graph();
  builder_.AddNode("group", "NoOp", profile::kNoRecord);
  for (int i = 0; i < kInputs; ++i) {
    builder_.AddEdge(graph.strings.Intern("in" + std::to_string(i)), i, 0, 0);
  }
  for (int i = 0; i < kInputs; ++i) {
    builder_.AddNode("in" + std::to_string(i), "Const", profile::kNoRecord);
  }
  const profile::Profile profile = std::move(builder_).Build();
  Views views(profile);
  const Report report = views.Show(View::kGraph, {});
  ASSERT_THAT(report.rows, SizeIs(kInputs + 2));
  EXPECT_EQ(report.rows[1].definitions, kInputs + 1);
  EXPECT_EQ(report.rows.back().depth, 2u);
}

TEST_F(GraphTest, SharedSourcesCountOnceInTheTotal) {
  // The graph is a diamond.
  Node("top", {"left", "right"}, 1);
  Node("left", {"bottom"}, 2);
  Node("right", {"bottom"}, 4);
  Node("bottom", {}, 8);
  EXPECT_THAT(Show(View::kGraph),
              ElementsAre("_TFProfRoot --/15", " top 1/15", "  left 2/10",
                          "   bottom 8/8", "  right 4/4"));
}

// The search follows the inputs in order: it reaches `b` below `a` before it
// reaches it as an input of `top`.
TEST_F(GraphTest, TheWalkGoesDeepFirst) {
  Node("top", {"a", "b"}, 1);
  Node("a", {"b"}, 2);
  Node("b", {}, 4);
  EXPECT_THAT(Show(View::kGraph), ElementsAre("_TFProfRoot --/7", " top 1/7",
                                              "  a 2/6", "   b 4/4"));
}

TEST_F(GraphTest, WithoutAccountedNodesThereIsTheRoot) {
  Node("top", {"a"}, 1);
  Node("a", {}, 2);
  ViewOptions options;
  options.account_types = {"none"};
  EXPECT_THAT(Show(View::kGraph, options), ElementsAre("_TFProfRoot --/0"));
}

// ---- Only the rows

TEST(GraphRowsTest, ARowForEachNodeBehindTheRoot) {
  profile::ProfileBuilder builder;
  profile::AddNodeWithInputs(builder, "b", "Op", {"source", "gone"}, {});
  profile::AddNodeWithInputs(builder, "source", "Op", {}, {});
  profile::AddNodeWithInputs(builder, "a", "Op", {"source"}, {});
  const profile::Profile profile = std::move(builder).Build();
  ViewContext context(profile);
  const GraphRows rows = BuildGraphRows(context);
  EXPECT_THAT(rows.names, ElementsAre("_TFProfRoot", "b", "source", "a"));
  EXPECT_THAT(rows.node, ElementsAre(profile::kNone, 0, 1, 2));
  // These are the nodes without consumers, sorted by name.
  EXPECT_THAT(rows.top, ElementsAre(2, 0));
}

TEST(GraphRowsTest, ANodeThatConsumesItselfIsNoTop) {
  profile::ProfileBuilder builder;
  profile::AddNodeWithInputs(builder, "loop", "Op", {"loop"}, {});
  const profile::Profile profile = std::move(builder).Build();
  ViewContext context(profile);
  EXPECT_TRUE(BuildGraphRows(context).top.empty());
}

TEST(GraphRowsTest, AnEmptyProfileHasARoot) {
  const profile::Profile profile;
  ViewContext context(profile);
  const GraphRows rows = BuildGraphRows(context);
  EXPECT_THAT(rows.names, ElementsAre("_TFProfRoot"));
  EXPECT_TRUE(rows.top.empty());
  const auto tree =
      AccountGraph(rows, context, -1, flops::FlopsSource::kOpLog, {".*"});
  EXPECT_EQ(tree->size(), 1u);
  EXPECT_TRUE(tree->nonnegative);
}

}  // namespace
}  // namespace tfprof::views
