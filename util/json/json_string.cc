#include "util/json/json_string.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "fmt/format.h"
#include "util/text/utf8.h"

namespace tfprof::util {
namespace {

constexpr uint32_t kReplacement = 0xfffd;

bool IsPlain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

void AppendUnit(uint32_t unit, std::string* text) {
  fmt::format_to(std::back_inserter(*text), "\\u{:04x}", unit);
}

}  // namespace

void AppendJsonString(std::string_view s, std::string* text) {
  text->push_back('"');
  for (;;) {
    // Most text needs no escape.
    const size_t plain = static_cast<size_t>(
        std::find_if_not(s.begin(), s.end(), IsPlain) - s.begin());
    text->append(s.substr(0, plain));
    s.remove_prefix(plain);
    if (s.empty()) break;
    const Utf8Character first = FirstUtf8(s);
    const uint32_t c = first.good ? first.code : kReplacement;
    s.remove_prefix(first.size);
    switch (c) {
      case '"':
      case '\\':
        text->push_back('\\');
        text->push_back(static_cast<char>(c));
        continue;
      case '\b':
        *text += "\\b";
        continue;
      case '\f':
        *text += "\\f";
        continue;
      case '\n':
        *text += "\\n";
        continue;
      case '\r':
        *text += "\\r";
        continue;
      case '\t':
        *text += "\\t";
        continue;
      default:
        break;
    }
    if (c < 0x10000) {
      AppendUnit(c, text);
    } else {
      AppendUnit(0xd800 + ((c - 0x10000) >> 10), text);
      AppendUnit(0xdc00 + ((c - 0x10000) & 0x3ff), text);
    }
  }
  text->push_back('"');
}

}  // namespace tfprof::util
