// DataTables as JSON, CSV, Markdown and aligned text: numbers, limits, and
// names that would do harm.

#include "tables/data_writers.h"

#include <cmath>
#include <string>
#include <vector>

#include "accounting/small_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tables/render_table.h"
#include "tables/report_table.h"
#include "util/sink.h"
#include "util/text_layout.h"
#include "views/views.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A tree of three rows, the first of which is all.
DataTable Tree(std::vector<std::string> names, std::vector<int64_t> micros) {
  DataTable table;
  table.kind = "test";
  table.columns = {{"name", "name", Unit::kText},
                   {"total_micros", "time", Unit::kMicros, /*heat=*/true},
                   {"self_bytes", "bytes", Unit::kBytes, false, /*rank=*/1}};
  table.facts = {{{"step", "step", Unit::kNumber}, int64_t{-1}}};
  table.num_rows = table.total_rows = names.size();
  table.cells = [names, micros](size_t row, std::vector<DataCell>& cells) {
    cells = {names[row], micros[row], DataCell()};
  };
  table.depth = [](size_t row) { return row == 0 ? 0u : 1u; };
  return table;
}

template <typename Write>
std::string Written(Write write) {
  StringSink sink;
  write(sink);
  return sink.text();
}

std::string Json(const DataTable& table) {
  return Written([&](Sink& sink) { WriteJson(table, sink); });
}
std::string Csv(const DataTable& table) {
  return Written([&](Sink& sink) { WriteCsv(table, sink); });
}
std::string Markdown(const DataTable& table,
                     const MarkdownLimits& limits = {}) {
  return Written([&](Sink& sink) { WriteMarkdown(table, sink, limits); });
}
std::string Rendered(const DataTable& table, const TableStyle& style = {}) {
  return Written([&](Sink& sink) { RenderTable(table, style, sink); });
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST(DataWritersTest, Json) {
  DataTable table = Tree({"all", "a\"\xff"}, {1500, INT64_MIN});
  table.total_rows = 7;
  table.totals = {TextCell("total"), int64_t{3}, NAN};
  EXPECT_EQ(Json(table),
            R"({"schema":"tfprof.test","version":1,
"facts":{"step":-1},
"columns":[{"name":"depth","unit":"count"},{"name":"name","unit":"text"},{"name":"total_micros","unit":"micros"},{"name":"self_bytes","unit":"bytes"}],
"rows":[
{"depth":0,"name":"all","total_micros":1500,"self_bytes":null},
{"depth":1,"name":"a\"\ufffd","total_micros":-9223372036854775808,"self_bytes":null}
],
"totals":{"depth":null,"name":"total","total_micros":3,"self_bytes":null},
"returned":2,"total":7,"truncated":true}
)");
}

TEST(DataWritersTest, JsonWithoutRows) {
  EXPECT_THAT(Json(Tree({}, {})), HasSubstr("\"rows\":[\n],\n\"returned\":0"));
}

TEST(DataWritersTest, NdjsonIsALineForEachRow) {
  const std::string text = Written([&](Sink& sink) {
    WriteNdjson(Tree({"a", "b\nc"}, {1, 2}), sink);
  });
  const std::vector<std::string> lines = Lines(text);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_THAT(lines[0], HasSubstr("\"schema\":\"tfprof.test\""));
  EXPECT_EQ(lines[2],
            R"({"depth":1,"name":"b\nc","total_micros":2,"self_bytes":null})");
}

TEST(DataWritersTest, CsvQuotesAndDefuses) {
  EXPECT_EQ(Csv(Tree({"a,\"b\"", "=cmd|' /C calc'!A0", "@x", "\tx", "-1"},
                     {1, -2, 3, 4, 5})),
            "depth,name,total_micros,self_bytes\r\n"
            "0,\"a,\"\"b\"\"\",1,\r\n"
            "1,'=cmd|' /C calc'!A0,-2,\r\n"
            "1,'@x,3,\r\n"
            "1,\\x09x,4,\r\n"
            "1,'-1,5,\r\n");
}

