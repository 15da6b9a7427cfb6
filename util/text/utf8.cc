#include "util/text/utf8.h"

namespace tfprof::util {

Utf8Character FirstUtf8(std::string_view s) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(s[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const size_t size = lead >= 0xc2 && lead < 0xe0   ? 2
                      : lead >= 0xe0 && lead < 0xf0 ? 3
                      : lead >= 0xf0 && lead < 0xf5 ? 4
                                                    : 0;
  uint32_t c = lead & (0x7f >> size);
  bool good = size > 0 && s.size() >= size;
  for (size_t i = 1; good && i < size; ++i) {
    good = (byte(i) & 0xc0) == 0x80;
    c = c << 6 | (byte(i) & 0x3f);
  }
  // Reject overlong forms, surrogates, and codes beyond Unicode.
  if (size == 3) good = good && c >= 0x800 && (c < 0xd800 || c > 0xdfff);
  if (size == 4) good = good && c >= 0x10000 && c <= 0x10ffff;
  if (!good) return {lead, 1, false};
  return {c, size, true};
}

bool IsAscii(std::string_view s) {
  // All bytes together, without a branch for each, which a compiler makes fast.
  unsigned char all = 0;
  for (const char c : s) all |= static_cast<unsigned char>(c);
  return all < 0x80;
}

std::string ValidUtf8(std::string_view s) {
  if (IsAscii(s)) return std::string(s);
  std::string text;
  while (!s.empty()) {
    const Utf8Character c = FirstUtf8(s);
    text += c.good ? s.substr(0, c.size) : std::string_view("\xef\xbf\xbd");
    s.remove_prefix(c.size);
  }
  return text;
}

}  // namespace tfprof::util
