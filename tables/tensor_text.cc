#include "tables/tensor_text.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "fmt/format.h"

namespace tfprof::tables {
namespace {

constexpr size_t kMaxText = 10000;
constexpr size_t kHugeTensor = 100000;

// std::to_chars and std::from_chars ignore the locale, unlike the C library.
void AppendDouble(double value, std::string* text) {
  // The largest double has 309 digits before the decimal point.
  char buffer[400];
  if (std::isfinite(value)) {
    const std::to_chars_result rounded =
        std::to_chars(std::begin(buffer), std::end(buffer), value,
                      std::chars_format::general, 6);
    // Always in range, because the largest double is rounded down.
    std::from_chars(std::begin(buffer), rounded.ptr, value);
  }
  const std::to_chars_result fixed = std::to_chars(
      std::begin(buffer), std::end(buffer), value, std::chars_format::fixed, 2);
  text->append(buffer, fixed.ptr);
}

// Returns the size of the UTF-8 character at the beginning of `text`, or 0 if
// it is invalid or a terminal control character (U+0080 to U+009F).
size_t PrintableUtf8(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  const size_t size = lead >= 0xf5   ? 0
                      : lead >= 0xf0 ? 4
                      : lead >= 0xe0 ? 3
                      : lead >= 0xc2 ? 2
                                     : 0;
  if (size == 0 || text.size() < size) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Reject second bytes of an overlong form, a surrogate, a control character,
  // or a code above U+10FFFF.
  const uint8_t second = byte(1);
  if ((lead == 0xc2 && second < 0xa0) || (lead == 0xe0 && second < 0xa0) ||
      (lead == 0xed && second >= 0xa0) || (lead == 0xf0 && second < 0x90) ||
      (lead == 0xf4 && second >= 0x90)) {
    return 0;
  }
  return size;
}

void AppendString(std::string_view value, size_t max_text, std::string* text) {
  text->push_back('\'');
  while (!value.empty() && text->size() <= max_text) {
    const uint8_t c = static_cast<uint8_t>(value[0]);
    size_t size = 1;
    if (c >= 0x80) size = PrintableUtf8(value);
    if (size == 0 || c < 0x20 || c == 0x7f) {
      fmt::format_to(std::back_inserter(*text), "\\x{:02x}", c);
      size = 1;
    } else {
      text->append(value.substr(0, size));
    }
    value.remove_prefix(size);
  }
  text->push_back('\'');
}

// Appends the fewest digits that give the same number again.
void AppendAllDigits(double value, std::string* text) {
  char buffer[40];
  const std::to_chars_result digits =
      std::to_chars(std::begin(buffer), std::end(buffer), value);
  text->append(buffer, digits.ptr);
}

// Appends value `i`. Returns false if it does not exist.
bool AppendValue(const profile::TensorValue& tensor, size_t i, bool whole,
                 std::string* text) {
  if (i < tensor.doubles.size()) {
    if (whole) {
      AppendAllDigits(tensor.doubles[i], text);
    } else {
      AppendDouble(tensor.doubles[i], text);
    }
  } else if (i < tensor.ints.size()) {
    fmt::format_to(std::back_inserter(*text), "{}", tensor.ints[i]);
  } else if (i < tensor.strings.size()) {
    AppendString(tensor.strings[i], whole ? SIZE_MAX : kMaxText, text);
  } else {
    return false;
  }
  text->push_back(' ');
  return true;
}

// Returns the text without the last closing bracket; unless `whole` is set, it
// stops slightly after kMaxText bytes.
std::string OpenText(const profile::TensorValue& tensor, bool whole) {
  const std::vector<int64_t>& shape = tensor.shape;
  std::string text = "[";
  if (shape.empty()) {
    AppendValue(tensor, 0, whole, &text);
    return text;
  }
  size_t next = 0;
  // The number of finished parts in each open bracket; its size is the depth.
  std::vector<int64_t> done = {0};
  while (whole || text.size() <= kMaxText) {
    const size_t depth = done.size() - 1;
    if (done.back() < shape[depth]) {
      ++done.back();
      if (depth + 1 < shape.size()) {
        text.push_back('[');
        done.push_back(0);
      } else if (!AppendValue(tensor, next++, whole, &text)) {
        break;
      }
    } else if (depth == 0) {
      break;
    } else {
      text.append("],\n");
      done.pop_back();
    }
  }
  return text;
}

}  // namespace

std::string WholeTensorText(const profile::TensorValue& tensor) {
  return OpenText(tensor, /*whole=*/true) + "],\n";
}

std::string TensorText(const profile::TensorValue& tensor) {
  std::string text = OpenText(tensor, /*whole=*/false);
  if (text.size() > kMaxText) text.resize(kMaxText);
  text.append("],\n");
  if (text.size() >= kMaxText) text.append("...omitted from display\n\n");
  return text;
}

bool IsHugeTensor(const profile::TensorValue& tensor) {
  // Only one of the three vectors has values.
  return tensor.doubles.size() + tensor.ints.size() + tensor.strings.size() >
         kHugeTensor;
}

}  // namespace tfprof::tables
