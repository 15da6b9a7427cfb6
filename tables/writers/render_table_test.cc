// Tests tables for people: columns, windows, colours, and hostile names.

#include "tables/writers/render_table.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tables/tables_testing.h"
#include "util/text/text_layout.h"

namespace tfprof::tables {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Rendered(const DataTable& table, const TextLook& look = {}) {
  return Written([&](util::Sink& sink) { RenderTable(table, look, sink); });
}

TEST(RenderTableTest, TableForAFile) {
  EXPECT_EQ(Rendered(Tree({"all", "b"}, {26678, 3})),
            "name     time  bytes\n"
            "all   26.68ms      -\n"
            "  b       3us      -\n");
}

TEST(RenderTableTest, TableLinesUp) {
  const std::string text =
      Rendered(Tree({"all", "数据", "e\u0301a"}, {1, 22, 333}));
  std::vector<size_t> columns;
  for (const std::string& line : LinesOf(text))
    columns.push_back(util::Columns(line));
  EXPECT_THAT(columns, ElementsAre(20, 20, 20, 20));
}

TEST(RenderTableTest, TableFitsTheWindow) {
  DataTable table =
      Tree({"all", std::string(10000, 'x'), "数据数据数据数据数据数据"},
           {1000000, 250000, 3});
  for (const size_t width : {1u, 8u, 20u, 33u, 40u, 80u, 200u}) {
    TextLook look;
    look.width = width;
    look.bars = true;
    for (const std::string& line : LinesOf(Rendered(table, look))) {
      EXPECT_LE(util::Columns(line), width) << line;
    }
  }
}

// All columns have rank 0: a number is shown completely or not at all.
TEST(RenderTableTest, NarrowTablesDropNumbers) {
  DataTable table;
  table.columns = {{"time", "time", util::Unit::kMicros, /*heat=*/true},
                   {"share", "share", util::Unit::kShare},
                   {"runs", "runs", util::Unit::kCount},
                   {"bytes", "bytes", util::Unit::kBytes},
                   {"op", "op", util::Unit::kText},
                   {"name", "node", util::Unit::kText}};
  table.num_rows = table.total_rows = 1;
  table.cells = [](size_t, std::vector<DataCell>& cells) {
    cells = {int64_t{8090}, 0.125,
             int64_t{1},    int64_t{4350},
             "FusedBatch",  "resnet/block1/unit_1/FusedBatchNormV3"};
  };
  TextLook look;
  look.width = 40;
  EXPECT_EQ(Rendered(table, look),
            "  time  share  runs  op        node\n"
            "8.09ms  12.5%     1  Fu…Batch  re…NormV3\n"
            "1 more column in a wider window\n");
  look.width = 28;
  EXPECT_EQ(Rendered(table, look),
            "  time  op          node\n"
            "8.09ms  FusedBatch  re…ormV3\n"
            "3 more co… in a wider window\n");
  look.width = 17;
  EXPECT_EQ(Rendered(table, look),
            "  time  node\n"
            "8.09ms  re…NormV3\n"
            "4 mor…ider window\n");
}

// Advice is useless if its middle is missing, so sentences are not shortened.
TEST(RenderTableTest, SentencesAreBrokenIntoLines) {
  DataTable table;
  table.columns = {
      {.name = "check", .title = "check"},
      {.name = "found", .title = "found", .prose = true},
      {.name = "count", .title = "count", .unit = util::Unit::kCount}};
  table.num_rows = table.total_rows = 2;
  table.cells = [](size_t row, std::vector<DataCell>& cells) {
    cells = {"steps", row == 0 ? "one step, the warm-up\nby \x1b[2J" : "fine",
             int64_t{7}};
  };
  TextLook look;
  look.width = 26;
  EXPECT_EQ(Rendered(table, look),
            "check  found         count\n"
            "steps  one step,         7\n"
            "       the warm-up\n"
            "       by \\x1b[2J\n"
            "steps  fine              7\n");
  EXPECT_EQ(Rendered(table, {}),
            "check  found                              count\n"
            "steps  one step, the warm-up; by \\x1b[2J      7\n"
            "steps  fine                                   7\n");
}

TEST(RenderTableTest, TableFitsTheHeight) {
  DataTable table =
      Tree(std::vector<std::string>(200, "n"), std::vector<int64_t>(200, 1));
  TextLook look;
  look.width = 80;
  look.height = 20;
  const std::vector<std::string> lines = LinesOf(Rendered(table, look));
  EXPECT_LE(lines.size(), 20u);
  EXPECT_EQ(lines.back(), "… 183 more");
  look.height = 1;
  EXPECT_THAT(Rendered(table, look), HasSubstr("… 199 more"));
}

TEST(RenderTableTest, ColoursAreOnlyOurs) {
  TextLook look;
  look.width = 60;
  look.color = look.bars = true;
  const std::string text = Rendered(
      Tree({"all", "a\x1b[2J", "\u202e\xc2\x9b\xff"}, {100, 10, 0}), look);
  EXPECT_THAT(text, HasSubstr("\x1b[31mall"));
  EXPECT_THAT(text, HasSubstr("\x1b[33m  a\\x1b[2J"));
  EXPECT_THAT(text, HasSubstr("  \\xe2\\x80\\xae\\xc2\\x9b\\xff"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b[2J")));
  look.color = false;
  EXPECT_THAT(Rendered(Tree({"all"}, {1}), look), Not(HasSubstr("\x1b")));
}

// The unit may differ between rows: a rule in µs next to a rule in shares.
TEST(RenderTableTest, ARowMayHaveItsOwnUnit) {
  DataTable table;
  table.columns = {{.name = "unit", .title = "unit", .data_only = true},
                   {.name = "value",
                    .title = "value",
                    .unit = util::Unit::kNumber,
                    .unit_column = "unit"},
                   {.name = "delta",
                    .title = "delta",
                    .unit = util::Unit::kNumber,
                    .delta = true,
                    .unit_column = "unit"}};
  table.num_rows = table.total_rows = 3;
  table.cells = [](size_t row, std::vector<DataCell>& cells) {
    if (row == 0) cells = {"micros", 2500.4, 1e6};
    if (row == 1) cells = {"share", 0.25, -0.5};
    if (row == 2) cells = {DataCell(), 1234567.0, int64_t{7}};
  };
  EXPECT_EQ(Rendered(table),
            "    value     delta\n"
            "   2.50ms  +1.00sec\n"
            "    25.0%    -50.0%\n"
            "1.235e+06        +7\n");
}

TEST(RenderTableTest, ColumnsForProgramsDoNotCountAsDropped) {
  DataTable table = Tree({"all"}, {5});
  table.columns[2].data_only = true;
  EXPECT_EQ(Rendered(table, {.width = 40}), "name  time\nall    5us\n");
}

TEST(RenderTableTest, AnEmptyTableFitsAWindowOfAnyHeight) {
  DataTable table = List("words", "word", {});
  for (const size_t height : {1u, 2u, 3u}) {
    EXPECT_EQ(Rendered(table, {.width = 80, .height = height}), "word\n")
        << height;
  }
  table.total_rows = 7;
  EXPECT_EQ(Rendered(table, {.width = 80, .height = 1}),
            "word\n0 of 7 rows are within the limits and filters\n");
}

TEST(RenderTableTest, TotalsAreTheLastLine) {
  DataTable table = Tree({"a", "b"}, {10, 20});
  table.totals = {TextCell("total"), int64_t{30}, DataCell()};
  EXPECT_EQ(Rendered(table),
            "name   time  bytes\n"
            "a      10us      -\n"
            "  b    20us      -\n"
            "total  30us      -\n");
}

TEST(RenderTableTest, AFooterSaysHowToGetTheRest) {
  DataTable table = List("words", "word", {"a"});
  table.total_rows = 9;
  EXPECT_EQ(Rendered(table),
            "word\na\n1 of 9 rows are within the limits and filters\n");
  table.rest = "words 9\x1b";
  EXPECT_EQ(Rendered(table),
            "word\na\n1 of 9 rows; all of them: words 9\\x1b\n");
}

TEST(RenderTableTest, CountsItsLines) {
  DataTable table = List("words", "word", {"a", "b"});
  // A header, two rows, and a line that may name missing columns.
  EXPECT_EQ(TableLines(table), 4u);
  table.total_rows = 9;
  EXPECT_EQ(TableLines(table), 5u);
  table.totals = {TextCell("all")};
  EXPECT_EQ(TableLines(table), 6u);
}

TEST(RenderTableTest, AsciiHasNoOtherCharacters) {
  DataTable table = Tree({"all", std::string(200, 'x')}, {100, 50});
  const TextLook look = {
      .width = 40, .height = 2, .bars = true, .unicode = false};
  const std::string text = Rendered(table, look);
  EXPECT_THAT(text, HasSubstr("##########"));
  EXPECT_THAT(text, HasSubstr("... 1 more"));
  for (const char c : text) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(RenderTableTest, BarsAreSharesOfTheRoot) {
  const TextLook look = {.width = 60, .bars = true};
  const std::vector<std::string> lines =
      LinesOf(Rendered(Tree({"all", "half", "none"}, {80, 40, 0}), look));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_THAT(lines[1], HasSubstr("██████████"));
  EXPECT_THAT(lines[2], HasSubstr("█████ "));
  EXPECT_THAT(lines[3], Not(HasSubstr("█")));
}

TEST(RenderTableTest, WithoutAWholeThereAreNoBarsAndColours) {
  const TextLook look = {.width = 60, .color = true, .bars = true};
  EXPECT_THAT(Rendered(Tree({"all"}, {0}), look),
              HasSubstr("\nall    0us      -\n"));
}

TEST(RenderTableTest, ColumnsOfZerosAreDroppedFirst) {
  DataTable table;
  table.columns = {
      {"name", "name", util::Unit::kText},
      {"a", "first number", util::Unit::kCount, false, /*rank=*/1},
      {"b", "second number", util::Unit::kCount, false, /*rank=*/2}};
  table.num_rows = table.total_rows = 1;
  table.cells = [](size_t, std::vector<DataCell>& cells) {
    cells = {"x", int64_t{0}, int64_t{5}};
  };
  EXPECT_EQ(Rendered(table, {.width = 32}),
            "name  second number\n"
            "x                 5\n"
            "1 more column in a wider window\n");
}

TEST(RenderTableTest, AMissingTextHasTheWordsOfItsColumn) {
  DataTable table;
  table.columns = {{.name = "op", .title = "op", .nothing = "(none)"}};
  table.num_rows = table.total_rows = 1;
  table.cells = [](size_t, std::vector<DataCell>& cells) { cells = {{}}; };
  EXPECT_EQ(Rendered(table), "op\n(none)\n");
}

TEST(RenderTableTest, DeepRowsKeepRoomForTheirNames) {
  DataTable table = Tree({"all", "deep"}, {1, 1});
  table.depth = [](size_t row) { return row == 0 ? 0u : 1000u; };
  EXPECT_THAT(Rendered(table, {.width = 40}), HasSubstr("\n      1000> deep"));
}

TEST(RenderTableTest, TreesOfAnyDepthKeepTheirIndentation) {
  std::vector<std::string> names;
  std::vector<int64_t> micros;
  for (int i = 0; i < 12; ++i) {
    names.push_back((i == 0 ? "" : names.back() + "/") + "scope_" +
                    std::to_string(i));
    micros.push_back(1);
  }
  DataTable table = Tree(names, micros);
  table.depth = [](size_t row) { return static_cast<uint32_t>(row); };
  for (const size_t width : {40u, 60u, 80u}) {
    const auto lines = LinesOf(Rendered(table, {.width = width}));
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string& line = lines[i + 1];
      EXPECT_EQ(line.find_first_not_of(' '), i) << line;
      EXPECT_THAT(line, HasSubstr("scope_" + std::to_string(i))) << line;
    }
  }
}

// Returns time, cpu and bytes of 3 rows.
DataTable TimeAndCpu(const std::vector<int64_t>& cpu) {
  DataTable table = Tree({"all", "convolution", "relu"}, {30, 20, 10});
  table.columns.push_back({"cpu", "cpu", util::Unit::kMicros});
  table.cells = [cells = table.cells, cpu](size_t row,
                                           std::vector<DataCell>& out) {
    cells(row, out);
    out.push_back(cpu[row]);
  };
  return table;
}

TEST(RenderTableTest, ANarrowWindowLeavesOutWhatRepeats) {
  const DataTable table = TimeAndCpu({30, 20, 10});
  EXPECT_THAT(Rendered(table, {.width = 80}), HasSubstr("time  bytes   cpu\n"));
  const std::string narrow = Rendered(table, {.width = 30});
  EXPECT_THAT(narrow, HasSubstr("time  bytes\n"));
  EXPECT_THAT(narrow, HasSubstr("\ncpu = time in each row\n"));
}

TEST(RenderTableTest, ColumnsThatDifferInOneRowStay) {
  EXPECT_THAT(Rendered(TimeAndCpu({30, 20, 9}), {.width = 26}),
              HasSubstr("time   cpu\n"));
}

}  // namespace
}  // namespace tfprof::tables
