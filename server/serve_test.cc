#include "server/serve.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "proto/run_metadata.pb.h"
#include "server/server_testing.h"

namespace tfprof::server {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kToken[] = "0123456789abcdef0123456789abcdef";

class ServeTest : public loaders::FolderTest {
 protected:
  ServeTest() {
    request_.inputs.files = {
        Write("run", loaders::Binary<proto::RunMetadata>(loaders::kRunMeta))};
  }
  // The message of a request that is refused before anything is served.
  std::string Refused() {
    std::string printed;
    const absl::Status status =
        Serve(request_, [&](std::string_view line) { printed += line; });
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(printed, "");
    return std::string(status.message());
  }
  // Serves on a free port with kToken, asks, and ends the server. Returns the
  // reply to GET `path`; `printed_` has what Serve() said.
  std::string Served(const std::string& path) {
    request_.options.port = Listen("127.0.0.1", 0)->port;
    request_.options.token_file = Write("token", kToken);
    std::string reply;
    std::thread asks;
    const absl::Status served = Serve(request_, [&](std::string_view line) {
      printed_ += line;
      if (asks.joinable()) return;
      asks = std::thread([&] {
        reply = Ask("GET", path);
        Ask("POST", "/api/quit");
      });
    });
    EXPECT_TRUE(served.ok()) << served;
    if (asks.joinable()) asks.join();
    return reply;
  }
  std::string Ask(std::string_view method, std::string_view path) {
    const OwnedFd fd = Connect(request_.options.port);
    Send(fd,
         fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n"
                     "Authorization: Bearer {}\r\nConnection: close\r\n\r\n",
                     method, path, request_.options.port, kToken));
    return ReadAll(fd);
  }

  ServeRequest request_;
  std::string printed_;
};

TEST_F(ServeTest, PrintsItsAddressAndServesUntilAPageEndsIt) {
  const std::string reply = Served("/api/state");
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(reply, HasSubstr("\"run\""));
  EXPECT_THAT(printed_,
              StartsWith(fmt::format("http://127.0.0.1:{}/?token={}\n",
                                     request_.options.port, kToken)));
}

TEST_F(ServeTest, ASessionSaysWhereItIsServedWhileItIs) {
  request_.inputs.files.clear();
  request_.options.session = PathOf("s");
  const std::string reply = Served("/api/live");
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(reply, HasSubstr("\"live\":true"));
  EXPECT_TRUE(std::filesystem::exists(PathOf("s/manifest.json")));
  EXPECT_FALSE(std::filesystem::exists(PathOf("s/server.json")))
      << "it has the token, and goes with the server";
  // Later it is looked at without programs.
  request_.options.session.clear();
  request_.inputs.files = {PathOf("s")};
  EXPECT_THAT(Served("/api/live"), HasSubstr("\"live\":false"));
}

TEST_F(ServeTest, FilesThatAreNotThereAreNamedAtOnce) {
  request_.base = {PathOf("base")};
  EXPECT_EQ(Refused(), PathOf("base") + ": No such file or directory");
  request_.inputs.files.push_back(PathOf("gone"));
  EXPECT_EQ(Refused(), PathOf("gone") + ": No such file or directory");
}

TEST_F(ServeTest, TheTokenIsALongPlainWord) {
  for (const std::string& text :
       {std::string(), std::string(31, 'a'), std::string(1025, 'a'),
        std::string(31, 'a') + "&", std::string(31, 'a') + " a"}) {
    request_.options.token_file = Write("token", text);
    EXPECT_THAT(Refused(), HasSubstr("expected a word of 32 to 1024 letters"));
  }
  request_.options.token_file = PathOf("no_token");
  EXPECT_EQ(Refused(), PathOf("no_token") + ": No such file or directory");
}

TEST_F(ServeTest, ACertificateNeedsItsKey) {
  request_.options.tls_certificate = "c.pem";
  EXPECT_THAT(Refused(), HasSubstr("belong together"));
  request_.options.tls_certificate = "";
  request_.options.tls_key = "k.pem";
  EXPECT_THAT(Refused(), HasSubstr("belong together"));
}

TEST_F(ServeTest, APortThatWasAskedForAndIsTakenIsAnError) {
  const absl::StatusOr<Listener> other = Listen("127.0.0.1", 0);
  ASSERT_TRUE(other.ok());
  request_.options.port = other->port;
  EXPECT_THAT(Refused(), HasSubstr("cannot listen on 127.0.0.1 port"));
  request_.options.address = "localhost";
  EXPECT_THAT(Refused(), HasSubstr("takes an address in numbers"));
}

// As when a server was killed and is started again at once.
TEST_F(ServeTest, APortThatBecomesFreeIsWaitedFor) {
  absl::StatusOr<Listener> other = Listen("127.0.0.1", 0);
  ASSERT_TRUE(other.ok());
  request_.options.port = other->port;
  std::thread frees([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    other->socket = OwnedFd();
  });
  const absl::StatusOr<ServerParts> parts = OpenServer(request_);
  frees.join();
  EXPECT_TRUE(parts.ok()) << parts.status();
}

TEST_F(ServeTest, AFolderOfOthersIsNoSession) {
  request_.options.port = Listen("127.0.0.1", 0)->port;
  request_.options.session = PathOf("");
  EXPECT_THAT(Refused(), HasSubstr("neither a session nor empty"));
}

}  // namespace
}  // namespace tfprof::server
