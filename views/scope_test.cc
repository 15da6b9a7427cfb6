#include "views/scope.h"

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/small_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"
#include "views/views.h"
#include "views/views_testing.h"

namespace tfprof::views {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class SmallModelScopeTest : public ::testing::Test {
 protected:
  profile::Profile profile_ = accounting::SmallModel();
  Views views_{profile_};
};

TEST_F(SmallModelScopeTest, Variables) {
  ViewOptions options;
  options.max_depth = 5;
  options.account_types = {"VariableV2"};
  const Report report = views_.Show(View::kScope, options);
  EXPECT_THAT(Rows(report), ElementsAre("_TFProfRoot --/13", " DW 2/2",
                                        " DW2 11/11", " ScalarW 0/0"));
  EXPECT_THAT(Rows(report, accounting::kParameters),
              ElementsAre("_TFProfRoot --/451", " DW 162/162", " DW2 288/288",
                          " ScalarW 1/1"));
  EXPECT_EQ(report.rows[0].definitions, 3);
  EXPECT_EQ(report.rows[1].definitions, 1);
  EXPECT_EQ(report.rows[0].total[accounting::kRunCount], 2);
}

TEST_F(SmallModelScopeTest, ByCpuMicros) {
  ViewOptions options = OrderBy(accounting::kCpuMicros);
  options.max_depth = 2;
  // Ties are sorted by name: DW before zeros, ScalarW before init.
  EXPECT_THAT(Rows(views_.Show(View::kScope, options), accounting::kCpuMicros),
              ElementsAre("_TFProfRoot --/4541", " Conv2D 4066/4066",
                          " Conv2D_1 419/419", " _retval_Conv2D_1_0_0 41/41",
                          " DW2 11/11", " DW 2/2", " zeros 2/2", " ScalarW 0/0",
                          " init 0/0"));
}

TEST_F(SmallModelScopeTest, ScopesThatAreNoNodesHaveSyntheticRows) {
  ViewOptions options;
  options.max_depth = 100;
  options.start_names = {"DW/Initializer"};
  const Report report = views_.Show(View::kScope, options);
  EXPECT_THAT(
      Names(report),
      ElementsAre("_TFProfRoot", " DW/Initializer",
                  "  DW/Initializer/random_normal",
                  "   DW/Initializer/random_normal/RandomStandardNormal",
                  "   DW/Initializer/random_normal/mean",
                  "   DW/Initializer/random_normal/mul",
                  "   DW/Initializer/random_normal/shape",
                  "   DW/Initializer/random_normal/stddev"));
  EXPECT_EQ(report.rows[1].node, profile::kNone);
  EXPECT_NE(report.rows[2].node, profile::kNone);
  EXPECT_EQ(report.rows[1].definitions, 7);
  // The root's totals cover everything: 32 nodes and 3 scopes.
  EXPECT_EQ(report.rows[0].definitions, 35);
  EXPECT_EQ(report.rows[0].total[accounting::kMicros], 4945);
}

using ScopeTest = HandMadeTest;

TEST_F(ScopeTest, AncestorsCountEvenIfNotAccounted) {
  Node("a", {}, 3);
  Node("a/b", {}, 4);
  Node("c", {}, 5);
  ViewOptions options;
  options.account_types = {"Op_a/b"};
  EXPECT_THAT(Show(View::kScope, options),
              ElementsAre("_TFProfRoot --/7", " a --/7", "  a/b 4/4"));
}

TEST_F(ScopeTest, OddNames) {
  Node("/lead", {}, 1);
  Node("tail/", {}, 2);
  Node("a//b", {}, 4);
  Node("\xff\n", {}, 8);
  EXPECT_THAT(Show(View::kScope),
              ElementsAre("_TFProfRoot --/15", "  0/1", "  /lead 1/1", " a 0/4",
                          "  a/ 0/4", "   a//b 4/4", " tail 0/2", "  tail/ 2/2",
                          " \xff\n 8/8"));
}

// Scopes of all depths, some of them nodes, divided anywhere between threads.
TEST_F(ScopeTest, ThreadsMakeNoDifference) {
  profile::GraphTables& graph = builder_.mutable_graph();
  const profile::LaneId cpu = tensorflow::DeviceLane("/cpu:0", graph);
  std::minstd_rand random(3);
  for (int i = 0; i < 100000; ++i) {
    std::string name = "s" + std::to_string(random() % 3);
    for (uint32_t depth = random() % 12; depth > 0; --depth) {
      name += "/t" + std::to_string(random() % 4);
    }
    if (random() % 2 == 0) name += "/n" + std::to_string(i);
    const profile::NodeId n = builder_.AddNode(
        name, random() % 5 == 0 ? "A" : "B", profile::kNoRecord);
    if (n == profile::kNone) continue;
    records_.push_back({.node = n, .lane = cpu, .start = 1, .duration = i});
  }
  const profile::Profile profile = Build();
  const auto rows_with = [&](int threads, const ViewOptions& options) {
    Views views(profile, {.threads = threads});
    return Rows(views.Show(View::kScope, options));
  };
  ViewOptions options;
  options.max_depth = kDeep;
  const std::vector<std::string> all = rows_with(1, options);
  ASSERT_GT(all.size(), size_t{1} << 16);
  EXPECT_EQ(rows_with(2, options), all);
  EXPECT_EQ(rows_with(7, options), all);
  // Some rows are shown only because of the rows below them.
  options.account_types = {"A"};
  const std::vector<std::string> some = rows_with(1, options);
  ASSERT_LT(some.size(), all.size());
  EXPECT_EQ(rows_with(2, options), some);
  EXPECT_EQ(rows_with(7, options), some);
}

TEST_F(ScopeTest, ThousandsOfLevels) {
  constexpr int kDepth = 3000;
  std::string name = "s";
  for (int i = 1; i < kDepth; ++i) name += "/s";
  Node(name, {}, 5);
  ViewOptions options;
  options.max_depth = kDeep;
  const std::vector<std::string> rows = Show(View::kScope, options);
  ASSERT_THAT(rows, SizeIs(kDepth + 1));
  EXPECT_EQ(rows[1], " s 0/5");
  EXPECT_EQ(rows.back(), std::string(kDepth, ' ') + name + " 5/5");
}

TEST_F(ScopeTest, EveryRowCountsInItsDefinitions) {
  Node("a/b/c");
  Node("a/b");
  Node("d");
  const profile::Profile profile = Build();
  Views views(profile);
  const Report report = views.Show(View::kScope, {});
  std::vector<int64_t> definitions;
  for (const Report::Row& row : report.rows) {
    definitions.push_back(row.definitions);
  }
  // The rows are the root, a, a/b, a/b/c and d.
  EXPECT_THAT(definitions, ElementsAre(4, 3, 2, 1, 1));
}

TEST_F(ScopeTest, ScopesHaveATypeOfTheirOwn) {
  Node("a/b", {}, 3);
  Node("c", {}, 4);
  ViewOptions options;
  options.account_types = {std::string(kScopeParentType)};
  EXPECT_THAT(Show(View::kScope, options),
              ElementsAre("_TFProfRoot --/0", " a 0/0"));
}

TEST_F(ScopeTest, RowsThatAreNotAccountedAndHaveNothingBelowAreLeftOut) {
  Node("a/b", {}, 3);
  Node("c/d", {}, 4);
  ViewOptions options;
  options.account_types = {"Op_c/d"};
  EXPECT_THAT(Show(View::kScope, options),
              ElementsAre("_TFProfRoot --/4", " c --/4", "  c/d 4/4"));
}

// ---- Only the tree

class ScopeTreeTest : public ::testing::Test {
 protected:
  ScopeTree Build(std::initializer_list<std::string_view> names) {
    profile::ProfileBuilder builder;
    for (const std::string_view name : names) {
      builder.AddNode(name, "Op", profile::kNoRecord);
    }
    profile_ = std::move(builder).Build();
    return BuildScopeTree(profile_);
  }

