#include "inspect/devices/allocator_map.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "accounting/allocator_levels.h"
#include "fmt/format.h"
#include "util/arithmetic.h"

namespace tfprof::inspect {
namespace {

using profile::AllocatorBlock;
using profile::AllocatorEvent;
using profile::AllocatorHistory;
using profile::kNone;
using EventKind = AllocatorEvent::Kind;

absl::Status BadMapWindow(std::string_view text) {
  return absl::InvalidArgumentError(fmt::format(
      "'{}' is no window: give two numbers of events, as 100:2000, or two "
      "times with a unit, as 1.5ms:2s",
      text));
}

// Reads one end of a window. False: it is neither a number nor a time.
bool ParseMapEnd(std::string_view text, bool& by_time, int64_t& value) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  for (const auto& [unit, nanos] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const std::string_view number = text.substr(0, text.size() - unit.size());
    double amount = 0;
    if (!absl::SimpleAtod(absl::string_view(number.data(), number.size()),
                          &amount) ||
        !(amount >= 0) || amount * nanos > 9e18) {
      return false;
    }
    by_time = true;
    value = std::llround(amount * nanos);
    return true;
  }
  by_time = false;
  return absl::SimpleAtoi(absl::string_view(text.data(), text.size()),
                          &value) &&
         value >= 0;
}

// The columns of a window, while the moments pass in their order.
class ColumnMaker {
 public:
  // `times` is only used for a window of times.
  static absl::StatusOr<ColumnMaker> Make(const MapRequest& request,
                                          size_t last_moment,
                                          const std::vector<int64_t>& times,
                                          AllocatorMap& map) {
    const MapWindow& window = request.window;
    if (window.from > window.to) {
      return absl::InvalidArgumentError("the window ends before it begins");
    }
    if (window.by_time && times.empty()) {
      return absl::InvalidArgumentError(
          "the events have no times: give the window in events");
    }
    const int64_t end =
        window.by_time ? times.back() : static_cast<int64_t>(last_moment);
    if (window.from > end) {
      return absl::InvalidArgumentError(
          window.by_time
              ? fmt::format("the window begins after the last event, which is "
                            "at {} ns",
                            end)
              : fmt::format("the window begins after the last event, {}", end));
    }
    ColumnMaker maker(map, times);
    map.by_time = window.by_time;
    maker.from_ = window.from;
    maker.to_ = std::min(window.to, end);
    if (window.by_time) {
      const auto begin =
          std::lower_bound(times.begin(), times.end(), maker.from_);
      map.first = static_cast<size_t>(begin - times.begin());
      // The level at the beginning comes from an earlier event.
      if (*begin > maker.from_ && map.first > 0) --map.first;
      map.last = static_cast<size_t>(
          std::upper_bound(begin, times.end(), maker.to_) - times.begin());
      map.last = std::max(map.first, map.last - std::min<size_t>(map.last, 1));
    } else {
      map.first = static_cast<size_t>(maker.from_);
      map.last = static_cast<size_t>(maker.to_);
    }
    const int64_t length = maker.to_ - maker.from_ + 1;
    map.columns.resize(
        static_cast<size_t>(std::clamp<int64_t>(request.columns, 1, length)));
    for (size_t c = 0; c < map.columns.size(); ++c) {
      // The first place whose column is c.
      const auto wide =
          static_cast<__int128>(c) * length + map.columns.size() - 1;
      map.columns[c].from =
          maker.from_ +
          static_cast<int64_t>(wide / static_cast<int64_t>(map.columns.size()));
    }
    maker.seen_.resize(map.columns.size());
    return maker;
  }

  void Visit(size_t moment, int64_t allocated, int64_t reserved) {
    if (moment < map_->first || moment > map_->last) return;
    const size_t column = ColumnOf(moment);
    // A level lasts until the next event, through columns without one.
    for (size_t c = column_ + 1; moment > map_->first && c <= column; ++c) {
      if (!map_->by_time) break;
      if ((*times_)[moment] > map_->columns[c].from) {
        Show(c, moment - 1, allocated_, reserved_);
      }
    }
    Show(column, moment, allocated, reserved);
    column_ = column;
    allocated_ = allocated;
    reserved_ = reserved;
  }

