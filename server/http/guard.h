// Guard: decides whether a request may be answered. It keeps no state except
// the secrets that the server has had since its start.
//
// A request is refused unless
//   - Host names the address that the server listens on, so that a name that
//     somebody points at this machine (DNS rebinding) does not reach it,
//   - Origin, if there is one, is the server itself,
//   - it has the cookie, or "Authorization: Bearer TOKEN" as programs send it.
// A GET with ?token=TOKEN, as in the printed address, gets the cookie and is
// redirected to the same page without the token. Changes (POST, PUT and DELETE)
// must come from a page of the server or carry the token, and are refused if
// the server is read-only. Programs that deliver traces (/api/clients) have the
// token and may do so even then.

#ifndef TFPROF_SERVER_HTTP_GUARD_H_
#define TFPROF_SERVER_HTTP_GUARD_H_

#include <optional>
#include <string>
#include <string_view>

#include "server/http/http.h"

namespace tfprof::server {

struct GuardOptions {
  std::string address;  // of the socket, numeric: "127.0.0.1"
  int port = 0;
  std::string token;   // in the printed address
  std::string cookie;  // the value of the cookie
  bool read_only = false;
  bool tls = false;  // pages are https, and the cookie is Secure
};

class Guard {
 public:
  explicit Guard(GuardOptions options) : options_(std::move(options)) {}

  // Returns the reply that refuses or redirects the request, or nullopt if the
  // request may be answered.
  std::optional<HttpReply> Check(const HttpRequest& request) const;

  // "127.0.0.1:8008", "[::1]:8008".
  std::string host() const;

 private:
  bool IsOurHost(std::string_view host) const;
  bool HasCookie(const HttpRequest& request) const;
  bool HasBearer(const HttpRequest& request) const;
  HttpReply LogIn(const HttpRequest& request) const;

  GuardOptions options_;
};

// The value of the cookie of a server with this token, so that pages stay
// signed in when a server with the same token takes its place. A SHA-256: the
// cookie, which browsers also send to other ports, does not tell the token.
std::string CookieOf(std::string_view token);

// 128 random bits in hexadecimal, or "" if the system provides none.
std::string RandomSecret();

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_HTTP_GUARD_H_
