#include "util/json/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tfprof::util {
namespace {

// Spaces, line ends and other control characters.
bool IsSpace(char c) { return static_cast<unsigned char>(c) <= ' '; }

// Find special characters in a block of 16 bytes; the result has one bit per
// byte.
#ifdef __SSE2__
constexpr ptrdiff_t kBlock = 16;

__m128i Load(const char* at) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}
__m128i Equal(__m128i bytes, char c) {
  return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c));
}
uint32_t Bits(__m128i bytes) {
  return static_cast<uint32_t>(_mm_movemask_epi8(bytes));
}
uint32_t StringBits(const char* at) {
  const __m128i bytes = Load(at);
  return Bits(_mm_or_si128(_mm_or_si128(Equal(bytes, '"'), Equal(bytes, '\\')),
                           Equal(bytes, '\n')));
}
uint32_t NestingBits(const char* at) {
  const __m128i bytes = Load(at);
  // Square and curly brackets differ only in this bit.
  const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
  return Bits(_mm_or_si128(_mm_or_si128(Equal(folded, '{'), Equal(folded, '}')),
                           Equal(bytes, '"')));
}
uint32_t TextBits(const char* at) {
  const __m128i bytes = Load(at);
  return ~Bits(_mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(' ')), bytes)) &
         0xffff;
}
#else
constexpr ptrdiff_t kBlock = 1;

uint32_t StringBits(const char* at) {
  return *at == '"' || *at == '\\' || *at == '\n' ? 1 : 0;
}
uint32_t NestingBits(const char* at) {
  return std::strchr("{}[]\"", *at) != nullptr && *at != 0 ? 1 : 0;
}
uint32_t TextBits(const char* at) { return IsSpace(*at) ? 0 : 1; }
#endif

// Returns the quote that ends the string whose bytes begin at `at`. Returns
// nullptr if there is none, and moves `at` to the place of the damage.
const char* StringEnd(const char*& at, const char* end) {
  while (at < end) {
    if (end - at >= kBlock) {
      const uint32_t bits = StringBits(at);
      if (bits == 0) {
        at += kBlock;
        continue;
      }
      at += __builtin_ctz(bits);
    }
    if (*at == '"') return at;
    if (*at == '\n') return nullptr;
    at += *at == '\\' && end - at > 1 ? 2 : 1;
  }
  return nullptr;
}

// The bytes that end a number or a word.
struct WordEnds {
  bool is_end[256] = {};
  constexpr WordEnds() {
    for (int c = 0; c <= ' '; ++c) is_end[c] = true;
    for (const char c : {',', '}', ']', '"', '{', '[', ':'}) {
      is_end[static_cast<unsigned char>(c)] = true;
    }
  }
};
constexpr WordEnds kWordEnds;

bool IsHex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
         (c >= 'A' && c <= 'F');
}

// Decodes the four hexadecimal digits at the beginning of `text`. Returns -1 if
// there are none.
int32_t Hex4(std::string_view text) {
  if (text.size() < 4) return -1;
  int32_t value = 0;
  for (const char c : text.substr(0, 4)) {
    if (!IsHex(c)) return -1;
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    value = value * 16 + digit;
  }
  return value;
}

void AppendUtf8(uint32_t code, std::string& text) {
  const auto continued = [&](int shift) {
    text += static_cast<char>(0x80 | ((code >> shift) & 0x3f));
  };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | (code >> 6));
    continued(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xe0 | (code >> 12));
    continued(6);
    continued(0);
  } else {
    text += static_cast<char>(0xf0 | (code >> 18));
    continued(12);
    continued(6);
    continued(0);
  }
}

