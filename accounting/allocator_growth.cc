#include "accounting/allocator_growth.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "util/arithmetic.h"
#include "util/median.h"

namespace tfprof::accounting {
namespace {

using profile::AllocatorEvent;
using profile::AllocatorHistory;
using profile::AllocatorRange;

constexpr std::string_view kStepName = "ProfilerStep#";
constexpr std::string_view kOptimizerName = "Optimizer.step#";

// The limits of the parts: part i is from limit i to limit i + 1.
struct Parts {
  std::vector<int64_t> limits;
  bool are_steps = true;

  size_t size() const { return limits.empty() ? 0 : limits.size() - 1; }
  std::optional<size_t> PartAt(int64_t time) const {
    if (limits.empty() || time < limits.front() || time > limits.back()) {
      return std::nullopt;
    }
    const auto next = std::upper_bound(limits.begin(), limits.end(), time);
    return std::min(static_cast<size_t>(next - limits.begin()) - 1, size() - 1);
  }
};

Parts MarkedSteps(const AllocatorHistory& history,
                  const profile::StringPool& strings) {
  Parts steps;
  Parts optimizer;
  for (const AllocatorRange& range : history.ranges) {
    const std::string_view name =
        range.name == profile::kNone ? "" : strings.Get(range.name);
    if (name.starts_with(kStepName)) {
      if (steps.limits.empty()) steps.limits.push_back(range.start);
      steps.limits.back() = range.start;  // the end of the step before it
      steps.limits.push_back(range.end);
    } else if (name.starts_with(kOptimizerName)) {
      optimizer.limits.push_back(range.end);
    }
  }
  Parts& marked =
      steps.size() >= AllocatorGrowth::kMinParts ? steps : optimizer;
  std::ranges::sort(marked.limits);
  return std::move(marked);
}

Parts EqualParts(const AllocatorHistory& history) {
  std::optional<int64_t> first;
  int64_t last = 0;
  for (const AllocatorEvent& event : history.events) {
    if (event.time == AllocatorEvent::kNoTime) continue;
    first = std::min(first.value_or(event.time), event.time);
    last = std::max(last, event.time);
  }
  Parts parts{.are_steps = false};
  constexpr auto kParts = static_cast<int64_t>(AllocatorGrowth::kEqualParts);
  if (!first || last - *first < kParts) return parts;
  for (int64_t i = 0; i <= kParts; ++i) {
    parts.limits.push_back(i == kParts ? last
                                       : *first + (last - *first) / kParts * i);
  }
  return parts;
}

}  // namespace

AllocatorGrowth GrowthOf(const AllocatorHistory& history,
                         const profile::StringPool& strings) {
  AllocatorGrowth growth;
  Parts parts = MarkedSteps(history, strings);
  if (parts.size() < AllocatorGrowth::kMinParts) parts = EqualParts(history);
  if (parts.size() < AllocatorGrowth::kMinParts) return growth;
  growth.parts_are_steps = parts.are_steps;

  struct Kept {
    AllocatorGrowth::Owner owner;
    std::vector<int64_t> bytes;  // by part
  };
  absl::flat_hash_map<std::pair<profile::StackId, profile::StringId>, Kept>
      kept;
  std::vector<bool> allocates(parts.size(), false);
  for (const AllocatorEvent& event : history.events) {
    if (event.kind != AllocatorEvent::Kind::kAllocate ||
        event.time == AllocatorEvent::kNoTime) {
      continue;
    }
    const std::optional<size_t> part = parts.PartAt(event.time);
    if (!part) continue;
    allocates[*part] = true;
    if (event.pair != profile::kNone) continue;
    Kept& of = kept[{event.stack, event.op}];
    of.owner.stack = event.stack;
    of.owner.op = event.op;
    of.owner.bytes = util::SaturatingAdd(of.owner.bytes, event.bytes);
    ++of.owner.count;
    of.bytes.resize(parts.size(), 0);
    of.bytes[*part] = util::SaturatingAdd(of.bytes[*part], event.bytes);
  }
  growth.parts = static_cast<size_t>(std::ranges::count(allocates, true));
  const size_t wanted =
      std::max(AllocatorGrowth::kMinParts, (growth.parts * 3 + 3) / 4);
  for (auto& [key, of] : kept) {
    of.owner.parts = static_cast<size_t>(
        std::ranges::count_if(of.bytes, [](int64_t b) { return b > 0; }));
    if (of.owner.parts < wanted) continue;
    size_t part = 0;
    std::erase_if(of.bytes, [&](int64_t) { return !allocates[part++]; });
    of.owner.bytes_per_part = util::Median(std::move(of.bytes));
    growth.owners.push_back(of.owner);
  }
  std::ranges::sort(growth.owners, [](const auto& a, const auto& b) {
    if (a.bytes != b.bytes) return a.bytes > b.bytes;
    return a.stack != b.stack ? a.stack < b.stack : a.op < b.op;
  });
  return growth;
}

}  // namespace tfprof::accounting
