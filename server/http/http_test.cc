#include "server/http/http.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::server {
namespace {
namespace http_test {

using ::testing::HasSubstr;
using ::testing::Pair;

struct Parsed {
  HttpParse result;
  HttpRequest request;
  size_t used = 0;
  HttpReply refusal;
};

Parsed Parse(std::string_view bytes, const HttpLimits& limits = {}) {
  Parsed parsed;
  parsed.result =
      ParseHttp(bytes, limits, parsed.request, parsed.used, parsed.refusal);
  return parsed;
}

int Refused(std::string_view bytes, const HttpLimits& limits = {}) {
  const Parsed parsed = Parse(bytes, limits);
  return parsed.result == HttpParse::kRefused ? parsed.refusal.status : 0;
}

std::string WithHeader(std::string_view line) {
  std::string text = "GET / HTTP/1.1\r\n";
  text += line;
  text += "\r\n\r\n";
  return text;
}

TEST(HttpTest, ParsesARequest) {
  const Parsed parsed =
      Parse("GET /api/op?a=1&b=x%20y+z HTTP/1.1\r\nHOST: here\r\n\r\nnext");
  ASSERT_EQ(parsed.result, HttpParse::kDone);
  EXPECT_EQ(parsed.request.method, "GET");
  EXPECT_EQ(parsed.request.path, "/api/op");
  EXPECT_THAT(parsed.request.query,
              ::testing::ElementsAre(Pair("a", "1"), Pair("b", "x y z")));
  EXPECT_EQ(*parsed.request.Header("host"), "here");
  EXPECT_EQ(parsed.used, 50u);
  EXPECT_TRUE(parsed.request.keep_alive);
}

TEST(HttpTest, WaitsForTheRest) {
  const std::string whole = "POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc";
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(Parse(whole.substr(0, size)).result, HttpParse::kMore) << size;
  }
  const Parsed parsed = Parse(whole + "GET");
  ASSERT_EQ(parsed.result, HttpParse::kDone);
  EXPECT_EQ(parsed.request.body, "abc");
  EXPECT_EQ(parsed.used, whole.size());
}

TEST(HttpTest, ClosesAsAsked) {
  EXPECT_FALSE(Parse(WithHeader("Connection: Close")).request.keep_alive);
  EXPECT_FALSE(Parse("GET / HTTP/1.0\r\n\r\n").request.keep_alive);
}

TEST(HttpTest, RefusesLongHeaders) {
  const HttpLimits limits = {.header = 100, .body = 10};
  const std::string line = "X: " + std::string(200, 'x');
  EXPECT_EQ(Refused(WithHeader(line), limits), 431);
  EXPECT_EQ(Refused(std::string(101, 'G'), limits), 431);
}

TEST(HttpTest, RefusesManyHeaders) {
  std::string lines = "A: 1";
  for (int i = 0; i < 200; ++i) lines += "\r\nA: 1";
  EXPECT_EQ(Refused(WithHeader(lines)), 431);
}

TEST(HttpTest, RefusesLongBodies) {
  EXPECT_EQ(Refused(WithHeader("Content-Length: 70000")), 413);
  EXPECT_EQ(Refused(WithHeader("Content-Length: 99999999999999999999999")),
            413);
}

TEST(HttpTest, RefusesWhatTwoReadersMayUnderstandDifferently) {
  EXPECT_EQ(Refused(WithHeader("Content-Length: +3")), 400);
  EXPECT_EQ(Refused(WithHeader("Content-Length: 3\r\nContent-Length: 3")), 400);
  EXPECT_EQ(Refused(WithHeader("Host: a\r\nhost: b")), 400);
  EXPECT_EQ(Refused(WithHeader("Transfer-Encoding: chunked")), 501);
  EXPECT_EQ(Refused(WithHeader("A: 1\r\n folded")), 400);
  EXPECT_EQ(Refused(WithHeader("A : 1")), 400);
  EXPECT_EQ(Refused(WithHeader("A: 1\nB: 2")), 400);
  EXPECT_EQ(Refused(WithHeader("no colon")), 400);
}

TEST(HttpTest, RefusesFirstLinesThatAreNone) {
  EXPECT_EQ(Refused("GET\r\n\r\n"), 400);
  EXPECT_EQ(Refused("GET / HTTP/2.0\r\n\r\n"), 505);
  EXPECT_EQ(Refused("GET / SMTP\r\n\r\n"), 400);
  EXPECT_EQ(Refused("GET http://other/ HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(Refused("G\x01T / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(Refused("GET /a b HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(Refused("\r\n\r\n"), 400);
}

TEST(HttpTest, RefusesWrongEscapes) {
  EXPECT_EQ(Refused("GET /%zz HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(Refused("GET /%4 HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(Refused("GET /%00 HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(Refused("GET /?a=%0a HTTP/1.1\r\n\r\n"), 400);
}

TEST(HttpTest, EveryReplySaysWhatAPageMayDo) {
  const std::string head = HttpHead(HttpReply(), HttpLength::kKnown, true);
  EXPECT_THAT(head, HasSubstr("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(head, HasSubstr("Content-Security-Policy: default-src 'none'"));
  EXPECT_THAT(head, HasSubstr("X-Content-Type-Options: nosniff\r\n"));
  EXPECT_THAT(head, HasSubstr("Content-Length: 0\r\n"));
  EXPECT_THAT(head, ::testing::Not(HasSubstr("Access-Control")));
}

TEST(HttpTest, ErrorsAreJson) {
  const HttpReply reply = HttpError(404, "no \"x\"");
  EXPECT_EQ(reply.body,
            "{\"error\":{\"code\":\"NOT_FOUND\",\"message\":\"no "
            "\\\"x\\\"\"}}\n");
}

TEST(HttpTest, ABrowserThatOpensAnAddressGetsErrorsAsPages) {
  HttpRequest request;
  const HttpReply error = HttpError(409, "no <b>times</b> & more");
  EXPECT_EQ(ErrorFor(request, error).type, "application/json");
  request.headers = {{"accept", "*/*"}};
  EXPECT_EQ(ErrorFor(request, error).body, error.body);
  request.headers = {{"accept", "text/html,application/xml;q=0.9"}};
  const HttpReply page = ErrorFor(request, error);
  EXPECT_EQ(page.status, 409);
  EXPECT_EQ(page.type, "text/html; charset=utf-8");
  EXPECT_THAT(page.body, HasSubstr("<p>no &lt;b>times&lt;/b> &amp; more</p>"));
  EXPECT_THAT(page.body, HasSubstr("<a href=\"/\">"));
  // What is no error stays.
  EXPECT_EQ(ErrorFor(request, HttpJson("{}")).type, "application/json");
}

TEST(HttpTest, QueriesKeepTheirMeaning) {
  std::vector<std::pair<std::string, std::string>> query;
  ASSERT_TRUE(DecodeQuery("a=%26%3D&&b", query));
  EXPECT_EQ(EncodeQuery(query), "a=%26%3D&b=");
}

TEST(HttpTest, ErrorsHaveTheStatusThatSaysThemBest) {
  EXPECT_EQ(HttpError(absl::NotFoundError("no such trace"), 422).status, 404);
  EXPECT_EQ(HttpError(absl::FailedPreconditionError("x"), 500).status, 409);
  const HttpReply reply = HttpError(absl::DataLossError("it is cut"), 422);
  EXPECT_EQ(reply.status, 422);
  EXPECT_NE(reply.body.find("\"it is cut\""), std::string::npos);
  EXPECT_EQ(HttpJson("{}", 201).status, 201);
}

}  // namespace http_test
}  // namespace
}  // namespace tfprof::server
