#include "server/table_page.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Rows "n0" … with an unsorted number, which is missing in row 3.
tables::DataTable Numbers(size_t rows) {
  tables::DataTable table;
  table.kind = "numbers";
  table.columns = {{"name"}, {"value"}};
  table.num_rows = table.total_rows = rows;
  table.cells = [](size_t row, std::vector<tables::DataCell>& cells) {
    cells[0] = "N" + std::to_string(row);
    if (row != 3) cells[1] = static_cast<int64_t>(row * 7 % 5);
  };
  return table;
}

std::vector<std::string> Names(const tables::DataTable& table) {
  std::vector<std::string> names;
  std::vector<tables::DataCell> cells(table.columns.size());
  for (size_t row = 0; row < table.num_rows; ++row) {
    table.cells(row, cells);
    names.push_back(std::get<std::string>(cells[0]));
  }
  return names;
}

struct Cut {
  absl::StatusOr<size_t> reachable;
  tables::Answer answer;
  const tables::DataTable& table() const { return answer.data.parts[0].table; }
};

Cut CutNumbers(size_t rows, const TablePage& page) {
  tables::Answer answer = tables::TableAnswer(Numbers(rows));
  auto reachable = CutTables(page, nullptr, answer);
  return {std::move(reachable), std::move(answer)};
}

TEST(TablePageTest, SmallTablesStayWhole) {
  const Cut cut = CutNumbers(5, {});
  EXPECT_EQ(*cut.reachable, 5u);
  EXPECT_THAT(Names(cut.table()), ElementsAre("N0", "N1", "N2", "N3", "N4"));
}

TEST(TablePageTest, APageOfRows) {
  const Cut cut = CutNumbers(100, {.from = 98, .count = 10});
  EXPECT_THAT(Names(cut.table()), ElementsAre("N98", "N99"));
  EXPECT_EQ(cut.table().total_rows, 100u);
  EXPECT_THAT(Names(CutNumbers(100, {.from = 1000}).table()), IsEmpty());
}

TEST(TablePageTest, NeverMoreThanALimit) {
  EXPECT_EQ(CutNumbers(50'000, {}).table().num_rows, kDefaultPageRows);
  EXPECT_EQ(CutNumbers(50'000, {.count = 40'000}).table().num_rows,
            kMaxPageRows);
}

TEST(TablePageTest, SortsAndHasEmptyCellsLast) {
  EXPECT_THAT(Names(CutNumbers(5, {.sort = "value"}).table()),
              ElementsAre("N0", "N1", "N4", "N2", "N3"));
  EXPECT_THAT(
      Names(CutNumbers(5, {.sort = "value", .descending = true}).table()),
      ElementsAre("N2", "N4", "N1", "N0", "N3"));
  EXPECT_THAT(
      Names(CutNumbers(3, {.sort = "name", .descending = true}).table()),
      ElementsAre("N2", "N1", "N0"));
}

TEST(TablePageTest, FindsTextsInAnyCase) {
  const Cut cut = CutNumbers(30, {.count = 3, .find = "n2"});
  EXPECT_EQ(*cut.reachable, 11u);
  EXPECT_THAT(Names(cut.table()), ElementsAre("N2", "N20", "N21"));
  EXPECT_EQ(cut.table().total_rows, 11u);
}

TEST(TablePageTest, ATreeKeepsItsDepths) {
  tables::DataTable tree = Numbers(3);
  tree.depth = [](size_t row) { return static_cast<uint32_t>(row); };
  tables::Answer answer = tables::TableAnswer(std::move(tree));
  ASSERT_TRUE(
      CutTables({.sort = "depth", .descending = true}, nullptr, answer).ok());
  const tables::DataTable& table = answer.data.parts[0].table;
  EXPECT_THAT(Names(table), ElementsAre("N2", "N1", "N0"));
  EXPECT_EQ(table.depth(0), 2u);
}

TEST(TablePageTest, OneTableOfSeveral) {
  tables::DataDocument document;
  document.kind = "two";
  tables::DataTable other = Numbers(2000);
  other.kind = "other";
  document.parts.push_back({"Numbers", Numbers(3)});
  document.parts.push_back({"Other", std::move(other)});
  tables::Answer answer = tables::DocumentAnswer(std::move(document));
  const auto reachable =
      CutTables({.table = "other", .from = 1999}, nullptr, answer);
  ASSERT_TRUE(reachable.ok());
  EXPECT_EQ(*reachable, 2000u);
  EXPECT_EQ(answer.data.parts[0].table.num_rows, 3u);
  EXPECT_THAT(Names(answer.data.parts[1].table), ElementsAre("N1999"));
}

TEST(TablePageTest, Errors) {
  EXPECT_TRUE(absl::IsInvalidArgument(
      CutNumbers(3, {.sort = "none"}).reachable.status()));
  EXPECT_TRUE(absl::IsInvalidArgument(
      CutNumbers(3, {.table = "none"}).reachable.status()));
  util::Cancellation cancellation;
  cancellation.Request();
  tables::Answer answer = tables::TableAnswer(Numbers(3));
  EXPECT_TRUE(absl::IsCancelled(
      CutTables({.find = "N"}, &cancellation, answer).status()));
}

}  // namespace
}  // namespace tfprof::server
