#include "loaders/onnx/onnx_names.h"

#include <algorithm>
#include <charconv>

namespace tfprof::onnx {
namespace {

std::string_view Trim(std::string_view s) {
  const size_t begin = s.find_first_not_of(" \t\r");
  if (begin == s.npos) return {};
  return s.substr(begin, s.find_last_not_of(" \t\r") - begin + 1);
}

// Returns the strings of a list as Python prints it.
std::vector<std::string_view> PythonStrings(std::string_view list) {
  std::vector<std::string_view> strings;
  for (size_t i = 0; i < list.size(); ++i) {
    const char quote = list[i];
    if (quote != '\'' && quote != '"') continue;
    const size_t end = list.find(quote, i + 1);
    if (end == list.npos) break;
    strings.push_back(list.substr(i + 1, end - i - 1));
    i = end;
  }
  return strings;
}

// Takes the text that begins with `prefix` and ends before `end`.
bool Take(std::string_view& line, std::string_view prefix, std::string_view end,
          std::string_view& taken) {
  if (!line.starts_with(prefix)) return false;
  const size_t at = line.find(end, prefix.size());
  if (at == line.npos) return false;
  taken = line.substr(prefix.size(), at - prefix.size());
  line.remove_prefix(at);
  return true;
}

}  // namespace

std::vector<std::string_view> OnnxPath(std::string_view name) {
  std::vector<std::string_view> parts;
  while (!name.empty()) {
    const size_t end = std::min(name.find('/'), name.size());
    if (end > 0) parts.push_back(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return parts;
}

std::vector<std::string> OnnxScopeOfProperties(std::string_view name_scopes,
                                               std::string_view name_space) {
  std::vector<std::string> scope;
  std::vector<std::string_view> names = PythonStrings(name_scopes);
  if (names.empty()) {
    while (!name_space.empty()) {
      const size_t end = std::min(name_space.find('/'), name_space.size());
      const std::string_view entry = name_space.substr(0, end);
      names.push_back(Trim(entry.substr(0, entry.find(": "))));
      name_space.remove_prefix(std::min(end + 1, name_space.size()));
    }
  }
  if (!names.empty()) names.pop_back();  // the operation
  std::string_view above;
  for (const std::string_view name : names) {
    if (name.empty() || name == above) continue;
    const bool repeats = !above.empty() && name.size() > above.size() + 1 &&
                         name.starts_with(above) && name[above.size()] == '.';
    scope.emplace_back(repeats ? name.substr(above.size() + 1) : name);
    above = name;
  }
  return scope;
}

std::vector<OnnxFrame> ParsePythonStack(std::string_view text) {
  std::vector<OnnxFrame> frames;
  bool after_frame = false;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    OnnxFrame frame;
    std::string_view number;
    if (Take(line, "File \"", "\", line ", frame.file) &&
        Take(line, "\", line ", ", in ", number)) {
      frame.function = line.substr(std::string_view(", in ").size());
      const char* last = number.data() + number.size();
      if (std::from_chars(number.data(), last, frame.line).ptr != last) {
        frame.line = -1;
      }
      frames.push_back(frame);
      after_frame = true;
    } else if (after_frame) {
      // The next line is the source of the frame.
      frames.back().source = line;
      after_frame = false;
    }
  }
  return frames;
}

}  // namespace tfprof::onnx
