// The memory of snapshots: levels over the events of an allocator, the stacks
// that held the memory at the peak or never freed it, and the segments.

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/allocator_growth.h"
#include "accounting/allocator_levels.h"
#include "fmt/format.h"
#include "inspect/devices/memory_chart.h"
#include "profile/steps/time_column.h"
#include "util/arithmetic.h"
#include "views/allocation_line.h"

namespace tfprof::inspect {
namespace {

using profile::AllocatorEvent;
using profile::AllocatorHistory;
using Holder = MemoryChart::Holder;
using Series = MemoryChart::Series;

// The most samples of a curve. A longer one keeps the highest level of each
// piece of time.
constexpr size_t kMostSamples = 20'000;

class SnapshotLevels {
 public:
  SnapshotLevels(const profile::Profile& profile, MemoryChart& chart)
      : profile_(profile), chart_(chart) {}

  void Add(const AllocatorHistory& history,
           const accounting::AllocatorLevels& of_history) {
    MemoryChart::Allocator& allocator = chart_.allocators.emplace_back();
    allocator.name = history.name;
    allocator.has_events = !history.events.empty();
    for (const profile::AllocatorSegment& segment : history.segments) {
      allocator.segments.push_back(
          {.address = segment.address,
           .stream = segment.stream,
           .small = segment.small,
           .expandable = segment.expandable,
           .sums = accounting::SumsOf(history, segment)});
    }
    allocator.sums = accounting::SumsOf(history);
    allocator.levels = of_history;
    if (!allocator.has_events) {
      allocator.held_at_end =
          Holders(accounting::HeldAtPeak(history, of_history));
      return;
    }
    FindBegin(history);
    allocator.never_freed = Holders(accounting::NeverFreed(history));
    AddGrowth(history, allocator);
    AddFailures(history, allocator);
    AddSeries(history, allocator.levels);
  }

 private:
  int64_t Ticks(int64_t nanos) const {
    return nanos / (profile::kNanosPerMicro / profile_.ticks_per_micro());
  }

  void FindBegin(const AllocatorHistory& history) {
    begin_.reset();
    for (const AllocatorEvent& event : history.events) {
      if (event.time == AllocatorEvent::kNoTime) continue;
      begin_ = std::min(begin_.value_or(event.time), event.time);
      end_ = std::max(end_, event.time);
    }
    if (begin_) {
      chart_.length = std::max(chart_.length, Ticks(end_ - *begin_));
    }
  }

  // Ticks since the first event of the device; nullopt: the event has no time.
  std::optional<int64_t> TimeOf(const AllocatorEvent& event) const {
    if (!begin_ || event.time == AllocatorEvent::kNoTime) return std::nullopt;
    return Ticks(event.time - *begin_);
  }

  void AddSeries(const AllocatorHistory& history,
                 const accounting::AllocatorLevels& levels) {
    const auto make = [&](std::string_view what,
                          const accounting::AllocatorLevels::Level& level) {
      Series series{.name = fmt::format("{} {}", history.name, what),
                    .peak = level.peak,
                    .from_start = level.start,
                    .end = level.end};
      if (level.peak_event) {
        series.peak_time = TimeOf(history.events[*level.peak_event]);
      }
      series.samples.push_back({0, level.start});
      return series;
    };
    Series allocated = make("allocated", levels.allocated);
    Series reserved = make("reserved", levels.reserved);
    accounting::ForEachLevel(
        history, levels,
        [&](size_t event, int64_t allocated_bytes, int64_t reserved_bytes) {
          const std::optional<int64_t> time = TimeOf(history.events[event]);
          if (!time) return;
          AddSample(*time, allocated_bytes, allocated);
          AddSample(*time, reserved_bytes, reserved);
        });
    allocated.holders = Holders(accounting::HeldAtPeak(history, levels));
    for (Series* series : {&allocated, &reserved}) {
      // A level lasts until the recording ends.
      const int64_t end = begin_ ? Ticks(end_ - *begin_) : 0;
      if (series->samples.back().time < end) {
        series->samples.push_back({end, series->samples.back().bytes});
      }
      Thin(*series);
      chart_.series.push_back(std::move(*series));
    }
  }

  static void AddSample(int64_t time, int64_t bytes, Series& series) {
    if (series.samples.back().bytes == bytes) return;
    series.samples.push_back({time, bytes});
  }

