#include "loaders/xplane/planes/event_names.h"

#include <charconv>

namespace tfprof::xplane {
namespace {

constexpr std::string_view kReleaseEvent = "MemoryDeallocation";
constexpr std::string_view kLevelMark = "::";

bool IsHidden(std::string_view name) {
  return name.starts_with("end: ") ||
         name == "ThreadpoolListener::StartRegion" ||
         name == "ThreadpoolListener::StopRegion" ||
         name == "ThreadpoolListener::Record";
}

// A TensorFlow type begins with a letter or an underscore and has no blanks.
bool LooksLikeType(std::string_view type) {
  if (type.empty()) return false;
  for (const char c : type) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      (c >= '0' && c <= '9') || c == '_' || c == '>';
    if (!word) return false;
  }
  return type[0] < '0' || type[0] > '9';
}

}  // namespace

TfOpName SplitTfOp(std::string_view event_name) {
  const size_t colon = event_name.rfind(':');
  if (colon == event_name.npos) return {};
  return {event_name.substr(0, colon), event_name.substr(colon + 1)};
}

EventKind KindOfEvent(std::string_view name, std::string_view display_name) {
  if (name.starts_with('$')) return EventKind::kPython;
  if (IsHidden(name)) return EventKind::kHidden;
  if (name == kAllocationEvent || name == kReleaseEvent) {
    return EventKind::kMemory;
  }
  if (!display_name.empty()) {
    const TfOpName op = SplitTfOp(name);
    if (!op.name.empty() && op.type == display_name) return EventKind::kTfOp;
  }
  return EventKind::kRange;
}

std::string_view WithoutArguments(std::string_view event_name) {
  const size_t mark = event_name.find('#');
  if (mark == 0 || mark == event_name.npos || !event_name.ends_with('#') ||
      mark + 1 == event_name.size()) {
    return event_name;
  }
  return event_name.substr(0, mark);
}

std::string_view WithoutNumber(std::string_view instruction) {
  const size_t end = instruction.find_last_not_of("0123456789");
  if (end == instruction.npos || end == 0 || end + 1 == instruction.size() ||
      (instruction[end] != '.' && instruction[end] != '_')) {
    return instruction;
  }
  return instruction.substr(0, end);
}

TfOpName TfOpOfAnnotation(std::string_view annotation) {
  TfOpName op;
  while (!annotation.empty()) {
    size_t end = annotation.find(kLevelMark);
    std::string_view level = annotation.substr(0, end);
    annotation = end == annotation.npos
                     ? std::string_view()
                     : annotation.substr(end + kLevelMark.size());
    level = level.substr(0, level.find('#'));
    const TfOpName split = SplitTfOp(level);
    if (!split.name.empty() && LooksLikeType(split.type)) op = split;
  }
  return op;
}

PythonFrame ParsePythonFrame(std::string_view event_name) {
  PythonFrame frame;
  std::string_view text = event_name.substr(event_name.starts_with('$'));
  const size_t blank = text.rfind(' ');
  if (blank == text.npos) {
    frame.function = text;
    return frame;
  }
  frame.file = text.substr(0, blank);
  frame.function = text.substr(blank + 1);
  const size_t colon = frame.file.rfind(':');
  if (colon == frame.file.npos) return frame;
  const char* begin = frame.file.data() + colon + 1;
  const char* end = frame.file.data() + frame.file.size();
  int32_t line = 0;
  const auto [at, error] = std::from_chars(begin, end, line);
  if (error != std::errc() || at != end || line < 0) return frame;
  frame.line = line;
  frame.file = frame.file.substr(0, colon);
  return frame;
}

HloText ParseHloText(std::string_view text) {
  const size_t equals = text.find(" = ");
  if (!text.starts_with('%') || equals == text.npos) return {};
  const std::string_view name = text.substr(1, equals - 1);
  // Skips the shape, whose blanks are all in brackets.
  std::string_view rest = text.substr(equals + 3);
  int depth = 0;
  size_t at = 0;
  for (; at < rest.size(); ++at) {
    const char c = rest[at];
    if (c == '(' || c == '{' || c == '[') ++depth;
    if (c == ')' || c == '}' || c == ']') --depth;
    if (c == ' ' && depth == 0) break;
  }
  if (at == rest.size()) return {};
  rest = rest.substr(at + 1);
  const size_t open = rest.find('(');
  if (open == rest.npos || open == 0) return {};
  return {rest.substr(0, open), name};
}

bool ProgramIdOf(std::string_view label, int64_t& id) {
  const size_t open = label.rfind('(');
  if (open == label.npos || !label.ends_with(')')) return false;
  const char* begin = label.data() + open + 1;
  const char* end = label.data() + label.size() - 1;
  uint64_t number = 0;
  const auto [at, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || at != end) return false;
  id = static_cast<int64_t>(number);
  return true;
}

}  // namespace tfprof::xplane
