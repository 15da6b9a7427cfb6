#include "server/http/guard.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::server {
namespace {
namespace guard_test {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr char kToken[] = "0123456789abcdef0123456789abcdef";
constexpr char kCookie[] = "fedcba9876543210fedcba9876543210";

GuardOptions Usual() {
  return {.address = "127.0.0.1",
          .port = 8008,
          .token = kToken,
          .cookie = kCookie,
          .read_only = false};
}

HttpRequest Get(std::string path) {
  HttpRequest request;
  request.method = "GET";
  request.path = std::move(path);
  request.headers = {{"host", "127.0.0.1:8008"},
                     {"cookie", std::string("other=1; tfprof8008=") + kCookie}};
  return request;
}

void Set(HttpRequest& request, std::string_view name, std::string value) {
  for (auto& header : request.headers) {
    if (header.first == name) {
      header.second = std::move(value);
      return;
    }
  }
  request.headers.emplace_back(name, std::move(value));
}

// The status of the refusal; 0 if the request may be answered.
int Status(const HttpRequest& request, const GuardOptions& options = Usual()) {
  const auto reply = Guard(options).Check(request);
  return reply.has_value() ? reply->status : 0;
}

int StatusOfHost(const std::string& host,
                 const GuardOptions& options = Usual()) {
  HttpRequest request = Get("/");
  Set(request, "host", host);
  return Status(request, options);
}

TEST(GuardTest, TheCookieOpens) { EXPECT_EQ(Status(Get("/api/op")), 0); }

TEST(GuardTest, ATokenOfAProgramOpens) {
  HttpRequest request = Get("/");
  Set(request, "cookie", "");
  Set(request, "authorization", std::string("Bearer ") + kToken);
  EXPECT_EQ(Status(request), 0);
  Set(request, "authorization", std::string("Bearer x") + kToken);
  EXPECT_EQ(Status(request), 401);
}

TEST(GuardTest, WithoutASecretItIsClosed) {
  HttpRequest request = Get("/");
  for (const char* cookie :
       {"", "tfprof8008=", "tfprof8008=fedc", "tfprof8009=fedcba",
        "tfprof8008=0123456789abcdef0123456789abcdef"}) {
    Set(request, "cookie", cookie);
    EXPECT_EQ(Status(request), 401) << cookie;
  }
}

TEST(GuardTest, HostMustBeTheAddress) {
  EXPECT_EQ(StatusOfHost("localhost:8008"), 0);
  EXPECT_EQ(StatusOfHost("evil.example:8008"), 403);
  EXPECT_EQ(StatusOfHost("127.0.0.1"), 403);
  EXPECT_EQ(StatusOfHost("127.0.0.1:8009"), 403);
  EXPECT_EQ(StatusOfHost("127.0.0.1:8008.evil.example"), 403);
  EXPECT_EQ(StatusOfHost(""), 403);
  HttpRequest request = Get("/");
  request.headers.erase(request.headers.begin());
  EXPECT_EQ(Status(request), 403);
}

TEST(GuardTest, OnAllAddressesHostIsANumber) {
  GuardOptions all = Usual();
  all.address = "0.0.0.0";
  EXPECT_EQ(StatusOfHost("192.168.1.7:8008", all), 0);
  EXPECT_EQ(StatusOfHost("[fe80::1]:8008", all), 0);
  EXPECT_EQ(StatusOfHost("rebound.example:8008", all), 403);
}

TEST(GuardTest, AnAddressOfTheSixthVersionIsInBrackets) {
  GuardOptions six = Usual();
  six.address = "::1";
  EXPECT_EQ(StatusOfHost("[::1]:8008", six), 0);
  EXPECT_EQ(StatusOfHost("::1:8008", six), 403);
}

TEST(GuardTest, OriginMustBeTheServer) {
  HttpRequest request = Get("/");
  Set(request, "origin", "http://127.0.0.1:8008");
  EXPECT_EQ(Status(request), 0);
  for (const char* origin :
       {"http://evil.example", "null", "", "https://127.0.0.1:8008",
        "http://localhost:8008"}) {
    Set(request, "origin", origin);
    EXPECT_EQ(Status(request), 403) << origin;
  }
}

TEST(GuardTest, AChangeComesFromAPageOfTheServer) {
  HttpRequest request = Get("/api/reload");
  request.method = "POST";
  EXPECT_EQ(Status(request), 403);
  Set(request, "origin", "http://127.0.0.1:8008");
  EXPECT_EQ(Status(request), 0);
}

TEST(GuardTest, ReadOnlyRefusesChanges) {
  GuardOptions options = Usual();
  options.read_only = true;
  HttpRequest request = Get("/api/reload");
  EXPECT_EQ(Status(request, options), 0);
  request.method = "POST";
  Set(request, "origin", "http://127.0.0.1:8008");
  EXPECT_EQ(Status(request, options), 403);
}

TEST(GuardTest, OtherMethodsAreUnknown) {
  for (const char* method : {"PATCH", "OPTIONS", "TRACE", "get", "put"}) {
    HttpRequest request = Get("/");
    request.method = method;
    EXPECT_EQ(Status(request), 405) << method;
  }
}

TEST(GuardTest, EveryChangeNeedsItsOrigin) {
  for (const char* method : {"POST", "PUT", "DELETE"}) {
    HttpRequest request = Get("/api/orders");
    request.method = method;
    EXPECT_EQ(Status(request), 403) << method;
  }
}

TEST(GuardTest, ProgramsDeliverToAReadOnlyServer) {
  GuardOptions options = Usual();
  options.read_only = true;
  HttpRequest request = Get("/api/clients/c1/traces");
  request.method = "POST";
  EXPECT_TRUE(Guard(options).Check(request).has_value());
  Set(request, "authorization", std::string("Bearer ") + kToken);
  EXPECT_FALSE(Guard(options).Check(request).has_value());
  request.path = "/api/orders";
  EXPECT_TRUE(Guard(options).Check(request).has_value());
}

TEST(GuardTest, TheTokenBecomesACookieAndLeavesTheAddress) {
  HttpRequest request = Get("/op");
  Set(request, "cookie", "");
  request.query = {{"token", kToken}, {"order_by", "a b"}};
  const auto reply = Guard(Usual()).Check(request);
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->status, 303);
  EXPECT_THAT(reply->headers, Contains(Pair("Location", "/op?order_by=a%20b")));
  EXPECT_THAT(
      reply->headers,
      Contains(Pair("Set-Cookie", std::string("tfprof8008=") + kCookie +
                                      "; Path=/; HttpOnly; SameSite=Strict")));
  EXPECT_THAT(reply->body, ::testing::Not(HasSubstr(kToken)));
}

TEST(GuardTest, AWrongTokenIsRefusedEvenWithTheCookie) {
  HttpRequest request = Get("/");
  request.query = {{"token", "x"}};
  EXPECT_EQ(Status(request), 401);
}

TEST(GuardTest, TheRedirectStaysHere) {
  HttpRequest request = Get("//evil.example/\\x");
  request.query = {{"token", kToken}};
  const auto reply = Guard(Usual()).Check(request);
  ASSERT_TRUE(reply.has_value());
  EXPECT_THAT(reply->headers, Contains(Pair("Location", "/")));
}

TEST(GuardTest, ACookieBelongsToATokenAndHidesIt) {
  const std::string cookie = CookieOf(kToken);
  EXPECT_EQ(cookie, CookieOf(kToken));
  EXPECT_NE(cookie, CookieOf(std::string(kToken) + "x"));
  EXPECT_EQ(cookie.size(), 64u);
  EXPECT_EQ(cookie.find(kToken), cookie.npos);
}

TEST(GuardTest, SecretsAreLongAndDiffer) {
  const std::string secret = RandomSecret();
  EXPECT_EQ(secret.size(), 32u);
  EXPECT_NE(secret, RandomSecret());
}

}  // namespace guard_test
}  // namespace
}  // namespace tfprof::server
