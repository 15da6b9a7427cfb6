#include "accounting/allocator_growth.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "util/arithmetic.h"

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

// What one owner allocated and freed.
struct Held {
  // How much more it held at the end of a part than at the end of the one
  // before, by part; a part may be in several places.
  std::vector<std::pair<size_t, int64_t>> changes;
  int64_t count = 0;  // allocations that are still held

  void Add(size_t part, int64_t bytes) {
    count += bytes > 0 ? 1 : -1;
    if (changes.empty() || changes.back().first != part) {
      changes.emplace_back(part, 0);
    }
    changes.back().second = util::SaturatingAdd(changes.back().second, bytes);
  }
};

// `number` is the number of each part among those that count.
std::optional<AllocatorGrowth::Owner> Growing(const Held& held,
                                              const std::vector<size_t>& number,
                                              size_t parts, bool are_steps) {
  constexpr size_t kLeastRises = 3, kShare = 4;
  constexpr size_t kLeastLast = 2;
  const size_t wanted =
      are_steps ? std::max(kLeastRises, parts / kShare) : parts / 2 + 1;
  const size_t last = std::max(kLeastLast, parts / kShare);
  std::vector<std::pair<size_t, int64_t>> changes = held.changes;
  std::ranges::sort(changes);
  AllocatorGrowth::Owner owner;
  int64_t up = 0, down = 0, at_first = 0, in_last = 0;
  size_t rises = 0;
  for (size_t i = 0; i < changes.size();) {
    const size_t part = number[changes[i].first];
    int64_t more = 0;
    for (; i < changes.size() && number[changes[i].first] == part; ++i) {
      more = util::SaturatingAdd(more, changes[i].second);
    }
    owner.bytes = util::SaturatingAdd(owner.bytes, more);
    owner.parts += more > 0;
    if (part == 0) {
      at_first = more;
      continue;
    }
    rises += more > 0;
    (more > 0 ? up : down) = util::SaturatingAdd(more > 0 ? up : down, more);
    if (part + last >= parts) in_last = util::SaturatingAdd(in_last, more);
  }
  const int64_t grown = util::WrapSub(owner.bytes, at_first);
  const auto all = static_cast<int64_t>(parts - 1);
  constexpr int64_t kMostGivenBack = 4;  // one of so many bytes
  constexpr int64_t kSlower = 2;         // than the mean, at the end
  if (rises < wanted || grown <= 0 || -down > up / kMostGivenBack ||
      in_last < grown / all * static_cast<int64_t>(last) / kSlower) {
    return std::nullopt;
  }
  owner.count = held.count;
  owner.bytes_per_part = grown / all;
  return owner;
}

}  // namespace

int64_t AllocatorGrowth::bytes_per_part() const {
  int64_t bytes = 0;
  for (const Owner& owner : owners) {
    bytes = util::SaturatingAdd(bytes, owner.bytes_per_part);
  }
  return bytes;
}

AllocatorGrowth GrowthOf(const AllocatorHistory& history,
                         const profile::StringPool& strings) {
  AllocatorGrowth growth;
  Parts parts = MarkedSteps(history, strings);
  if (parts.size() < AllocatorGrowth::kMinParts) parts = EqualParts(history);
  if (parts.size() < AllocatorGrowth::kMinParts) return growth;
  growth.parts_are_steps = parts.are_steps;

  absl::flat_hash_map<std::pair<profile::StackId, profile::StringId>, Held>
      owners;
  std::vector<bool> allocates(parts.size(), false), frees = allocates;
  const auto part_of = [&](const AllocatorEvent& event) {
    return event.time == AllocatorEvent::kNoTime ? std::nullopt
                                                 : parts.PartAt(event.time);
  };
  for (const AllocatorEvent& event : history.events) {
    const bool is_free = event.kind == AllocatorEvent::Kind::kFree;
    if (event.kind != AllocatorEvent::Kind::kAllocate &&
        (!is_free || event.pair == profile::kNone)) {
      continue;
    }
    const AllocatorEvent& allocation =
        is_free ? history.events[event.pair] : event;
    const std::optional<size_t> part = part_of(event);
    if (!part || (is_free && !part_of(allocation))) continue;
    (is_free ? frees : allocates)[*part] = true;
    owners[{allocation.stack, allocation.op}].Add(
        *part, is_free ? -allocation.bytes : allocation.bytes);
  }
  // What is freed in a part that does not count is freed in the next one.
  std::vector<size_t> number(parts.size());
  for (size_t part = 0; part < parts.size(); ++part) {
    number[part] = growth.parts;
    growth.parts += allocates[part];
  }
  constexpr size_t kMost = 4;  // three quarters
  const auto freeing = static_cast<size_t>(std::ranges::count(frees, true));
  if (growth.parts < AllocatorGrowth::kMinParts ||
      (!growth.parts_are_steps &&
       freeing < growth.parts - growth.parts / kMost)) {
    return growth;
  }
  for (const auto& [key, held] : owners) {
    auto owner = Growing(held, number, growth.parts, growth.parts_are_steps);
    if (!owner) continue;
    owner->stack = key.first;
    owner->op = key.second;
    growth.owners.push_back(*owner);
  }
  std::ranges::sort(growth.owners, [](const auto& a, const auto& b) {
    if (a.bytes != b.bytes) return a.bytes > b.bytes;
    return a.stack != b.stack ? a.stack < b.stack : a.op < b.op;
  });
  return growth;
}

}  // namespace tfprof::accounting
