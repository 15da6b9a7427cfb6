#include "accounting/allocator_levels.h"

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::accounting {
namespace {

using profile::AllocatorBlock;
using profile::AllocatorEvent;
using profile::AllocatorHistory;
using profile::kNone;
using Kind = AllocatorEvent::Kind;

AllocatorEvent Event(Kind kind, int64_t bytes, uint32_t pair = kNone,
                     profile::StackId stack = 1) {
  return {.bytes = bytes, .stack = stack, .pair = pair, .kind = kind};
}

TEST(AllocatorLevelsTest, CountsWhatWasThereBefore) {
  AllocatorHistory history;
  history.events = {Event(Kind::kReserve, 100), Event(Kind::kAllocate, 30, 3),
                    Event(Kind::kFree, 50), Event(Kind::kFree, 30, 1),
                    Event(Kind::kAllocate, 10, kNone, 2)};
  // Of the blocks at the end, one is older than the events, one is seen.
  history.blocks = {{.bytes = 8,
                     .requested = 7,
                     .stack = 3,
                     .state = AllocatorBlock::State::kAllocated},
                    {.bytes = 10,
                     .requested = 10,
                     .state = AllocatorBlock::State::kAllocated,
                     .seen = true},
                    {.bytes = 200}};
  history.segments = {{.bytes = 218, .num_blocks = 3}};
  const AllocatorLevels levels = LevelsOf(history);
  EXPECT_EQ(levels.allocated.start, 57);
  EXPECT_EQ(levels.allocated.peak, 87);
  EXPECT_EQ(levels.allocated.peak_event, 1);
  EXPECT_EQ(levels.allocated.end, 17);
  EXPECT_EQ(levels.reserved.start, 118);
  EXPECT_EQ(levels.reserved.end, 218);
  EXPECT_EQ(levels.reserved_at_peak, 218);
  EXPECT_EQ(levels.allocations, 2);
  EXPECT_EQ(levels.frees, 2);
  const std::vector<HeldMemory> held = HeldAtPeak(history, levels);
  ASSERT_EQ(held.size(), 3);
  EXPECT_EQ(held[0].bytes, 50);
  EXPECT_EQ(held[0].stack, profile::kNoStack);
  EXPECT_EQ(held[1].bytes, 30);
  EXPECT_EQ(held[2].stack, 3);
  const std::vector<HeldMemory> leaks = NeverFreed(history);
  ASSERT_EQ(leaks.size(), 1);
  EXPECT_EQ(leaks[0].stack, 2);
}

TEST(AllocatorLevelsTest, ThePeakIsAtTheStartIfNothingExceedsIt) {
  AllocatorHistory history;
  history.events = {Event(Kind::kFree, 50), Event(Kind::kAllocate, 50)};
  const AllocatorLevels levels = LevelsOf(history);
  EXPECT_EQ(levels.allocated.peak, 50);
  EXPECT_FALSE(levels.allocated.peak_event);
  ASSERT_EQ(HeldAtPeak(history, levels).size(), 1);
}

TEST(AllocatorLevelsTest, PartsOfASegmentAddUp) {
  AllocatorHistory history;
  history.blocks = {{.bytes = 512,
                     .requested = 500,
                     .state = AllocatorBlock::State::kAllocated},
                    {.bytes = 100, .requested = 100},
                    {.bytes = 300, .requested = 300},
                    {.bytes = 88,
                     .requested = 80,
                     .state = AllocatorBlock::State::kAwaitingFree}};
  const profile::AllocatorSegment segment{.bytes = 1000, .num_blocks = 4};
  const SegmentSums sums = SumsOf(history, segment);
  EXPECT_EQ(sums.allocated + sums.internal + sums.external, sums.reserved);
  EXPECT_EQ(sums.internal, 12);
  EXPECT_EQ(sums.awaiting, 88);
  EXPECT_EQ(sums.largest_free, 300);
  EXPECT_EQ(sums.free_blocks, 2);
}

TEST(AllocatorLevelsTest, FunctionsOfTheAllocator) {
  EXPECT_TRUE(IsAllocatorFunction("torch::unwind::unwind()"));
  EXPECT_TRUE(IsAllocatorFunction("c10::cuda::CUDACachingAllocator::f()"));
  EXPECT_FALSE(IsAllocatorFunction("at::meta::structured_bmm::meta()"));
}

// Compares with a simulated allocator that sees everything, of which a history
// has only the last events.
TEST(AllocatorLevelsTest, AgreesWithASimulation) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    const size_t total = 1 + random() % 60;
    const size_t first = random() % total;  // of the recorded events
    AllocatorHistory history;
    std::map<int, std::pair<int64_t, uint32_t>> live;  // bytes, event
    std::map<int, std::pair<int64_t, uint32_t>> live_at_peak;
    int64_t level = 0, peak = -1;
    for (size_t i = 0; i < total; ++i) {
      if (i == first) {
        peak = level;
        live_at_peak = live;
      }
      const auto number = static_cast<uint32_t>(history.events.size());
      if (live.empty() || random() % 3 != 0) {
        const auto bytes = static_cast<int64_t>(random() % 100 + 1);
        level += bytes;
        live[static_cast<int>(i)] = {bytes, i < first ? kNone : number};
        if (i >= first) history.events.push_back(Event(Kind::kAllocate, bytes));
      } else {
        const auto gone =
            std::next(live.begin(), static_cast<long>(random() % live.size()));
        const auto [bytes, event] = gone->second;
        level -= bytes;
        live.erase(gone);
        if (i >= first) {
          history.events.push_back(Event(Kind::kFree, bytes, event));
          if (event != kNone) history.events[event].pair = number;
        }
      }
      if (i >= first && level > peak) {
        peak = level;
        live_at_peak = live;
      }
    }
    for (const auto& [id, block] : live) {
      history.blocks.push_back({.bytes = block.first,
                                .requested = block.first,
                                .state = AllocatorBlock::State::kAllocated,
                                .seen = block.second != kNone});
    }
    const AllocatorLevels levels = LevelsOf(history);
    EXPECT_EQ(levels.allocated.end, level);
    EXPECT_EQ(levels.allocated.peak, peak);
    int64_t held = 0, count = 0;
    for (const HeldMemory& one : HeldAtPeak(history, levels)) {
      held += one.bytes;
      count += one.count;
    }
    EXPECT_EQ(held, peak);
    EXPECT_EQ(count, static_cast<int64_t>(live_at_peak.size()));
  }
}

}  // namespace
}  // namespace tfprof::accounting