// Decodes the text after "\u", including the second half of a surrogate pair.
// Returns the number of bytes used, 0 if there are no digits.
size_t DecodeUnicode(std::string_view text, std::string& result) {
  const int32_t first = Hex4(text);
  if (first < 0) return 0;
  constexpr uint32_t kReplacement = 0xfffd;
  if (first < 0xd800 || first > 0xdfff) {
    AppendUtf8(static_cast<uint32_t>(first), result);
    return 4;
  }
  const bool pair = first < 0xdc00 && text.substr(4, 2) == "\\u";
  const int32_t second = pair ? Hex4(text.substr(6)) : -1;
  if (second < 0xdc00 || second > 0xdfff) {
    AppendUtf8(kReplacement, result);
    return 4;
  }
  AppendUtf8(0x10000 + ((static_cast<uint32_t>(first) - 0xd800) << 10) +
                 (static_cast<uint32_t>(second) - 0xdc00),
             result);
  return 10;
}

// Removes the digits at the beginning of `text`. Returns false if there are
// none.
bool TakeDigits(std::string_view& text) {
  const size_t end =
      std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(end);
  return end > 0;
}

// Returns the character of a short escape, 0 if there is no such escape.
char ShortEscape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

}  // namespace

void JsonReader::SkipSpaces() {
  while (end_ - at_ >= kBlock) {
    const uint32_t bits = TextBits(at_);
    if (bits != 0) {
      at_ += __builtin_ctz(bits);
      return;
    }
    at_ += kBlock;
  }
  while (at_ < end_ && IsSpace(*at_)) ++at_;
}

JsonReader::Kind JsonReader::Peek() {
  SkipSpace();
  if (at_ == end_ || damaged()) return Kind::kNone;
  switch (*at_) {
    case '{':
      return Kind::kObject;
    case '[':
      return Kind::kArray;
    case '"':
      return Kind::kString;
    case '-':
      return end_ - at_ > 1 && at_[1] == 'I' ? Kind::kWord : Kind::kNumber;
    case '+':
    case '.':
      return Kind::kNumber;
    default:
      if (*at_ >= '0' && *at_ <= '9') return Kind::kNumber;
      if ((*at_ | 0x20) >= 'a' && (*at_ | 0x20) <= 'z') return Kind::kWord;
      return Kind::kNone;
  }
}

bool JsonReader::Enter(char bracket) {
  if (damaged()) return false;
  SkipSpace();
  if (at_ == end_) return Fail("a value");
  if (*at_ != bracket) return false;
  ++at_;
  ++depth_;
  after_value_ = false;
  return true;
}

bool JsonReader::NextItem(char bracket) {
  if (damaged()) return false;
  SkipSpace();
  bool comma = !after_value_;
  while (at_ < end_ && *at_ == ',') {
    comma = true;
    ++at_;
    SkipSpace();
  }
  if (at_ == end_) return Fail(bracket == '}' ? "'}'" : "']'");
  if (*at_ == bracket) {
    ++at_;
    --depth_;
    after_value_ = true;
    return false;
  }
  if (!comma) return Fail(bracket == '}' ? "',' or '}'" : "',' or ']'");
  after_value_ = true;
  return true;
}

bool JsonReader::NextMember(std::string_view& key) {
  if (!NextItem('}')) return false;
  if (*at_ != '"') return Fail("a key");
  if (!TakeString(key)) return false;
  SkipSpace();
  if (at_ == end_ || *at_ != ':') return Fail("':'");
  ++at_;
  return true;
}

bool JsonReader::NextElement() { return NextItem(']'); }

bool JsonReader::TakeString(std::string_view& raw) {
  const char* const first = ++at_;
  const char* const quote = StringEnd(at_, end_);
  if (quote == nullptr) return Fail("the end of a string");
  raw = {first, static_cast<size_t>(quote - first)};
  at_ = quote + 1;
  return true;
}

bool JsonReader::TakeWord(std::string_view& text) {
  const char* const first = at_;
  while (at_ < end_ && !kWordEnds.is_end[static_cast<unsigned char>(*at_)]) {
    ++at_;
  }
  if (at_ == first) return Fail("a value");
  text = {first, static_cast<size_t>(at_ - first)};
  return true;
}

