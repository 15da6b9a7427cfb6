#include "server/live/live_session.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kSecond = 1'000'000'000;

class LiveSessionTest : public ::testing::Test {
 protected:
  LiveSessionTest() : path_(testing::TempDir() + "/live_session") {
    std::filesystem::remove_all(path_);
    Open({.keep_traces = 2, .session_bytes = 100});
  }
  void Open(const LiveLimits& limits) {
    session_.reset();
    auto folder = SessionFolder::Create(path_, limits);
    ASSERT_TRUE(folder.ok()) << folder.status();
    session_ = std::make_unique<LiveSession>(*std::move(folder), limits,
                                             LiveSession::Mode::kLive);
  }
  std::string Join(const std::string& key, int64_t runs = 10) {
    LiveClient client;
    client.key = key;
    std::string id = session_->Register(client, now_).value();
    Say(id, 0, runs);
    return id;
  }
  void Say(const std::string& id, int64_t number, int64_t runs) {
    LiveUpdate update;
    update.active = true;
    LiveRunKind row;
    row.row = number;
    row.fetches = "loss";
    row.runs = runs;
    row.mean_ns = kSecond / 100;
    update.rows.push_back(row);
    ASSERT_TRUE(session_->Update(id, update, now_).ok());
  }
  absl::StatusOr<std::string> Trace(const std::string& id, int64_t row,
                                    int64_t number, size_t bytes = 10) {
    LiveTrace trace;
    trace.row = row;
    trace.number = number;
    trace.kind = "run_metadata";
    trace.start_ns = ++started_;
    return session_->AddTrace(id, trace, std::string(bytes, 'x'), now_);
  }
  std::vector<std::string> Ids() const {
    std::vector<std::string> ids;
    for (const auto& [id, trace] : session_->traces()) ids.push_back(id);
    return ids;
  }
  LiveRequest Next(const std::string& client, int64_t row) {
    LiveRequest request;
    request.client = client;
    request.row = row;
    request.order.rule = "next";
    request.order.count = 1;
    return request;
  }

  std::string path_;
  std::unique_ptr<LiveSession> session_;
  int64_t now_ = 1000 * kSecond;
  int64_t started_ = 0;
};

