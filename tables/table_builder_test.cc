#include "tables/table_builder.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::tables {
namespace {
namespace table_builder_test {

using ::testing::ElementsAre;

TableBuilder Words() {
  return TableBuilder("words", {{.name = "word", .title = "word"},
                                {.name = "count", .title = "count"}});
}

TEST(TableBuilderTest, TheTableOwnsItsRows) {
  DataTable table;
  {
    TableBuilder builder = Words();
    builder.AddRow({TextCell("a"), int64_t{1}});
    builder.AddRow({TextCell("b"), int64_t{2}});
    EXPECT_EQ(builder.size(), 2u);
    table = std::move(builder).Build();
  }
  EXPECT_EQ(table.kind, "words");
  ASSERT_EQ(table.num_rows, 2u);
  std::vector<DataCell> cells;
  table.cells(1, cells);
  EXPECT_THAT(cells, ElementsAre(DataCell("b"), DataCell(int64_t{2})));
  // A copy shares the rows.
  const DataTable copy = table;
  copy.cells(0, cells);
  EXPECT_EQ(cells[0], DataCell("a"));
}

TEST(TableBuilderTest, AllRowsAreAtLeastThoseAdded) {
  TableBuilder builder = Words();
  builder.AddRow({TextCell("a"), int64_t{1}});
  builder.SetTotalRows(0);
  EXPECT_EQ(std::move(builder).Build().total_rows, 1u);
  TableBuilder more = Words();
  more.SetTotalRows(7);
  const DataTable table = std::move(more).Build();
  EXPECT_EQ(table.num_rows, 0u);
  EXPECT_EQ(table.total_rows, 7u);
}

TEST(TableBuilderTest, FactsAndTotals) {
  TableBuilder builder = Words();
  builder.AddFact({.name = "step"}, int64_t{3});
  builder.facts()->push_back({{.name = "place"}, TextCell("/")});
  builder.SetTotals({TextCell("all"), int64_t{9}});
  const DataTable table = std::move(builder).Build();
  ASSERT_EQ(table.facts.size(), 2u);
  EXPECT_EQ(table.facts[0].second, DataCell(int64_t{3}));
  EXPECT_EQ(table.facts[1].first.name, "place");
  EXPECT_THAT(table.totals, ElementsAre(DataCell("all"), DataCell(int64_t{9})));
}

TEST(CellsTest, AnUnknownNumberIsNoValue) {
  EXPECT_EQ(IntCell(0), DataCell(int64_t{0}));
  EXPECT_EQ(IntCell(5, /*known=*/false), DataCell());
}

TEST(CellsTest, AShareOfNothingIsNoValue) {
  EXPECT_EQ(ShareCell(1, 4), DataCell(0.25));
  EXPECT_EQ(ShareCell(0, 0), DataCell());
  EXPECT_EQ(ShareCell(3, 0), DataCell());
}

}  // namespace table_builder_test
}  // namespace
}  // namespace tfprof::tables
