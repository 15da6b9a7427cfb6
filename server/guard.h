// Guard: who may ask the server what. A function of a request; it keeps nothing
// but the secrets that were made when the server started.
//
// A request is refused unless
//   - Host names the address that the server listens on, so that a name that
//     somebody points at this machine (DNS rebinding) does not reach it,
//   - Origin, if there is one, is the server itself,
//   - it has the cookie, or "Authorization: Bearer TOKEN" as programs send it.
// A GET with ?token=TOKEN, which the program printed, gets the cookie and is
// sent to the same page without the token. Changes are POST, PUT and DELETE,
// must come from a page of the server or with the token, and are refused if the
// server is read-only. Programs that deliver traces (/api/clients) have the
// token, and deliver them to a read-only server as well.

#ifndef TFPROF_SERVER_GUARD_H_
#define TFPROF_SERVER_GUARD_H_

#include <optional>
#include <string>
#include <string_view>

#include "server/http.h"

namespace tfprof {

struct GuardOptions {
  std::string address;  // numeric, "127.0.0.1"; that of the socket
  int port = 0;
  std::string token;   // in the printed address
  std::string cookie;  // the value of the cookie
  bool read_only = false;
  bool tls = false;  // its pages are https, and the cookie only goes there
};

class Guard {
 public:
  explicit Guard(GuardOptions options) : options_(std::move(options)) {}

  // The reply that ends the request; nullopt: it may be answered.
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

// 128 random bits in hexadecimal; "": the system gives none.
std::string RandomSecret();

}  // namespace tfprof

#endif  // TFPROF_SERVER_GUARD_H_
