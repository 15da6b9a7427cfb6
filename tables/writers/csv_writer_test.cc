// Tests answers as CSV: quotes, formulas, and several tables in one.

#include "tables/writers/csv_writer.h"

#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tables/tables_testing.h"

namespace tfprof::tables {
namespace {

std::string Csv(const DataDocument& document) {
  return Written([&](util::Sink& sink) { WriteCsv(document, sink); });
}

TEST(CsvWriterTest, QuotesAndDefuses) {
  EXPECT_EQ(Csv(One(Tree({"a,\"b\"", "=cmd|' /C calc'!A0", "@x", "\tx", "-1"},
                         {1, -2, 3, 4, 5}))),
            "depth,name,total_micros,self_bytes\r\n"
            "0,\"a,\"\"b\"\"\",1,\r\n"
            "1,'=cmd|' /C calc'!A0,-2,\r\n"
            "1,'@x,3,\r\n"
            "1,\\x09x,4,\r\n"
            "1,'-1,5,\r\n");
}

TEST(CsvWriterTest, WithoutDepth) {
  EXPECT_EQ(Csv(One(List("words", "word", {"a", "b"}))), "word\r\na\r\nb\r\n");
}

TEST(CsvWriterTest, SeveralTablesShareColumns) {
  EXPECT_EQ(Csv(Several()),
            "table,step,nodes,name,bytes\r\n"
            "facts,-1,10440,,\r\n"
            "inputs,,,a,\r\n"
            "inputs,,,b|c,\r\n"
            "sizes,,,c,2500\r\n");
}

TEST(CsvWriterTest, ATableWithoutRowsHasItsHeader) {
  EXPECT_EQ(Csv(One(List("words", "word", {}))), "word\r\n");
}

TEST(CsvWriterTest, NumbersWithoutDigitsAreEmpty) {
  DataTable table;
  table.columns = {{"a", "", util::Unit::kNumber},
                   {"b", "", util::Unit::kNumber}};
  table.num_rows = table.total_rows = 2;
  table.cells = [](size_t row, std::vector<DataCell>& cells) {
    cells = {row == 0 ? DataCell(NAN) : DataCell(0.25), DataCell(INFINITY)};
  };
  EXPECT_EQ(Csv(One(table)), "a,b\r\n,\r\n0.25,\r\n");
}

TEST(CsvWriterTest, NewlinesInNamesAreEscaped) {
  EXPECT_EQ(Csv(One(List("words", "word", {"a\nb\r", "\xff"}))),
            "word\r\na\\x0ab\\x0d\r\n\\xff\r\n");
}

// More rows than fit into the writer's buffer.
TEST(CsvWriterTest, ManyRows) {
  const std::vector<std::string> words(40000, "word");
  const std::string text = Csv(One(List("words", "word", words)));
  EXPECT_EQ(text.size(), 6 * 40001u);
  EXPECT_EQ(LinesOf(text).size(), 40001u);
}

}  // namespace
}  // namespace tfprof::tables
