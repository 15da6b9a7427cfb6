#include "util/json/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "util/text/utf8.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace tfprof::util {
namespace {

// Spaces, line ends and other control characters.
bool IsSpace(char c) { return static_cast<unsigned char>(c) <= ' '; }

bool IsLetter(char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; }

// The spaces of JSON.
bool IsJsonSpace(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

constexpr size_t kUsualNesting = 64;

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
// The ends of strings, escapes, control characters and bytes that are not
// ASCII.
uint32_t StringBits(const char* at) {
  const __m128i bytes = Load(at);
  const __m128i control =
      _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
  const __m128i special = _mm_or_si128(Equal(bytes, '"'), Equal(bytes, '\\'));
  // The highest bit of a byte that is not ASCII is set.
  return Bits(_mm_or_si128(_mm_or_si128(special, control), bytes));
}
uint32_t NonSpaceBits(const char* at) {
  const __m128i bytes = Load(at);
  const __m128i spaces =
      _mm_or_si128(_mm_or_si128(Equal(bytes, ' '), Equal(bytes, '\n')),
                   _mm_or_si128(Equal(bytes, '\r'), Equal(bytes, '\t')));
  return ~Bits(spaces) & 0xffff;
}
#else
constexpr ptrdiff_t kBlock = 1;

uint32_t StringBits(const char* at) {
  const auto byte = static_cast<unsigned char>(*at);
  return *at == '"' || *at == '\\' || byte < ' ' || byte >= 0x80 ? 1 : 0;
}
uint32_t NonSpaceBits(const char* at) { return IsJsonSpace(*at) ? 0 : 1; }
#endif

// The classes of bytes in numbers and words, as bits.
struct WordBytes {
  enum : uint8_t { kDigit = 0, kPoint = 1, kOther = 2, kEnd = 4 };
  uint8_t of[256] = {};
  constexpr WordBytes() {
    for (uint8_t& byte : of) byte = kOther;
    for (int c = 0; c <= ' '; ++c) of[c] = kEnd;
    for (const char c : {',', '}', ']', '"', '{', '[', ':'}) {
      of[static_cast<unsigned char>(c)] = kEnd;
    }
    for (int c = '0'; c <= '9'; ++c) of[c] = kDigit;
    of[static_cast<unsigned char>('.')] = kPoint;
  }
};
constexpr WordBytes kWordBytes;

bool IsJsonWord(std::string_view text) {
  return text == "true" || text == "false" || text == "null" || text == "NaN" ||
         text == "Infinity" || text == "-Infinity";
}

// What C prints for doubles that are no numbers.
bool IsWordOfC(std::string_view text) {
  return text == "nan" || text == "-nan" || text == "inf" || text == "-inf";
}

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
  const char* at = at_;
  while (true) {
    while (end_ - at >= kBlock) {
      const uint32_t bits = NonSpaceBits(at);
      if (bits != 0) {
        at += __builtin_ctz(bits);
        break;
      }
      at += kBlock;
    }
    while (at < end_ && IsJsonSpace(*at)) ++at;
    if (at == end_ || !IsSpace(*at)) break;
    Deviate(at++, "a space");
  }
  at_ = at;
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
      if (IsLetter(*at_)) return Kind::kWord;
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
  bool after_comma = false;
  while (at_ < end_ && *at_ == ',') {
    if (comma) Deviate(at_, bracket == '}' ? "a key" : "a value");
    comma = true;
    after_comma = true;
    ++at_;
    SkipSpace();
  }
  if (at_ == end_) return Fail(bracket == '}' ? "'}'" : "']'");
  if (*at_ == bracket) {
    if (after_comma) Deviate(at_, bracket == '}' ? "a key" : "a value");
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

std::string_view JsonReader::Decoded(std::string_view key) {
  return DecodeJsonString(key, key_);
}

bool JsonReader::NextElement() { return NextItem(']'); }

// Returns the quote that ends the string whose bytes begin at `at_`. Returns
// nullptr if there is none, and moves `at_` to the place of the damage.
const char* JsonReader::StringEnd() {
  const char* const end = end_;
  const char* at = at_;
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
    if (*at == '\n') break;
    at += SpecialSize(at);
  }
  at_ = std::min(at, end);
  return nullptr;
}

// Checks the escape or byte at `at`. Returns its size.
size_t JsonReader::SpecialSize(const char* at) {
  const std::string_view rest(at, static_cast<size_t>(end_ - at));
  const auto byte = static_cast<unsigned char>(*at);
  if (byte == '\\') {
    ++escapes_;
    if (rest.size() == 1) return 1;
    const bool good =
        rest[1] == 'u' ? Hex4(rest.substr(2)) >= 0 : ShortEscape(rest[1]) != 0;
    if (!good) Deviate(at, "an escape");
    return 2;
  }
  if (byte >= 0x80) {
    const Utf8Character character = FirstUtf8(rest);
    if (!character.good) Deviate(at, "a character of UTF-8");
    return character.size;
  }
  if (byte < ' ') Deviate(at, "an escape");
  return 1;
}

bool JsonReader::TakeString(std::string_view& raw) {
  const char* const first = ++at_;
  const char* const quote = StringEnd();
  if (quote == nullptr) return Fail("the end of a string");
  raw = {first, static_cast<size_t>(quote - first)};
  at_ = quote + 1;
  return true;
}

bool JsonReader::TakeWord(std::string_view& text) {
  const char* const first = at_;
  uint8_t seen = 0;
  for (; at_ < end_; ++at_) {
    const uint8_t byte = kWordBytes.of[static_cast<unsigned char>(*at_)];
    if (byte == WordBytes::kEnd) break;
    seen |= byte;
  }
  if (at_ == first) return Fail("a value");
  text = {first, static_cast<size_t>(at_ - first)};
  // Most are digits, perhaps with a point.
  if (seen <= WordBytes::kPoint) {
    const size_t whole = std::min(text.find('.'), text.size());
    const std::string_view fraction = text.substr(whole);
    if (whole > 0 && (text[0] != '0' || whole == 1) && fraction.size() != 1 &&
        fraction.find('.', 1) == fraction.npos) {
      return true;
    }
  } else if (IsJsonNumber(text) || IsJsonWord(text)) {
    return true;
  }
  // The beginning of a word at the end of the text may be a whole one.
  if (at_ == end_) return Fail("the end of a value");
  at_ = first;
  if (!IsWordOfC(text)) return Fail(IsLetter(*first) ? "a value" : "a number");
  Deviate(first, "a number");
  at_ += text.size();
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

// The usual case of each step is here, on a local position. For all else, the
// position goes to the functions that read values one by one.
bool JsonReader::SkipNested() {
  // For each open bracket, whether it is of an object.
  uint64_t usual = 0;
  std::vector<bool> deeper;
  size_t open = 0;
  bool is_object = false;
  const char* const end = end_;
  const char* at = at_;
  const auto skip_space = [&] {
    if (at < end && !IsSpace(*at)) return;
    if (end - at >= kBlock) {
      const uint32_t bits = NonSpaceBits(at);
      if (bits != 0) at += __builtin_ctz(bits);
      if (!IsSpace(*at)) return;
    }
    at_ = at;
    SkipSpaces();
    at = at_;
  };
  // Takes the string at `at`.
  const auto take_string = [&] {
    const char* special = at + 1;
    uint32_t bits = 0;
    while (end - special >= kBlock && (bits = StringBits(special)) == 0) {
      special += kBlock;
    }
    if (bits != 0) special += __builtin_ctz(bits);
    if (special < end && *special == '"') {
      at = special + 1;
      return true;
    }
    at_ = special;
    const char* const quote = StringEnd();
    if (quote == nullptr) return Fail("the end of a string");
    at = quote + 1;
    return true;
  };
  const auto take_word = [&] {
    const char* digit = at;
    while (digit < end && *digit >= '0' && *digit <= '9') ++digit;
    if (digit > at && (*at != '0' || digit == at + 1) && digit < end &&
        (*digit == ',' || *digit == ']' || *digit == '}' || *digit == '\n')) {
      at = digit;
      return true;
    }
    at_ = at;
    std::string_view ignored;
    if (!TakeWord(ignored)) return false;
    at = at_;
    return true;
  };
  bool after_value = false;
  while (true) {
    // An opening bracket, or what follows a value.
    if (!after_value) {
      is_object = *at == '{';
      if (open < kUsualNesting) {
        const uint64_t bit = uint64_t{1} << open;
        usual = is_object ? usual | bit : usual & ~bit;
      } else {
        deeper.push_back(is_object);
      }
      ++open;
      ++at;
    }
    skip_space();
    const char* const comma = at;
    if (after_value && at < end && *at == ',') {
      ++at;
      skip_space();
    }
    if (at == end || *at == ',' || *at == '}' || *at == ']' ||
        (after_value && at == comma)) {
      // The end, or an unusual comma.
      at_ = comma;
      after_value_ = after_value;
      const bool more = NextItem(is_object ? '}' : ']');
      at = at_;
      if (damaged()) return false;
      if (!more) {
        // NextItem() counts only brackets that Enter() counted.
        ++depth_;
        if (open-- > kUsualNesting) deeper.pop_back();
        if (open == 0) return true;
        is_object = open > kUsualNesting ? deeper.back()
                                         : (usual >> (open - 1) & 1) != 0;
        after_value = true;
        continue;
      }
    }
    if (is_object) {
      at_ = at;
      if (*at != '"') return Fail("a key");
      if (!take_string()) return false;
      skip_space();
      at_ = at;
      if (at == end || *at != ':') return Fail("':'");
      ++at;
      skip_space();
    }
    at_ = at;
    if (at == end) return Fail("a value");
    after_value = *at != '{' && *at != '[';
    if (after_value && !(*at == '"' ? take_string() : take_word())) {
      return false;
    }
  }
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
  return damaged() ? Describe(at_, expected_, base) : "";
}

std::string JsonReader::DescribeDeviation(size_t base) const {
  return deviations_ > 0 ? Describe(deviation_, deviation_expected_, base) : "";
}

std::string JsonReader::Describe(const char* at, const char* expected,
                                 size_t base) const {
  std::string found = "the end";
  if (at < end_) {
    const unsigned char c = static_cast<unsigned char>(*at);
    found = c > ' ' && c < 0x7f ? fmt::format("'{}'", *at)
                                : fmt::format("byte 0x{:02x}", c);
  }
  return fmt::format("byte {}: expected {}, found {}",
                     base + static_cast<size_t>(at - begin_), expected, found);
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

int64_t CountJsonSpaces(std::string_view text) {
  int64_t spaces = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
      }
    } else if (byte <= ' ') {
      ++spaces;
    }
  }
  return spaces;
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
