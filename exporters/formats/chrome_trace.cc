#include "exporters/formats/chrome_trace.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "exporters/formats/timed_event.h"
#include "exporters/formats/timed_trace.h"
#include "fmt/format.h"
#include "timeline/tracks.h"
#include "util/json/json_string.h"

namespace tfprof::exporters {
namespace {

constexpr size_t kFlushBytes = 1 << 16;
// The number of events written between two reports of progress.
constexpr size_t kReportEvents = 4096;

// "12.5": `ticks` in microseconds, exactly.
std::string Micros(int64_t ticks, int64_t ticks_per_micro) {
  const bool negative = ticks < 0;
  const uint64_t size = negative ? 0 - static_cast<uint64_t>(ticks)
                                 : static_cast<uint64_t>(ticks);
  const uint64_t per_micro = static_cast<uint64_t>(ticks_per_micro);
  std::string text = fmt::format("{}{}", negative ? "-" : "", size / per_micro);
  uint64_t rest = size % per_micro;
  if (rest == 0) return text;
  text += '.';
  for (uint64_t place = per_micro / 10; rest != 0; place /= 10) {
    text += static_cast<char>('0' + rest / place);
    rest %= place;
  }
  return text;
}

class Writer {
 public:
  Writer(const profile::Profile& profile, const TimedTrace& trace,
         util::Sink& sink)
      : profile_(profile),
        trace_(trace),
        ticks_(profile.ticks_per_micro()),
        tracks_(trace.tracks()),
        sink_(sink) {
    text_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  }

  void WriteFrame(const std::vector<profile::Link>&,
                  const std::vector<TimedCounter>&) {
    WriteNames();
    WriteSteps();
  }
  void WriteTrack(size_t t) {
    const timeline::EventTrack& track = tracks_.all()[t];
    const profile::LaneKind kind = track.lane == profile::kNone
                                       ? profile::LaneKind::kOther
                                       : profile_.lanes()[track.lane].kind;
    const std::string_view category =
        track.transfers ? "transfer" : profile::LaneKindName(kind);
    for (const timeline::TrackEvent& event : tracks_.Events(track)) {
      const TimedEvent text = DescribeEvent(profile_, event);
      Begin(text.is_moment ? "i" : "X");
      Member("name", text.name);
      Member("cat", category);
      PlaceOf(t);
      Time("ts", event.start);
      if (!text.is_moment) Time("dur", event.end - event.start);
      Key("args");
      text_ += '{';
      for (const auto& [key, value] : text.arguments) Member(key, value);
      for (const auto& [key, value] : text.numbers) Number(key, value);
      for (const auto& [key, value] : text.recorded) Member(key, value);
      text_ += "}}";
      if (++events_ % kReportEvents == 0) {
        sink_.Reached(static_cast<double>(events_) /
                      static_cast<double>(tracks_.num_events()));
        if (!sink_.wanted()) return;
      }
    }
  }
  void WriteArrows(const std::vector<profile::Link>& arrows) {
    for (size_t i = 0; i < arrows.size(); ++i) {
      if (i % kReportEvents == 0 && !sink_.wanted()) return;
      WriteEnd("s", i, arrows[i].kind, arrows[i].from);
      WriteEnd("f", i, arrows[i].kind, arrows[i].to);
    }
  }
  void WriteCounter(const TimedCounter& counter) {
    for (const auto& [nanos, level] : counter.samples) {
      Begin("C");
      Member("name", counter.name);
      Place(counter.process, 0);
      Number("ts", Micros(nanos, profile::kNanosPerMicro));
      Key("args");
      text_ += fmt::format("{{\"value\":{}}}}}", level);
    }
  }
  void End() {
    text_ += "]}\n";
    sink_.Write(text_);
  }

 private:
  // Begins an event; the caller adds members and the brace.
  void Begin(std::string_view phase) {
    if (text_.size() > kFlushBytes) {
      sink_.Write(text_);
      text_.clear();
    }
    text_ += any_ ? ",\n{\"ph\":\"" : "\n{\"ph\":\"";
    any_ = true;
    text_ += phase;
    text_ += '"';
  }
  void Member(std::string_view key, std::string_view text) {
    Key(key);
    util::AppendJsonString(text, &text_);
  }
  void Number(std::string_view key, std::string_view number) {
    Key(key);
    text_ += number;
  }
  void Number(std::string_view key, int64_t number) {
    Key(key);
    fmt::format_to(std::back_inserter(text_), "{}", number);
  }
  void Time(std::string_view key, int64_t ticks) {
    Number(key, Micros(ticks, ticks_));
  }
  void Key(std::string_view key) {
    if (text_.back() != '{') text_ += ',';
    util::AppendJsonString(key, &text_);
    text_ += ':';
  }

