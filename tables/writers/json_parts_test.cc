// Tests the common pieces of JSON.

#include "tables/writers/json_parts.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tables/tables_testing.h"

namespace tfprof::tables {
namespace {

TEST(JsonPartsTest, FactsForPeopleAreNotInTheHead) {
  std::string head;
  AppendJsonHead("op",
                 {{{.name = "", .title = "times"}, "average"},
                  {{.name = "step"}, int64_t{3}},
                  {{.name = "base"}, DataCell()}},
                 "\n", &head);
  EXPECT_EQ(head,
            "\"schema\":\"tfprof.op\",\"version\":2,\n"
            "\"facts\":{\"step\":3,\"base\":null}");
}

TEST(JsonPartsTest, ColumnsSayWhatTheyAreOf) {
  DataTable table;
  table.columns = {
      {.name = "busy", .unit = util::Unit::kMicros, .of = "/device:\"0\""}};
  std::string columns;
  AppendJsonColumns(table, &columns);
  EXPECT_EQ(
      columns,
      R"("columns":[{"name":"busy","unit":"micros","of":"/device:\"0\""}])");
}

TEST(JsonPartsTest, RowsBeginWithTheirTable) {
  const DataTable table = Tree({"a"}, {1});
  std::vector<DataCell> cells;
  table.cells(0, cells);
  std::string row;
  JsonRows(table, "\"table\":\"t\"").Append(0, cells, &row);
  EXPECT_EQ(
      row,
      R"({"table":"t","depth":0,"name":"a","total_micros":1,"self_bytes":null})");
}

TEST(JsonPartsTest, ATableWithoutColumnsHasEmptyRows) {
  const DataTable table;
  std::string row;
  JsonRows(table).Append(0, {}, &row);
  EXPECT_EQ(row, "{}");
}

}  // namespace
}  // namespace tfprof::tables
