#include "server/api.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::server {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

constexpr char kGraph[] = "node { name: \"w\" op: \"VariableV2\" }\n";

class ApiTest : public ::testing::Test {
 protected:
  ApiTest() : folder_(testing::TempDir() + "/api_profiles") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ + "/run");
    std::ofstream(folder_ + "/run/graph.pbtxt") << kGraph;
    std::ofstream(folder_ + "/other.pbtxt")
        << "node { name: \"v\" op: \"MatMul\" }\n";
    api_ = std::make_unique<Api>(commands::ProfileShelf::Below(folder_),
                                 ApiOptions(), events_);
  }
  HttpReply Ask(std::string_view target, std::string method = "GET") {
    HttpRequest request;
    request.method = std::move(method);
    const size_t mark = std::min(target.find('?'), target.size());
    request.path = target.substr(0, mark);
    if (mark < target.size()) {
      EXPECT_TRUE(DecodeQuery(target.substr(mark + 1), request.query));
    }
    return api_->Answer(request);
  }

  std::string folder_;
  EventLog events_;
  std::unique_ptr<Api> api_;
};

TEST_F(ApiTest, ListsWhatThereIs) {
  const HttpReply reply = Ask("/api/state");
  EXPECT_EQ(reply.status, 200);
  EXPECT_THAT(reply.body,
              HasSubstr("{\"name\":\"run/graph.pbtxt\",\"bytes\":"));
  EXPECT_THAT(reply.body, HasSubstr("\"open\":[]"));
  EXPECT_THAT(reply.body, HasSubstr("\"newest\":\""));
}

TEST_F(ApiTest, AnswersACommand) {
  const HttpReply reply =
      Ask("/api/op?profile=run/graph.pbtxt&select=occurrence");
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_THAT(reply.body, HasSubstr("\"schema\":\"tfprof.op\""));
  EXPECT_THAT(reply.body, HasSubstr("VariableV2"));
  EXPECT_THAT(reply.headers, Contains(Pair("X-Tfprof-Rows", "1")));
  EXPECT_THAT(Ask("/api/state").body,
              HasSubstr("\"open\":[\"run/graph.pbtxt\"]"));
}

TEST_F(ApiTest, ColumnsHaveTheHeadingsOfTheTerminal) {
  const HttpReply reply =
      Ask("/api/op?profile=run/graph.pbtxt&select=occurrence");
  EXPECT_THAT(reply.headers,
              Contains(Pair("X-Tfprof-Titles",
                            AllOf(StartsWith("{\"op\":{"),
                                  HasSubstr("\"definitions\":\"nodes\"")))));
}

TEST_F(ApiTest, ComparesTwo) {
  const HttpReply reply =
      Ask("/api/op?profile=run/graph.pbtxt&base=other.pbtxt&select=occurrence");
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_THAT(reply.body, HasSubstr("MatMul"));
  // The next question has no base.
  EXPECT_THAT(Ask("/api/op?profile=run/graph.pbtxt&select=occurrence").body,
              Not(HasSubstr("MatMul")));
}

TEST_F(ApiTest, DrawsTheGraph) {
  const HttpReply reply = Ask("/api/drawing?profile=run/graph.pbtxt&open=a");
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_THAT(reply.body, HasSubstr("\"name\":\"w\",\"op\":\"VariableV2\""));
  EXPECT_EQ(Ask("/api/drawing?profile=run/graph.pbtxt&x=1").status, 400);
  EXPECT_EQ(Ask("/api/drawing?profile=run/graph.pbtxt&step=7").status, 409);
}

TEST_F(ApiTest, ErrorsHaveTheirStatus) {
  EXPECT_EQ(Ask("/api/op").status, 400);
  EXPECT_EQ(Ask("/api/op?profile=none").status, 404);
  EXPECT_EQ(Ask("/api/op?profile=../secret").status, 404);
  EXPECT_EQ(Ask("/api/op?profile=/etc/passwd").status, 403);
  EXPECT_EQ(Ask("/api/op?profile=run/graph.pbtxt&x=1").status, 400);
  EXPECT_EQ(Ask("/api/code?profile=run/graph.pbtxt").status, 409);
  EXPECT_EQ(Ask("/api/save?profile=run/graph.pbtxt").status, 404);
  EXPECT_EQ(Ask("/api/op?profile=run/graph.pbtxt&sort=x").status, 400);
  EXPECT_EQ(Ask("/etc/passwd").status, 404);
  EXPECT_EQ(Ask("/timeline?profile=run/graph.pbtxt").status, 409);
  EXPECT_EQ(Ask("/timeline?profile=run/graph.pbtxt&output=x").status, 400);
}

TEST_F(ApiTest, ATimelineWithoutANameIsThatOfTheNewestProfile) {
  namespace fs = std::filesystem;
  fs::remove_all(folder_);
  fs::create_directories(folder_);
  // No profile: the error says so, and the page does not wait for ever.
  EXPECT_EQ(Ask("/timeline").status, 400);
  const std::string file = folder_ + "/trace.json";
  std::ofstream(file) << R"({"traceEvents": [
      {"ph": "X", "name": "work", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]})";
  const HttpReply reply = Ask("/timeline");
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_THAT(reply.body, HasSubstr("trace.json"));
}

TEST_F(ApiTest, QuestionsAreGetAndChangesPost) {
  EXPECT_EQ(Ask("/api/reload?profile=run/graph.pbtxt").status, 405);
  EXPECT_EQ(Ask("/api/op?profile=run/graph.pbtxt", "POST").status, 405);
  EXPECT_EQ(Ask("/api/state", "POST").status, 405);
}

TEST_F(ApiTest, ReloadForgetsAndSaysSo) {
  Ask("/api/op?profile=run/graph.pbtxt");
  EXPECT_EQ(Ask("/api/reload?profile=run/graph.pbtxt", "POST").body,
            "{\"reloaded\":true}\n");
  EXPECT_EQ(Ask("/api/reload?profile=none", "POST").body,
            "{\"reloaded\":false}\n");
  uint64_t id = 0;
  const std::string events = events_.After(id);
  EXPECT_THAT(events, HasSubstr("event: opened\ndata: "
                                "{\"profile\":\"run/graph.pbtxt\"}\n"));
  EXPECT_THAT(events, HasSubstr("event: reloaded\n"));
}

TEST_F(ApiTest, AChangedFileIsLoadedAgain) {
  Ask("/api/op?profile=run/graph.pbtxt&select=occurrence");
  std::ofstream(folder_ + "/run/graph.pbtxt")
      << kGraph << "node { name: \"m\" op: \"Softmax\" }\n";
  EXPECT_THAT(Ask("/api/op?profile=run/graph.pbtxt&select=occurrence").body,
              HasSubstr("Softmax"));
}

TEST_F(ApiTest, PagesAreKnownAddresses) {
  const auto page = PageReply("/op");
  ASSERT_TRUE(page.has_value());
  EXPECT_THAT(page->content_policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page->content_policy, Not(HasSubstr("unsafe")));
  EXPECT_FALSE(PageReply("/op/").has_value());
  EXPECT_FALSE(PageReply("/../etc/passwd").has_value());
}

}  // namespace
}  // namespace tfprof::server
