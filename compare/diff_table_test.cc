#include "compare/diff_table.h"

#include <cstdint>
#include <string>
#include <vector>

#include "compare/compare_testing.h"
#include "compare/diff.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;

TEST(DiffTableTest, CellsAndFacts) {
  Two two(MakeProfile({{"a", "A_1", 10}, {"c", "C", 4}}),
          MakeProfile({{"a", "A_2", 15}, {"d", "D", 1}}));
  const Diff diff = DiffViews(views::View::kOp, two.before, two.after, {},
                              DiffOrder::kChange);
  const tables::DataTable table = DiffTable(diff, "old.pb");
  std::vector<std::string> names;
  for (const tables::DataColumn& column : table.columns)
    names.push_back(column.name);
  EXPECT_THAT(names,
              ElementsAre("name", "status", "before_name", "micros_before",
                          "micros_after", "micros_delta", "micros_change"));
  std::vector<tables::DataCell> cells;
  table.cells(0, cells);
  EXPECT_THAT(
      cells, ElementsAre(tables::DataCell("A_2"), tables::DataCell("changed"),
                         tables::DataCell("A_1"), tables::DataCell(int64_t{10}),
                         tables::DataCell(int64_t{15}),
                         tables::DataCell(int64_t{5}), tables::DataCell(0.5)));
  table.cells(1, cells);
  EXPECT_THAT(cells,
              ElementsAre(tables::DataCell("C"), tables::DataCell("gone"),
                          tables::DataCell(""), tables::DataCell(int64_t{4}),
                          tables::DataCell(), tables::DataCell(int64_t{-4}),
                          tables::DataCell(-1.0)));
  table.cells(2, cells);
  EXPECT_THAT(cells,
              ElementsAre(tables::DataCell("D"), tables::DataCell("new"),
                          tables::DataCell(""), tables::DataCell(),
                          tables::DataCell(int64_t{1}),
                          tables::DataCell(int64_t{1}), tables::DataCell()));
}

TEST(DiffTableTest, NoiseIsWhatTheStepsExplain) {
  const std::vector<int64_t> steps = {0, 40, 10, 60, 20, 30};
  Two two(MakeProfile({{"a", "A", 1000}, {"b", "B", 100}}, steps),
          MakeProfile({{"a", "A", 1010}, {"b", "B", 900}}, steps));
  const Diff diff = DiffViews(views::View::kOp, two.before, two.after, {},
                              DiffOrder::kChange);
  const tables::DataTable table = DiffTable(diff, "old.pb");
  EXPECT_EQ(table.columns.back().name, "micros_noise");
  std::vector<tables::DataCell> cells;
  for (const bool first : {true, false}) {
    table.cells(first ? 0 : 1, cells);
    EXPECT_EQ(cells[0], tables::DataCell(first ? "B" : "A"));
    const int64_t noise = std::get<int64_t>(cells.back());
    EXPECT_EQ(noise < (first ? 800 : 10), first) << noise;
  }
  // A single step has no noise.
  views::ViewOptions one;
  one.step = 0;
  EXPECT_TRUE(DiffViews(views::View::kOp, two.before, two.after, one,
                        DiffOrder::kChange)
                  .noise.empty());
}

// The names of the columns, in order.
std::vector<std::string> Columns(const tables::DataTable& table) {
  std::vector<std::string> names;
  for (const tables::DataColumn& column : table.columns)
    names.push_back(column.name);
  return names;
}

TEST(DiffTableTest, EachValueHasFourColumns) {
  Two two(MakeProfile({{"a", "A", 10}}),
          MakeProfile({{"a", "A", 10}, {"a2", "A", 7}}));
  views::ViewOptions options;
  options.select = {};
  options.select.Add(accounting::kRunCount);
  options.select.Add(accounting::kMicros);
  const Diff diff = DiffViews(views::View::kOp, two.before, two.after, options,
                              DiffOrder::kChange);
  EXPECT_THAT(Columns(DiffTable(diff, "base")),
              ElementsAre("name", "status", "micros_before", "micros_after",
                          "micros_delta", "micros_change", "runs_before",
                          "runs_after", "runs_delta", "runs_change",
                          "definitions_before", "definitions_after",
                          "definitions_delta", "definitions_change"));
}

