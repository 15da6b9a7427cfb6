#include "inspect/devices/allocator_map.h"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::inspect {
namespace {

using profile::AllocatorEvent;
using profile::AllocatorHistory;
using ::testing::HasSubstr;
using Kind = AllocatorEvent::Kind;

constexpr size_t kStacks = 7;

AllocatorHistory RandomHistory(std::mt19937& random, size_t num_events) {
  AllocatorHistory history;
  const auto below = [&](uint32_t n) { return random() % n; };
  std::vector<uint32_t> live;
  int64_t now = 1000;
  for (uint32_t i = 0; i < num_events; ++i) {
    now += below(50);
    AllocatorEvent event{.time = now, .address = i * 512u};
    if (below(40) == 0) event.time = AllocatorEvent::kNoTime;
    const uint32_t what = below(20);
    if (what == 0) {
      event.kind = Kind::kReserve;
      event.bytes = below(5000);
    } else if (what == 1) {
      event.kind = Kind::kOutOfMemory;
      event.bytes = 1 << 20;
    } else if (what == 2) {
      event.kind = Kind::kFree;  // of memory from before
      event.bytes = below(300);
    } else if (what < 11 && !live.empty()) {
      const size_t chosen = below(static_cast<uint32_t>(live.size()));
      event.kind = Kind::kFree;
      event.pair = live[chosen];
      event.bytes = history.events[event.pair].bytes;
      history.events[event.pair].pair = i;
      live.erase(live.begin() + static_cast<long>(chosen));
    } else {
      event.kind = Kind::kAllocate;
      event.bytes = below(1000);
      event.stack = below(kStacks);
      live.push_back(i);
    }
    history.events.push_back(event);
  }
  history.blocks = {{.bytes = 512,
                     .requested = 400,
                     .stack = 3,
                     .state = profile::AllocatorBlock::State::kAllocated}};
  return history;
}

// The bytes of each stack after `moment` events, without any sharing of work:
// what is allocated before it and freed after it.
std::map<profile::StackId, int64_t> Naive(const AllocatorHistory& history,
                                          size_t moment) {
  std::map<profile::StackId, int64_t> held;
  held[3] += 400;
  for (size_t i = 0; i < history.events.size(); ++i) {
    const AllocatorEvent& event = history.events[i];
    const bool is_freed_later =
        event.pair == profile::kNone || event.pair >= moment;
    if (event.kind == Kind::kAllocate && i < moment && is_freed_later) {
      held[event.stack] += event.bytes;
    }
    if (event.kind == Kind::kFree && event.pair == profile::kNone &&
        i >= moment) {
      held[profile::kNoStack] += event.bytes;
    }
  }
  return held;
}

int64_t Sum(const std::map<profile::StackId, int64_t>& held) {
  int64_t sum = 0;
  for (const auto& [stack, bytes] : held) sum += bytes;
  return sum;
}

void ExpectLayersOf(const AllocatorHistory& history, const AllocatorMap& map) {
  for (const AllocatorMap::Column& column : map.columns) {
    std::map<profile::StackId, int64_t> held = Naive(history, column.moment);
    EXPECT_EQ(column.allocated, Sum(held));
    int64_t sum = column.other;
    for (size_t i = 0; i < map.layers.size(); ++i) {
      EXPECT_EQ(column.layers[i], held[map.layers[i].stack]);
      sum += column.layers[i];
    }
    EXPECT_EQ(sum, column.allocated);
    EXPECT_GE(column.other, 0);
  }
}

TEST(AllocatorMapTest, LayersAndOthersAreWhatIsAllocated) {
  std::mt19937 random(20261128);
  for (int round = 0; round < 60; ++round) {
    const AllocatorHistory history = RandomHistory(random, 1 + random() % 150);
    const auto last = static_cast<int64_t>(history.events.size());
    MapRequest request{.columns = 1 + static_cast<int64_t>(random() % 40),
                       .owners = static_cast<int64_t>(random() % 5)};
    request.window.from = static_cast<int64_t>(random()) % (last + 1);
    request.window.to =
        request.window.from + static_cast<int64_t>(random() % 100);
    const auto map = MapOf(history, kStacks, request);
    ASSERT_TRUE(map.ok()) << map.status();
    ExpectLayersOf(history, *map);
    // The columns cover the window, and keep its peak.
    int64_t peak = 0;
    std::map<profile::StackId, int64_t> largest;
    for (size_t m = map->first; m <= map->last; ++m) {
      const auto held = Naive(history, m);
      peak = std::max(peak, Sum(held));
      for (const auto& [stack, bytes] : held) {
        largest[stack] = std::max(largest[stack], bytes);
      }
    }
    EXPECT_EQ(map->columns[map->peak_column].allocated, peak);
    for (const AllocatorMap::Layer& layer : map->layers) {
      EXPECT_EQ(layer.largest, largest[layer.stack]);
    }
    EXPECT_EQ(map->first, static_cast<size_t>(request.window.from));
    EXPECT_EQ(map->last,
              static_cast<size_t>(std::min(last, request.window.to)));
  }
}

TEST(AllocatorMapTest, AWindowOfTimesHasTheLevelsOfItsTimes) {
  std::mt19937 random(33);
  for (int round = 0; round < 60; ++round) {
    const AllocatorHistory history = RandomHistory(random, 2 + random() % 150);
    const std::vector<int64_t> times = MomentTimes(history);
    if (times.empty()) continue;
    MapRequest request{.columns = 1 + static_cast<int64_t>(random() % 30),
                       .owners = 3};
    request.window.by_time = true;
    request.window.from = static_cast<int64_t>(random()) % (times.back() + 1);
    request.window.to =
        request.window.from + static_cast<int64_t>(random() % 2000);
    const auto map = MapOf(history, kStacks, request);
    ASSERT_TRUE(map.ok()) << map.status();
    ExpectLayersOf(history, *map);
    for (size_t c = 0; c < map->columns.size(); ++c) {
      const int64_t from = map->columns[c].from;
      const int64_t to = c + 1 < map->columns.size()
                             ? map->columns[c + 1].from - 1
                             : std::min(request.window.to, times.back());
      int64_t most = 0;
      for (size_t m = 0; m < times.size(); ++m) {
        // A moment lasts until the next one.
        const bool lasts = m + 1 == times.size() || times[m + 1] > from;
        if (times[m] <= to && (times[m] >= from || lasts)) {
          most = std::max(most, Sum(Naive(history, m)));
        }
      }
      EXPECT_EQ(map->columns[c].allocated, most) << "column " << c;
    }
  }
}

TEST(AllocatorMapTest, AllocationsOfANarrowWindow) {
  AllocatorHistory history;
  history.events = {{.address = 1,
                     .bytes = 10,
                     .stack = 1,
                     .pair = 3,
                     .kind = Kind::kAllocate},
                    {.address = 2,
                     .bytes = 20,
                     .stack = 2,
                     .pair = 2,
                     .kind = Kind::kAllocate},
                    {.address = 2, .bytes = 20, .pair = 1, .kind = Kind::kFree},
                    {.address = 1, .bytes = 10, .pair = 0, .kind = Kind::kFree},
                    {.bytes = 99, .kind = Kind::kOutOfMemory}};
  MapRequest request;
  request.window = {.from = 2, .to = 5};
  const auto map = MapOf(history, kStacks, request);
  ASSERT_TRUE(map.ok());
  ASSERT_EQ(map->allocations.size(), 2u);
  EXPECT_EQ(map->allocations[0].address, 2u);
  EXPECT_EQ(map->allocations[0].made, 2u);
  EXPECT_EQ(map->allocations[0].freed, 3u);
  // It was made before the window.
  EXPECT_EQ(map->allocations[1].bytes, 10);
  EXPECT_EQ(map->allocations[1].made, 1u);
  EXPECT_EQ(map->allocations[1].stack, 1u);
  ASSERT_EQ(map->failures.size(), 1u);
  EXPECT_EQ(map->failures[0].moment, 5u);
  EXPECT_EQ(map->columns.size(), 4u);
}

TEST(AllocatorMapTest, Windows) {
  EXPECT_EQ(*ParseMapWindow("5:10"), (MapWindow{.from = 5, .to = 10}));
  EXPECT_EQ(ParseMapWindow("5:")->from, 5);
  EXPECT_EQ(
      *ParseMapWindow("1.5ms:2s"),
      (MapWindow{.by_time = true, .from = 1'500'000, .to = 2'000'000'000}));
  EXPECT_TRUE(ParseMapWindow(":3us")->by_time);
  for (const char* bad : {"", "5", "5:2s", "-1:4", "a:b", "1:2:3", "nans:1s"}) {
    EXPECT_FALSE(ParseMapWindow(bad).ok()) << bad;
  }
  AllocatorHistory history;
  history.events.resize(3);
  MapRequest request;
  request.window.from = 4;
  EXPECT_THAT(std::string(MapOf(history, 1, request).status().message()),
              HasSubstr("after the last event, 3"));
  request.window = {.from = 2, .to = 1};
  EXPECT_FALSE(MapOf(history, 1, request).ok());
  request.window = {.by_time = true};
  EXPECT_THAT(std::string(MapOf(history, 1, request).status().message()),
              HasSubstr("no times"));
}

TEST(AllocatorMapTest, ALevelWithoutOwnersIsOther) {
  MapRequest request{.columns = 2};
  const auto map = MapOfLevel({5, 9, 1, 2}, {0, 10, 20, 30}, request);
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(map->columns[0].other, 9);
  EXPECT_EQ(map->columns[1].other, 2);
  EXPECT_TRUE(map->layers.empty());
}

}  // namespace
}  // namespace tfprof::inspect
