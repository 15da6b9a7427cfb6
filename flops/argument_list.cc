#include "flops/argument_list.h"

#include <charconv>
#include <system_error>

#include "util/text/ascii.h"

namespace tfprof::flops {
namespace {

// Characters between the elements of a list, which may span several lines.
bool IsBetween(char c) {
  return c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// Reads an integer at `at` and moves `at` behind it. Returns false if there is
// none.
bool ReadInt(std::string_view text, size_t& at, int64_t& value) {
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data() + at, end, value);
  if (error == std::errc::invalid_argument) return false;
  at = static_cast<size_t>(next - text.data());
  return error == std::errc();
}

}  // namespace

ArgumentShapes ParseShapes(std::string_view text) {
  ArgumentShapes shapes;
  size_t depth = 0, elements = 0;
  bool is_first_inside = false;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '[') {
      ++depth;
      if (depth == 2) shapes.emplace_back().emplace_back();
      // The first shape in a list of tensors exists already.
      if (depth == 3 && !is_first_inside) shapes.back().emplace_back();
      is_first_inside = depth == 2;
      if (depth > 3 || ++elements > kMaxElements) return {};
      ++at;
    } else if (c == ']') {
      if (depth == 0) return {};
      --depth;
      ++at;
      if (depth == 0) return shapes;
    } else if (util::IsDigit(c) || c == '-') {
      int64_t value = 0;
      if (depth < 2 || !ReadInt(text, at, value)) return {};
      if (++elements > kMaxElements) return {};
      shapes.back().back().push_back(value);
    } else if (IsBetween(c)) {
      ++at;
    } else {
      return {};
    }
  }
  return {};
}

std::vector<std::string> ParseStrings(std::string_view text) {
  std::vector<std::string> strings;
  size_t at = text.find('[');
  if (at == text.npos) return {};
  ++at;
  while (at < text.size() && strings.size() < kMaxElements) {
    const char c = text[at];
    if (c == ']') return strings;
    if (IsBetween(c)) {
      ++at;
      continue;
    }
    std::string& element = strings.emplace_back();
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\' && at + 1 < text.size()) ++at;
        element += text[at];
      }
      ++at;
    } else {
      size_t depth = 0;
      for (; at < text.size(); ++at) {
        if (depth == 0 && (text[at] == ',' || text[at] == ']')) break;
        depth += text[at] == '[';
        depth -= text[at] == ']';
        element += text[at];
      }
    }
  }
  return {};
}

std::vector<int64_t> ParseInts(std::string_view text) {
  std::vector<int64_t> values;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (util::IsDigit(c) || c == '-') {
      int64_t value = 0;
      if (!ReadInt(text, at, value) || values.size() >= kMaxElements) return {};
      values.push_back(value);
    } else if (c == '[' || c == ']' || IsBetween(c)) {
      ++at;
    } else {
      return {};
    }
  }
  return values;
}

}  // namespace tfprof::flops
