// The memory levels of counters, in bytes. Counters do not know who holds the
// memory.

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "accounting/counter_levels.h"
#include "fmt/format.h"
#include "inspect/devices/memory_chart.h"
#include "timeline/account/step_wall.h"
#include "timeline/activity.h"
#include "util/arithmetic.h"

namespace tfprof::inspect {
namespace {

using Holder = MemoryChart::Holder;
using Series = MemoryChart::Series;

// The number of the largest rises of a series for which an operation is
// searched.
constexpr size_t kRises = 200;
// The number of series for whose rises operations are searched.
constexpr size_t kNamedSeries = 32;

// A part of the peak between two heights, and the time when the level last rose
// through it.
struct Rise {
  int64_t from = 0;
  int64_t to = 0;
  size_t sample = 0;
  int64_t time = 0;  // nanoseconds
  size_t series = 0;
  profile::ProcessId process = profile::kNone;
  // The shortest execution that contains the rise.
  int64_t length = std::numeric_limits<int64_t>::max();
  std::string name = "";
};

class Levels {
 public:
  Levels(views::Views& views, const profile::Step* step)
      : views_(views), step_(step) {}

  void Fill(MemoryChart& chart) {
    const profile::Profile& profile = views_.profile();
    std::vector<const profile::Counter*> counters;
    for (const profile::Counter& counter : profile.counters()) {
      if (accounting::PeakOf(profile, counter)) counters.push_back(&counter);
    }
    if (counters.empty()) return;
    FindWindow(counters);
    for (const profile::Counter* counter : counters) Add(*counter, chart);
    chart.length = std::max(chart.length, Ticks(end_ - begin_));
    KeepLargestSeries(chart);
    NameRises();
    for (Rise& rise : rises_) {
      Series& series = chart.series[rise.series];
      const int64_t bytes = rise.to - rise.from;
      if (rise.name.empty()) {
        series.unknown = util::SaturatingAdd(series.unknown, bytes);
        continue;
      }
      auto same = std::find_if(
          series.holders.begin(), series.holders.end(),
          [&](const Holder& holder) { return holder.name == rise.name; });
      if (same == series.holders.end()) {
        series.holders.push_back({std::move(rise.name), bytes});
      } else {
        same->bytes = util::SaturatingAdd(same->bytes, bytes);
      }
    }
    for (Series& series : chart.series) SortHolders(series.holders);
  }

 private:
  int64_t Ticks(int64_t nanos) const {
    const int64_t ticks = views_.profile().ticks_per_micro();
    return ticks >= profile::kNanosPerMicro
               ? util::SaturatingMul(nanos, ticks / profile::kNanosPerMicro)
               : profile::FloorDiv(nanos, profile::kNanosPerMicro / ticks);
  }

  // Finds the time range of all counters, or of the step. It is clamped to half
  // of the possible range, so that no difference overflows.
  void FindWindow(const std::vector<const profile::Counter*>& counters) {
    constexpr int64_t kFar = std::numeric_limits<int64_t>::max() / 4;
    if (step_ != nullptr) {
      timeline::Activities& activities = views_.Kept<timeline::Activities>();
      if (const auto span = timeline::StepSpan(activities, *step_)) {
        const int64_t ticks = views_.profile().ticks_per_micro();
        begin_ =
            std::clamp(profile::TicksToNanos(span->start, ticks), -kFar, kFar);
        end_ =
            std::clamp(profile::TicksToNanos(span->end, ticks), begin_, kFar);
        return;
      }
    }
    begin_ = kFar;
    end_ = -kFar;
    for (const profile::Counter* counter : counters) {
      begin_ = std::min(begin_, std::clamp(counter->time[0], -kFar, kFar));
      end_ = std::max(
          end_, std::clamp(counter->time[counter->size() - 1], -kFar, kFar));
    }
  }

  void Add(const profile::Counter& counter, MemoryChart& chart) {
    Series series;
    series.raised = true;
    series.name = NameOf(counter);
    double level = 0;
    size_t peak = 0;
    bool carried = false;  // the first sample continues the level before
    for (size_t i = 0; i < counter.size(); ++i) {
      level = accounting::LevelAfter(counter, i, level);
      const int64_t time = counter.time[i];
      if (time > end_) break;
      const auto bytes = static_cast<int64_t>(std::clamp(level, 0.0, 9e18));
      if (time < begin_) {
        carried = true;
        series.samples = {{.time = 0, .bytes = bytes}};
        series.peak = bytes;
        continue;
      }
      series.samples.push_back({.time = Ticks(time - begin_), .bytes = bytes});
      if (bytes <= series.peak) continue;
      series.peak = bytes;
      peak = series.samples.size() - 1;
    }
    if (series.peak <= 0) return;
    series.peak_time = series.samples[peak].time;
    series.peak_step = StepAt(*series.peak_time);
    AddRises(series, peak,
             carried || counter.kind == profile::Counter::Kind::kLevel,
             chart.series.size(), counter.process);
    chart.series.push_back(std::move(series));
  }