  // Completes the columns after the last event.
  void Finish() {
    for (size_t c = column_ + 1; c < map_->columns.size(); ++c) {
      Show(c, map_->last, allocated_, reserved_);
    }
    for (size_t c = 0; c < map_->columns.size(); ++c) {
      if (map_->columns[c].allocated >
          map_->columns[map_->peak_column].allocated) {
        map_->peak_column = c;
      }
    }
  }

 private:
  ColumnMaker(AllocatorMap& map, const std::vector<int64_t>& times)
      : map_(&map), times_(&times) {}

  size_t ColumnOf(size_t moment) const {
    const int64_t place =
        map_->by_time ? (*times_)[moment] : static_cast<int64_t>(moment);
    const auto columns = static_cast<__int128>(map_->columns.size());
    const __int128 column = (static_cast<__int128>(place) - from_) * columns /
                            (static_cast<__int128>(to_) - from_ + 1);
    return static_cast<size_t>(std::clamp<__int128>(column, 0, columns - 1));
  }

  void Show(size_t c, size_t moment, int64_t allocated, int64_t reserved) {
    AllocatorMap::Column& column = map_->columns[c];
    if (!seen_[c] || allocated > column.allocated) {
      column.allocated = allocated;
      column.moment = moment;
    }
    column.reserved = seen_[c] ? std::max(column.reserved, reserved) : reserved;
    seen_[c] = true;
  }

  AllocatorMap* map_;
  const std::vector<int64_t>* times_;
  int64_t from_ = 0;
  int64_t to_ = 0;
  std::vector<bool> seen_;
  size_t column_ = 0;
  int64_t allocated_ = 0;  // at the moment before
  int64_t reserved_ = 0;
};

// The memory of each stack while the events pass.
class StackLevels {
 public:
  StackLevels(const AllocatorHistory& history, size_t num_stacks)
      : history_(history), bytes_(num_stacks), count_(num_stacks) {
    for (const AllocatorEvent& event : history.events) {
      if (event.kind == EventKind::kFree && event.pair == kNone) {
        Add(profile::kNoStack, event.bytes, 1);
      }
    }
    for (const AllocatorBlock& block : history.blocks) {
      if (block.state != AllocatorBlock::State::kFree && !block.seen) {
        Add(block.stack, block.requested, 1);
      }
    }
  }

  // Returns the stack whose memory changes; no value: none does.
  std::optional<profile::StackId> Apply(const AllocatorEvent& event) {
    if (event.kind == EventKind::kAllocate) {
      return Add(event.stack, event.bytes, 1);
    }
    if (event.kind != EventKind::kFree) return std::nullopt;
    if (event.pair == kNone) return Add(profile::kNoStack, -event.bytes, -1);
    const AllocatorEvent& made = history_.events[event.pair];
    return Add(made.stack, -made.bytes, -1);
  }

  int64_t bytes(profile::StackId stack) const { return bytes_[stack]; }
  int64_t count(profile::StackId stack) const { return count_[stack]; }
  size_t size() const { return bytes_.size(); }

 private:
  profile::StackId Add(profile::StackId stack, int64_t bytes, int64_t count) {
    bytes_[stack] = util::WrapAdd(bytes_[stack], bytes);
    count_[stack] += count;
    return stack;
  }

