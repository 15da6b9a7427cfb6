#include "compare/diff.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compare/compare_testing.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "depth name status before after" of each row.
std::vector<std::string> Rows(views::View view, Two& two,
                              const views::ViewOptions& options,
                              DiffOrder order = DiffOrder::kChange) {
  const Diff diff = DiffViews(view, two.before, two.after, options, order);
  std::vector<std::string> rows;
  for (const DiffRow& row : diff.rows) {
    const char* status = row.status() == DiffRow::Status::kNew    ? "+"
                         : row.status() == DiffRow::Status::kGone ? "-"
                                                                  : "";
    rows.push_back(fmt::format("{} {}{} {} {}", row.depth, status, row.name(),
                               row.before[accounting::kMicros],
                               row.after[accounting::kMicros]));
  }
  return rows;
}

TEST(DiffTest, OpsByChange) {
  Two two(MakeProfile({{"a", "MatMul", 100},
                       {"b", "Relu", 50},
                       {"c", "Old", 20},
                       {"d", "Same", 7}}),
          MakeProfile({{"a", "MatMul", 110},
                       {"b", "Relu", 10},
                       {"n", "New", 5},
                       {"d", "Same", 7}}));
  EXPECT_THAT(Rows(views::View::kOp, two, {}),
              ElementsAre("0 Relu 50 10", "0 -Old 20 0", "0 MatMul 100 110",
                          "0 +New 0 5"));
  const Diff diff = DiffViews(views::View::kOp, two.before, two.after, {},
                              DiffOrder::kChange);
  EXPECT_EQ(diff.unchanged, 1);
  EXPECT_EQ(diff.total.before[accounting::kMicros], 177);
  EXPECT_EQ(diff.total.after[accounting::kMicros], 132);
}

TEST(DiffTest, OptionsOrderAndLimit) {
  Two two(MakeProfile({{"a", "A", 10}, {"b", "B", 50}, {"c", "C", 20}}),
          MakeProfile({{"a", "A", 100}, {"b", "B", 51}, {"d", "D", 60}}));
  views::ViewOptions options;
  EXPECT_THAT(Rows(views::View::kOp, two, options, DiffOrder::kOptions),
              ElementsAre("0 A 10 100", "0 B 50 51", "0 -C 20 0", "0 +D 0 60"));
  options.order = views::ViewOptions::Order::kStat;
  options.order_stat = accounting::kMicros;
  EXPECT_THAT(Rows(views::View::kOp, two, options, DiffOrder::kOptions),
              ElementsAre("0 A 10 100", "0 +D 0 60", "0 B 50 51", "0 -C 20 0"));
  // max_depth counts rows of the diff, in its order.
  options.max_depth = 1;
  EXPECT_THAT(Rows(views::View::kOp, two, options, DiffOrder::kChange),
              ElementsAre("0 A 10 100", "0 +D 0 60"));
}

// Two nodes become one, which runs as often.
TEST(DiffTest, RunsAndDefinitions) {
  Two two(MakeProfile({{"a", "A", 10}, {"b", "B", 5}, {"b2", "B", 5}}),
          MakeProfile({{"a", "A", 10}, {"a2", "A", 7}, {"b", "B", 11}}));
  views::ViewOptions options;
  options.select = {};
  options.select.Add(accounting::kRunCount);
  options.select.Add(accounting::kMicros);
  const Diff diff = DiffViews(views::View::kOp, two.before, two.after, options,
                              DiffOrder::kChange);
  ASSERT_EQ(diff.rows.size(), 2u);
  EXPECT_EQ(diff.rows[0].name(), "A");
  EXPECT_EQ(diff.values[1].Before(diff.rows[0]), 1);
  EXPECT_EQ(diff.values[1].After(diff.rows[0]), 2);
  EXPECT_EQ(diff.values[2].Before(diff.rows[1]), 2);
  EXPECT_EQ(diff.values[2].After(diff.rows[1]), 1);
}

// Nodes that exist only in a graph never run, so their number decides.
TEST(DiffTest, TheNextValueDecidesAmongEquals) {
  Two two(MakeProfile({{"a", "A"}, {"b", "B"}, {"c", "C"}}, {}),
          MakeProfile({{"a", "A"},
                       {"a2", "A"},
                       {"b", "B"},
                       {"b2", "B"},
                       {"b3", "B"},
                       {"c", "C"}},
                      {}));
  views::ViewOptions options;
  options.select = {};
  options.select.Add(accounting::kRunCount);
  options.order = views::ViewOptions::Order::kStat;
  options.order_stat = accounting::kRunCount;
  for (const DiffOrder order : {DiffOrder::kChange, DiffOrder::kOptions}) {
    EXPECT_THAT(Rows(views::View::kOp, two, options, order),
                ElementsAre("0 B 0 0", "0 A 0 0"));
  }
}

