// Parses requests and writes replies of HTTP/1.1.
//
//   switch (ParseHttp(bytes, limits, request, used)) …
//
// The parser is strict, because two programs may understand a vague request
// differently: lines end with CR LF, header lines are not folded, Host and
// Content-Length occur at most once, and there is no Transfer-Encoding. It
// keeps nothing between calls, reads nothing beyond the limits, and accepts any
// bytes. Paths and queries are decoded; a path is only compared with the routes
// of the server and never names a file.

#ifndef TFPROF_SERVER_HTTP_HTTP_H_
#define TFPROF_SERVER_HTTP_HTTP_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace tfprof::server {

struct HttpRequest {
  std::string method;  // "GET"
  std::string path;    // decoded, without the query
  std::vector<std::pair<std::string, std::string>> query;    // decoded
  std::vector<std::pair<std::string, std::string>> headers;  // lower-case names
  std::string body;
  bool keep_alive = true;

  // The first header or parameter with that name, or nullptr.
  const std::string* Header(std::string_view name) const;
  const std::string* Parameter(std::string_view name) const;
};

struct HttpLimits {
  size_t header = 16 << 10;  // the first line and all header lines
  size_t body = 64 << 10;
  // The maximum number of bytes in the body of a request with these headers; 0
  // means `body`. If not set, `body` applies to all requests.
  std::function<size_t(const HttpRequest& head)> body_of;
};

struct HttpReply {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  // Headers in addition to those that every reply has.
  std::vector<std::pair<std::string, std::string>> headers;
  // The Content-Security-Policy of pages; "" allows nothing.
  std::string content_policy;
  // What an error says, which its body has as JSON.
  std::string message;
};

enum class HttpParse {
  kMore,     // the request is incomplete
  kDone,     // the request has `used` bytes
  kRefused,  // see `refusal`; the connection must be closed
};

// Parses the first request in `bytes`.
HttpParse ParseHttp(std::string_view bytes, const HttpLimits& limits,
                    HttpRequest& request, size_t& used, HttpReply& refusal);

// The bytes before the body. A stream has no known length.
enum class HttpLength { kKnown, kStream };
std::string HttpHead(const HttpReply& reply, HttpLength length,
                     bool keep_alive);

// {"error":{"code":…,"message":…}}, like errors of the program with -agent.
HttpReply HttpError(int status, std::string_view message);
// The same for an error of a question. `otherwise` is the status for errors
// that have no equivalent in HTTP.
HttpReply HttpError(const absl::Status& error, int otherwise);
// The error as a page, if a browser that opens an address asks for one. Scripts
// and other programs get the JSON.
HttpReply ErrorFor(const HttpRequest& request, HttpReply error);

// A reply with a JSON body.
HttpReply HttpJson(std::string body, int status = 200);

// Decodes "a=1&b=x%20y" to pairs. Returns false for a bad escape or a control
// character.
bool DecodeQuery(std::string_view text,
                 std::vector<std::pair<std::string, std::string>>& query);
std::string EncodeQuery(
    const std::vector<std::pair<std::string, std::string>>& query);

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_HTTP_HTTP_H_
