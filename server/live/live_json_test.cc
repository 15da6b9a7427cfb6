#include "server/live/live_json.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Message(const absl::Status& status) {
  return std::string(status.message());
}

TEST(LiveJsonTest, AClientIsReadBackAsItWasSaved) {
  LiveClient client;
  client.client = "c3";
  client.key = "k\"\n";
  client.rank = 2;
  client.host = "h";
  client.end = "error: \xc3\xa4";
  client.dropped = {.traces = 4, .bytes = 9, .why = "full"};
  LiveRunKind& row = client.rows[7];
  row.row = 7;
  row.fetches = "[<tf.Tensor 'a:0'>]";
  row.feeds = {"x:0", "y:0"};
  row.runs = 12;
  row.spark = {3, 2, 1};
  const auto read = ParseLiveClient(LiveClientFile(client));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(LiveClientFile(*read), LiveClientFile(client));
  EXPECT_EQ(read->rows.at(7).feeds, row.feeds);
  EXPECT_EQ(read->ranks, -1);
  EXPECT_EQ(read->rows.at(7).mean_ns, -1);
}

TEST(LiveJsonTest, ATraceIsReadBackAsItWasSaved) {
  LiveTrace trace;
  trace.id = "000001";
  trace.file = "000001.pb";
  trace.kind = "run_metadata";
  trace.step = 5;
  trace.pinned = true;
  trace.name = "before";
  const auto read = ParseLiveTrace(LiveTraceJson(trace));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(LiveTraceJson(*read), LiveTraceJson(trace));
  EXPECT_EQ(read->duration_ns, -1);
}

TEST(LiveJsonTest, AnUpdateHasRowsAndReports) {
  const auto update = ParseLiveUpdate(
      R"({"active":true,"rows":[{"row":1,"runs":3,"unknown":{}}],)"
      R"("orders":[{"order":9,"state":"missed","why":"past","left":0}],)"
      R"("dropped":{"traces":1},"end":null})");
  ASSERT_TRUE(update.ok()) << update.status();
  EXPECT_TRUE(update->active);
  EXPECT_EQ(update->rows.at(0).runs, 3);
  EXPECT_EQ(update->orders.at(0).state, "missed");
  EXPECT_EQ(update->orders.at(0).left, 0);
  EXPECT_EQ(update->dropped.traces, 1);
  EXPECT_EQ(update->end, "");
}

TEST(LiveJsonTest, ARequestSaysWhatIsTraced) {
  const auto steps = ParseLiveRequest(
      R"({"client":"c1","row":0,"rule":"steps","steps":[10,20]})");
  ASSERT_TRUE(steps.ok()) << steps.status();
  EXPECT_THAT(steps->order.steps, ElementsAre(10, 20));
  EXPECT_EQ(steps->order.limit, 20);
  const auto all =
      ParseLiveRequest(R"({"rule":"for","seconds":1.5,"limit":3})");
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->order.until_ns, 1'500'000'000);
  EXPECT_FALSE(all->row.has_value());
  const auto next =
      ParseLiveRequest(R"({"client":"c1","row":0,"rule":"at","at":"next"})");
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_TRUE(next->at_next);
}

TEST(LiveJsonTest, WhatIsWrongIsNamed) {
  const std::pair<const char*, const char*> kWrong[] = {
      {R"({"rule":"later"})", "rule: expected one of next, for"},
      {R"({"rule":"next","count":-1})", "count: expected an integer from 0"},
      {R"({"rule":"for"})", "seconds"},
      {R"({"rule":"for","seconds":"9"})", "seconds: expected a number"},
      {R"({"rule":"at","at":0})", "at: expected a count"},
      {R"({"rule":"slower","slower":1})", "slower: expected a factor"},
      {R"({"rule":3})", "rule: expected a string"},
      {"[]", "expected an object"},
      {"{", "byte 1: not JSON"},
      {"\xff", "not JSON"}};
  for (const auto& [text, message] : kWrong) {
    EXPECT_THAT(Message(ParseLiveRequest(text).status()), HasSubstr(message))
        << text;
  }
  EXPECT_THAT(Message(ParseLiveUpdate(R"({"rows":[{"row":2000}]})").status()),
              HasSubstr("rows.row: expected an integer from 0 to 1000"));
  EXPECT_THAT(Message(ParseLiveClient("{}").status()), HasSubstr("key"));
  EXPECT_THAT(Message(ParseLiveClient(R"({"key":"k","protocol":2})").status()),
              HasSubstr("protocol"));
  EXPECT_FALSE(ParseLiveMark("{}").ok());
}

TEST(LiveJsonTest, NestingDoesNotUseUpTheStack) {
  EXPECT_FALSE(ParseLiveUpdate(std::string(4 << 20, '[')).ok());
  const std::string deep =
      "{\"x\":" + std::string(1 << 20, '[') + std::string(1 << 20, ']') + "}";
  EXPECT_TRUE(ParseLiveUpdate(deep).ok());
}

TEST(LiveJsonTest, LongTextsAreCut) {
  const auto client = ParseLiveClient("{\"key\":\"k\",\"name\":\"" +
                                      std::string(10'000, 'x') + "\"}");
  ASSERT_TRUE(client.ok());
  EXPECT_EQ(client->name.size(), kMaxLiveText);
}

}  // namespace
}  // namespace tfprof::server