  // Keeps the highest sample of each piece, and the last of all.
  static void Thin(Series& series) {
    std::vector<MemoryChart::Sample>& samples = series.samples;
    if (samples.size() <= kMostSamples) return;
    const size_t piece = samples.size() / kMostSamples + 1;
    std::vector<MemoryChart::Sample> kept;
    for (size_t begin = 0; begin < samples.size(); begin += piece) {
      const auto first = samples.begin() + static_cast<long>(begin);
      const auto last = samples.begin() + static_cast<long>(std::min(
                                              begin + piece, samples.size()));
      kept.push_back(*std::max_element(
          first, last,
          [](const MemoryChart::Sample& a, const MemoryChart::Sample& b) {
            return a.bytes < b.bytes;
          }));
    }
    kept.push_back(samples.back());
    samples = std::move(kept);
  }

  void AddGrowth(const AllocatorHistory& history,
                 MemoryChart::Allocator& allocator) const {
    const accounting::AllocatorGrowth growth =
        accounting::GrowthOf(history, profile_.strings());
    allocator.parts = growth.parts;
    allocator.parts_are_steps = growth.parts_are_steps;
    for (const accounting::AllocatorGrowth::Owner& owner : growth.owners) {
      allocator.growing.push_back(
          {.holder = {.name = LineOf(owner.stack),
                      .bytes = owner.bytes,
                      .count = owner.count,
                      .stack = views::StackText(profile_.graph(), owner.stack)},
           .bytes_per_part = owner.bytes_per_part,
           .parts = owner.parts});
    }
  }

  void AddFailures(const AllocatorHistory& history,
                   MemoryChart::Allocator& allocator) const {
    accounting::ForEachLevel(
        history, allocator.levels,
        [&](size_t i, int64_t allocated, int64_t reserved) {
          const AllocatorEvent& event = history.events[i];
          if (event.kind != AllocatorEvent::Kind::kOutOfMemory) return;
          const std::optional<int64_t> time = TimeOf(event);
          allocator.failures.push_back(
              {.time = time.value_or(0),
               .has_time = time.has_value(),
               .requested = event.bytes,
               .device_free = static_cast<int64_t>(event.address),
               .allocated = allocated,
               .reserved = reserved,
               .name = LineOf(event.stack)});
        });
  }

  // One holder for each stack, the largest first.
  std::vector<Holder> Holders(
      const std::vector<accounting::HeldMemory>& held) const {
    std::vector<Holder> holders;
    std::map<profile::StackId, size_t> places;
    for (const accounting::HeldMemory& one : held) {
      const auto [place, is_new] =
          places.try_emplace(one.stack, holders.size());
      if (is_new) {
        holders.push_back(
            {.name = LineOf(one.stack),
             .stack = views::StackText(profile_.graph(), one.stack)});
      }
      Holder& holder = holders[place->second];
      holder.bytes = util::SaturatingAdd(holder.bytes, one.bytes);
      holder.count += one.count;
    }
    std::stable_sort(
        holders.begin(), holders.end(), [](const Holder& a, const Holder& b) {
          return a.bytes != b.bytes ? a.bytes > b.bytes : a.count > b.count;
        });
    return holders;
  }

  std::string LineOf(profile::StackId stack) const {
    return views::AllocationLine(profile_.graph(), stack);
  }

  const profile::Profile& profile_;
  MemoryChart& chart_;
  std::optional<int64_t> begin_;  // of the device's events
  int64_t end_ = 0;
};

}  // namespace

void AddSnapshots(const profile::Profile& profile, MemoryChart& chart) {
  chart.is_snapshot = !profile.allocators().empty();
  SnapshotLevels levels(profile, chart);
  using WithLevels =
      std::pair<const AllocatorHistory*, accounting::AllocatorLevels>;
  std::vector<WithLevels> histories;
  for (const AllocatorHistory& history : profile.allocators()) {
    histories.emplace_back(&history, accounting::LevelsOf(history));
  }
  std::stable_sort(histories.begin(), histories.end(),
                   [](const WithLevels& a, const WithLevels& b) {
                     return a.second.reserved.peak > b.second.reserved.peak;
                   });
  for (const auto& [history, of_history] : histories) {
    levels.Add(*history, of_history);
  }
}

}  // namespace tfprof::inspect
