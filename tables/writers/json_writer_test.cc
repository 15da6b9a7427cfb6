// Tests answers as JSON: one table at the top level, several by name.

#include "tables/writers/json_writer.h"

#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tables/tables_testing.h"

namespace tfprof::tables {
namespace {

using ::testing::HasSubstr;

std::string Json(const DataDocument& document) {
  return Written([&](util::Sink& sink) { WriteJson(document, sink); });
}

TEST(JsonWriterTest, OneTable) {
  DataTable table = Tree({"all", "a\"\xff"}, {1500, INT64_MIN});
  table.total_rows = 7;
  table.totals = {TextCell("total"), int64_t{3}, NAN};
  EXPECT_EQ(Json(One(table)),
            R"({"schema":"tfprof.test","version":2,
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

TEST(JsonWriterTest, NoRows) {
  EXPECT_THAT(Json(One(Tree({}, {}))),
              HasSubstr("\"rows\":[\n],\n\"returned\":0"));
}

TEST(JsonWriterTest, SeveralTables) {
  EXPECT_EQ(Json(Several()),
            R"({"schema":"tfprof.several","version":2,
"facts":{"step":-1,"nodes":10440},
"tables":{
"inputs":{"columns":[{"name":"name","unit":"text"}],
"rows":[
{"name":"a"},
{"name":"b|c"}
],
"returned":2,"total":2,"truncated":false},
"nothing":{"columns":[{"name":"name","unit":"text"}],
"rows":[
],
"returned":0,"total":0,"truncated":false},
"sizes":{"columns":[{"name":"name","unit":"text"},{"name":"bytes","unit":"bytes"}],
"rows":[
{"name":"c","bytes":2500}
],
"returned":1,"total":3,"truncated":true}
}}
)");
}

// A table with a title is in a list of tables, even if it is the only one.
TEST(JsonWriterTest, ATableWithATitleIsOneOfSeveral) {
  DataDocument document = One(Tree({"all"}, {1}));
  document.parts[0].title = "Rows";
  EXPECT_THAT(Json(document), HasSubstr("\"tables\":{\n\"test\":{"));
}

}  // namespace
}  // namespace tfprof::tables
