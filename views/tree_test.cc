#include "views/tree.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/small_model_testing.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "views/views.h"
#include "views/views_testing.h"

namespace tfprof::views {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SmallModelTreeTest : public ::testing::Test {
 protected:
  profile::Profile profile_ = accounting::SmallModel();
  Views views_{profile_};
};

TEST_F(SmallModelTreeTest, DisplayedOnly) {
  ViewOptions options;
  options.show_names = {"Conv2D_1"};
  options.account_displayed_only = true;
  const Report report = views_.Show(View::kScope, options);
  EXPECT_THAT(Rows(report, accounting::kFloatOps),
              ElementsAre("_TFProfRoot --/4608", " Conv2D_1 4608/4608"));
  // The root counts itself.
  EXPECT_EQ(report.rows[0].definitions, 2);
  EXPECT_EQ(report.rows[0].total[accounting::kRunCount], 1);
}

TEST_F(SmallModelTreeTest, ThresholdsOfSelfAndOfTotalValues) {
  // min_float_ops applies to the node itself, min_micros to its total.
  ViewOptions options;
  options.min[accounting::kFloatOps] = 1;
  EXPECT_THAT(Names(views_.Show(View::kScope, options)),
              ElementsAre("_TFProfRoot", " Conv2D", " Conv2D_1"));
  options.min = {};
  options.min[accounting::kMicros] = 4000;
  EXPECT_THAT(Names(views_.Show(View::kGraph, options)),
              ElementsAre("_TFProfRoot", " Conv2D_1", "  Conv2D"));
}

TEST_F(SmallModelTreeTest, MaxDepth) {
  ViewOptions options;
  for (const View view : {View::kScope, View::kGraph}) {
    options.max_depth = 1;
    EXPECT_THAT(Names(views_.Show(view, options)), ElementsAre("_TFProfRoot"));
    options.max_depth = 0;
    EXPECT_THAT(Names(views_.Show(view, options)), ElementsAre("_TFProfRoot"));
    options.max_depth = -5;
    EXPECT_THAT(Names(views_.Show(view, options)), ElementsAre("_TFProfRoot"));
  }
  options.max_depth = 2;
  EXPECT_THAT(Names(views_.Show(View::kGraph, options)),
              ElementsAre("_TFProfRoot", " Conv2D_1", " ScalarW/read",
                          " _retval_Conv2D_1_0_0", " init"));
}

TEST_F(SmallModelTreeTest, TrimmedRowsAreShownWithoutTheirChildren) {
  ViewOptions options;
  options.show_names = {"DW.*"};
  options.trim_names = {"DW/I.*", "DW2"};
  const Report report = views_.Show(View::kScope, options);
  EXPECT_THAT(Names(report),
              ElementsAre("_TFProfRoot", " DW", "  DW/Assign",
                          "  DW/Initializer", "  DW/read", " DW2"));
  EXPECT_EQ(report.rows[5].definitions, 10);
}

TEST_F(SmallModelTreeTest, OccurrenceIsNoOrderOfTrees) {
  ViewOptions options = OrderBy(accounting::kRunCount);
  options.max_depth = 2;
  options.show_names = {"z.*", "i.*", "Conv.*"};
  EXPECT_THAT(
      Names(views_.Show(View::kScope, options)),
      ElementsAre("_TFProfRoot", " Conv2D", " Conv2D_1", " init", " zeros"));
}

using HandMadeTreeTest = HandMadeTest;

TEST_F(HandMadeTreeTest, HiddenRowsLiftTheirChildren) {
  Node("top", {"hidden", "y"}, 1);
  Node("hidden", {"z", "x"}, 2);
  Node("x", {}, 4);
  Node("y", {}, 8);
  Node("z", {}, 4);
  ViewOptions options;
  options.hide_names = {"hidden"};
  options.order = ViewOptions::Order::kStat;
  options.order_stat = accounting::kMicros;
  const profile::Profile profile = Build();
  Views views(profile);
  // z comes before x: both have 4, and z is below the first input of the hidden
  // row.
  EXPECT_THAT(Rows(views.Show(View::kGraph, options)),
              ElementsAre("_TFProfRoot --/19", " top 1/19", "  y 8/8",
                          "  z 4/4", "  x 4/4"));
  // The hidden row counts for the depth.
  options.max_depth = 3;
  EXPECT_THAT(Names(views.Show(View::kGraph, options)),
              ElementsAre("_TFProfRoot", " top", "  y"));
  // Totals include hidden rows, except with account_displayed_only.
  options.max_depth = 10;
  options.account_displayed_only = true;
  EXPECT_THAT(Rows(views.Show(View::kGraph, options))[1], " top 1/17");
}

// ---- Hand-made trees

struct HandMadeRow {
  std::string_view name;
  uint32_t parent = kRootRow;
  int64_t micros = 0;
  int64_t parameters = 0;
  int64_t runs = 0;
};

class DisplayTest : public ::testing::Test {
 protected:
  // Makes the rows 1, 2 … of a tree; parents come before their children.
  void Make(const std::vector<HandMadeRow>& rows) {
    const size_t size = rows.size() + 1;
    names_ = {kRootName};
    std::vector<uint32_t> parent = {kRootRow};
    auto self =
        std::make_shared<accounting::StatsTable>(size, accounting::Stats{});
    tree_.self_index = {profile::kNone};
    for (const HandMadeRow& row : rows) {
      const auto i = static_cast<uint32_t>(names_.size());
      names_.push_back(row.name);
      parent.push_back(row.parent);
      tree_.self_index.push_back(i);
      (*self)[i][accounting::kMicros] = row.micros;
      (*self)[i][accounting::kParameters] = row.parameters;
      (*self)[i][accounting::kRunCount] = row.runs;
    }
    tree_.names = &names_;
    tree_.total.resize(size, accounting::Stats{});
    tree_.definitions.assign(size, 0);
    tree_.node_count.assign(size, 1);
    tree_.accounted.assign(size, 1);
    for (size_t i = size; i-- > 1;) {
      accounting::AddStats(tree_.total[i], (*self)[i]);
      ++tree_.definitions[i];
      accounting::AddStats(tree_.total[parent[i]], tree_.total[i]);
      tree_.definitions[parent[i]] += tree_.definitions[i];
    }
    tree_.self_table = std::move(self);
    LinkChildren(parent, std::vector<uint8_t>(size, 1), tree_);
    tree_.nonnegative = true;
  }

