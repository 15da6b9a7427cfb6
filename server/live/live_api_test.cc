#include "server/live/live_api.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "util/json/json_tree.h"

namespace tfprof::server {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Pair;

class LiveApiTest : public ::testing::Test {
 protected:
  LiveApiTest() : path_(testing::TempDir() + "/live_api") {
    std::filesystem::remove_all(path_);
    Open(LiveSession::Mode::kLive);
  }
  ~LiveApiTest() override {
    api_.reset();
    std::filesystem::remove_all(path_);
  }

  void Open(LiveSession::Mode mode) {
    api_.reset();
    auto folder = mode == LiveSession::Mode::kLive
                      ? SessionFolder::Create(path_, {})
                      : SessionFolder::Open(path_);
    ASSERT_TRUE(folder.ok()) << folder.status();
    api_ = std::make_unique<LiveApi>(
        LiveSession(*std::move(folder), {.session_bytes = 100}, mode),
        /*read_only=*/false, events_);
  }
  HttpReply Ask(std::string method, std::string path, std::string body = "",
                std::vector<std::pair<std::string, std::string>> query = {}) {
    HttpRequest request;
    request.method = std::move(method);
    request.path = std::move(path);
    request.body = std::move(body);
    request.query = std::move(query);
    return api_->Answer(request);
  }
  // The status and the message of an error.
  std::string Error(std::string method, std::string path,
                    std::string body = "") {
    const HttpReply reply =
        Ask(std::move(method), std::move(path), std::move(body));
    const auto tree = util::JsonTree::Parse(reply.body);
    EXPECT_TRUE(tree.ok()) << reply.body;
    return fmt::format(
        "{} {}", reply.status,
        tree.ok() ? tree->root()["error"]["message"].String().value_or("none")
                  : "");
  }
  // A program that has run something.
  std::string Join(const std::string& key = "k") {
    const HttpReply reply =
        Ask("POST", "/api/clients", fmt::format(R"({{"key":"{}"}})", key));
    EXPECT_EQ(reply.status, 200) << reply.body;
    std::string id = util::JsonTree::Parse(reply.body)
                         ->root()["client"]
                         .String()
                         .value_or("");
    EXPECT_EQ(Ask("POST", "/api/clients/" + id + "/update",
                  R"({"active":true,"rows":[{"row":0,"fetches":"loss"}]})")
                  .status,
              200);
    return id;
  }
  HttpReply AddTrace(const std::string& client, int64_t number,
                     std::string data = "bytes") {
    return Ask("POST", "/api/clients/" + client + "/traces", std::move(data),
               {{"about", fmt::format(R"({{"row":0,"number":{},)"
                                      R"("kind":"run_metadata"}})",
                                      number)}});
  }
  // A member of the state, as it stands there.
  std::string State(std::string_view name, const std::string& since = "0") {
    const HttpReply reply = Ask("GET", "/api/live", "", {{"since", since}});
    const auto tree = util::JsonTree::Parse(reply.body);
    EXPECT_TRUE(tree.ok()) << reply.body;
    return tree.ok() ? std::string(tree->root()[name].raw()) : "";
  }

