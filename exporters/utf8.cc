#include "exporters/utf8.h"

#include <cstddef>

namespace tfprof {
namespace {

constexpr uint32_t kReplacement = 0xfffd;
constexpr std::string_view kReplacementBytes = "\xef\xbf\xbd";

}  // namespace

uint32_t TakeUtf8(std::string_view& s) {
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

bool IsAscii(std::string_view s) {
  for (const char c : s) {
    if (static_cast<signed char>(c) < 0) return false;
  }
  return true;
}

std::string ValidUtf8(std::string_view s) {
  if (IsAscii(s)) return std::string(s);
  std::string text;
  while (!s.empty()) {
    const std::string_view before = s;
    const uint32_t c = TakeUtf8(s);
    // A well-formed replacement character comes out the same.
    text += c == kReplacement ? kReplacementBytes
                              : before.substr(0, before.size() - s.size());
  }
  return text;
}

}  // namespace tfprof
