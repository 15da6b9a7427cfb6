#include "server/http/guard.h"

#include <arpa/inet.h>
#include <mbedtls/sha256.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"

namespace tfprof::server {
namespace {

// Compares in constant time, so that the time does not reveal how many
// characters agree.
bool SameSecret(std::string_view a, std::string_view b) {
  if (a.size() != b.size() || a.empty()) return false;
  unsigned char different = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    different = static_cast<unsigned char>(different | (a[i] ^ b[i]));
  }
  return different == 0;
}

bool IsNumeric(const std::string& address) {
  std::array<unsigned char, sizeof(in6_addr)> bytes;
  return inet_pton(AF_INET, address.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1;
}

std::string Bracketed(const std::string& address) {
  return address.find(':') == address.npos ? address
                                           : fmt::format("[{}]", address);
}

bool IsLoopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

bool IsAnyAddress(const std::string& address) {
  return address == "0.0.0.0" || address == "::";
}

}  // namespace

std::string CookieOf(std::string_view token) {
  const std::string text = fmt::format("tfprof cookie {}", token);
  std::array<unsigned char, 32> sum = {};
  // This only fails in hardware implementations.
  mbedtls_sha256_ret(reinterpret_cast<const unsigned char*>(text.data()),
                     text.size(), sum.data(), 0);
  return fmt::format("{:02x}", fmt::join(sum, ""));
}

std::string RandomSecret() {
  std::array<unsigned char, 16> bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) !=
      static_cast<ssize_t>(bytes.size())) {
    return "";
  }
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::string Guard::host() const {
  return fmt::format("{}:{}", Bracketed(options_.address), options_.port);
}

bool Guard::IsOurHost(std::string_view host) const {
  if (host == this->host()) return true;
  const std::string port = fmt::format(":{}", options_.port);
  std::string name(host);
  if (host.ends_with(port)) {
    name.resize(host.size() - port.size());
  } else if (options_.port != (options_.tls ? 443 : 80)) {
    return false;
  }
  if (IsLoopback(options_.address)) {
    return name == "localhost" || name == Bracketed(options_.address);
  }
  if (!IsAnyAddress(options_.address)) {
    return name == Bracketed(options_.address);
  }
  // Any numeric address is allowed, but no name: an attacker can make a name
  // resolve to this machine.
  if (name.size() > 2 && name.front() == '[' && name.back() == ']') {
    name = name.substr(1, name.size() - 2);
  }
  return name == "localhost" || IsNumeric(name);
}

bool Guard::HasCookie(const HttpRequest& request) const {
  const std::string* header = request.Header("cookie");
  if (header == nullptr) return false;
  // Browsers also send cookies of other ports of this machine.
  const std::string name = fmt::format("tfprof{}=", options_.port);
  std::string_view rest = *header;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(';'), rest.size());
    std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    while (part.starts_with(' ')) part.remove_prefix(1);
    if (part.starts_with(name) &&
        SameSecret(part.substr(name.size()), options_.cookie)) {
      return true;
    }
  }
  return false;
}

bool Guard::HasBearer(const HttpRequest& request) const {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string* header = request.Header("authorization");
  return header != nullptr && header->starts_with(kBearer) &&
         SameSecret(std::string_view(*header).substr(kBearer.size()),
                    options_.token);
}

HttpReply Guard::LogIn(const HttpRequest& request) const {
  const std::string* given = request.Parameter("token");
  if (!SameSecret(*given, options_.token)) {
    return HttpError(401,
                     "this is not the token of this server; open the address "
                     "that tfprof serve printed");
  }
  auto rest = request.query;
  std::erase_if(rest, [](const auto& pair) { return pair.first == "token"; });
  const std::string query = EncodeQuery(rest);
  // The path came from outside, so it must not change the host of the redirect.
  const std::string path =
      request.path.find_first_not_of("abcdefghijklmnopqrstuvwxyz/_") ==
                  request.path.npos &&
              !request.path.starts_with("//")
          ? request.path
          : "/";
  HttpReply reply;
  reply.status = 303;
  reply.headers.emplace_back(
      "Location", query.empty() ? path : fmt::format("{}?{}", path, query));
  reply.headers.emplace_back(
      "Set-Cookie",
      fmt::format("tfprof{}={}; Path=/; HttpOnly; SameSite=Strict{}",
                  options_.port, options_.cookie,
                  options_.tls ? "; Secure" : ""));
  return reply;
}

std::optional<HttpReply> Guard::Check(const HttpRequest& request) const {
  const std::string* host = request.Header("host");
  if (host == nullptr || !IsOurHost(*host)) {
    return HttpError(403, fmt::format("Host is not {}", this->host()));
  }
  const std::string* origin = request.Header("origin");
  const std::string scheme = options_.tls ? "https://" : "http://";
  if (origin != nullptr && *origin != scheme + *host) {
    return HttpError(403, "Origin is another site");
  }
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (!reads && request.method != "POST" && request.method != "PUT" &&
      request.method != "DELETE") {
    HttpReply reply = HttpError(
        405, "use GET for questions, and POST, PUT or DELETE for changes");
    reply.headers.emplace_back("Allow", "GET, HEAD, POST, PUT, DELETE");
    return reply;
  }
  if (reads && request.Parameter("token") != nullptr) return LogIn(request);
  const bool bearer = HasBearer(request);
  if (!bearer && !HasCookie(request)) {
    HttpReply reply = HttpError(
        401, "open the address that tfprof serve printed: it has a token");
    reply.headers.emplace_back("WWW-Authenticate", "Bearer");
    return reply;
  }
  if (reads) return std::nullopt;
  if (bearer && (request.path == "/api/clients" ||
                 request.path.starts_with("/api/clients/"))) {
    return std::nullopt;
  }
  if (options_.read_only) {
    return HttpError(403, "this server is read-only");
  }
  if (!bearer && origin == nullptr) {
    return HttpError(403, "a change needs an Origin header or the token");
  }
  return std::nullopt;
}

}  // namespace tfprof::server