  const std::string path_;
  EventLog events_;
  std::unique_ptr<LiveApi> api_;
};

TEST(LiveApiPathTest, OnlyWholePartsOfAPathAreLive) {
  for (const char* path :
       {"/api/live", "/api/clients", "/api/clients/c1/update", "/api/orders",
        "/api/orders/7", "/api/traces/000001", "/api/traces/000001/file"}) {
    EXPECT_TRUE(LiveApi::IsLive(path)) << path;
  }
  for (const char* path : {"/", "/api/livelier", "/api/live/x", "/api/clientsx",
                           "/api/ordersx", "/api/traces", "/api"}) {
    EXPECT_FALSE(LiveApi::IsLive(path)) << path;
  }
}

TEST(LiveApiPathTest, OnlyProgramsMaySendMuch) {
  const auto limit = [](std::string method, std::string path) {
    HttpRequest head;
    head.method = std::move(method);
    head.path = std::move(path);
    return LiveApi::BodyLimit(head);
  };
  EXPECT_EQ(limit("POST", "/api/clients"), size_t{8} << 20);
  EXPECT_EQ(limit("POST", "/api/clients/c1/update"), size_t{8} << 20);
  EXPECT_EQ(limit("POST", "/api/clients/c1/traces"), size_t{256} << 20);
  EXPECT_EQ(limit("POST", "/api/clients/c1/graphs"), size_t{256} << 20);
  EXPECT_EQ(limit("PUT", "/api/clients/c1/traces"), 0u);
  EXPECT_EQ(limit("POST", "/api/orders"), 0u);
  EXPECT_EQ(limit("POST", "/api/query/traces"), 0u);
}

TEST_F(LiveApiTest, AProgramRegistersUpdatesAndDeliversTraces) {
  const std::string id = Join();
  EXPECT_EQ(id, "c1");
  EXPECT_EQ(Join("other"), "c2");
  EXPECT_EQ(Join(), "c1") << "the same program";
  const HttpReply added = AddTrace(id, 0);
  EXPECT_EQ(added.status, 201);
  EXPECT_EQ(added.body, "{\"id\":\"000001\"}\n");
  const HttpReply file = Ask("GET", "/api/traces/000001/file");
  EXPECT_EQ(file.status, 200);
  EXPECT_EQ(file.body, "bytes");
  EXPECT_EQ(file.type, "application/octet-stream");
  EXPECT_THAT(file.headers,
              ElementsAre(Pair("Content-Disposition",
                               "attachment; filename=\"trace-000001.pb\"")));
  EXPECT_THAT(Ask("GET", "/api/traces/000001").body,
              HasSubstr(R"("fetches":"loss")"));
  EXPECT_EQ(
      Ask("POST", "/api/clients/c1/graphs", "graph", {{"name", "g"}}).body,
      "{\"name\":\"g\"}\n");
}

TEST_F(LiveApiTest, ATraceIsNamedPinnedAndDeleted) {
  ASSERT_EQ(AddTrace(Join(), 0).status, 201);
  const HttpReply marked =
      Ask("PUT", "/api/traces/000001", R"({"name":"slow","pinned":true})");
  EXPECT_EQ(marked.status, 200);
  EXPECT_THAT(marked.body, HasSubstr(R"("pinned":true,"name":"slow")"));
  EXPECT_THAT(Error("PUT", "/api/traces/000001", "{}"),
              HasSubstr("400 : expected name or pinned"));
  EXPECT_THAT(Error("DELETE", "/api/traces/000001"), HasSubstr("409 "))
      << "it is pinned";
  EXPECT_EQ(Ask("PUT", "/api/traces/000001", R"({"pinned":false})").status,
            200);
  EXPECT_EQ(Ask("DELETE", "/api/traces/000001").status, 200);
  EXPECT_THAT(Error("GET", "/api/traces/000001"), HasSubstr("410 "));
  EXPECT_THAT(Error("GET", "/api/traces/000001/file"), HasSubstr("410 "));
  EXPECT_THAT(Error("DELETE", "/api/traces/000002"), HasSubstr("404 "));
}

TEST_F(LiveApiTest, OrdersGoToTheProgramUntilTheyAreCancelled) {
  const std::string id = Join();
  const std::string next = R"({"client":"c1","row":0,"rule":"next"})";
  ASSERT_EQ(Ask("POST", "/api/orders", next).status, 201);
  ASSERT_EQ(Ask("POST", "/api/orders", next).status, 201);
  const auto orders = [&] {
    const HttpReply reply =
        Ask("POST", "/api/clients/" + id + "/update", R"({"active":true})");
    const auto tree = util::JsonTree::Parse(reply.body);
    std::vector<uint64_t> numbers;
    for (const util::JsonValue order : tree->root()["orders"]["list"]) {
      numbers.push_back(order["order"].Uint().value_or(0));
    }
    return numbers;
  };
  const std::vector<uint64_t> both = orders();
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(Ask("DELETE", fmt::format("/api/orders/{}", both[0])).status, 200);
  EXPECT_THAT(orders(), ElementsAre(both[1]));
  EXPECT_THAT(Error("DELETE", "/api/orders/1"), HasSubstr("404 "));
  EXPECT_EQ(Ask("DELETE", "/api/orders").status, 200);
  EXPECT_THAT(orders(), ElementsAre());
}

TEST_F(LiveApiTest, WrongRequestsAreRefused) {
  Join();
  struct Case {
    const char* method;
    const char* path;
    const char* body;
    const char* error;
  };
  for (const Case& c : {
           Case{"GET", "/api/clients", "",
                "405 this address accepts only POST"},
           Case{"POST", "/api/clients", "{}", "400 key: expected 1 to 64"},
           Case{"POST", "/api/clients", "no JSON", "400 "},
           Case{"POST", "/api/clients/", "{}", "404 there is nothing"},
           Case{"POST", "/api/clients/update", "{}", "404 there is nothing"},
           Case{"POST", "/api/clients/c1/quit", "{}", "404 there is nothing"},
           Case{"POST", "/api/clients/c9/update", "{}", "404 there is no cli"},
           Case{"POST", "/api/clients/../c1/update", "{}", "404 there is no c"},
           Case{"POST", "/api/clients/c1/update", "[]", "400 "},
           Case{"POST", "/api/clients/c1/traces", "x", "400 about: expected"},
           Case{"POST", "/api/clients/c1/graphs", "x", "400 name: expected 1"},
           Case{"GET", "/api/orders", "",
                "405 this address accepts only POST, DEL"},
           Case{"POST", "/api/orders/7", "{}",
                "405 this address accepts only DELETE"},
           Case{"POST", "/api/orders", R"({"rule":"now"})",
                "400 rule: expected one of"},
           Case{"DELETE", "/api/orders/7x", "", "404 there is nothing"},
           Case{"DELETE", "/api/orders/99999999999999999999", "",
                "404 there is nothing"},
           Case{"POST", "/api/traces/1", "",
                "405 this address accepts only GET, HEA"},
           Case{"POST", "/api/traces/1/file", "",
                "405 this address accepts only GET"},
           Case{"GET", "/api/traces/1/other", "", "404 there is nothing"},
           Case{"GET", "/api/traces/", "", "404 "},
           Case{"PUT", "/api/live", "",
                "405 this address accepts only GET, HEAD"},
       }) {
    EXPECT_THAT(Error(c.method, c.path, c.body), HasSubstr(c.error))
        << c.method << " " << c.path << " " << c.body;
  }
  EXPECT_EQ(Ask("GET", "/api/live", "", {{"since", "-1"}}).status, 400);
}

TEST_F(LiveApiTest, ATraceThatDoesNotFitIsRefused) {
  EXPECT_EQ(AddTrace(Join(), 0, std::string(101, 'x')).status, 507);
  EXPECT_EQ(AddTrace("c1", 0, "").status, 400);
}

TEST_F(LiveApiTest, TheStateHasOnlyTheRowsThatChanged) {
  Join();
  const std::string version = State("version");
  EXPECT_THAT(State("rows"), HasSubstr(R"("fetches":"loss")"));
  EXPECT_EQ(State("rows", version), "[\n\n]");
  EXPECT_THAT(State("clients", version), HasSubstr(R"("client":"c1")"));
  EXPECT_THAT(State("rows", "18446744073709551615"), HasSubstr("loss"))
      << "a version of another run of the server: everything";
  HttpRequest again;
  again.method = "GET";
  again.path = "/api/live";
  again.headers = {{"if-none-match", "\"" + version + "\""}};
  EXPECT_EQ(api_->Answer(again).status, 304);
  Join("other");
  EXPECT_EQ(api_->Answer(again).status, 200);
}

TEST_F(LiveApiTest, PagesHearOfAChangeOnce) {
  api_->Tick();
  const uint64_t before = events_.last();
  api_->Tick();
  EXPECT_EQ(events_.last(), before);
  Join();
  api_->Tick();
  uint64_t id = before;
  EXPECT_THAT(events_.After(id), HasSubstr("event: live"));
  EXPECT_EQ(id, before + 1);
}

TEST_F(LiveApiTest, ASavedSessionTakesMarksAndNoPrograms) {
  ASSERT_EQ(AddTrace(Join(), 0).status, 201);
  Open(LiveSession::Mode::kSaved);
  EXPECT_FALSE(api_->has_programs());
  EXPECT_EQ(State("live"), "false");
  EXPECT_THAT(Error("POST", "/api/clients", R"({"key":"k"})"),
              HasSubstr("this is a saved session"));
  EXPECT_EQ(Ask("PUT", "/api/traces/000001", R"({"name":"x"})").status, 200);
  ASSERT_TRUE(api_->SaveServer("{}").ok());
  EXPECT_FALSE(std::filesystem::exists(path_ + "/server.json"));
}

// A session comes from anywhere: its numbers may be the largest ones.
TEST_F(LiveApiTest, HugeNumbersOfASessionAreNoNumbersOfOurs) {
  api_.reset();
  std::ofstream(path_ + "/clients/c9223372036854775807.json")
      << R"({"client":"c9223372036854775807","key":"far"})";
  std::ofstream(path_ + "/traces/9223372036854775807.about.json")
      << R"({"id":"9223372036854775807","file":"9223372036854775807.pb",)"
      << R"("kind":"run_metadata"})";
  std::ofstream(path_ + "/traces/9223372036854775807.pb") << "x";
  std::ofstream(path_ + "/orders.json")
      << R"({"orders":[{"order":5,"client":"c9223372036854775807","state":)"
      << R"("sent","rule":"for","until_ns":9223372036854775807}]})";
  Open(LiveSession::Mode::kLive);
  EXPECT_EQ(Join(), "c1");
  EXPECT_EQ(AddTrace("c1", 0).body, "{\"id\":\"000001\"}\n");
  EXPECT_THAT(State("traces"), HasSubstr("9223372036854775807"));
  api_->Tick();
  EXPECT_THAT(State("orders"), HasSubstr(R"("state":"sent")"));
}

}  // namespace
}  // namespace tfprof::server
