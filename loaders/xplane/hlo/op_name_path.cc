#include "loaders/xplane/hlo/op_name_path.h"

#include <cstddef>

namespace tfprof::xplane {
namespace {

constexpr std::string_view kTranspose = "transpose(";
constexpr std::string_view kGradientTape = "gradient_tape";

bool IsOpening(char c) { return c == '(' || c == '[' || c == '{'; }
bool IsClosing(char c) { return c == ')' || c == ']' || c == '}'; }

// Returns whether each bracket closes after it opened.
bool BracketsMatch(std::string_view name) {
  int64_t depth = 0;
  for (const char c : name) {
    depth += IsOpening(c) - IsClosing(c);
    if (depth < 0) return false;
  }
  return depth == 0;
}

// Cuts ":Type", which comes after the last slash and all brackets.
std::string_view WithoutType(std::string_view name) {
  for (size_t i = name.size(); i-- > 0;) {
    const char c = name[i];
    if (c == '/' || IsClosing(c)) break;
    if (c == ':') return name.substr(0, i);
  }
  return name;
}

// Returns the content of "transpose(…)"; "" for other parts.
std::string_view Transposed(std::string_view part) {
  if (!part.starts_with(kTranspose) || !part.ends_with(')')) return {};
  return part.substr(kTranspose.size(), part.size() - kTranspose.size() - 1);
}

}  // namespace

std::vector<std::string_view> OpNameParts(std::string_view op_name) {
  op_name = WithoutType(op_name);
  const bool has_brackets = BracketsMatch(op_name);
  std::vector<std::string_view> parts;
  int64_t depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= op_name.size(); ++i) {
    if (i < op_name.size()) {
      const char c = op_name[i];
      if (has_brackets) depth += IsOpening(c) - IsClosing(c);
      if (c != '/' || depth > 0) continue;
    }
    const std::string_view part = op_name.substr(begin, i - begin);
    begin = i + 1;
    if (part.empty()) continue;
    if (parts.size() == 1 && part == "jit(main)" &&
        parts[0].starts_with("jit(")) {
      continue;
    }
    parts.push_back(part);
  }
  return parts;
}

std::string JoinOpName(const std::vector<std::string_view>& parts) {
  std::string name;
  for (const std::string_view part : parts) {
    if (!name.empty()) name += '/';
    name += part;
  }
  return name;
}

std::string ForwardOpName(const std::vector<std::string_view>& parts) {
  if (parts.size() > 2 && parts[0] == kGradientTape) {
    return JoinOpName({parts.begin() + 1, parts.end() - 1});
  }
  std::vector<std::string_view> forward = parts;
  bool is_gradient = false;
  for (std::string_view& part : forward) {
    const std::string_view content = Transposed(part);
    if (content.empty()) continue;
    part = content;
    is_gradient = true;
  }
  return is_gradient ? JoinOpName(forward) : std::string();
}

}  // namespace tfprof::xplane