  // Returns the names of the rows below the root, indented.
  std::vector<std::string> Show(View view, const ViewOptions& options = {}) {
    std::vector<std::string> lines;
    const ShownRows shown = Display(tree_, view, options);
    EXPECT_EQ(shown.rows.front().row, kRootRow);
    for (size_t i = 1; i < shown.rows.size(); ++i) {
      lines.push_back(fmt::format("{:{}}{}", "", shown.rows[i].depth - 1,
                                  names_[shown.rows[i].row]));
    }
    return lines;
  }

  std::vector<std::string_view> names_;
  AccountedTree tree_;
};

TEST(LinkChildrenTest, KeptRowsInAscendingOrder) {
  AccountedTree tree;
  //           root 1  2  3  4  5
  LinkChildren({0, 0, 1, 0, 1, 1}, {1, 1, 1, 1, 0, 1}, tree);
  EXPECT_THAT(tree.children_of(0), ElementsAre(1, 3));
  EXPECT_THAT(tree.children_of(1), ElementsAre(2, 5));
  EXPECT_THAT(tree.children_of(5), IsEmpty());
}

TEST(LinkChildrenTest, ARootAlone) {
  AccountedTree tree;
  LinkChildren({0}, {1}, tree);
  EXPECT_THAT(tree.children_of(kRootRow), IsEmpty());
}

TEST_F(DisplayTest, ARowWithoutSelfValuesHasZeros) {
  Make({{.name = "a", .micros = 5}});
  EXPECT_EQ(tree_.self(kRootRow), accounting::Stats{});
  EXPECT_EQ(tree_.self(1)[accounting::kMicros], 5);
}

TEST_F(DisplayTest, ARootAloneIsShown) {
  Make({});
  EXPECT_THAT(Show(View::kScope), IsEmpty());
  ViewOptions options;
  options.hide_names = {".*"};
  options.min[accounting::kMicros] = 1;
  EXPECT_THAT(Show(View::kGraph, options), IsEmpty());
}

TEST_F(DisplayTest, OrderByName) {
  Make({{"c"}, {"a"}, {"b"}});
  EXPECT_THAT(Show(View::kGraph), ElementsAre("a", "b", "c"));
  ViewOptions options;
  options.order = ViewOptions::Order::kNone;
  EXPECT_THAT(Show(View::kGraph, options), ElementsAre("c", "a", "b"));
}

TEST_F(DisplayTest, OrderByAStatisticIsOfTotalsAndStable) {
  Make({{.name = "small", .micros = 1},
        {.name = "z", .micros = 5},
        {.name = "a", .micros = 5},
        {.name = "parent", .micros = 0},
        {.name = "child", .parent = 4, .micros = 9}});
  EXPECT_THAT(Show(View::kGraph, OrderBy(accounting::kMicros)),
              ElementsAre("parent", " child", "z", "a", "small"));
}

TEST_F(DisplayTest, OccurrenceOrdersTheCodeViewOnly) {
  Make({{"c"}, {"a"}, {"b"}});
  tree_.node_count = {0, 1, 3, 7};
  EXPECT_THAT(Show(View::kCode, OrderBy(accounting::kRunCount)),
              ElementsAre("b", "a", "c"));
  EXPECT_THAT(Show(View::kGraph, OrderBy(accounting::kRunCount)),
              ElementsAre("a", "b", "c"));
}

// The children of a scope are sorted by name, but lifted rows are not.
TEST_F(DisplayTest, LiftedRowsAreSortedAmongTheOthers) {
  Make({{.name = "hidden"}, {.name = "z", .parent = 1}, {.name = "m"}});
  ViewOptions options;
  options.hide_names = {"hidden"};
  EXPECT_THAT(Show(View::kScope, options), ElementsAre("m", "z"));
}

TEST_F(DisplayTest, StartRowsAreTheTopMostThatMatch) {
  Make({{.name = "x"},
        {.name = "start", .parent = 1},
        {.name = "start", .parent = 2},
        {.name = "begin"},
        {.name = "end", .parent = 4}});
  ViewOptions options;
  options.start_names = {"start", "begin"};
  EXPECT_THAT(Show(View::kScope, options),
              ElementsAre("begin", " end", "start", " start"));
  // A start row has depth 2, wherever it is in the tree.
  options.max_depth = 2;
  EXPECT_THAT(Show(View::kScope, options), ElementsAre("begin", "start"));
  options.start_names = {"nothing"};
  EXPECT_THAT(Show(View::kScope, options), IsEmpty());
}

TEST_F(DisplayTest, TheCodeViewTrimsTheRowItself) {
  Make({{.name = "a"}, {.name = "b", .parent = 1}, {.name = "c"}});
  ViewOptions options;
  options.trim_names = {"a"};
  EXPECT_THAT(Show(View::kScope, options), ElementsAre("a", "c"));
  EXPECT_THAT(Show(View::kCode, options), ElementsAre("c"));
}

TEST_F(DisplayTest, DepthCountsHiddenRows) {
  Make({{.name = "a"},
        {.name = "hidden", .parent = 1},
        {.name = "b", .parent = 2}});
  ViewOptions options;
  options.hide_names = {"hidden"};
  options.max_depth = 3;
  EXPECT_THAT(Show(View::kGraph, options), ElementsAre("a"));
  options.max_depth = 4;
  EXPECT_THAT(Show(View::kGraph, options), ElementsAre("a", " b"));
}

TEST_F(DisplayTest, ThresholdsOfTimesAreOfTotals) {
  Make({{.name = "a", .micros = 1},
        {.name = "b", .parent = 1, .micros = 5},
        {.name = "c", .micros = 4}});
  ViewOptions options;
  options.min[accounting::kMicros] = 5;
  EXPECT_THAT(Show(View::kGraph, options), ElementsAre("a", " b"));
}

TEST_F(DisplayTest, ThresholdsOfParametersAreOfTheRowExceptInTheCodeView) {
  Make({{.name = "a"}, {.name = "b", .parent = 1, .parameters = 5}});
  ViewOptions options;
  options.min[accounting::kParameters] = 5;
  EXPECT_THAT(Show(View::kGraph, options), ElementsAre("b"));
  EXPECT_THAT(Show(View::kCode, options), ElementsAre("a", " b"));
}

TEST_F(DisplayTest, TheCodeViewIgnoresTheThresholdOfRuns) {
  Make({{.name = "a", .runs = 1}});
  ViewOptions options;
  options.min[accounting::kRunCount] = 2;
  EXPECT_THAT(Show(View::kGraph, options), IsEmpty());
  EXPECT_THAT(Show(View::kCode, options), ElementsAre("a"));
}

// A threshold of 0 hides negative values.
TEST_F(DisplayTest, NegativeValuesAreBelowTheThresholds) {
  Make({{.name = "a", .micros = -1}, {.name = "b", .micros = 2}});
  tree_.nonnegative = false;
  EXPECT_THAT(Show(View::kGraph), ElementsAre("b"));
}

TEST_F(DisplayTest, ANodeWithTheNameOfTheRootIsAlwaysShown) {
  Make({{.name = kRootName}, {.name = "a"}});
  ViewOptions options;
  options.hide_names = {".*"};
  options.min[accounting::kMicros] = 1;
  EXPECT_THAT(Show(View::kGraph, options), ElementsAre("_TFProfRoot"));
}

TEST_F(DisplayTest, DisplayedOnlySumsTheShownRows) {
  Make({{.name = "a", .micros = 1},
        {.name = "b", .parent = 1, .micros = 2},
        {.name = "c", .parent = 2, .micros = 4},
        {.name = "d", .micros = 8}});
  ViewOptions options;
  options.account_displayed_only = true;
  options.hide_names = {"b", "d"};
  const ShownRows shown = Display(tree_, View::kScope, options);
  ASSERT_EQ(shown.rows.size(), 3u);
  ASSERT_EQ(shown.totals.size(), 3u);
  EXPECT_EQ(shown.totals[0][accounting::kMicros], 5);  // the root
  EXPECT_EQ(shown.totals[1][accounting::kMicros], 5);  // a, with c
  EXPECT_EQ(shown.totals[2][accounting::kMicros], 4);  // c
  EXPECT_THAT(shown.definitions, ElementsAre(3, 2, 1));
}

TEST_F(DisplayTest, TheCodeViewIgnoresDisplayedOnly) {
  Make({{.name = "a", .micros = 1}});
  ViewOptions options;
  options.account_displayed_only = true;
  const ShownRows shown = Display(tree_, View::kCode, options);
  EXPECT_EQ(shown.rows.size(), 2u);
  EXPECT_THAT(shown.totals, IsEmpty());
  EXPECT_THAT(shown.definitions, IsEmpty());
}

TEST_F(DisplayTest, RowsAreInPreOrderAndKnowTheirPostOrder) {
  Make({{.name = "a"},
        {.name = "b", .parent = 1},
        {.name = "c", .parent = 1},
        {.name = "d"}});
  std::vector<uint32_t> rows, closed;
  for (const ShownRow& row : Display(tree_, View::kGraph, {}).rows) {
    rows.push_back(row.row);
    closed.push_back(row.closed);
  }
  EXPECT_THAT(rows, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(closed, ElementsAre(4, 2, 0, 1, 3));
}

}  // namespace
}  // namespace tfprof::views