TEST_F(LiveSessionTest, KeepsTheNewestOfEachRow) {
  const std::string id = Join("a");
  Say(id, 1, 3);
  for (int64_t i = 0; i < 4; ++i) ASSERT_TRUE(Trace(id, 0, i).ok());
  ASSERT_TRUE(Trace(id, 1, 0).ok());
  EXPECT_THAT(Ids(), ElementsAre("000003", "000004", "000005"));
  EXPECT_EQ(session_->bytes(), 30);
  EXPECT_EQ(session_->evicted(), 2);
  EXPECT_EQ(session_->Find("000001").status().code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(session_->Find("000009").status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(LiveSessionTest, TheOldestGoesWhenTheBytesAreUsedUp) {
  const std::string id = Join("a");
  for (int64_t row = 0; row < 4; ++row) {
    Say(id, row, 1);
    ASSERT_TRUE(Trace(id, row, 0, 40).ok());
  }
  EXPECT_THAT(Ids(), ElementsAre("000003", "000004"));
  EXPECT_LE(session_->bytes(), 100);
  for (const std::string& trace : Ids()) {
    ASSERT_TRUE(session_->Mark(trace, {.name = {}, .pinned = true}).ok());
  }
  const auto refused = Trace(id, 0, 1, 40);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(Ids(), ElementsAre("000003", "000004"));
}

TEST_F(LiveSessionTest, GraphsCountAndUnusedOnesGoFirst) {
  const std::string id = Join("a");
  const auto graph = [&](const std::string& name, size_t size) {
    return session_->AddGraph(id, name, std::string(size, 'g'));
  };
  ASSERT_TRUE(graph("g1", 30).ok());
  ASSERT_TRUE(graph("g1", 30).ok());  // the same
  EXPECT_EQ(session_->bytes(), 30);
  // The graphs of a growing program do not fill the disk.
  for (int i = 2; i < 100; ++i) {
    ASSERT_TRUE(graph("g" + std::to_string(i), 30).ok());
    EXPECT_LE(session_->bytes(), 100);
  }
  EXPECT_FALSE(session_->HasGraph("g1"));
  EXPECT_TRUE(session_->HasGraph("g99"));
  EXPECT_TRUE(absl::IsResourceExhausted(graph("large", 101)));
  EXPECT_TRUE(absl::IsInvalidArgument(graph("../x", 1)));
  size_t files = 0;
  for ([[maybe_unused]] const auto& file :
       std::filesystem::directory_iterator(path_ + "/graphs")) {
    ++files;
  }
  EXPECT_LE(files, 3u);
  // They count after a start, too.
  const int64_t bytes = session_->bytes();
  Open({.keep_traces = 2, .session_bytes = 100});
  EXPECT_EQ(session_->bytes(), bytes);
  Join("a");
  Say(id, 0, 1);
  ASSERT_TRUE(Trace(id, 0, 0, 90).ok());
  EXPECT_FALSE(session_->HasGraph("g99"));
  EXPECT_EQ(session_->bytes(), 90);
}

TEST_F(LiveSessionTest, TheSameRecordIsStoredOnce) {
  const std::string id = Join("a");
  EXPECT_EQ(Trace(id, 0, 0).value(), "000001");
  EXPECT_EQ(Trace(id, 0, 0).value(), "000001");
  EXPECT_EQ(Trace(id, 0, 1).value(), "000002");
}

TEST_F(LiveSessionTest, IsReadBack) {
  const std::string id = Join("a", 77);
  ASSERT_TRUE(Trace(id, 0, 0).ok());
  ASSERT_TRUE(session_->Mark("000001", {.name = "slow", .pinned = true}).ok());
  Open({.keep_traces = 2, .session_bytes = 100});
  EXPECT_EQ(session_->traces().at("000001").name, "slow");
  EXPECT_TRUE(session_->traces().at("000001").pinned);
  EXPECT_EQ(session_->clients().at(id).rows.at(0).runs, 77);
  EXPECT_EQ(session_->StateOf(session_->clients().at(id)), "lost");
  EXPECT_EQ(Join("a"), id);
  EXPECT_EQ(Join("b"), "c2");
  EXPECT_EQ(Trace(id, 0, 1).value(), "000002");
}

TEST_F(LiveSessionTest, DamagedFactsAreListed) {
  const std::string id = Join("a");
  ASSERT_TRUE(Trace(id, 0, 0).ok());
  std::ofstream(path_ + "/traces/000001.about.json") << "{\"id\":\"000001\"";
  std::ofstream(path_ + "/clients/c9.json") << "[]";
  Open({.keep_traces = 2, .session_bytes = 100});
  EXPECT_THAT(session_->damaged(),
              ElementsAre(HasSubstr("clients/c9.json"),
                          HasSubstr("traces/000001.about.json: byte")));
  EXPECT_TRUE(session_->traces().empty());
}

TEST_F(LiveSessionTest, AnOrderGoesToItsClient) {
  const std::string a = Join("a"), b = Join("b");
  const auto numbers = session_->Order(Next(a, 0), now_);
  ASSERT_TRUE(numbers.ok()) << numbers.status();
  ASSERT_EQ(session_->OrdersOf(a).size(), 1u);
  EXPECT_TRUE(session_->OrdersOf(b).empty());
  EXPECT_EQ(session_->OrdersOf(a)[0]->client, a);
  EXPECT_EQ(session_->OrdersOf(a)[0]->row, 0);
  EXPECT_EQ(session_->OrdersOf(a)[0]->finished_at_ns, 0);
  LiveUpdate update;
  update.orders.push_back(
      {.order = numbers->at(0), .state = "done", .left = 0, .why = ""});
  // Another client cannot end the order.
  ASSERT_TRUE(session_->Update(b, update, now_).ok());
  EXPECT_EQ(session_->OrdersOf(a).size(), 1u);
  ASSERT_TRUE(session_->Update(a, update, now_).ok());
  EXPECT_TRUE(session_->OrdersOf(a).empty());
  EXPECT_EQ(session_->orders().size(), 1u);  // it is still shown
  session_->Tick(now_ + 61 * kSecond);
  EXPECT_TRUE(session_->orders().empty());
}

TEST_F(LiveSessionTest, AClientHasALimitedNumberOfOrders) {
  const std::string a = Join("a"), b = Join("b");
  for (size_t i = 0; i < kMaxClientOrders; ++i) {
    ASSERT_TRUE(session_->Order(Next(a, 0), now_).ok());
  }
  const auto more = session_->Order(Next(a, 0), now_);
  EXPECT_TRUE(absl::IsResourceExhausted(more.status())) << more.status();
  EXPECT_TRUE(session_->Order(Next(b, 0), now_).ok());
  // One that is done makes room.
  LiveUpdate update;
  update.orders.push_back({.order = session_->OrdersOf(a)[0]->order,
                           .state = "done",
                           .left = 0,
                           .why = ""});
  ASSERT_TRUE(session_->Update(a, update, now_).ok());
  EXPECT_TRUE(session_->Order(Next(a, 0), now_).ok());
}

TEST_F(LiveSessionTest, EverywhereIsTheSameRunOfAll) {
  const std::string a = Join("a", 100), b = Join("b", 140), c = Join("c");
  LiveUpdate update;
  LiveRunKind other;
  other.fetches = "init";
  update.rows.push_back(other);
  ASSERT_TRUE(session_->Update(c, update, now_).ok());
  LiveRequest request = Next(a, 0);
  request.everywhere = true;
  request.at_next = true;
  request.order.rule = "at";
  ASSERT_EQ(session_->Order(request, now_)->size(), 2u);
  const int64_t at = session_->OrdersOf(a).at(0)->at;
  EXPECT_EQ(session_->OrdersOf(b).at(0)->at, at);
  // At least the runs of the second until the client's next request.
  EXPECT_GE(at, 140 + 100);
  EXPECT_TRUE(session_->OrdersOf(c).empty());
}

TEST_F(LiveSessionTest, WhatDoesNotRunIsNotTraced) {
  EXPECT_EQ(session_->Order({}, now_).status().code(),
            absl::StatusCode::kFailedPrecondition);
  const std::string a = Join("a");
  ASSERT_TRUE(session_->Order(Next(a, 0), now_).ok());
  EXPECT_FALSE(session_->Order(Next(a, 5), now_).ok());
  EXPECT_FALSE(session_->Order(Next("c7", 0), now_).ok());
  LiveUpdate end;
  end.end = "ok";
  ASSERT_TRUE(session_->Update(a, end, now_).ok());
  EXPECT_EQ(session_->StateOf(session_->clients().at(a)), "ended");
  EXPECT_EQ(session_->orders().begin()->second.state, "missed");
  EXPECT_FALSE(session_->Order(Next(a, 0), now_).ok());
}

TEST_F(LiveSessionTest, SilenceIsALoss) {
  const std::string a = Join("a");
  session_->Tick(now_ + 4 * kSecond);
  EXPECT_EQ(session_->StateOf(session_->clients().at(a)), "running");
  const uint64_t before = session_->version();
  session_->Tick(now_ + 6 * kSecond);
  EXPECT_EQ(session_->StateOf(session_->clients().at(a)), "lost");
  EXPECT_NE(session_->version(), before);
}

// A program with a million names costs the server little, and can be read
// again.
TEST_F(LiveSessionTest, RunsWithLongNamesAreLeftOut) {
  const std::string a = Join("a");
  for (int64_t first = 0; first < 1000; first += 100) {
    LiveUpdate update;
    update.active = true;
    for (int64_t number = first; number < first + 100; ++number) {
      LiveRunKind& row = update.rows.emplace_back();
      row.row = number;
      row.feeds.assign(20, std::string(kMaxLiveText, 'x'));
    }
    ASSERT_TRUE(session_->Update(a, std::move(update), now_).ok());
  }
  const LiveClient& client = session_->clients().at(a);
  size_t bytes = 0;
  for (const auto& [number, row] : client.rows) bytes += BytesOf(row);
  EXPECT_EQ(bytes, client.run_bytes);
  EXPECT_LE(bytes, kMaxClientRunBytes);
  EXPECT_GT(2 * bytes, kMaxClientRunBytes);
  EXPECT_EQ(client.rows.size() + client.rows_left_out.size(), 1000u);
  // A shorter one has room again.
  LiveUpdate update;
  update.rows.emplace_back().row = 999;
  ASSERT_TRUE(session_->Update(a, std::move(update), now_).ok());
  EXPECT_TRUE(client.rows.contains(999));
  EXPECT_FALSE(client.rows_left_out.contains(999));
  const size_t rows = client.rows.size();
  session_.reset();
  Open({});
  EXPECT_TRUE(session_->damaged().empty());
  EXPECT_EQ(session_->clients().at(a).rows.size(), rows);
}

// All programs together have a limit, too.
TEST_F(LiveSessionTest, ManyProgramsWithLongNames) {
  for (int program = 0; program < 40; ++program) {
    const std::string id = Join(fmt::format("p{}", program));
    LiveUpdate update;
    for (int64_t number = 0; number < 10; ++number) {
      LiveRunKind& row = update.rows.emplace_back();
      row.row = number;
      row.feeds.assign(90, std::string(kMaxLiveText, 'x'));
    }
    ASSERT_TRUE(session_->Update(id, std::move(update), now_).ok());
  }
  size_t bytes = 0, left_out = 0;
  for (const auto& [id, client] : session_->clients()) {
    bytes += client.run_bytes;
    left_out += client.rows_left_out.size();
  }
  EXPECT_LE(bytes, kMaxRunBytes);
  EXPECT_GT(left_out, 0u);
}

TEST_F(LiveSessionTest, SaysWhyThereIsNothing) {
  EXPECT_THAT(session_->WhyEmpty(), HasSubstr("No program has registered"));
  const std::string a = Join("a", 0);
  EXPECT_THAT(session_->WhyEmpty(), HasSubstr("not finished a run"));
  Say(a, 0, 1);
  EXPECT_THAT(session_->WhyEmpty(), HasSubstr("There is no order yet"));
  ASSERT_TRUE(session_->Order(Next(a, 0), now_).ok());
  EXPECT_THAT(session_->WhyEmpty(), HasSubstr("has ended yet"));
  LiveUpdate update;
  update.dropped = {.traces = 2, .bytes = 0, .why = "too large"};
  ASSERT_TRUE(session_->Update(a, update, now_).ok());
  EXPECT_THAT(session_->WhyEmpty(), HasSubstr("2 traces were made"));
  ASSERT_TRUE(Trace(a, 0, 0).ok());
  EXPECT_EQ(session_->WhyEmpty(), "");
}

// A server that was killed leaves the same state as opening the folder twice.
TEST_F(LiveSessionTest, OrdersOutliveTheServer) {
  const std::string a = Join("a"), b = Join("b");
  LiveRequest request = Next(a, 0);
  request.order.count = 3;
  const uint64_t kept = session_->Order(request, now_).value()[0];
  const uint64_t done = session_->Order(Next(a, 0), now_).value()[0];
  const uint64_t cancelled = session_->Order(Next(b, 0), now_).value()[0];
  LiveUpdate update;
  update.active = true;
  update.orders.push_back({.order = done, .state = "done"});
  ASSERT_TRUE(session_->Update(a, update, now_).ok());
  ASSERT_TRUE(session_->Cancel(cancelled).ok());
  const std::string copy = path_ + "_killed";
  std::filesystem::remove_all(copy);
  std::filesystem::copy(path_, copy, std::filesystem::copy_options::recursive);
  path_ = copy;
  Open({});
  ASSERT_EQ(session_->OrdersOf(a).size(), 1u);
  EXPECT_EQ(session_->OrdersOf(a)[0]->order, kept);
  EXPECT_EQ(session_->OrdersOf(a)[0]->count, 3);
  EXPECT_EQ(session_->OrdersOf(b).size(), 0u);
  EXPECT_TRUE(session_->damaged().empty());
  // Order numbers are never reused, and the program keeps its id.
  EXPECT_EQ(Join("a"), a);
  EXPECT_GT(session_->Order(Next(a, 0), now_).value()[0], cancelled);
}

TEST_F(LiveSessionTest, DamagedOrdersAreSaidAndForgotten) {
  const std::string a = Join("a");
  ASSERT_TRUE(session_->Order(Next(a, 0), now_).ok());
  session_.reset();
  std::ofstream(path_ + "/orders.json")
      << R"({"orders":[{"order":7,"client":"c1","rule":"never"}]})";
  Open({});
  EXPECT_TRUE(session_->orders().empty());
  EXPECT_THAT(session_->damaged(),
              ElementsAre(HasSubstr("orders.json: orders.state: expected")));
}

}  // namespace
}  // namespace tfprof::server
