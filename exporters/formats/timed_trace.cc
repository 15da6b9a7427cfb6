#include "exporters/formats/timed_trace.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "fmt/format.h"
#include "profile/details.h"
#include "profile/steps/time_column.h"
#include "timeline/dataflow.h"

namespace tfprof::exporters {
namespace {

// Adds the span of the executions of each step in each process.
void AddSpans(const profile::Profile& profile, const timeline::Tracks& tracks,
              std::vector<TimedStep>& spans) {
  std::map<std::pair<profile::ProcessId, uint32_t>, TimedStep> by_process;
  for (const timeline::EventTrack& track : tracks.all()) {
    for (const timeline::TrackEvent& event : tracks.Events(track)) {
      const profile::Step& step = *profile.steps()[event.step];
      if (!step.listed) continue;
      const auto [it, is_new] = by_process.try_emplace(
          {track.process, event.step},
          TimedStep{track.process, step.id, "", event.start, event.end});
      it->second.start = std::min(it->second.start, event.start);
      it->second.end = std::max(it->second.end, event.end);
    }
  }
  for (const auto& [key, span] : by_process) spans.push_back(span);
}

timeline::TrackOptions OptionsOf(const TraceOptions& options) {
  timeline::TrackOptions of;
  if (options.clocks != nullptr) of.clock_offsets = options.clocks->of_lane;
  of.is_communication = options.is_communication;
  return of;
}

}  // namespace

TimedTrace::TimedTrace(const profile::Profile& profile, TraceOptions options)
    : profile_(profile),
      options_(std::move(options)),
      steps_(timeline::PlacesOfSteps(profile, options_.step)),
      tracks_(profile, steps_, OptionsOf(options_)) {}

std::vector<TimedStep> TimedTrace::StepSpans() const {
  std::vector<TimedStep> spans;
  const profile::StepIntervals& intervals = profile_.step_intervals();
  if (intervals.size() == 0) {
    AddSpans(profile_, tracks_, spans);
    return spans;
  }
  const auto ticks = [&](int64_t nanos) {
    const int64_t per_micro = profile_.ticks_per_micro();
    return per_micro >= profile::kNanosPerMicro
               ? util::SaturatingMul(nanos, per_micro / profile::kNanosPerMicro)
               : profile::FloorDiv(nanos, profile::kNanosPerMicro / per_micro);
  };
  for (const size_t place : steps_) {
    const auto [first, end] = intervals.RowsOf(profile_.steps()[place]->id);
    for (size_t i = first; i < end; ++i) {
      const profile::StepInterval interval = intervals[i];
      const int64_t offset = options_.clocks == nullptr
                                 ? 0
                                 : options_.clocks->OfProcess(interval.process);
      spans.push_back({interval.process, interval.step,
                       interval.name == profile::kNone
                           ? std::string_view()
                           : profile_.strings().Get(interval.name),
                       util::SaturatingAdd(ticks(interval.start), offset),
                       util::SaturatingAdd(ticks(interval.end), offset)});
    }
  }
  std::stable_sort(
      spans.begin(), spans.end(), [](const TimedStep& a, const TimedStep& b) {
        return std::tie(a.process, a.start) < std::tie(b.process, b.start);
      });
  return spans;
}

uint32_t TimedTrace::PlaceOfStep(int64_t step) const {
  const auto& steps = profile_.steps();
  const auto found =
      std::lower_bound(steps.begin(), steps.end(), step,
                       [](const auto& of, int64_t id) { return of->id < id; });
  if (found == steps.end() || (*found)->id != step) return profile::kNone;
  return static_cast<uint32_t>(found - steps.begin());
}

std::vector<profile::Link> TimedTrace::Arrows() const {
  std::vector<profile::Link> arrows;
  if (!options_.arrows) return arrows;
  const auto is_shown = [&](const profile::ExecutionRef& at) {
    return PlaceOfStep(at.step) != profile::kNone &&
           TrackOf(at) != profile::kNone;
  };
  const profile::Links& links = profile_.links();
  for (size_t i = 0; i < links.size(); ++i) {
    const profile::Link link = links[i];
    if (is_shown(link.from) && is_shown(link.to)) arrows.push_back(link);
  }
  for (const size_t place : steps_) {
    for (const profile::Link& link : timeline::DataflowOf(profile_, place)) {
      const uint32_t from = tracks_.TrackOf(place, link.from.index);
      const uint32_t to = tracks_.TrackOf(place, link.to.index);
      if (from == profile::kNone || to == profile::kNone || from == to)
        continue;
      arrows.push_back(link);
    }
  }
  return arrows;
}

int64_t TimedTrace::OffsetNanos(profile::ProcessId process) const {
  if (options_.clocks == nullptr) return 0;
  return profile::TicksToNanos(options_.clocks->OfProcess(process),
                               profile_.ticks_per_micro());
}

std::vector<TimedCounter> TimedTrace::Counters() const {
  std::vector<TimedCounter> counters;
  if (options_.memory) AddMemory(counters);
  if (options_.step >= 0) return counters;
  const auto text = [&](profile::StringId id, std::string_view none) {
    return std::string(id == profile::kNone ? none
                                            : profile_.strings().Get(id));
  };
  for (const profile::Counter& counter : profile_.counters()) {
    TimedCounter& added = counters.emplace_back();
    added.process = counter.process;
    added.name = text(counter.name, "counter");
    added.unit = text(counter.unit, "");
    const int64_t offset = OffsetNanos(counter.process);
    double level = 0;
    for (size_t i = 0; i < counter.size(); ++i) {
      level = counter.kind == profile::Counter::Kind::kChange
                  ? level + counter.value[i]
                  : counter.value[i];
      added.samples.emplace_back(util::SaturatingAdd(counter.time[i], offset),
                                 level);
    }
  }
  return counters;
}

void TimedTrace::AddMemory(std::vector<TimedCounter>& counters) const {
  // (process, name, whether it is "in use" or a change).
  std::map<std::tuple<profile::ProcessId, std::string, bool>, TimedCounter>
      by_name;
  for (const timeline::EventTrack& track : tracks_.all()) {
    if (track.lane == profile::kNone) continue;
    const profile::DeviceId device = profile_.lanes()[track.lane].device;
    const bool on_cpu =
        device != profile::kNone && profile_.devices()[device].on_cpu;
    const auto add = [&](bool is_change, int64_t micros, int64_t bytes) {
      TimedCounter& counter = by_name[{track.process, track.device, is_change}];
      if (counter.samples.empty()) {
        counter.process = track.process;
        counter.name =
            fmt::format("{}{}{}", track.device, track.device.empty() ? "" : " ",
                        is_change ? "allocated by ops" : "allocator, in use");
        counter.unit = "bytes";
      }
      counter.samples.emplace_back(
          util::SaturatingAdd(
              util::SaturatingMul(micros, profile::kNanosPerMicro),
              OffsetNanos(track.process)),
          static_cast<double>(bytes));
    };
    for (const timeline::TrackEvent& event : tracks_.Events(track)) {
      const auto record = static_cast<profile::RecordRef>(
          profile_.steps()[event.step]->exec_record[event.record]);
      if (record == profile::kNoRecord || profile_.IsGroupRecord(record))
        continue;
      const profile::ExecutionDetail detail =
          profile_.RecordDetail(record, on_cpu);
      for (const profile::Allocation& allocation : detail.allocations) {
        if (allocation.bytes != 0) {
          add(/*is_change=*/true, allocation.micros, allocation.bytes);
        }
      }
      for (const profile::MemoryDetail& memory : detail.memory) {
        if (memory.allocator_bytes_in_use > 0) {
          add(/*is_change=*/false, memory.micros,
              memory.allocator_bytes_in_use);
        }
      }
    }
  }
  for (auto& [key, counter] : by_name) {
    std::stable_sort(
        counter.samples.begin(), counter.samples.end(),
        [](const auto& a, const auto& b) { return a.first < b.first; });
    if (std::get<bool>(key)) {
      double level = 0;
      for (auto& [time, value] : counter.samples) value = level += value;
    }
    counters.push_back(std::move(counter));
  }
}

std::string TimedTrace::LabelOf(profile::ProcessId process) const {
  if (process == profile::kNone) return "";
  std::string label = profile_.lanes().process(process).host;
  const int64_t offset =
      options_.clocks == nullptr ? 0 : options_.clocks->OfProcess(process);
  if (offset == 0) return label;
  if (!label.empty()) label += ", ";
  label.append(
      fmt::format("clock moved by {} us",
                  static_cast<double>(offset) /
                      static_cast<double>(profile_.ticks_per_micro())));
  for (const timeline::ProfileClock& clock : options_.clocks->clocks) {
    if (clock.process != process || clock.offset != offset) continue;
    const auto bound = [&](const std::optional<int64_t>& of) {
      return of ? fmt::format(
                      "{}", static_cast<double>(*of) /
                                static_cast<double>(profile_.ticks_per_micro()))
                : std::string("any");
    };
    if (clock.low || clock.high) {
      label.append(fmt::format(" (between {} and {})", bound(clock.low),
                               bound(clock.high)));
    }
    break;
  }
  return label;
}

}  // namespace tfprof::exporters