  profile::Profile profile_;
};

TEST_F(ScopeTreeTest, AnEmptyProfileHasARoot) {
  const ScopeTree tree = Build({});
  EXPECT_THAT(tree.names, ElementsAre("_TFProfRoot"));
  EXPECT_THAT(tree.node, ElementsAre(profile::kNone));
  EXPECT_THAT(tree.parent, ElementsAre(kRootRow));
}

TEST_F(ScopeTreeTest, RowsAreInPreOrderWithTheirNodes) {
  const ScopeTree tree = Build({"b", "a/x/y", "a"});
  EXPECT_THAT(tree.names, ElementsAre("_TFProfRoot", "a", "a/x", "a/x/y", "b"));
  EXPECT_THAT(tree.node, ElementsAre(profile::kNone, 2, profile::kNone, 1, 0));
  EXPECT_THAT(tree.parent, ElementsAre(0, 0, 1, 2, 0));
}

// '-' sorts before '/': sorted by whole names, "a-b" would be between "a" and
// "a/c".
TEST_F(ScopeTreeTest, SiblingsAreByTheirLabels) {
  EXPECT_THAT(Build({"a-b", "a", "a/c"}).names,
              ElementsAre("_TFProfRoot", "a", "a/c", "a-b"));
}

TEST_F(ScopeTreeTest, AScopeOfManyNodesIsOneRow) {
  const ScopeTree tree = Build({"s/a", "other", "s/b", "s/t/c", "s/d"});
  EXPECT_THAT(tree.names, ElementsAre("_TFProfRoot", "other", "s", "s/a", "s/b",
                                      "s/d", "s/t", "s/t/c"));
}

TEST_F(ScopeTreeTest, LabelsAreTheLastParts) {
  const ScopeTree tree = Build({"a/b/c", "/lead", "tail/", "x//y", ""});
  std::vector<std::string_view> labels;
  for (uint32_t row = 1; row < tree.names.size(); ++row) {
    labels.push_back(tree.Label(row));
  }
  EXPECT_THAT(tree.names,
              ElementsAre("_TFProfRoot", "", "/lead", "a", "a/b", "a/b/c",
                          "tail", "tail/", "x", "x/", "x//y"));
  // Only the root has an empty label, so a user can name every other row.
  EXPECT_THAT(labels, ElementsAre("", "/lead", "a", "b", "c", "tail", "", "x",
                                  "", "y"));
}

}  // namespace
}  // namespace tfprof::views
