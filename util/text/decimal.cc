#include "util/text/decimal.h"

#include <algorithm>
#include <limits>

#include "util/text/ascii.h"

namespace tfprof::util {
namespace {

// Further digits do not change a 64-bit integer.
constexpr int kMaxDigits = 19;
// Larger exponents give 0 or overflow.
constexpr int64_t kMaxExponent = 1'000'000;

// The digits of a number, without the decimal point.
struct Digits {
  uint64_t value = 0;
  int used = 0;          // significant digits in `value`
  int64_t exponent = 0;  // a power of ten
  bool any = false;

  void Add(char c, bool after_point) {
    any = true;
    if (used == kMaxDigits) {
      exponent += after_point ? 0 : 1;
      return;
    }
    value = value * 10 + static_cast<uint64_t>(c - '0');
    used += value != 0 ? 1 : 0;
    exponent -= after_point ? 1 : 0;
  }
};

// Reads the exponent after an 'e'. Returns false if it is not a number.
bool ReadExponent(std::string_view text, int64_t& exponent) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.empty()) return false;
  int64_t value = 0;
  for (const char c : text) {
    if (!IsDigit(c)) return false;
    value = std::min(value * 10 + (c - '0'), kMaxExponent);
  }
  exponent = negative ? -value : value;
  return true;
}

// Multiplies `value` by 10^exponent and rounds or truncates the result. Returns
// false if the result does not fit.
bool Scale(uint64_t& value, int64_t exponent, bool round) {
  if (value == 0) return true;
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(value, uint64_t{10}, &value)) return false;
  }
  if (exponent < -kMaxDigits - 1) {
    value = 0;
    return true;
  }
  if (exponent == 0) return true;
  // Drop all excess digits but the last, which decides the rounding.
  for (; exponent < -1; ++exponent) value /= 10;
  value = value / 10 + (round && value % 10 >= 5 ? 1 : 0);
  return true;
}

std::optional<int64_t> Parse(std::string_view text, int power, bool round) {
  size_t at = 0;
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    ++at;
  }
  Digits digits;
  // The first 18 digits, usually all of them, fit without a check.
  const size_t sure = std::min(text.size(), at + kMaxDigits - 1);
  for (; at < sure && IsDigit(text[at]); ++at) {
    digits.value = digits.value * 10 + static_cast<uint64_t>(text[at] - '0');
    digits.used += digits.value != 0 ? 1 : 0;
    digits.any = true;
  }
  while (at < text.size() && IsDigit(text[at])) digits.Add(text[at++], false);
  if (at < text.size() && text[at] == '.') {
    ++at;
    while (at < text.size() && IsDigit(text[at])) digits.Add(text[at++], true);
  }
  if (!digits.any) return std::nullopt;
  int64_t exponent = 0;
  if (at < text.size()) {
    if (text[at] != 'e' && text[at] != 'E') return std::nullopt;
    if (!ReadExponent(text.substr(at + 1), exponent)) return std::nullopt;
  }
  uint64_t value = digits.value;
  if (!Scale(value, digits.exponent + exponent + power, round)) {
    return std::nullopt;
  }
  constexpr uint64_t kLargest = std::numeric_limits<int64_t>::max();
  if (value > kLargest) return std::nullopt;
  const int64_t result = static_cast<int64_t>(value);
  return negative ? -result : result;
}

}  // namespace

std::optional<int64_t> ParseDecimal(std::string_view text, int power) {
  return Parse(text, power, /*round=*/true);
}

std::optional<int64_t> ParseDecimalCut(std::string_view text, int power) {
  return Parse(text, power, /*round=*/false);
}

}  // namespace tfprof::util