// Both pass at the same time, so people get two numbers; programs have the sum,
// too.
TEST(DiffTableTest, TimesOnAcceleratorsAndOnCpusAreTwoValues) {
  const std::vector<int64_t> steps = {0, 4, 1};
  Two two(MakeProfile({{"a", "A", 10}, {"k", "K", 50, 1, true}}, steps),
          MakeProfile({{"a", "A", 90}, {"k", "K", 70, 1, true}}, steps));
  const Diff diff = DiffViews(views::View::kOp, two.before, two.after, {},
                              DiffOrder::kChange);
  const tables::DataTable table = DiffTable(diff, "base");
  std::vector<std::string> titles, data_only;
  for (const tables::DataColumn& column : table.columns) {
    (column.data_only ? data_only : titles)
        .push_back(column.data_only ? column.name : column.title);
  }
  EXPECT_THAT(data_only, ElementsAre("micros_before", "micros_after",
                                     "micros_delta", "micros_change"));
  EXPECT_THAT(
      titles,
      ElementsAre("op", "status", "accelerator before", "accelerator after",
                  "accelerator delta", "accelerator change", "cpu before",
                  "cpu after", "cpu delta", "cpu change", "noise of time"));
  std::vector<tables::DataCell> cells;
  table.cells(0, cells);
  ASSERT_EQ(cells.size(), table.columns.size());
  EXPECT_EQ(cells[0], tables::DataCell("A"));
  EXPECT_EQ(cells[8], tables::DataCell(int64_t{0}));
  EXPECT_EQ(cells[12], tables::DataCell(int64_t{80}));
  EXPECT_EQ(table.totals.size(), table.columns.size());
  EXPECT_EQ(table.totals[8], tables::DataCell(int64_t{20}));
}

TEST(DiffTableTest, FactsHaveTheBaseAndTheTotals) {
  Two two(MakeProfile({{"a", "A", 10}, {"b", "B", 4}}),
          MakeProfile({{"a", "A", 15}, {"b", "B", 4}}));
  const Diff diff = DiffViews(views::View::kOp, two.before, two.after, {},
                              DiffOrder::kChange);
  const tables::DataTable table = DiffTable(diff, "old.pb");
  std::vector<std::string> names;
  for (const auto& [column, cell] : table.facts) {
    names.push_back(column.name);
    EXPECT_EQ(column.title, "") << column.name;
  }
  EXPECT_THAT(names, ElementsAre("view", "base", "total_micros_before",
                                 "total_micros_after", "unchanged_rows"));
  EXPECT_EQ(table.facts[1].second, tables::DataCell("old.pb"));
  EXPECT_EQ(table.facts[2].second, tables::DataCell(int64_t{14}));
  EXPECT_EQ(table.facts[4].second, tables::DataCell(int64_t{1}));
}

TEST(DiffTableTest, NothingChanged) {
  Two two(MakeProfile({{"a", "A", 10}}), MakeProfile({{"a", "A", 10}}));
  const Diff diff = DiffViews(views::View::kOp, two.before, two.after, {},
                              DiffOrder::kChange);
  const tables::DataTable table = DiffTable(diff, "old.pb");
  EXPECT_EQ(table.facts.back().first.title, "changed");
  EXPECT_EQ(table.facts.back().second,
            tables::DataCell("nothing; 1 row as before"));
}

TEST(DiffTableTest, OpHasTotals) {
  Two two(MakeProfile({{"a", "A", 10}}), MakeProfile({{"a", "A", 15}}));
  const Diff diff = DiffViews(views::View::kOp, two.before, two.after, {},
                              DiffOrder::kChange);
  const tables::DataTable table = DiffTable(diff, "old.pb");
  EXPECT_FALSE(table.depth);
  EXPECT_THAT(
      table.totals,
      ElementsAre(tables::DataCell("all"), tables::DataCell(""),
                  tables::DataCell(int64_t{10}), tables::DataCell(int64_t{15}),
                  tables::DataCell(int64_t{5}), tables::DataCell(0.5)));
}

TEST(DiffTableTest, ATreeHasDepthsAndUnchangedParents) {
  Two two(MakeProfile({{"s/a", "M", 10}, {"s/b", "M", 20}}),
          MakeProfile({{"s/a", "M", 20}, {"s/b", "M", 10}}));
  const Diff diff = DiffViews(views::View::kScope, two.before, two.after, {},
                              DiffOrder::kChange);
  const tables::DataTable table = DiffTable(diff, "old.pb");
  ASSERT_EQ(table.num_rows, 4u);
  EXPECT_EQ(table.depth(1), 1u);
  EXPECT_EQ(table.depth(2), 2u);
  std::vector<tables::DataCell> cells;
  table.cells(1, cells);
  EXPECT_EQ(cells[0], tables::DataCell("s"));
  EXPECT_EQ(cells[1], tables::DataCell("same"));
  EXPECT_TRUE(table.totals.empty());
}

TEST(DiffTableTest, TitlesNameTheValueIfThereAreSeveral) {
  Two two(MakeProfile({{"a", "A", 10}}), MakeProfile({{"a", "A", 15}}));
  views::ViewOptions options;
  const auto title = [&](size_t column) {
    const Diff diff = DiffViews(views::View::kOp, two.before, two.after,
                                options, DiffOrder::kChange);
    return DiffTable(diff, "").columns[column].title;
  };
  EXPECT_EQ(title(3), "after");
  options.select.Add(accounting::kPeakBytes);
  EXPECT_THAT(title(3), EndsWith(" after"));
}

}  // namespace
}  // namespace tfprof::compare
