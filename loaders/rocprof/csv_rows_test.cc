#include "loaders/rocprof/csv_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace tfprof::rocprof {
namespace {

using ::testing::ElementsAre;

// The rows after the first one, as "OFFSET:a|b|c"; "!" if a row is not whole,
// "?" if it is cut.
std::vector<std::string> Rows(std::string_view bytes) {
  CsvRows rows(bytes);
  std::vector<std::string> texts;
  if (!rows.Next()) return texts;
  while (rows.Next()) {
    std::string text = std::to_string(rows.offset()) + ":";
    if (rows.whole()) {
      for (size_t i = 0; i < rows.cells().size(); ++i) {
        if (i > 0) text += '|';
        text += rows.cells()[i];
      }
    } else {
      text += rows.cut() ? "?" : "!";
    }
    texts.push_back(text);
  }
  return texts;
}

TEST(CsvRowsTest, QuotesCommasAndLineEnds) {
  EXPECT_THAT(Rows("a,b\n1,2\n\"1\",\"2\"\n"), ElementsAre("4:1|2", "8:1|2"));
  EXPECT_THAT(Rows("\"a\",\"b\"\r\n1,2\r\n\"1\",\"2\"\r\n"),
              ElementsAre("9:1|2", "14:1|2"));
  EXPECT_THAT(Rows("a,b\n\"x,\ny\",2\n3,4"),
              ElementsAre("4:x,\ny|2", "13:3|4"));
  EXPECT_THAT(Rows("a,b\n\"x\r\ny\",\"2\r\n\"\n"),
              ElementsAre("4:x\r\ny|2\r\n"));
  EXPECT_THAT(Rows("a,b\n\"say \"\"hi\"\"\",\"\"\"\"\n"),
              ElementsAre("4:say \"hi\"|\""));
  EXPECT_THAT(Rows("a,b\n,\n\"\",\"\"\n"), ElementsAre("4:|", "6:|"));
  EXPECT_THAT(Rows("\xef\xbb\xbf"
                   "a,b\n\n\r\n1,2\n\n"),
              ElementsAre("10:1|2"));
  EXPECT_THAT(Rows("a,b\n1,2,,\n"), ElementsAre("4:1|2"));
}

TEST(CsvRowsTest, QuotesThatAreNotDoubled) {
  EXPECT_THAT(Rows("a,b\n\"say \"hi\" to\",2\n"),
              ElementsAre("4:say \"hi\" to|2"));
  EXPECT_THAT(Rows("a,b\n\"say \"hi\"\",2\n3,4\n"),
              ElementsAre("4:say \"hi\"|2", "17:3|4"));
}

TEST(CsvRowsTest, AMissingQuoteCostsOneRow) {
  EXPECT_THAT(Rows("a,b\n\"1,2\n3,4\n5,6\n"),
              ElementsAre("4:?", "9:3|4", "13:5|6"));
  EXPECT_THAT(Rows("a,b,c\n0,\"1,2\n\"3\",\"4\",5\n6,7,8\n"),
              ElementsAre("6:!", "13:3|4|5", "23:6|7|8"));
  EXPECT_THAT(Rows("a,b\n1,2,3\n4\n5,6\n"),
              ElementsAre("4:!", "10:!", "12:5|6"));
  EXPECT_THAT(Rows("a,b\n1,\"2"), ElementsAre("4:?"));
}

TEST(CsvRowsTest, NothingAndOddBytes) {
  EXPECT_THAT(Rows(""), ElementsAre());
  EXPECT_THAT(Rows("\n\r\n"), ElementsAre());
  EXPECT_THAT(Rows("a"), ElementsAre());
  EXPECT_THAT(Rows("a,b\n\""), ElementsAre("4:?"));
  EXPECT_THAT(Rows("a,b\n\r1,2\n"), ElementsAre("5:1|2"));
  EXPECT_THAT(Rows(std::string_view("a,b\n\0,\xff\n", 8)),
              ElementsAre(std::string("4:\0|\xff", 5)));
}

TEST(CsvRowsTest, DamageIsReadInLinearTime) {
  // Each line begins a cell that ends nowhere.
  std::string bytes = "a,b\n";
  for (int i = 0; i < 2000000; ++i) bytes += "\"x\n";
  const auto begin = std::chrono::steady_clock::now();
  CsvRows rows(bytes);
  while (rows.Next()) {
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(CsvRowsTest, PlacesOfCells) {
  const std::string bytes = "a,b,c\n\"x,\"\"\",, y\r\n";
  CsvRows rows(bytes);
  rows.Next();
  rows.Next();
  std::vector<std::string> cells;
  for (size_t i = 0; i < 3; ++i) {
    const auto [begin, end] = rows.PlaceOf(i);
    cells.push_back(bytes.substr(begin, end - begin));
  }
  EXPECT_EQ(cells, (std::vector<std::string>{"\"x,\"\"\"", "", " y\r"}));
  EXPECT_EQ(rows.end(), bytes.size() - 1);
}

}  // namespace
}  // namespace tfprof::rocprof
