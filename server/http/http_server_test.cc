#include "server/http/http_server.h"

#include <sys/socket.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/server_testing.h"

namespace tfprof::server {
namespace {
namespace http_server_test {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kToken[] = "0123456789abcdef0123456789abcdef";

std::string ReadUntil(const OwnedFd& fd, std::string_view end) {
  std::string text;
  char c;
  while (text.find(end) == text.npos && recv(fd.get(), &c, 1, 0) == 1) {
    text += c;
  }
  return text;
}

class HttpServerTest : public ::testing::Test {
 protected:
  void Start(const ServerLimits& limits = {}) {
    auto listener = Listen("127.0.0.1", 0);
    ASSERT_TRUE(listener.ok()) << listener.status();
    port_ = listener->port;
    guard_ = std::make_unique<Guard>(GuardOptions{.address = "127.0.0.1",
                                                  .port = port_,
                                                  .token = kToken,
                                                  .cookie = "c",
                                                  .read_only = false});
    server_ = std::make_unique<HttpServer>(
        *std::move(listener), *guard_, events_,
        [this](const HttpRequest& request) {
          if (request.path == "/slow") {
            ++slow_;
            while (!cancellation_.requested()) std::this_thread::yield();
            ++cancelled_;
          }
          HttpReply reply;
          reply.body = "answer to " + request.path;
          return reply;
        },
        cancellation_, nullptr, limits);
    thread_ = std::thread([this] { server_->Run(signals_); });
  }
  ~HttpServerTest() override {
    if (!thread_.joinable()) return;
    server_->Stop();
    thread_.join();
  }
  std::string Request(std::string_view first, std::string_view more = "") {
    std::string text(first);
    text += " HTTP/1.1\r\nHost: ";
    text += guard_->host();
    text += "\r\nAuthorization: Bearer ";
    text += kToken;
    text += "\r\n";
    text += more;
    text += "\r\n";
    return text;
  }
  std::string Ask(std::string_view text) {
    const OwnedFd fd = Connect(port_);
    Send(fd, text);
    return ReadAll(fd);
  }

  StopSignals signals_;
  EventLog events_;
  util::Cancellation cancellation_;
  std::atomic<int> slow_ = 0;
  std::atomic<int> cancelled_ = 0;
  int port_ = 0;
  std::unique_ptr<Guard> guard_;
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

TEST_F(HttpServerTest, Answers) {
  Start();
  const std::string reply = Ask(Request("GET /x", "Connection: close\r\n"));
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(reply, HasSubstr("\r\n\r\nanswer to /x"));
}

TEST_F(HttpServerTest, AnswersSeveralOnOneConnection) {
  Start();
  const std::string reply = Ask(Request("GET /a") + Request("HEAD /b") +
                                Request("GET /c", "Connection: close\r\n"));
  EXPECT_THAT(reply, HasSubstr("answer to /a"));
  EXPECT_THAT(reply, ::testing::Not(HasSubstr("answer to /b")));
  EXPECT_THAT(reply, HasSubstr("answer to /c"));
}

TEST_F(HttpServerTest, RefusesAndCloses) {
  Start();
  EXPECT_THAT(Ask("GARBAGE\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Ask("GET / HTTP/1.1\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(Ask(Request("GET /", "Content-Length: 999999\r\n")),
              StartsWith("HTTP/1.1 413 "));
}

TEST_F(HttpServerTest, ASlowRequestIsClosed) {
  ServerLimits limits;
  limits.request_seconds = 0.5;
  Start(limits);
  EXPECT_EQ(Ask("GET / HT"), "");
}

TEST_F(HttpServerTest, TheOldestIdleConnectionMakesRoom) {
  ServerLimits limits;
  limits.connections = 4;
  Start(limits);
  std::vector<OwnedFd> idle;
  for (int i = 0; i < 20; ++i) idle.push_back(Connect(port_));
  EXPECT_THAT(Ask(Request("GET /x", "Connection: close\r\n")),
              HasSubstr("answer to /x"));
  EXPECT_EQ(ReadAll(idle.front()), "");
}

TEST_F(HttpServerTest, AClientThatHasGoneCancels) {
  Start();
  {
    const OwnedFd fd = Connect(port_);
    Send(fd, Request("GET /slow"));
    while (slow_ == 0) std::this_thread::yield();
  }
  EXPECT_THAT(Ask(Request("GET /x", "Connection: close\r\n")),
              HasSubstr("answer to /x"));
  EXPECT_EQ(cancelled_, 1);
}

TEST_F(HttpServerTest, AsksTooOften) {
  ServerLimits limits;
  limits.requests_per_second = 0.001;
  limits.requests_burst = 1;
  Start(limits);
  EXPECT_THAT(Ask(Request("GET /x", "Connection: close\r\n")),
              StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(Ask(Request("GET /x", "Connection: close\r\n")),
              StartsWith("HTTP/1.1 429 "));
}

TEST_F(HttpServerTest, WhoHasNoTokenDoesNotUseUpTheOwnersRequests) {
  ServerLimits limits;
  limits.requests_per_second = 0.001;
  limits.requests_burst = 2;
  Start(limits);
  const std::string stranger = fmt::format(
      "GET /x HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n",
      port_);
  for (const char* status : {"401", "401", "429", "429"}) {
    EXPECT_THAT(Ask(stranger), StartsWith(fmt::format("HTTP/1.1 {} ", status)));
  }
  for (const char* status : {"200", "200", "429"}) {
    EXPECT_THAT(Ask(Request("GET /x", "Connection: close\r\n")),
                StartsWith(fmt::format("HTTP/1.1 {} ", status)));
  }
}

TEST_F(HttpServerTest, ConnectionsWithoutTheTokenAreClosedFirst) {
  ServerLimits limits;
  limits.connections = 3;
  Start(limits);
  const OwnedFd owner = Connect(port_);
  Send(owner, Request("GET /first"));
  EXPECT_THAT(ReadUntil(owner, "answer to /first"), HasSubstr("200"));
  std::vector<OwnedFd> strangers;
  for (int i = 0; i < 20; ++i) strangers.push_back(Connect(port_));
  // The last of them is served, so that all were accepted.
  EXPECT_THAT(Ask(Request("GET /y", "Connection: close\r\n")),
              HasSubstr("answer to /y"));
  Send(owner, Request("GET /second"));
  EXPECT_THAT(ReadUntil(owner, "answer to /second"), HasSubstr("200"));
}

TEST_F(HttpServerTest, SendsEventsAsTheyHappen) {
  Start();
  events_.Publish("first", "{}");
  const OwnedFd fd = Connect(port_);
  Send(fd, Request("GET /api/events", "Last-Event-ID: 0\r\n"));
  EXPECT_THAT(ReadUntil(fd, "event: first\ndata: {}\n\n"),
              HasSubstr("text/event-stream"));
  events_.Publish("second", "{\"a\":1}");
  EXPECT_THAT(ReadUntil(fd, "}\n\n"),
              HasSubstr("id: 2\nevent: second\ndata: {\"a\":1}"));
}

TEST_F(HttpServerTest, APageEndsIt) {
  Start();
  EXPECT_THAT(Ask(Request("POST /api/quit")), HasSubstr("\"quit\":true"));
  thread_.join();
}

TEST_F(HttpServerTest, SaysWhatItCannotListenOn) {
  Start();
  EXPECT_TRUE(absl::IsAlreadyExists(Listen("127.0.0.1", port_).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(Listen("localhost", 0).status()));
}

}  // namespace http_server_test
}  // namespace
}  // namespace tfprof::server