TEST(DataWritersTest, MarkdownHoldsNoMarkup) {
  const std::string text =
      Markdown(Tree({"a|b\nc`d`", "<img src=x>", "_x_y_"}, {1, 2, 3}));
  EXPECT_THAT(text, HasSubstr("| 0 | a\\|b<br>c\\`d\\` | 1 |  |\n"));
  EXPECT_THAT(text, HasSubstr("| &lt;img src=x&gt; |"));
  EXPECT_THAT(text, HasSubstr("| \\_x_y\\_ |"));
}

TEST(DataWritersTest, MarkdownHasLimits) {
  MarkdownLimits limits;
  limits.max_rows = 2;
  limits.max_columns = 9;
  limits.all_rows = "op -output json";
  const DataTable table =
      Tree({"all", std::string(10000, 'x'), "c", "d"}, {1, 2, 3, 4});
  const std::string text = Markdown(table, limits);
  EXPECT_THAT(text, HasSubstr("| xx…xxxxxx |"));
  EXPECT_THAT(text,
              HasSubstr("… 2 more rows of 4; get them with: op -output json"));
  limits.max_rows = 100;
  limits.max_bytes = 50;
  EXPECT_THAT(Markdown(table, limits), HasSubstr("… 2 more rows of 4"));
}

TEST(DataWritersTest, TableForAFile) {
  EXPECT_EQ(Rendered(Tree({"all", "b"}, {26678, 3})),
            "name     time  bytes\n"
            "all   26.68ms      -\n"
            "  b       3us      -\n");
}

TEST(DataWritersTest, TableLinesUp) {
  const std::string text =
      Rendered(Tree({"all", "数据", "e\u0301a"}, {1, 22, 333}));
  std::vector<size_t> columns;
  for (const std::string& line : Lines(text)) columns.push_back(Columns(line));
  EXPECT_THAT(columns, ElementsAre(20, 20, 20, 20));
}

TEST(DataWritersTest, TableFitsTheWindow) {
  DataTable table =
      Tree({"all", std::string(10000, 'x'), "数据数据数据数据数据数据"},
           {1000000, 250000, 3});
  for (const size_t width : {1u, 8u, 20u, 33u, 40u, 80u, 200u}) {
    TableStyle style;
    style.width = width;
    style.bars = true;
    for (const std::string& line : Lines(Rendered(table, style))) {
      EXPECT_LE(Columns(line), width) << line;
    }
  }
}

// All of rank 0: a number is there as a whole or not at all, and so are names.
TEST(DataWritersTest, NarrowTablesLeaveOutNumbers) {
  DataTable table;
  table.columns = {{"time", "time", Unit::kMicros, /*heat=*/true},
                   {"share", "share", Unit::kShare},
                   {"runs", "runs", Unit::kCount},
                   {"bytes", "bytes", Unit::kBytes},
                   {"op", "op", Unit::kText},
                   {"name", "node", Unit::kText}};
  table.num_rows = table.total_rows = 1;
  table.cells = [](size_t, std::vector<DataCell>& cells) {
    cells = {int64_t{8090}, 0.125,
             int64_t{1},    int64_t{4350},
             "FusedBatch",  "resnet/block1/unit_1/FusedBatchNormV3"};
  };
  TableStyle style;
  style.width = 40;
  EXPECT_EQ(Rendered(table, style),
            "  time  share  runs  op        node\n"
            "8.09ms  12.5%     1  Fu…Batch  re…NormV3\n"
            "1 more column in a wider window\n");
  style.width = 28;
  EXPECT_EQ(Rendered(table, style),
            "  time  op          node\n"
            "8.09ms  FusedBatch  re…ormV3\n"
            "3 more co… in a wider window\n");
  style.width = 17;
  EXPECT_EQ(Rendered(table, style),
            "  time  node\n"
            "8.09ms  re…NormV3\n"
            "4 mor…ider window\n");
}