bool JsonReader::ReadString(std::string_view& raw) {
  if (damaged()) return false;
  SkipSpace();
  if (at_ == end_) return Fail("a value");
  return *at_ == '"' && TakeString(raw);
}

bool JsonReader::ReadNumber(std::string_view& text) {
  if (damaged()) return false;
  SkipSpace();
  if (at_ == end_) return Fail("a value");
  if (*at_ == '"' || *at_ == '{' || *at_ == '[') return false;
  return TakeWord(text);
}

bool JsonReader::ReadScalar(std::string_view& raw) {
  if (damaged()) return false;
  SkipSpace();
  if (at_ == end_) return Fail("a value");
  if (*at_ == '{' || *at_ == '[') return false;
  return *at_ == '"' ? TakeString(raw) : TakeWord(raw);
}

bool JsonReader::SkipNested() {
  int64_t open = 0;
  // Scan the rest of the current block.
  while (at_ < end_) {
    uint32_t bits = 0;
    const char* const block = at_;
    if (end_ - at_ >= kBlock) {
      bits = NestingBits(block);
    } else {
      // Near the end of the text, scan byte by byte.
      const char c = *at_;
      bits = c == '{' || c == '[' || c == '}' || c == ']' || c == '"' ? 1 : 0;
    }
    at_ = end_ - at_ >= kBlock ? at_ + kBlock : at_ + 1;
    while (bits != 0) {
      const char* const place = block + __builtin_ctz(bits);
      bits &= bits - 1;
      if (*place == '"') {
        at_ = place + 1;
        const char* const quote = StringEnd(at_, end_);
        if (quote == nullptr) return Fail("the end of a string");
        at_ = quote + 1;
        break;
      }
      if (*place == '{' || *place == '[') {
        ++open;
      } else if (--open == 0) {
        at_ = place + 1;
        return true;
      }
    }
  }
  return Fail("the end of an object or array");
}

std::string_view JsonReader::Skip() {
  if (damaged()) return {};
  SkipSpace();
  if (at_ == end_) {
    Fail("a value");
    return {};
  }
  const char* const first = at_;
  std::string_view ignored;
  const bool good = *at_ == '{' || *at_ == '[' ? SkipNested()
                    : *at_ == '"'              ? TakeString(ignored)
                                               : TakeWord(ignored);
  if (!good) return {};
  return {first, static_cast<size_t>(at_ - first)};
}

std::string JsonReader::Describe(size_t base) const {
  if (!damaged()) return "";
  std::string found = "the end";
  if (at_ < end_) {
    const unsigned char c = static_cast<unsigned char>(*at_);
    found = c > ' ' && c < 0x7f ? fmt::format("'{}'", *at_)
                                : fmt::format("byte 0x{:02x}", c);
  }
  return fmt::format("byte {}: expected {}, found {}", base + offset(),
                     expected_, found);
}

std::string_view DecodeJsonString(std::string_view raw, std::string& buffer) {
  if (raw.find('\\') == raw.npos) return raw;
  buffer.clear();
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\' || i + 1 == raw.size()) {
      buffer += raw[i];
      continue;
    }
    const char next = raw[i + 1];
    if (next == 'u') {
      const size_t used = DecodeUnicode(raw.substr(i + 2), buffer);
      if (used == 0) {
        buffer += raw[i];
      } else {
        i += 1 + used;
      }
    } else if (const char c = ShortEscape(next); c != 0) {
      buffer += c;
      ++i;
    } else {
      buffer += raw[i];
    }
  }
  return buffer;
}

bool IsJsonNumber(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool zero = text.starts_with('0');
  const size_t size = text.size();
  if (!TakeDigits(text) || (zero && size - text.size() > 1)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!TakeDigits(text)) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (!TakeDigits(text)) return false;
  }
  return text.empty();
}

}  // namespace tfprof::util