TEST(DiffTest, ARowThatPassesOnOneSideIsShown) {
  Two two(MakeProfile({{"a", "A", 10}, {"b", "B", 50}, {"c", "C", 3}}),
          MakeProfile({{"a", "A", 60}, {"b", "B", 4}, {"c", "C", 5}}));
  views::ViewOptions options;
  options.min[accounting::kMicros] = 50;
  // Rows have both values, even if one side alone would hide them.
  EXPECT_THAT(Rows(views::View::kOp, two, options),
              ElementsAre("0 A 10 60", "0 B 50 4"));
  EXPECT_THAT(Rows(views::View::kScope, two, options),
              ElementsAre("0 _TFProfRoot 63 69", "1 a 10 60", "1 b 50 4"));
  options = {};
  options.hide_names = {"A"};
  EXPECT_THAT(Rows(views::View::kOp, two, options),
              ElementsAre("0 B 50 4", "0 C 3 5"));
}

TEST(DiffTest, ScopesAreMatchedFromTheRootDown) {
  Two two(MakeProfile({{"net_1/dense/MatMul", "M", 10},
                       {"net_1/dense_1/MatMul", "M", 20},
                       {"net_1/gone", "M", 5}}),
          MakeProfile({{"net_2/dense_4/MatMul", "M", 11},
                       {"net_2/dense_5/MatMul", "M", 40},
                       {"net_2/new", "M", 1}}));
  EXPECT_THAT(
      Rows(views::View::kScope, two, {}),
      ElementsAre("0 _TFProfRoot 35 52", "1 net_2 35 52",
                  "2 net_2/dense_5 20 40", "3 net_2/dense_5/MatMul 20 40",
                  "2 -net_1/gone 5 0", "2 net_2/dense_4 10 11",
                  "3 net_2/dense_4/MatMul 10 11", "2 +net_2/new 0 1"));
}

TEST(DiffTest, UnchangedRowsAreShownAboveChangedOnes) {
  Two two(MakeProfile({{"s/a", "M", 10}, {"s/b", "M", 20}, {"t/c", "M", 5}}),
          MakeProfile({{"s/a", "M", 20}, {"s/b", "M", 10}, {"t/c", "M", 5}}));
  EXPECT_THAT(Rows(views::View::kScope, two, {}),
              ElementsAre("0 _TFProfRoot 35 35", "1 s 30 30", "2 s/a 10 20",
                          "2 s/b 20 10"));
  Two same(MakeProfile({{"a", "M", 10}}), MakeProfile({{"a", "M", 10}}));
  EXPECT_THAT(Rows(views::View::kScope, same, {}), IsEmpty());
}

TEST(DiffTest, GoneSubtreesKeepTheirShape) {
  Two two(MakeProfile({{"k", "M", 1}, {"g/x/y", "M", 10}}),
          MakeProfile({{"k", "M", 2}}));
  EXPECT_THAT(Rows(views::View::kScope, two, {}),
              ElementsAre("0 _TFProfRoot 11 2", "1 -g 10 0", "2 -g/x 10 0",
                          "3 -g/x/y 10 0", "1 k 1 2"));
  views::ViewOptions options;
  options.hide_names = {"g/x"};
  EXPECT_THAT(Rows(views::View::kScope, two, options),
              ElementsAre("0 _TFProfRoot 11 2", "1 -g 10 0", "2 -g/x/y 10 0",
                          "1 k 1 2"));
}

TEST(DiffTest, EqualProfilesHaveNoRows) {
  Two two(MakeProfile({{"a", "A", 10}, {"b", "B", 5}}),
          MakeProfile({{"a", "A", 10}, {"b", "B", 5}}));
  const Diff diff = DiffViews(views::View::kOp, two.before, two.after, {},
                              DiffOrder::kChange);
  EXPECT_THAT(diff.rows, IsEmpty());
  EXPECT_EQ(diff.unchanged, 2);
  EXPECT_EQ(diff.total.after[accounting::kMicros], 15);
}

TEST(DiffTest, AnEmptyProfileHasOnlyNewOrGoneRows) {
  Two two(profile::Profile(), MakeProfile({{"a", "A", 10}}));
  EXPECT_THAT(Rows(views::View::kOp, two, {}), ElementsAre("0 +A 0 10"));
  EXPECT_THAT(Rows(views::View::kScope, two, {}),
              ElementsAre("0 _TFProfRoot 0 10", "1 +a 0 10"));
  Two reverse(MakeProfile({{"a", "A", 10}}), profile::Profile());
  EXPECT_THAT(Rows(views::View::kGraph, reverse, {}),
              ElementsAre("0 _TFProfRoot 10 0", "1 -a 10 0"));
}