// Nobody can act on advice whose middle is missing.
TEST(DataWritersTest, SentencesAreBrokenIntoLines) {
  DataTable table;
  table.columns = {{.name = "check", .title = "check"},
                   {.name = "found", .title = "found", .prose = true},
                   {.name = "count", .title = "count", .unit = Unit::kCount}};
  table.num_rows = table.total_rows = 2;
  table.cells = [](size_t row, std::vector<DataCell>& cells) {
    cells = {"steps", row == 0 ? "one step, the warm-up\nby \x1b[2J" : "fine",
             int64_t{7}};
  };
  TableStyle style;
  style.width = 26;
  EXPECT_EQ(Rendered(table, style),
            "check  found         count\n"
            "steps  one step,         7\n"
            "       the warm-up\n"
            "       by \\x1b[2J\n"
            "steps  fine              7\n");
  EXPECT_EQ(Rendered(table, {}),
            "check  found                                count\n"
            "steps  one step, the warm-up\\x0aby \\x1b[2J      7\n"
            "steps  fine                                     7\n");
}

TEST(DataWritersTest, TableFitsTheHeight) {
  DataTable table =
      Tree(std::vector<std::string>(200, "n"), std::vector<int64_t>(200, 1));
  TableStyle style;
  style.width = 80;
  style.height = 20;
  const std::vector<std::string> lines = Lines(Rendered(table, style));
  EXPECT_LE(lines.size(), 20u);
  EXPECT_EQ(lines.back(), "… 183 more");
  style.height = 1;
  EXPECT_THAT(Rendered(table, style), HasSubstr("… 199 more"));
}

TEST(DataWritersTest, ColoursAreOnlyOurs) {
  TableStyle style;
  style.width = 60;
  style.color = style.bars = true;
  const std::string text = Rendered(
      Tree({"all", "a\x1b[2J", "\u202e\xc2\x9b\xff"}, {100, 10, 0}), style);
  EXPECT_THAT(text, HasSubstr("\x1b[31mall"));
  EXPECT_THAT(text, HasSubstr("\x1b[33m  a\\x1b[2J"));
  EXPECT_THAT(text, HasSubstr("  \\xe2\\x80\\xae\\xc2\\x9b\\xff"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b[2J")));
  style.color = false;
  EXPECT_THAT(Rendered(Tree({"all"}, {1}), style), Not(HasSubstr("\x1b")));
}

TEST(ReportTableTest, ScopeOfSmallModel) {
  const Profile profile = SmallModel();
  Views views(profile);
  ViewOptions options;
  options.max_depth = 2;
  options.select = {};
  options.select.Add(Field::kParams);
  options.select.Add(Field::kOccurrence);
  const Report report = views.Show(View::kScope, options);
  const DataTable table = ReportTable(report, nullptr);
  std::vector<std::string> names;
  for (const DataColumn& column : table.columns) names.push_back(column.name);
  EXPECT_THAT(names, ElementsAre("name", "self_params", "total_params",
                                 "params_shape", "self_runs", "total_runs",
                                 "self_definitions", "total_definitions"));
  ASSERT_EQ(table.num_rows, report.rows.size());
  EXPECT_GT(table.total_rows, table.num_rows);
  std::vector<DataCell> cells;
  for (size_t row = 0; row < table.num_rows; ++row) {
    table.cells(row, cells);
    EXPECT_EQ(cells[2], DataCell(report.rows[row].total[kParameters]));
    if (report.rows[row].name == "DW") {
      EXPECT_EQ(cells[1], DataCell(int64_t{162}));
      EXPECT_EQ(cells[3], TextCell("3x3x3x6"));
    }
  }
}

TEST(ReportTableTest, OpHasShares) {
  const Profile profile = SmallModel();
  Views views(profile);
  const Report report = views.Show(View::kOp, ViewOptions());
  const DataTable table = ReportTable(report, nullptr);
  double sum = 0;
  std::vector<DataCell> cells;
  for (size_t row = 0; row < table.num_rows; ++row) {
    table.cells(row, cells);
    EXPECT_EQ(table.columns[2].name, "self_micros_share");
    sum += std::get<double>(cells[2]);
  }
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_EQ(table.totals[1], DataCell(report.root_total[kMicros]));
}

}  // namespace
}  // namespace tfprof
