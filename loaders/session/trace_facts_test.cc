#include "loaders/session/trace_facts.h"

#include <string>

#include "gtest/gtest.h"

namespace tfprof::session {
namespace {

TEST(SessionTraceTest, FactsAreRead) {
  const auto trace = ParseSessionTrace(
      R"({"id":"000012","file":"000012.pb","kind":"xspace","client":"c1",)"
      R"("fetches":"a \"b\"","graph":"g","host":"h","row":2,"count":5,)"
      R"("number":4,"rank":1,"start_ns":123456789012345})");
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->id, "000012");
  EXPECT_EQ(trace->file, "000012.pb");
  EXPECT_EQ(trace->kind, "xspace");
  EXPECT_EQ(trace->client, "c1");
  EXPECT_EQ(trace->fetches, "a \"b\"");
  EXPECT_EQ(trace->graph, "g");
  EXPECT_EQ(trace->host, "h");
  EXPECT_EQ(trace->row, 2);
  EXPECT_EQ(trace->count, 5);
  EXPECT_EQ(trace->number, 4);
  EXPECT_EQ(trace->rank, 1);
  EXPECT_EQ(trace->start_ns, 123456789012345);
}

TEST(SessionTraceTest, ValuesOfOtherTypesHaveTheirDefaults) {
  const auto trace = ParseSessionTrace(
      R"({"id": 7, "rank": "x", "row": {"a": [1]}, "count": 1e3, "new": []})");
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->id, "");
  EXPECT_EQ(trace->rank, -1);
  EXPECT_EQ(trace->row, -1);
  EXPECT_EQ(trace->count, 1000);
  EXPECT_EQ(trace->start_ns, -1);
}

TEST(SessionTraceTest, LongTextsAreCut) {
  const auto trace =
      ParseSessionTrace(R"({"fetches":")" + std::string(10'000, 'x') + "\"}");
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->fetches.size(), SessionTrace::kMaxText);
}

TEST(SessionTraceTest, OnlyObjectsAreFacts) {
  for (const char* text : {"", "[1]", "7", "null", "{", "{}}", R"({"id":"a)"}) {
    EXPECT_EQ(ParseSessionTrace(text).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
}

TEST(SessionVersionTest, OnlyManifestsOfSessionsHaveOne) {
  struct Case {
    const char* text;
    int64_t version;  // -1: none
  };
  for (const Case& c :
       {Case{R"({"format":"tfprof session","version":1})", 1},
        Case{R"({"version":3,"x":{"a":[1]},"format":"tfprof session"})", 3},
        Case{R"({"format":"tfprof session"})", 0},
        Case{R"({"format":"tfprof session","version":"1"})", 0},
        // A manifest that was cut off is one as far as it goes.
        Case{R"({"format":"tfprof session","created_n)", 0},
        Case{R"({"format":"other","version":1})", -1},
        Case{R"({"version":1})", -1}, Case{R"(["tfprof session"])", -1},
        Case{"", -1}, Case{"PK\3\4", -1}}) {
    const auto version = SessionVersion(c.text);
    EXPECT_EQ(version.value_or(-1), c.version) << c.text;
  }
}

}  // namespace
}  // namespace tfprof::session