  // Numbers processes and threads from 1: some tools use 0 for the idle
  // process.
  void Place(profile::ProcessId process, size_t thread) {
    Number("pid", process == profile::kNone ? 0 : int64_t{process} + 1);
    Number("tid", static_cast<int64_t>(thread));
  }
  void PlaceOf(size_t track) { Place(tracks_.all()[track].process, track + 1); }
  // The number after the numbers of the tracks.
  size_t StepsThread() const { return tracks_.all().size() + 1; }

  void WriteMeta(std::string_view what, profile::ProcessId process,
                 size_t thread, std::string_view key, auto value) {
    Begin("M");
    Member("name", what);
    Place(process, thread);
    Key("args");
    text_ += '{';
    if constexpr (std::is_integral_v<decltype(value)>) {
      Number(key, static_cast<int64_t>(value));
    } else {
      Member(key, value);
    }
    text_ += "}}";
  }

  void WriteNames() {
    const profile::LaneTable& lanes = profile_.lanes();
    for (profile::ProcessId p = 0; p < lanes.num_processes(); ++p) {
      const profile::Process& process = lanes.process(p);
      const std::string& name =
          process.label.empty() ? process.name : process.label;
      if (!name.empty()) {
        WriteMeta("process_name", p, 0, "name", std::string_view(name));
      }
      const std::string label = trace_.LabelOf(p);
      if (!label.empty()) {
        WriteMeta("process_labels", p, 0, "labels", std::string_view(label));
      }
      WriteMeta("process_sort_index", p, 0, "sort_index", p);
    }
    for (size_t t = 0; t < tracks_.all().size(); ++t) {
      const timeline::EventTrack& track = tracks_.all()[t];
      const bool of_device =
          !track.device.empty() && track.lane != profile::kNone &&
          lanes[track.lane].physical != profile::kNone &&
          lanes[track.lane].kind != profile::LaneKind::kCompute;
      const std::string name =
          of_device ? fmt::format("{} {}", track.device, track.name)
                    : track.name;
      WriteMeta("thread_name", track.process, t + 1, "name",
                std::string_view(name));
      WriteMeta("thread_sort_index", track.process, t + 1, "sort_index", t + 1);
    }
  }

  void WriteSteps() {
    profile::ProcessId named = profile::kNone - 1;
    for (const TimedStep& span : trace_.StepSpans()) {
      if (span.process != named) {
        named = span.process;
        WriteMeta("thread_name", named, StepsThread(), "name",
                  std::string_view("steps"));
        WriteMeta("thread_sort_index", named, StepsThread(), "sort_index", -1);
      }
      Begin("X");
      Member("name", span.name.empty() ? fmt::format("step {}", span.step)
                                       : std::string(span.name));
      Member("cat", "step");
      Place(span.process, StepsThread());
      Time("ts", span.start);
      Time("dur", span.length());
      Key("args");
      text_ += '{';
      Number("step", span.step);
      text_ += "}}";
    }
  }

  void WriteEnd(std::string_view phase, size_t id, profile::LinkKind kind,
                const profile::ExecutionRef& at) {
    Begin(phase);
    Member("name", profile::LinkKindName(kind));
    Member("cat", "link");
    Number("id", static_cast<int64_t>(id));
    if (phase == "f") Member("bp", "e");
    PlaceOf(trace_.TrackOf(at));
    Time("ts", trace_.EventOf(at).start);
    text_ += '}';
  }

  const profile::Profile& profile_;
  const TimedTrace& trace_;
  const int64_t ticks_;
  const timeline::Tracks& tracks_;
  util::Sink& sink_;
  std::string text_;
  bool any_ = false;
  size_t events_ = 0;
};

}  // namespace

TraceCounts WriteChromeTrace(const profile::Profile& profile,
                             const TraceOptions& options, util::Sink& sink) {
  const TimedTrace trace(profile, options);
  Writer writer(profile, trace, sink);
  const TraceCounts contents = trace.WriteWith(writer, sink);
  writer.End();
  return contents;
}

}  // namespace tfprof::exporters
