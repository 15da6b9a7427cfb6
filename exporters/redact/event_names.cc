#include "exporters/redact/event_names.h"

#include <algorithm>
#include <span>

#include "absl/strings/ascii.h"
#include "fmt/format.h"
#include "timeline/account/work_classes.h"
#include "views/library_file.h"

namespace tfprof::exporters {
namespace {

constexpr std::string_view kModulePrefix = "nn.Module: ";

// Marks of frameworks and engines, from which loaders read steps, phases,
// communication and the direction of work.
constexpr std::string_view kKnownParts[] = {
    "::",        "#",       "execute_", "nccl",    "gloo",    "step",
    "iteration", "fwd",     "bwd",      "forward", "epoch",   "backward",
    "optimizer", "decode",  "data",     "batch",   "prefill", "context",
    "generat",   "compile", "graph",    "all_",    "gather",  "scatter",
    "send",      "recv",    "barrier",  "memcpy",  "memory"};

bool HasAny(std::string_view name, std::span<const std::string_view> parts) {
  std::string lower(name);
  absl::AsciiStrToLower(&lower);
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return lower.find(part) != lower.npos;
  });
}

// Whether reports know what work of this name is.
bool IsClassified(std::string_view name) {
  return timeline::KernelClassOf(name) != timeline::KernelClass::kOther ||
         timeline::HostCallOf(name) != timeline::HostCall::kOther ||
         !timeline::RoleOf(name).empty();
}

// "Net_0" becomes "Module1_0".
std::string ModuleName(std::string_view name, Redactor& redactor) {
  const std::string_view type = name.substr(kModulePrefix.size());
  const size_t mark = type.rfind('_');
  const std::string_view instance =
      mark == type.npos ? std::string_view() : type.substr(mark);
  return fmt::format("{}{}{}", kModulePrefix,
                     redactor.Name("Module", type.substr(0, mark)), instance);
}

// "net/a.py(12): f" becomes "file1.py(12): function1".
std::string FunctionName(std::string_view name, Redactor& redactor) {
  constexpr std::string_view kMark = "): ";
  const size_t mark = name.find(kMark);
  const size_t open =
      mark == name.npos ? name.npos : name.substr(0, mark).rfind('(');
  if (open == name.npos || open == 0) return std::string(name);
  const std::string_view file = name.substr(0, open);
  const std::string_view line = name.substr(open + 1, mark - open - 1);
  const std::string_view function = name.substr(mark + kMark.size());
  // Everybody has them, and reports know the functions of libraries by them.
  if (views::IsLibraryFile(file) || file.starts_with('<')) {
    return std::string(name);
  }
  const auto call_of = [&](std::string_view of_file, std::string_view of) {
    return timeline::HostCallOfFunction(
        fmt::format("{}:{}:{}", of_file, line, of));
  };
  const timeline::HostCall call = call_of(file, function);
  const bool known = function.starts_with('<') ||
                     HasAny(function, kKnownParts) ||
                     call != timeline::HostCall::kOther;
  // What the file says about the function must stay.
  if (known && call_of("file.py", function) != call) return std::string(name);
  const std::string shown =
      known ? std::string(function) : redactor.Name("function", function);
  return fmt::format("{}.py({}): {}", redactor.Name("file", file), line, shown);
}

}  // namespace

std::string RedactedStack(std::string_view stack, Redactor& redactor) {
  std::string made;
  for (size_t at = 0; at <= stack.size();) {
    const size_t end = std::min(stack.find(';', at), stack.size());
    if (at > 0) made += ';';
    made += FunctionName(stack.substr(at, end - at), redactor);
    at = end + 1;
  }
  return made;
}

std::string RedactedName(std::string_view category, std::string_view name,
                         Redactor& redactor) {
  if (category == "python_function") {
    return name.starts_with(kModulePrefix) ? ModuleName(name, redactor)
                                           : FunctionName(name, redactor);
  }
  if ((category != "user_annotation" && category != "gpu_user_annotation") ||
      HasAny(name, kKnownParts) || IsClassified(name)) {
    return std::string(name);
  }
  return redactor.Name("range", name);
}

}  // namespace tfprof::exporters