  const AllocatorHistory& history_;
  std::vector<int64_t> bytes_;
  std::vector<int64_t> count_;
};

// Finds the columns and the largest owners. A stack that held nothing in the
// window has a negative level.
std::vector<int64_t> FindColumns(const AllocatorHistory& history,
                                 size_t num_stacks, ColumnMaker& maker,
                                 AllocatorMap& map) {
  const accounting::AllocatorLevels levels = accounting::LevelsOf(history);
  StackLevels held(history, num_stacks);
  std::vector<int64_t> largest(num_stacks, -1);
  const auto enter = [&] {
    for (profile::StackId s = 0; s < num_stacks; ++s) {
      if (held.count(s) > 0) largest[s] = held.bytes(s);
    }
  };
  if (map.first == 0) enter();
  maker.Visit(0, levels.allocated.start, levels.reserved.start);
  accounting::ForEachLevel(
      history, levels, [&](size_t i, int64_t allocated, int64_t reserved) {
        const size_t moment = i + 1;
        if (moment > map.last) return;
        const AllocatorEvent& event = history.events[i];
        const std::optional<profile::StackId> changed = held.Apply(event);
        if (moment == map.first) {
          enter();
        } else if (moment > map.first && changed && held.count(*changed) > 0) {
          largest[*changed] = std::max(largest[*changed], held.bytes(*changed));
        }
        if (moment >= map.first && event.kind == EventKind::kOutOfMemory) {
          map.failures.push_back(
              {.moment = moment,
               .requested = event.bytes,
               .device_free = static_cast<int64_t>(event.address),
               .allocated = allocated,
               .reserved = reserved,
               .stack = event.stack});
        }
        maker.Visit(moment, allocated, reserved);
      });
  maker.Finish();
  return largest;
}

void ChooseLayers(const std::vector<int64_t>& largest, int64_t most,
                  AllocatorMap& map) {
  std::vector<profile::StackId> owners;
  for (profile::StackId s = 0; s < largest.size(); ++s) {
    if (largest[s] >= 0) owners.push_back(s);
  }
  map.num_owners = owners.size();
  const auto kept = static_cast<long>(
      std::min(owners.size(), static_cast<size_t>(std::max<int64_t>(most, 0))));
  std::partial_sort(owners.begin(), owners.begin() + kept, owners.end(),
                    [&](profile::StackId a, profile::StackId b) {
                      return largest[a] != largest[b] ? largest[a] > largest[b]
                                                      : a < b;
                    });
  for (long i = 0; i < kept; ++i) {
    const profile::StackId stack = owners[static_cast<size_t>(i)];
    map.layers.push_back({.stack = stack, .largest = largest[stack]});
  }
}

// Fills the layers of the columns, whose moments do not decrease.
void FillLayers(const AllocatorHistory& history, size_t num_stacks,
                AllocatorMap& map) {
  StackLevels held(history, num_stacks);
  size_t next = 0;
  const auto fill = [&](size_t moment) {
    for (; next < map.columns.size() && map.columns[next].moment == moment;
         ++next) {
      AllocatorMap::Column& column = map.columns[next];
      column.other = column.allocated;
      for (AllocatorMap::Layer& layer : map.layers) {
        const int64_t bytes = held.bytes(layer.stack);
        column.layers.push_back(bytes);
        column.other = util::WrapSub(column.other, bytes);
        if (next != map.peak_column) continue;
        layer.bytes = bytes;
        layer.count = held.count(layer.stack);
      }
    }
  };
  fill(0);
  for (size_t i = 0; i < map.last; ++i) {
    held.Apply(history.events[i]);
    fill(i + 1);
  }
}

// Counts the allocations of the layers in the whole history.
void CountLives(const AllocatorHistory& history, size_t num_stacks,
                AllocatorMap& map) {
  std::vector<int32_t> places(num_stacks, -1);
  for (size_t i = 0; i < map.layers.size(); ++i) {
    places[map.layers[i].stack] = static_cast<int32_t>(i);
  }
  std::vector<int64_t> timed(map.layers.size());
  for (const AllocatorEvent& event : history.events) {
    if (event.kind == EventKind::kAllocate) {
      const int32_t place = places[event.stack];
      if (place >= 0) ++map.layers[static_cast<size_t>(place)].made;
    } else if (event.kind == EventKind::kFree && event.pair != kNone) {
      const AllocatorEvent& made = history.events[event.pair];
      const int32_t place = places[made.stack];
      if (place < 0) continue;
      AllocatorMap::Layer& layer = map.layers[static_cast<size_t>(place)];
      ++layer.freed;
      if (event.time == AllocatorEvent::kNoTime ||
          made.time == AllocatorEvent::kNoTime || event.time < made.time) {
        continue;
      }
      ++timed[static_cast<size_t>(place)];
      layer.mean_life += static_cast<double>(event.time - made.time);
    }
  }
  for (size_t i = 0; i < map.layers.size(); ++i) {
    if (timed[i] > 0) map.layers[i].mean_life /= static_cast<double>(timed[i]);
  }
}

void FindAllocations(const AllocatorHistory& history, AllocatorMap& map) {
  const size_t begin = map.first == 0 ? 0 : map.first - 1;
  const auto freed = [](const AllocatorEvent& event) {
    return event.pair == kNone ? std::optional<size_t>()
                               : size_t{event.pair} + 1;
  };
  for (size_t i = begin; i < map.last; ++i) {
    const AllocatorEvent& event = history.events[i];
    AllocatorMap::Allocation found{.address = event.address,
                                   .bytes = event.bytes,
                                   .stack = event.stack,
                                   .op = event.op};
    if (event.kind == EventKind::kAllocate) {
      found.made = i + 1;
      found.freed = freed(event);
    } else if (event.kind == EventKind::kFree) {
      found.freed = i + 1;
      if (event.pair != kNone) {
        // Its own event is in the window, and has added it.
        if (event.pair >= begin) continue;
        const AllocatorEvent& made = history.events[event.pair];
        found.made = size_t{event.pair} + 1;
        found.bytes = made.bytes;
        found.stack = made.stack;
        found.op = made.op;
      } else {
        found.stack = profile::kNoStack;
        found.op = kNone;
      }
    } else {
      continue;
    }
    ++map.num_allocations;
    if (map.num_allocations <= AllocatorMap::kMostAllocations) {
      map.allocations.push_back(found);
    }
  }
  // A part of them would look like all.
  if (map.num_allocations > AllocatorMap::kMostAllocations) {
    map.allocations.clear();
  }
}

}  // namespace