TEST(DiffTest, OneStepIsComparedWithItsNumber) {
  Two two(MakeProfile({{"a", "A", 10}}, {0, 5}),
          MakeProfile({{"a", "A", 10}}, {0, 40}));
  views::ViewOptions options;
  options.step = 0;
  EXPECT_THAT(Rows(views::View::kOp, two, options), IsEmpty());
  options.step = 1;
  EXPECT_THAT(Rows(views::View::kOp, two, options), ElementsAre("0 A 15 50"));
}

TEST(DiffTest, ANodeOfTheGraphIsFollowedByItsName) {
  Two two(MakeProfile({{"x_1", "A", 10}, {"y", "B", 5}}),
          MakeProfile({{"y", "B", 5}, {"x_4", "A", 30}}));
  const Diff diff = DiffViews(views::View::kGraph, two.before, two.after, {},
                              DiffOrder::kChange);
  ASSERT_EQ(diff.rows.size(), 2u);
  EXPECT_EQ(diff.rows[1].before_name, "x_1");
  EXPECT_EQ(diff.rows[1].after_name, "x_4");
}

TEST(DiffTest, ComparedValuesAreTheSelectedNumbers) {
  views::FieldSet select;
  select.Add(accounting::kRunCount);
  select.Add(accounting::kPeakBytes);
  select.Add(views::Field::kDevice);
  const std::vector<ComparedValue> values = ComparedValues(select);
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(values[0].stat, accounting::kPeakBytes);
  EXPECT_EQ(values[1].stat, accounting::kRunCount);
  EXPECT_FALSE(values[1].definitions);
  EXPECT_TRUE(values[2].definitions);
}

TEST(DiffBelowTest, ChildrenHaveTotalsAndNodesTheirOwn) {
  Two two(MakeProfile({{"s/a", "A", 10},
                       {"s/a/deep", "A", 1},
                       {"s/old", "B", 5},
                       {"s/same", "C", 3},
                       {"t", "D", 7}}),
          MakeProfile({{"s/a", "A", 12},
                       {"s/a/deep", "A", 9},
                       {"s/new", "E", 4},
                       {"s/same", "C", 3},
                       {"t", "D", 70}}));
  const auto& names = two.after.scope().names;
  const auto row = static_cast<uint32_t>(
      std::find(names.begin(), names.end(), "s") - names.begin());
  const auto below = [&](Below what) {
    const Diff diff = DiffBelow(views::View::kScope, row, what, two.before,
                                two.after, {}, DiffOrder::kChange);
    EXPECT_EQ(diff.unchanged, 1);
    std::vector<std::string> rows;
    for (const DiffRow& r : diff.rows) {
      rows.push_back(fmt::format("{} {} {}", r.name(),
                                 r.before[accounting::kMicros],
                                 r.after[accounting::kMicros]));
    }
    return rows;
  };
  EXPECT_THAT(below(Below::kChildren),
              ElementsAre("s/a 11 21", "s/old 5 0", "s/new 0 4"));
  EXPECT_THAT(below(Below::kNodes), ElementsAre("s/a/deep 1 9", "s/old 5 0",
                                                "s/new 0 4", "s/a 10 12"));
}

TEST(MatchRowsTest, AllRowsInTheOrderOfTheView) {
  Two two(MakeProfile({{"a", "A", 10}, {"c", "C", 0}}),
          MakeProfile({{"a", "A", 10}, {"b", "B", 7}}));
  std::vector<std::string> rows;
  for (const DiffRow& row :
       MatchRows(views::View::kScope, two.before, two.after, -1, {".*"})) {
    rows.push_back(fmt::format("{} {} {}", row.name(),
                               row.before[accounting::kMicros],
                               row.after[accounting::kMicros]));
  }
  EXPECT_THAT(rows,
              ElementsAre("_TFProfRoot 11 17", "a 10 10", "b 0 7", "c 1 0"));
}

TEST(MatchRowsTest, OnlyAccountedTypes) {
  Two two(MakeProfile({{"a", "A", 10}, {"b", "B", 20}}),
          MakeProfile({{"a", "A", 11}, {"b", "B", 21}}));
  const std::vector<DiffRow> rows =
      MatchRows(views::View::kOp, two.before, two.after, -1, {"B"});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].name(), "B");
}

}  // namespace
}  // namespace tfprof::compare