  // Finds the rises to the sample `peak`. `from_start`: the level at the first
  // sample existed before.
  void AddRises(Series& series, size_t peak, bool from_start, size_t number,
                profile::ProcessId process) {
    std::vector<Rise> rises;  // stacked by height
    for (size_t i = 0; i <= peak; ++i) {
      const int64_t bytes = series.samples[i].bytes;
      while (!rises.empty() && rises.back().from >= bytes) rises.pop_back();
      const int64_t top = rises.empty() ? 0 : rises.back().to;
      if (bytes < top) {
        rises.back().to = bytes;
      } else if (bytes > top) {
        rises.push_back({.from = top,
                         .to = bytes,
                         .sample = i,
                         .series = number,
                         .process = process});
      }
    }
    if (from_start && !rises.empty() && rises[0].sample == 0) {
      series.from_start = rises[0].to;
      rises.erase(rises.begin());
    }
    for (Rise& rise : rises) {
      rise.time = TimeOf(series.samples[rise.sample].time);
    }
    Keep(std::move(rises), series);
  }

  // Converts a time of the chart to nanoseconds.
  int64_t TimeOf(int64_t ticks) const {
    return util::SaturatingAdd(
        begin_,
        profile::TicksToNanos(ticks, views_.profile().ticks_per_micro()));
  }

  // Keeps the largest rises to the peak.
  void Keep(std::vector<Rise> rises, Series& series) {
    std::sort(rises.begin(), rises.end(), [](const Rise& a, const Rise& b) {
      return a.to - a.from > b.to - b.from;
    });
    for (size_t i = 0; i < rises.size(); ++i) {
      if (i < kRises) {
        rises_.push_back(std::move(rises[i]));
      } else {
        series.unknown += rises[i].to - rises[i].from;
      }
    }
  }

  // Drops the operations of all but the series with the largest peaks.
  void KeepLargestSeries(MemoryChart& chart) {
    std::vector<int64_t> peaks;
    for (const Series& series : chart.series) peaks.push_back(series.peak);
    if (peaks.size() <= kNamedSeries) return;
    std::nth_element(peaks.begin(), peaks.begin() + kNamedSeries, peaks.end(),
                     std::greater<>());
    std::erase_if(rises_, [&](const Rise& rise) {
      Series& series = chart.series[rise.series];
      if (series.peak > peaks[kNamedSeries]) return false;
      series.unknown += rise.to - rise.from;
      return true;
    });
  }

  std::string NameOf(const profile::Counter& counter) const {
    const profile::Profile& profile = views_.profile();
    std::string name(profile.strings().Get(counter.name));
    const profile::LaneTable& lanes = profile.lanes();
    if (lanes.num_processes() < 2 || counter.process >= lanes.num_processes()) {
      return name;
    }
    const profile::Process& process = lanes.process(counter.process);
    if (!process.label.empty())
      return fmt::format("{} {}", process.label, name);
    if (process.rank >= 0) return fmt::format("rank {} {}", process.rank, name);
    return name;
  }

  std::optional<int64_t> StepAt(int64_t time) const {
    if (step_ != nullptr) return step_->id;
    timeline::Activities& activities = views_.Kept<timeline::Activities>();
    const int64_t at = util::SaturatingAdd(time, Ticks(begin_));
    for (const auto& step : views_.profile().steps()) {
      if (!step->listed) continue;
      const auto span = timeline::StepSpan(activities, *step);
      if (span && span->start <= at && at < span->end) return step->id;
    }
    return std::nullopt;
  }

  // Finds the operation for each rise: the shortest execution around it on the
  // host of its process.
  void NameRises() {
    const profile::Profile& profile = views_.profile();
    if (rises_.empty()) return;
    std::sort(rises_.begin(), rises_.end(),
              [](const Rise& a, const Rise& b) { return a.time < b.time; });
    const timeline::Activities& activities =
        views_.Kept<timeline::Activities>();
    const int64_t ticks = profile.ticks_per_micro();
    for (const auto& step : profile.steps()) {
      size_t group = 0;
      for (size_t e = 0; e < step->num_records(); ++e) {
        const bool outside = e >= step->num_executions();
        while (!outside && step->exec_end(group) <= e) ++group;
        const auto work = activities.SpanAt(*step, e);
        if (!work || activities.units()[work->unit].accelerator) continue;
        const int64_t start = profile::TicksToNanos(work->time.start, ticks);
        const int64_t end = profile::TicksToNanos(work->time.end, ticks);
        const int64_t length = util::WrapSub(end, start);
        for (auto rise = std::lower_bound(
                 rises_.begin(), rises_.end(), start,
                 [](const Rise&r, int64_t time) { return r.time < time; });
             rise != rises_.end() && rise->time <= end; ++rise) {
          if (length >= rise->length ||
              activities.units()[work->unit].process != rise->process) {
            continue;
          }
          rise->length = length;
          rise->name = std::string(
              outside ? profile.strings().Get(step->OutsideName(e))
                      : profile.node_name(
                            static_cast<profile::NodeId>(step->node[group])));
        }
      }
    }
  }

  views::Views& views_;
  const profile::Step* step_;
  int64_t begin_ = 0;  // nanoseconds
  int64_t end_ = 0;
  std::vector<Rise> rises_;
};

}  // namespace

void AddCounterLevels(views::Views& views, const profile::Step* step,
                      MemoryChart& chart) {
  Levels(views, step).Fill(chart);
}

}  // namespace tfprof::inspect
