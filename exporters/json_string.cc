#include "exporters/json_string.h"

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "exporters/utf8.h"
#include "fmt/format.h"

namespace tfprof {
namespace {

void AppendUnit(uint32_t unit, std::string* text) {
  fmt::format_to(std::back_inserter(*text), "\\u{:04x}", unit);
}

}  // namespace

void AppendJsonString(std::string_view s, std::string* text) {
  text->push_back('"');
  while (!s.empty()) {
    const uint32_t c = TakeUtf8(s);
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
    }
    if (c >= 0x20 && c < 0x80) {
      text->push_back(static_cast<char>(c));
    } else if (c < 0x10000) {
      AppendUnit(c, text);
    } else {
      AppendUnit(0xd800 + ((c - 0x10000) >> 10), text);
      AppendUnit(0xdc00 + ((c - 0x10000) & 0x3ff), text);
    }
  }
  text->push_back('"');
}

}  // namespace tfprof
