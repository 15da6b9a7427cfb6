#include "profiler/shell/terminal/regex_text.h"

#include <charconv>
#include <cstdint>

#include "fmt/format.h"

namespace tfprof::shell {
namespace {

constexpr std::string_view kSpecial = "\\.+*?()[]{}^$|#";

bool IsAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

void AppendCharacter(uint32_t code, std::string& text) {
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | code >> 6);
    text += static_cast<char>(0x80 | (code & 0x3f));
  }
}

}  // namespace

size_t CharacterSize(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Too long, surrogates, beyond U+10FFFF.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
      (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f)) {
    return 0;
  }
  return size;
}

std::string RegexOfName(std::string_view name) {
  std::string regex;
  while (!name.empty()) {
    const size_t size = CharacterSize(name);
    const auto c = static_cast<unsigned char>(name[0]);
    if (size == 0) {
      regex += '.';
    } else if (size > 1) {
      regex += name.substr(0, size);
    } else if (c <= ' ' || c == 0x7f || c == ',' || c == '\'' || c == '"') {
      regex += fmt::format("\\x{:02x}", c);
    } else {
      if (kSpecial.find(name[0]) != kSpecial.npos) regex += '\\';
      regex += name[0];
    }
    name.remove_prefix(size == 0 ? 1 : size);
  }
  return regex;
}

std::optional<std::string> NameOfRegex(std::string_view regex) {
  std::string name;
  for (size_t i = 0; i < regex.size(); ++i) {
    const char c = regex[i];
    if (c != '\\') {
      // '#' is special only at the beginning of a word; here it is itself.
      if (c != '.' && c != '#' && kSpecial.find(c) != kSpecial.npos) return {};
      name += c;
      continue;
    }
    // A backslash at the end: the escaped character is not typed yet.
    if (++i == regex.size()) break;
    if (regex[i] == 'x') {
      uint32_t code = 0;
      if (i + 2 >= regex.size()) return {};
      const auto [at, error] =
          std::from_chars(regex.data() + i + 1, regex.data() + i + 3, code, 16);
      if (error != std::errc() || at != regex.data() + i + 3) return {};
      AppendCharacter(code, name);
      i += 2;
    } else if (IsAlphanumeric(regex[i])) {
      return {};  // \d, \w …
    } else {
      name += regex[i];
    }
  }
  return name;
}

}  // namespace tfprof::shell
