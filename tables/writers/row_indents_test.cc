#include "tables/writers/row_indents.h"

#include <vector>

#include "gtest/gtest.h"

namespace tfprof::tables {
namespace {
namespace row_indents_test {

DataTable Tree(const std::vector<int>& depths) {
  DataTable table;
  table.num_rows = depths.size();
  table.depth = [depths](size_t row) { return depths[row]; };
  return table;
}

TEST(RowIndentsTest, ATableThatIsNoTreeHasNone) {
  DataTable table;
  table.num_rows = 2;
  const RowIndents indents(table, 2, 80);
  EXPECT_EQ(indents.Lead(1), "");
  EXPECT_EQ(indents.deepest(), 0u);
}

TEST(RowIndentsTest, ALevelHasTwoColumns) {
  const DataTable table = Tree({0, 1, 2});
  for (const size_t width : {0, 80}) {
    const RowIndents indents(table, 3, width);
    EXPECT_EQ(indents.Lead(0), "");
    EXPECT_EQ(indents.Lead(1), "  ");
    EXPECT_EQ(indents.Lead(2), "    ");
    EXPECT_EQ(indents.Lead(RowIndents::kNoRow), "");
    EXPECT_EQ(indents.deepest(), 4u);
  }
}

TEST(RowIndentsTest, ALevelHasOneColumnIfTheTreeIsDeepForTheWindow) {
  const DataTable table = Tree({0, 5, 6});
  EXPECT_EQ(RowIndents(table, 3, 48).Lead(2), "            ");
  EXPECT_EQ(RowIndents(table, 3, 47).Lead(2), "      ");
  // The deep row is not shown, so it does not count.
  EXPECT_EQ(RowIndents(table, 2, 47).Lead(1), "          ");
}

TEST(RowIndentsTest, RowsThatAreTooDeepBeginWithTheirDepth) {
  const DataTable table = Tree({6, 7, 123});
  const RowIndents indents(table, 3, 20);
  EXPECT_EQ(indents.deepest(), 6u);
  EXPECT_EQ(indents.Lead(0), "      ");
  EXPECT_EQ(indents.Lead(1), "   7> ");
  EXPECT_EQ(indents.Lead(2), " 123> ");
  // A depth is never cut, even if it does not fit.
  EXPECT_EQ(RowIndents(table, 3, 10).Lead(2), "123> ");
}

}  // namespace row_indents_test
}  // namespace
}  // namespace tfprof::tables
