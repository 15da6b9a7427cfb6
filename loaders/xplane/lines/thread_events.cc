#include "loaders/xplane/lines/thread_events.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "loaders/xplane/planes/event_names.h"
#include "profile/tables/string_pool.h"

namespace tfprof::xplane {
namespace {

using Pair = std::pair<uint32_t, uint32_t>;

// The role of an event for its stack, by key.
enum class Place : uint8_t { kInStack, kIsFrame, kNoStack };

std::vector<Place> PlacesOfKeys(const XPlane& plane, const LineEvents& line) {
  std::vector<Place> places;
  for (const EventKey& key : line.keys) {
    const EventMetadata& metadata = plane.events[key.metadata];
    const EventKind kind = KindOfEvent(metadata.name, metadata.display_name);
    // Instructions have their own stacks.
    places.push_back(!key.hlo_op.empty()          ? Place::kNoStack
                     : kind == EventKind::kPython ? Place::kIsFrame
                     : kind == EventKind::kHidden ? Place::kNoStack
                     : kind == EventKind::kMemory ? Place::kNoStack
                                                  : Place::kInStack);
  }
  return places;
}

// Numbers pairs in the order of first occurrence.
class Numbers {
 public:
  // Returns the number of the pair, and whether it is new.
  std::pair<uint32_t, bool> Of(Pair pair) {
    if (pair == last_ && known_) return {last_number_, false};
    const auto [it, is_new] =
        numbers_.try_emplace(pair, static_cast<uint32_t>(numbers_.size()));
    last_ = pair;
    last_number_ = it->second;
    known_ = true;
    return {it->second, is_new};
  }

 private:
  absl::flat_hash_map<Pair, uint32_t> numbers_;
  Pair last_;
  uint32_t last_number_ = 0;
  bool known_ = false;
};

loaders::InsideTimes InsideOf(const std::vector<Event>& events,
                              const loaders::Nesting& nesting) {
  loaders::InsideTimes inside;
  for (uint32_t i = 0; i < events.size(); ++i) {
    const int64_t time = events[i].duration - nesting.self[i];
    if (time > 0) inside.push_back({i, time});
  }
  return inside;
}

}  // namespace

ThreadNesting NestThread(const XPlane& plane, LineEvents& line) {
  ThreadNesting thread;
  thread.stacks.push_back({});
  const std::vector<Place> places = PlacesOfKeys(plane, line);
  if (std::find(places.begin(), places.end(), Place::kIsFrame) ==
      places.end()) {
    for (uint32_t key = 0; key < line.keys.size(); ++key) {
      thread.groups.push_back({.key = key});
    }
    // Memory events belong to the events around them, which needs the nesting.
    if (line.memory.empty()) {
      thread.inside = loaders::FindInsideTimes(line.events);
    } else {
      thread.nesting = loaders::Nest(line.events);
      thread.inside = InsideOf(line.events, thread.nesting);
    }
    return thread;
  }
  thread.nesting = loaders::Nest(line.events);
  thread.inside = InsideOf(line.events, thread.nesting);
  std::vector<uint32_t> stack_in(line.events.size(), 0);
  Numbers stacks, groups;
  for (const uint32_t i : thread.nesting.order) {
    Event& event = line.events[i];
    const uint32_t parent = thread.nesting.parent[i];
    uint32_t stack = parent == profile::kNone ? 0 : stack_in[parent];
    if (places[event.key] == Place::kIsFrame) {
      const uint32_t metadata = line.keys[event.key].metadata;
      const auto [number, is_new] = stacks.Of({stack, metadata});
      if (is_new) thread.stacks.push_back({stack, metadata});
      stack = number + 1;  // 0 is the empty stack
    }
    stack_in[i] = stack;
    const uint32_t of_group = places[event.key] == Place::kNoStack ? 0 : stack;
    const auto [group, is_new] = groups.Of({event.key, of_group});
    if (is_new) thread.groups.push_back({event.key, of_group});
    event.group = group;
  }
  return thread;
}

}  // namespace tfprof::xplane
