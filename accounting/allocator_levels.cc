#include "accounting/allocator_levels.h"

#include <algorithm>
#include <span>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "util/arithmetic.h"

namespace tfprof::accounting {
namespace {

using profile::AllocatorBlock;
using profile::AllocatorEvent;
using profile::AllocatorHistory;
using profile::AllocatorSegment;
using profile::kNone;
using Kind = AllocatorEvent::Kind;

// A block that holds memory which no event allocated.
bool IsOlder(const AllocatorBlock& block) {
  return block.state != AllocatorBlock::State::kFree && !block.seen;
}

class Owners {
 public:
  void Add(profile::StackId stack, profile::StringId op, int64_t bytes) {
    HeldMemory& held = held_[{stack, op}];
    held.stack = stack;
    held.op = op;
    held.bytes = util::SaturatingAdd(held.bytes, bytes);
    ++held.count;
  }
  std::vector<HeldMemory> LargestFirst() const {
    std::vector<HeldMemory> sorted;
    sorted.reserve(held_.size());
    for (const auto& [key, held] : held_) sorted.push_back(held);
    std::sort(sorted.begin(), sorted.end(),
              [](const HeldMemory& a, const HeldMemory& b) {
                if (a.bytes != b.bytes) return a.bytes > b.bytes;
                if (a.count != b.count) return a.count > b.count;
                return a.stack != b.stack ? a.stack < b.stack : a.op < b.op;
              });
    return sorted;
  }

 private:
  absl::flat_hash_map<std::pair<profile::StackId, profile::StringId>,
                      HeldMemory>
      held_;
};

}  // namespace

AllocatorLevels LevelsOf(const AllocatorHistory& history) {
  AllocatorLevels levels;
  int64_t reserved_change = 0;
  for (const AllocatorEvent& event : history.events) {
    levels.allocations += event.kind == Kind::kAllocate;
    levels.frees += event.kind == Kind::kFree;
    if (event.kind == Kind::kFree && event.pair == kNone) {
      levels.allocated.start =
          util::SaturatingAdd(levels.allocated.start, event.bytes);
    }
    reserved_change = util::WrapAdd(reserved_change, ReservedBy(event));
  }
  for (const AllocatorBlock& block : history.blocks) {
    if (!IsOlder(block)) continue;
    levels.allocated.start =
        util::SaturatingAdd(levels.allocated.start, block.requested);
  }
  for (const AllocatorSegment& segment : history.segments) {
    levels.reserved.end =
        util::SaturatingAdd(levels.reserved.end, segment.bytes);
  }
  levels.reserved.start = util::WrapSub(levels.reserved.end, reserved_change);
  levels.allocated.peak = levels.allocated.end = levels.allocated.start;
  levels.reserved.peak = levels.reserved_at_peak = levels.reserved.start;
  ForEachLevel(history, levels,
               [&](size_t event, int64_t allocated, int64_t reserved) {
                 levels.allocated.end = allocated;
                 if (reserved > levels.reserved.peak) {
                   levels.reserved.peak = reserved;
                   levels.reserved.peak_event = event;
                 }
                 if (allocated > levels.allocated.peak) {
                   levels.allocated.peak = allocated;
                   levels.allocated.peak_event = event;
                   levels.reserved_at_peak = reserved;
                 }
               });
  return levels;
}

std::vector<HeldMemory> HeldAtPeak(const AllocatorHistory& history,
                                   const AllocatorLevels& levels) {
  Owners owners;
  // The events before `end` are those up to the peak.
  const size_t end = levels.allocated.peak_event
                         ? *levels.allocated.peak_event + 1
                         : size_t{0};
  for (size_t i = 0; i < history.events.size(); ++i) {
    const AllocatorEvent& event = history.events[i];
    if (event.kind == Kind::kAllocate && i < end &&
        (event.pair == kNone || event.pair >= end)) {
      owners.Add(event.stack, event.op, event.bytes);
    } else if (event.kind == Kind::kFree && i >= end && event.pair == kNone) {
      owners.Add(profile::kNoStack, profile::kNone, event.bytes);
    }
  }
  for (const AllocatorBlock& block : history.blocks) {
    if (IsOlder(block)) owners.Add(block.stack, block.op, block.requested);
  }
  return owners.LargestFirst();
}

std::vector<HeldMemory> NeverFreed(const AllocatorHistory& history) {
  Owners owners;
  for (const AllocatorEvent& event : history.events) {
    if (event.kind == Kind::kAllocate && event.pair == kNone) {
      owners.Add(event.stack, event.op, event.bytes);
    }
  }
  return owners.LargestFirst();
}

bool IsAllocatorFunction(std::string_view function) {
  static constexpr std::string_view kPrefixes[] = {
      "torch::unwind::",
      "torch::CapturedTraceback::",
      "torch::cuda::(anonymous namespace)::gather",
      "c10::",
      "at::detail::empty",
      "at::(anonymous namespace)::create_out"};
  return std::any_of(
      std::begin(kPrefixes), std::end(kPrefixes),
      [&](std::string_view prefix) { return function.starts_with(prefix); });
}

void SegmentSums::Add(const SegmentSums& other) {
  segments += other.segments;
  reserved = util::SaturatingAdd(reserved, other.reserved);
  allocated = util::SaturatingAdd(allocated, other.allocated);
  internal = util::SaturatingAdd(internal, other.internal);
  external = util::SaturatingAdd(external, other.external);
  awaiting = util::SaturatingAdd(awaiting, other.awaiting);
  largest_free = std::max(largest_free, other.largest_free);
  allocated_blocks += other.allocated_blocks;
  free_blocks += other.free_blocks;
}

SegmentSums SumsOf(const AllocatorHistory& history,
                   const AllocatorSegment& segment) {
  SegmentSums sums{.segments = 1, .reserved = segment.bytes};
  for (const AllocatorBlock& block :
       std::span(history.blocks)
           .subspan(segment.first_block, segment.num_blocks)) {
    if (block.state == AllocatorBlock::State::kAllocated) {
      sums.allocated += block.requested;
      sums.internal += block.bytes - block.requested;
      ++sums.allocated_blocks;
      continue;
    }
    sums.external += block.bytes;
    if (block.state == AllocatorBlock::State::kFree) {
      ++sums.free_blocks;
      sums.largest_free = std::max(sums.largest_free, block.bytes);
    } else {
      sums.awaiting += block.bytes;
    }
  }
  return sums;
}

SegmentSums SumsOf(const AllocatorHistory& history) {
  SegmentSums sums;
  for (const AllocatorSegment& segment : history.segments) {
    sums.Add(SumsOf(history, segment));
  }
  return sums;
}

}  // namespace tfprof::accounting
