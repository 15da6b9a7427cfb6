// Requests and replies of HTTP/1.1, as values.
//
//   switch (ParseHttp(bytes, limits, request, used)) …
//
// The parser is strict, because what is allowed to be vague is what two readers
// of a request understand differently: lines end with CR LF, header lines are
// not folded, Host and Content-Length are there at most once, there is no
// Transfer-Encoding. It keeps nothing between calls, reads nothing beyond the
// limits, and takes any bytes. Paths and queries are decoded; a path is only
// ever compared with the routes of the server, it names no file.

#ifndef TFPROF_SERVER_HTTP_H_
#define TFPROF_SERVER_HTTP_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace tfprof {

struct HttpRequest {
  std::string method;  // "GET"
  std::string path;    // decoded, without the query
  std::vector<std::pair<std::string, std::string>> query;    // decoded
  std::vector<std::pair<std::string, std::string>> headers;  // lower-case names
  std::string body;
  bool keep_alive = true;

  // The first header or parameter of that name; nullptr: there is none.
  const std::string* Header(std::string_view name) const;
  const std::string* Parameter(std::string_view name) const;
};

struct HttpLimits {
  size_t header = 16 << 10;  // the first line and all header lines
  size_t body = 64 << 10;
  // How many bytes the body of this request may have, whose headers are here;
  // 0: as many as any other. Not set: all have the same limit.
  std::function<size_t(const HttpRequest& head)> body_of;
};

struct HttpReply {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  // Beside those that every reply has.
  std::vector<std::pair<std::string, std::string>> headers;
  // What pages of this type may do; "": nothing.
  std::string content_policy;
};

enum class HttpParse {
  kMore,     // the request is not complete
  kDone,     // `used` bytes are the request
  kRefused,  // `refusal` says why; the connection cannot be used any more
};

// Parses the first request in `bytes`.
HttpParse ParseHttp(std::string_view bytes, const HttpLimits& limits,
                    HttpRequest& request, size_t& used, HttpReply& refusal);

// The bytes before the body. `length` of the body; a stream has none.
enum class HttpLength { kKnown, kStream };
std::string HttpHead(const HttpReply& reply, HttpLength length,
                     bool keep_alive);

// {"error":{"code":…,"message":…}}, as the errors of the program with -agent.
HttpReply HttpError(int status, std::string_view message);
// The same for an error of what was asked; `otherwise` is the status of errors
// that no status of HTTP says better.
HttpReply HttpError(const absl::Status& error, int otherwise);

// A body of JSON.
HttpReply HttpJson(std::string body, int status = 200);

// "a=1&b=x%20y" as pairs. False: a wrong escape, or a control character.
bool DecodeQuery(std::string_view text,
                 std::vector<std::pair<std::string, std::string>>& query);
std::string EncodeQuery(
    const std::vector<std::pair<std::string, std::string>>& query);

}  // namespace tfprof

#endif  // TFPROF_SERVER_HTTP_H_