absl::StatusOr<MapWindow> ParseMapWindow(std::string_view text) {
  MapWindow window;
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return BadMapWindow(text);
  const std::string_view from = text.substr(0, colon);
  const std::string_view to = text.substr(colon + 1);
  bool from_by_time = false;
  bool to_by_time = false;
  if ((!from.empty() && !ParseMapEnd(from, from_by_time, window.from)) ||
      (!to.empty() && !ParseMapEnd(to, to_by_time, window.to)) ||
      (!from.empty() && !to.empty() && from_by_time != to_by_time)) {
    return BadMapWindow(text);
  }
  window.by_time = from_by_time || to_by_time;
  return window;
}

std::vector<int64_t> MomentTimes(const AllocatorHistory& history) {
  std::vector<int64_t> times;
  std::optional<int64_t> begin;
  for (const AllocatorEvent& event : history.events) {
    if (event.time == AllocatorEvent::kNoTime) continue;
    begin = std::min(begin.value_or(event.time), event.time);
  }
  if (!begin) return times;
  times.reserve(history.events.size() + 1);
  times.push_back(0);
  for (const AllocatorEvent& event : history.events) {
    times.push_back(event.time == AllocatorEvent::kNoTime
                        ? times.back()
                        : std::max(times.back(), event.time - *begin));
  }
  return times;
}

absl::StatusOr<AllocatorMap> MapOf(const AllocatorHistory& history,
                                   size_t num_stacks,
                                   const MapRequest& request) {
  AllocatorMap map;
  const std::vector<int64_t> times =
      request.window.by_time ? MomentTimes(history) : std::vector<int64_t>();
  absl::StatusOr<ColumnMaker> maker =
      ColumnMaker::Make(request, history.events.size(), times, map);
  if (!maker.ok()) return maker.status();
  const std::vector<int64_t> largest =
      FindColumns(history, num_stacks, *maker, map);
  ChooseLayers(largest, request.owners, map);
  FillLayers(history, num_stacks, map);
  CountLives(history, num_stacks, map);
  FindAllocations(history, map);
  return map;
}

absl::StatusOr<AllocatorMap> MapOfLevel(const std::vector<int64_t>& levels,
                                        const std::vector<int64_t>& times,
                                        const MapRequest& request) {
  AllocatorMap map;
  if (levels.empty()) {
    return absl::InvalidArgumentError("the level has no samples");
  }
  absl::StatusOr<ColumnMaker> maker =
      ColumnMaker::Make(request, levels.size() - 1, times, map);
  if (!maker.ok()) return maker.status();
  for (size_t i = 0; i < levels.size(); ++i) maker->Visit(i, levels[i], 0);
  maker->Finish();
  for (AllocatorMap::Column& column : map.columns) {
    column.other = column.allocated;
  }
  return map;
}

}  // namespace tfprof::inspect
