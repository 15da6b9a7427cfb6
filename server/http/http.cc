#include "server/http/http.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "absl/strings/str_replace.h"
#include "fmt/format.h"
#include "util/json/json_writer.h"
#include "util/text/safe_text.h"

namespace tfprof::server {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr size_t kMaxHeaders = 100;
constexpr size_t kMaxParameters = 200;

std::string_view Reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 413:
      return "Content Too Large";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    case 507:
      return "Insufficient Storage";
    default:
      return "Error";
  }
}

std::string_view CodeOf(int status) {
  switch (status) {
    case 401:
      return "UNAUTHENTICATED";
    case 403:
      return "PERMISSION_DENIED";
    case 404:
      return "NOT_FOUND";
    case 405:
    case 501:
    case 505:
      return "UNIMPLEMENTED";
    case 409:
      return "FAILED_PRECONDITION";
    case 410:
      return "DATA_LOSS";
    case 413:
    case 429:
    case 431:
    case 507:
      return "RESOURCE_EXHAUSTED";
    case 408:
    case 503:
      return "UNAVAILABLE";
    case 504:
      return "DEADLINE_EXCEEDED";
    case 500:
      return "INTERNAL";
    default:
      return "INVALID_ARGUMENT";
  }
}

// True for a character of a method or of a header's name.
bool IsToken(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
         (c >= 'a' && c <= 'z') ||
         (c != 0 &&
          std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) !=
              std::string_view::npos);
}

bool IsTokenWord(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return IsToken(static_cast<unsigned char>(c));
  });
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool Decode(std::string_view text, bool plus_is_blank, std::string& decoded) {
  decoded.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size()) return false;
      const int high = HexDigit(text[i + 1]);
      const int low = HexDigit(text[i + 2]);
      if (high < 0 || low < 0) return false;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c == '+' && plus_is_blank) {
      c = ' ';
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 32 || byte == 127) return false;
    decoded.push_back(c);
  }
  return true;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) {
    text.remove_suffix(1);
  }
  return text;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

const std::string* Find(const Pairs& pairs, std::string_view name) {
  for (const auto& [key, value] : pairs) {
    if (key == name) return &value;
  }
  return nullptr;
}

// Parses "GET /path?query HTTP/1.1". Returns 0, or the status of the refusal.
int ParseFirstLine(std::string_view line, HttpRequest& request) {
  const size_t first = line.find(' ');
  const size_t last = line.rfind(' ');
  if (first == line.npos || first == last) return 400;
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!IsTokenWord(method) || method.size() > 20) return 400;
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return version.starts_with("HTTP/") ? 505 : 400;
  }
  if (!target.starts_with('/')) return 400;
  for (const char c : target) {
    if (c <= 32 || c >= 127 || c == '#') return 400;
  }
  request.method = method;
  request.keep_alive = version == "HTTP/1.1";
  const size_t mark = std::min(target.find('?'), target.size());
  if (!Decode(target.substr(0, mark), false, request.path)) return 400;
  if (mark < target.size() &&
      !DecodeQuery(target.substr(mark + 1), request.query)) {
    return 400;
  }
  return 0;
}

int ParseHeaderLine(std::string_view line, HttpRequest& request) {
  const size_t colon = line.find(':');
  if (colon == line.npos || !IsTokenWord(line.substr(0, colon))) return 400;
  if (request.headers.size() == kMaxHeaders) return 431;
  const std::string_view value = Trim(line.substr(colon + 1));
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 32 && c != '\t') || byte == 127) return 400;
  }
  std::string name = Lower(line.substr(0, colon));
  // Two of these headers could contradict each other.
  for (const std::string_view once :
       {"host", "content-length", "origin", "authorization", "cookie"}) {
    if (name == once && request.Header(name) != nullptr) return 400;
  }
  if (name == "transfer-encoding") return 501;
  if (name == "connection") {
    const std::string words = Lower(value);
    if (words.find("close") != words.npos) request.keep_alive = false;
  }
  request.headers.emplace_back(std::move(name), value);
  return 0;
}

}  // namespace

const std::string* HttpRequest::Header(std::string_view name) const {
  return Find(headers, name);
}

const std::string* HttpRequest::Parameter(std::string_view name) const {
  return Find(query, name);
}

