#include "loaders/chrome_json/kineto/python_names.h"

#include <limits>
#include <optional>

#include "util/text/decimal.h"

namespace tfprof::kineto {
namespace {

constexpr std::string_view kBuiltinPrefix = "<built-in";
// The only built-in function whose time has a remedy of its own.
constexpr std::string_view kCollect = "<built-in function collect>";
constexpr std::string_view kModulePrefix = "nn.Module: ";
// Deeper stacks lose their outer frames; Python's own limit is 1000.
constexpr size_t kMaxFrames = 4096;

// The parts of "FILE(LINE): FUNCTION".
struct Parts {
  std::string_view file;
  std::string_view function;
  int32_t line = -1;
};

std::optional<Parts> Split(std::string_view name) {
  constexpr std::string_view kMark = "): ";
  for (size_t mark = name.find(kMark); mark != name.npos;
       mark = name.find(kMark, mark + 1)) {
    const size_t open = name.rfind('(', mark);
    if (open == name.npos) continue;
    const std::string_view digits = name.substr(open + 1, mark - open - 1);
    if (digits.find_first_not_of("0123456789") != digits.npos) continue;
    const std::optional<int64_t> line = util::ParseDecimal(digits);
    if (!line || *line > std::numeric_limits<int32_t>::max()) continue;
    return Parts{name.substr(0, open), name.substr(mark + kMark.size()),
                 static_cast<int32_t>(*line)};
  }
  return std::nullopt;
}

}  // namespace

PythonNames::PythonNames(profile::StringPool& strings) : strings_(strings) {
  texts_.Intern(kBuiltinPrefix);
  names_.push_back({});
}

uint32_t PythonNames::Intern(std::string_view name) {
  const bool collects = name == kCollect;
  if (name.starts_with(kBuiltinPrefix) && !collects) return kBuiltin;
  const uint32_t number = texts_.Intern(name);
  if (number < names_.size()) return number;
  PythonName parsed;
  if (collects) {
    parsed.file = strings_.Intern("gc");
    parsed.function = strings_.Intern("collect");
    parsed.first_line = 0;
  } else if (name.starts_with(kModulePrefix)) {
    parsed.module = strings_.Intern(name.substr(kModulePrefix.size()));
  } else if (const std::optional<Parts> parts = Split(name)) {
    parsed.file = strings_.Intern(parts->file);
    parsed.function = strings_.Intern(parts->function);
    parsed.first_line = parts->line;
  }
  names_.push_back(parsed);
  return number;
}

profile::StackId PythonNames::InternStack(std::string_view text,
                                          profile::CallStacks& stacks) {
  const uint32_t known = stack_texts_.Intern(text);
  if (known < stacks_.size()) return stacks_[known];
  std::vector<std::string_view> frames;
  while (!text.empty() && frames.size() < kMaxFrames) {
    const size_t end = text.find(';');
    if (end != 0) frames.push_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  profile::StackId stack = profile::kNoStack;
  for (size_t i = frames.size(); i-- > 0;) {
    const std::optional<Parts> parts = Split(frames[i]);
    if (!parts) continue;
    stack = stacks.Push(stack, {.file = strings_.Intern(parts->file),
                                .function = strings_.Intern(parts->function),
                                .lineno = parts->line});
  }
  stacks_.push_back(stack);
  return stack;
}

}  // namespace tfprof::kineto
