// Tests answers as NDJSON: the first line, and one line per row.

#include "tables/writers/ndjson_writer.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tables/tables_testing.h"

namespace tfprof::tables {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Ndjson(const DataDocument& document) {
  return LinesOf(
      Written([&](util::Sink& sink) { WriteNdjson(document, sink); }));
}

TEST(NdjsonWriterTest, ALineForEachRow) {
  DataTable table = Tree({"a", "b\nc"}, {1, 2});
  table.totals = {TextCell("total"), int64_t{3}, DataCell()};
  EXPECT_THAT(
      Ndjson(One(table)),
      ElementsAre(
          R"({"schema":"tfprof.test","version":2,"facts":{"step":-1},"columns":[{"name":"depth","unit":"count"},{"name":"name","unit":"text"},{"name":"total_micros","unit":"micros"},{"name":"self_bytes","unit":"bytes"}],"totals":{"depth":null,"name":"total","total_micros":3,"self_bytes":null},"returned":2,"total":2,"truncated":false})",
          R"({"depth":0,"name":"a","total_micros":1,"self_bytes":null})",
          R"({"depth":1,"name":"b\nc","total_micros":2,"self_bytes":null})"));
}

TEST(NdjsonWriterTest, RowsOfSeveralTablesSayWhichOne) {
  EXPECT_THAT(
      Ndjson(Several()),
      ElementsAre(
          R"({"schema":"tfprof.several","version":2,"facts":{"step":-1,"nodes":10440},"tables":{"inputs":{"columns":[{"name":"name","unit":"text"}],"returned":2,"total":2,"truncated":false},"nothing":{"columns":[{"name":"name","unit":"text"}],"returned":0,"total":0,"truncated":false},"sizes":{"columns":[{"name":"name","unit":"text"},{"name":"bytes","unit":"bytes"}],"returned":1,"total":3,"truncated":true}}})",
          R"({"table":"inputs","name":"a"})",
          R"({"table":"inputs","name":"b|c"})",
          R"({"table":"sizes","name":"c","bytes":2500})"));
}

}  // namespace
}  // namespace tfprof::tables
