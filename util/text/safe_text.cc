#include "util/text/safe_text.h"

#include <cstddef>
#include <cstdint>

#include "util/text/utf8.h"

namespace tfprof::util {
namespace {

// Characters that people cannot see but programs read: zero-width spaces,
// fillers, tags and variation selectors, which can hide a whole text. Joiners
// (U+200C, U+200D) and the selectors of emoji (U+FE0E, U+FE0F) stay, because
// scripts and emoji need them.
bool IsInvisible(uint32_t c) {
  return c == 0xad || c == 0x034f || c == 0x115f || c == 0x1160 ||
         c == 0x17b4 || c == 0x17b5 || c == 0x180e || c == 0x200b ||
         c == 0x3164 || c == 0xffa0 || (c >= 0xfe00 && c <= 0xfe0d) ||
         (c >= 0x2060 && c <= 0x2065) || (c >= 0x206a && c <= 0x206f) ||
         (c >= 0xfff9 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe0fff);
}

bool IsHarmful(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e ||
         c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xfeff || IsInvisible(c);
}

void AppendBytes(std::string_view bytes, std::string* out) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (const char byte : bytes) {
    const auto b = static_cast<uint8_t>(byte);
    *out += {'\\', 'x', kDigits[b >> 4], kDigits[b & 15]};
  }
}

void Append(std::string_view text, bool keep_lines, std::string* out) {
  size_t plain = 0;  // bytes at the front that need no change
  const auto flush = [&] {
    out->append(text.substr(0, plain));
    text.remove_prefix(plain);
    plain = 0;
  };
  while (plain < text.size()) {
    const char first = text[plain];
    if ((first >= 0x20 && first < 0x7f) ||
        (keep_lines && (first == '\n' || first == '\t'))) {
      ++plain;
      continue;
    }
    const Utf8Character c = FirstUtf8(text.substr(plain));
    if (c.good && !IsHarmful(c.code)) {
      plain += c.size;
      continue;
    }
    flush();
    AppendBytes(text.substr(0, c.size), out);
    text.remove_prefix(c.size);
  }
  flush();
}

}  // namespace

void AppendSafeText(std::string_view text, std::string* out) {
  Append(text, /*keep_lines=*/false, out);
}

std::string SafeText(std::string_view text) {
  std::string safe;
  Append(text, /*keep_lines=*/false, &safe);
  return safe;
}

std::string SafeLines(std::string_view text) {
  std::string safe;
  Append(text, /*keep_lines=*/true, &safe);
  return safe;
}

}  // namespace tfprof::util
