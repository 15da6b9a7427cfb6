// Shared code of the files for trace viewers: the same tracks, steps, arrows
// and counters in every format.
//
//   const TimedTrace trace(profile, {.step = 3});
//   for (const EventTrack& track : trace.tracks().all()) …
//
// The profile and the clocks of the options must outlive it. Times are ticks of
// the profile, moved by the offsets of the clocks; times of counters are
// nanoseconds.

#ifndef TFPROF_EXPORTERS_FORMATS_TIMED_TRACE_H_
#define TFPROF_EXPORTERS_FORMATS_TIMED_TRACE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/profile.h"
#include "profile/tables/links.h"
#include "timeline/ranks/clock_offsets.h"
#include "timeline/tracks.h"
#include "util/arithmetic.h"
#include "util/files/sink.h"

namespace tfprof::exporters {

struct TraceOptions {
  int64_t step = -1;    // below 0: all, and work outside steps
  bool arrows = true;   // links and dataflow
  bool memory = false;  // counters of the memory in records
  // The offsets of the clocks; nullptr: none.
  const timeline::ClockOffsets* clocks = nullptr;
  // See TrackOptions.
  std::function<bool(const profile::Step& step,
                     const timeline::TrackEvent& event)>
      is_communication = {};
};

// The numbers of written and of missing things.
struct TraceCounts {
  int64_t events = 0;
  int64_t arrows = 0;
  int64_t counters = 0;  // of memory
  // Executions without a start, which cannot be shown.
  int64_t without_start = 0;
  // Records that repeat the records of another device name.
  int64_t repeated = 0;
};

// When a step ran in a process, in ticks of the profile.
struct TimedStep {
  profile::ProcessId process = profile::kNone;
  int64_t step = 0;
  std::string_view name;  // the program's; "": none
  int64_t start = 0;
  int64_t end = 0;

  int64_t length() const {
    return end <= start ? 0
           : start < 0  ? util::SaturatingAdd(end, util::WrapSub(0, start))
                        : end - start;
  }
};

struct TimedCounter {
  profile::ProcessId process = profile::kNone;
  std::string name;
  std::string unit;  // "": a plain number
  // (nanoseconds, level), sorted by time.
  std::vector<std::pair<int64_t, double>> samples;
};

class TimedTrace {
 public:
  TimedTrace(const profile::Profile& profile, TraceOptions options);

  const timeline::Tracks& tracks() const { return tracks_; }

  // The spans of the steps as recorded, else from the first start to the last
  // end in the step. Sorted by process and start.
  std::vector<TimedStep> StepSpans() const;

  // The links of the profile whose ends are on tracks. If the profile has none,
  // the dataflow of each step between different tracks. Empty without `arrows`.
  std::vector<profile::Link> Arrows() const;

  // The event at an end of an arrow.
  timeline::TrackEvent EventOf(const profile::ExecutionRef& at) const {
    return tracks_.EventAt(PlaceOfStep(at.step), at.index);
  }
  uint32_t TrackOf(const profile::ExecutionRef& at) const {
    return tracks_.TrackOf(PlaceOfStep(at.step), at.index);
  }
  // The index of a step in Profile::steps(); kNone if there is none.
  uint32_t PlaceOfStep(int64_t step) const;

  // The counters of the profile, which belong to no step and are left out of a
  // trace of one step; with `memory`, also the bytes in use of the allocators
  // of each device, and the bytes that ops allocated and did not free.
  std::vector<TimedCounter> Counters() const;

  // A label with more facts about a process: its host, and how its clock was
  // moved. "" if there are none.
  std::string LabelOf(profile::ProcessId process) const;

  // Writes tracks, arrows and counters with the writer of a format, which has
  // WriteFrame(links, counters), WriteTrack(place), WriteArrows(links) and
  // WriteCounter(counter). Stops early if the sink wants no more.
  template <typename Writer>
  TraceCounts WriteWith(Writer& writer, util::Sink& sink) const;

 private:
  void AddMemory(std::vector<TimedCounter>& counters) const;
  int64_t OffsetNanos(profile::ProcessId process) const;

  const profile::Profile& profile_;
  const TraceOptions options_;
  const std::vector<size_t> steps_;
  const timeline::Tracks tracks_;
};

template <typename Writer>
TraceCounts TimedTrace::WriteWith(Writer& writer, util::Sink& sink) const {
  TraceCounts contents;
  const std::vector<profile::Link> arrows = Arrows();
  contents.arrows = static_cast<int64_t>(arrows.size());
  const std::vector<TimedCounter> counters = Counters();
  writer.WriteFrame(arrows, counters);
  for (size_t t = 0; t < tracks_.all().size() && sink.wanted(); ++t) {
    writer.WriteTrack(t);
    const timeline::EventTrack& track = tracks_.all()[t];
    contents.events += static_cast<int64_t>(track.end - track.begin);
  }
  writer.WriteArrows(arrows);
  for (const TimedCounter& counter : counters) {
    writer.WriteCounter(counter);
    ++contents.counters;
  }
  contents.without_start = tracks_.without_start();
  contents.repeated = tracks_.repeated();
  return contents;
}

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_FORMATS_TIMED_TRACE_H_
