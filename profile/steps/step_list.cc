#include "profile/steps/step_list.h"

#include <algorithm>
#include <charconv>

namespace tfprof::profile {
namespace {

// Removes a number from the front of `text` and returns it.
std::optional<int64_t> TakeStep(std::string_view& text) {
  int64_t step = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), step);
  if (error != std::errc() || step < 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return step;
}

void Append(const StepRange& range, std::string& text) {
  if (!text.empty()) text += ',';
  text += std::to_string(range.first);
  if (range.last != range.first) text += '-' + std::to_string(range.last);
}

}  // namespace

std::optional<StepList> ParseStepList(std::string_view text) {
  StepList list;
  for (;;) {
    const std::optional<int64_t> first = TakeStep(text);
    if (!first) return std::nullopt;
    StepRange range = {*first, *first};
    if (text.substr(0, 1) == "-") {
      text.remove_prefix(1);
      const std::optional<int64_t> last = TakeStep(text);
      if (!last || *last < *first) return std::nullopt;
      range.last = *last;
    }
    list.push_back(range);
    if (text.empty()) return list;
    if (text.front() != ',') return std::nullopt;
    text.remove_prefix(1);
  }
}

bool Contains(const StepList& list, int64_t step) {
  return std::any_of(list.begin(), list.end(), [&](const StepRange& range) {
    return range.first <= step && step <= range.last;
  });
}

std::string FormatStepList(const StepList& list) {
  std::string text;
  for (const StepRange& range : list) Append(range, text);
  return text;
}

std::string FormatSteps(std::span<const int64_t> steps) {
  std::string text;
  for (size_t i = 0; i < steps.size();) {
    size_t end = i + 1;
    while (end < steps.size() && steps[end] - 1 == steps[end - 1]) ++end;
    if (end - i > 2) {
      Append({steps[i], steps[end - 1]}, text);
    } else {
      for (size_t k = i; k < end; ++k) Append({steps[k], steps[k]}, text);
    }
    i = end;
  }
  return text;
}

}  // namespace tfprof::profile