HttpParse ParseHttp(std::string_view bytes, const HttpLimits& limits,
                    HttpRequest& request, size_t& used, HttpReply& refusal) {
  const auto refuse = [&](int status) {
    refusal = HttpError(status, Reason(status));
    return HttpParse::kRefused;
  };
  constexpr std::string_view kEnd = "\r\n\r\n";
  const size_t end = bytes.substr(0, limits.header + kEnd.size()).find(kEnd);
  if (end == bytes.npos) {
    return bytes.size() > limits.header ? refuse(431) : HttpParse::kMore;
  }
  if (end > limits.header) return refuse(431);
  request = HttpRequest();
  std::string_view head = bytes.substr(0, end);
  bool first = true;
  while (first || !head.empty()) {
    const size_t stop = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, stop);
    head.remove_prefix(std::min(stop + 2, head.size()));
    const int status =
        first ? ParseFirstLine(line, request) : ParseHeaderLine(line, request);
    if (status != 0) return refuse(status);
    first = false;
  }
  size_t length = 0;
  if (const std::string* text = request.Header("content-length")) {
    const char* stop = text->data() + text->size();
    const auto [at, error] = std::from_chars(text->data(), stop, length);
    if (error == std::errc::result_out_of_range) return refuse(413);
    if (error != std::errc() || at != stop) return refuse(400);
  }
  size_t most = limits.body;
  if (length > most && limits.body_of) {
    most = std::max(most, limits.body_of(request));
  }
  if (length > most) return refuse(413);
  const size_t begin = end + kEnd.size();
  if (bytes.size() - begin < length) return HttpParse::kMore;
  request.body = bytes.substr(begin, length);
  used = begin + length;
  return HttpParse::kDone;
}

std::string HttpHead(const HttpReply& reply, HttpLength length,
                     bool keep_alive) {
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\n", reply.status,
                  Reason(reply.status), reply.type);
  if (length == HttpLength::kKnown) {
    head += fmt::format("Content-Length: {}\r\n", reply.body.size());
  }
  head += fmt::format(
      "Content-Security-Policy: {}\r\n",
      reply.content_policy.empty()
          ? "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; "
            "form-action 'none'"
          : reply.content_policy);
  head +=
      "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
      "Referrer-Policy: no-referrer\r\nCache-Control: no-store\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n"
      "Cross-Origin-Opener-Policy: same-origin\r\n";
  for (const auto& [name, value] : reply.headers) {
    head += fmt::format("{}: {}\r\n", name, value);
  }
  head += keep_alive ? "Connection: keep-alive\r\n\r\n"
                     : "Connection: close\r\n\r\n";
  return head;
}

HttpReply HttpError(int status, std::string_view message) {
  HttpReply reply;
  reply.status = status;
  reply.type = "application/json";
  util::JsonWriter json;
  json.Object().Key("error").Object().Member("code", CodeOf(status));
  json.Member("message", message).End().End().Line();
  reply.body = json.Take();
  reply.message = message;
  return reply;
}

HttpReply ErrorFor(const HttpRequest& request, HttpReply error) {
  const std::string* accept = request.Header("accept");
  if (error.message.empty() || accept == nullptr ||
      accept->find("text/html") == accept->npos) {
    return error;
  }
  const std::string message = absl::StrReplaceAll(
      util::SafeText(error.message), {{"&", "&amp;"}, {"<", "&lt;"}});
  error.type = "text/html; charset=utf-8";
  error.body = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
      "charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<meta "
      "name=\"color-scheme\" content=\"light dark\">\n"
      "<title>tfprof</title>\n</head>\n<body>\n<p>{}</p>\n{}</body>\n"
      "</html>\n",
      message,
      // Without the token, the other pages say the same.
      error.status == 401 ? "" : "<p><a href=\"/\">The other pages</a></p>\n");
  return error;
}

HttpReply HttpError(const absl::Status& error, int otherwise) {
  int status = otherwise;
  switch (error.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      status = 400;
      break;
    case absl::StatusCode::kPermissionDenied:
      status = 403;
      break;
    case absl::StatusCode::kNotFound:
      status = 404;
      break;
    case absl::StatusCode::kFailedPrecondition:
      status = 409;
      break;
    case absl::StatusCode::kInternal:
      status = 500;
      break;
    case absl::StatusCode::kCancelled:
      status = 503;
      break;
    default:
      break;
  }
  return HttpError(status, std::string(error.message()));
}

HttpReply HttpJson(std::string body, int status) {
  HttpReply reply;
  reply.status = status;
  reply.type = "application/json";
  reply.body = std::move(body);
  return reply;
}

bool DecodeQuery(std::string_view text, Pairs& query) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) continue;
    if (query.size() == kMaxParameters) return false;
    const size_t equals = std::min(part.find('='), part.size());
    std::string name, value;
    if (!Decode(part.substr(0, equals), true, name) ||
        !Decode(part.substr(std::min(equals + 1, part.size())), true, value)) {
      return false;
    }
    query.emplace_back(std::move(name), std::move(value));
  }
  return true;
}

std::string EncodeQuery(const Pairs& query) {
  std::string text;
  const auto append = [&](std::string_view word) {
    for (const char c : word) {
      const auto byte = static_cast<unsigned char>(c);
      const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                         (c >= 'a' && c <= 'z') || c == '-' || c == '_' ||
                         c == '.' || c == '~';
      if (plain) {
        text.push_back(c);
      } else {
        text += fmt::format("%{:02X}", byte);
      }
    }
  };
  for (const auto& [name, value] : query) {
    if (!text.empty()) text.push_back('&');
    append(name);
    text.push_back('=');
    append(value);
  }
  return text;
}

}  // namespace tfprof::server
