#include "exporters/json_string.h"

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "fmt/format.h"

namespace tfprof {
namespace {

constexpr uint32_t kReplacement = 0xfffd;

// Takes one character from the front of `s`, which is not empty.
uint32_t TakeCharacter(std::string_view& s) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(s[i]); };
  const uint8_t lead = byte(0);
  const size_t size = lead < 0x80                   ? 1
                      : lead >= 0xc2 && lead < 0xe0 ? 2
                      : lead >= 0xe0 && lead < 0xf0 ? 3
                      : lead >= 0xf0 && lead < 0xf5 ? 4
                                                    : 0;
  uint32_t c = size > 1 ? lead & (0x7f >> size) : lead;
  bool good = size > 0 && s.size() >= size;
  for (size_t i = 1; good && i < size; ++i) {
    good = (byte(i) & 0xc0) == 0x80;
    c = c << 6 | (byte(i) & 0x3f);
  }
  // Too long forms, surrogates, and numbers beyond Unicode.
  if (size == 3) good = good && c >= 0x800 && (c < 0xd800 || c > 0xdfff);
  if (size == 4) good = good && c >= 0x10000 && c <= 0x10ffff;
  s.remove_prefix(good ? size : 1);
  return good ? c : kReplacement;
}

void AppendUnit(uint32_t unit, std::string* text) {
  fmt::format_to(std::back_inserter(*text), "\\u{:04x}", unit);
}

}  // namespace

void AppendJsonString(std::string_view s, std::string* text) {
  text->push_back('"');
  while (!s.empty()) {
    const uint32_t c = TakeCharacter(s);
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
