#include "exporters/formats/perfetto_trace.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporters/formats/saved_trace.h"
#include "exporters/formats/timed_event.h"
#include "fmt/format.h"
#include "loaders/perfetto/saved_part.h"
#include "profile/steps/time_column.h"
#include "profile/tables/string_pool.h"
#include "timeline/tracks.h"
#include "util/files/gzip.h"
#include "util/files/wire_writer.h"
#include "util/text/utf8.h"

namespace tfprof::exporters {
namespace {

constexpr size_t kFlushBytes = 256 << 10;
// The number of events written between two reports of progress.
constexpr int64_t kReportEvents = 4096;
// All packets belong to one sequence, whose names and defaults apply to all.
constexpr int64_t kSequence = 1;

constexpr uint32_t kPacket = 1;  // of Trace
namespace packet {
constexpr uint32_t kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11,
                   kInternedData = 12, kSequenceFlags = 13,
                   kTrackDescriptor = 60;
constexpr int64_t kStateCleared = 1, kNeedsState = 2;  // of kSequenceFlags
}  // namespace packet
namespace descriptor {
constexpr uint32_t kUuid = 1, kName = 2, kProcess = 3, kParent = 5,
                   kCounter = 8, kChildOrdering = 11, kRank = 12;
constexpr int64_t kExplicit = 3;  // of kChildOrdering
// Fields of ProcessDescriptor.
constexpr uint32_t kPid = 1, kProcessName = 6, kLabels = 8;
constexpr uint32_t kUnitName = 6;  // of CounterDescriptor
}  // namespace descriptor
namespace event_field {
constexpr uint32_t kCategory = 3, kAnnotation = 4, kType = 9, kName = 10,
                   kTrack = 11, kDoubleValue = 44, kFlow = 47,
                   kTerminatingFlow = 48;
constexpr int64_t kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4;
}  // namespace event_field
namespace annotation {
constexpr uint32_t kName = 1, kInt = 4, kText = 17;
}  // namespace annotation
namespace interned {
constexpr uint32_t kCategories = 1, kNames = 2, kKeys = 3, kTexts = 29;
constexpr uint32_t kId = 1, kValue = 2;  // of each of them
}  // namespace interned

// An execution at which a flow begins or ends.
struct FlowEnd {
  uint32_t step;  // a place in Profile::steps()
  uint32_t record;
  bool ends;
  uint64_t id;

  friend auto operator<=>(const FlowEnd&, const FlowEnd&) = default;
};

class Writer {
 public:
  Writer(const profile::Profile& profile, const TimedTrace& trace,
         util::Sink& sink)
      : profile_(profile),
        trace_(trace),
        tracks_(trace.tracks()),
        sink_(sink) {}

  void WriteFrame(const std::vector<profile::Link>& arrows,
                  const std::vector<TimedCounter>& counters) {
    FindEarliest(counters);
    FindFlows(arrows);
    if (tracks_.num_events() > 0) {
      // Says that the categories are kinds of lanes, to loaders/perfetto.
      Number(categories_, "tfprof");
      WriteNewTexts();
    }
    DescribeTracks();
    WriteSteps();
  }
  void WriteTrack(size_t t) {
    const timeline::EventTrack& track = tracks_.all()[t];
    const profile::LaneKind kind = track.lane == profile::kNone
                                       ? profile::LaneKind::kOther
                                       : profile_.lanes()[track.lane].kind;
    const uint64_t category =
        Number(categories_,
               track.transfers ? "transfer" : profile::LaneKindName(kind));
    std::vector<int64_t> open;  // ends, outermost first
    const auto close = [&](int64_t until) {
      for (; !open.empty() && open.back() <= until; open.pop_back()) {
        WriteEvent(event_field::kSliceEnd, track_ids_[t], Nanos(open.back()),
                   nullptr, {});
      }
    };
    for (const timeline::TrackEvent& event : tracks_.Events(track)) {
      const TimedEvent text = DescribeEvent(profile_, event);
      close(event.start);
      Slice slice;
      slice.name = Number(names_, text.name);
      slice.category = category;
      for (const auto& [key, value] : text.arguments) {
        slice.texts.emplace_back(Number(keys_, key), Number(texts_, value));
      }
      for (const auto& [key, value] : text.recorded) {
        slice.texts.emplace_back(Number(keys_, key), Number(texts_, value));
      }
      for (const auto& [key, value] : text.numbers) {
        slice.numbers.emplace_back(Number(keys_, key), value);
      }
      WriteEvent(
          text.is_moment ? event_field::kInstant : event_field::kSliceBegin,
          track_ids_[t], Nanos(event.start), &slice, FlowsOf(event));
      if (!text.is_moment) open.push_back(event.end);
      if (++events_ % kReportEvents == 0) {
        sink_.Reached(static_cast<double>(events_) /
                      static_cast<double>(tracks_.num_events()));
        if (!sink_.wanted()) return;
      }
    }
    close(INT64_MAX);
  }
  // Arrows are written with the events at their ends.
  void WriteArrows(const std::vector<profile::Link>&) {}
  void WriteCounter(const TimedCounter& counter) {
    const uint64_t process = ProcessTrack(counter.process);
    const uint64_t track = NewTrack();
    {
      const Packet packet(*this);
      const util::WireMessage message(out_, packet::kTrackDescriptor);
      out_.Uint64(descriptor::kUuid, track);
      out_.Bytes(descriptor::kName, util::ValidUtf8(counter.name));
      out_.Uint64(descriptor::kParent, process);
      const util::WireMessage of(out_, descriptor::kCounter);
      if (!counter.unit.empty()) {
        out_.Bytes(descriptor::kUnitName, util::ValidUtf8(counter.unit));
      }
    }
    for (const auto& [nanos, level] : counter.samples) {
      const Packet packet(*this);
      WriteTime(nanos);
      const util::WireMessage event(out_, packet::kTrackEvent);
      out_.Int64(event_field::kType, event_field::kCounter);
      out_.Uint64(event_field::kTrack, track);
      out_.Double(event_field::kDoubleValue, level);
    }
  }
  void End() { Flush(); }

 private:
  // Ids of tracks, from 1: processes, devices, tracks, steps, counters.
  uint64_t NewTrack() { return next_track_++; }

  int64_t Nanos(int64_t ticks) const {
    return profile::TicksToNanos(ticks, profile_.ticks_per_micro());
  }

  // Perfetto's times have no sign, but work can begin before time 0, which is
  // the first operation: calls of Python, or a process whose clock was moved.
  void FindEarliest(const std::vector<TimedCounter>& counters) {
    for (const timeline::EventTrack& track : tracks_.all()) {
      for (const timeline::TrackEvent& event : tracks_.Events(track)) {
        earliest_ = std::min(earliest_, Nanos(event.start));
        break;  // the events of a track are sorted by start
      }
    }
    for (const TimedStep& step : trace_.StepSpans()) {
      earliest_ = std::min(earliest_, Nanos(step.start));
    }
    for (const TimedCounter& counter : counters) {
      if (counter.samples.empty()) continue;
      earliest_ = std::min(earliest_, counter.samples.front().first);
    }
  }
  void WriteTime(int64_t nanos) {
    out_.Uint64(packet::kTimestamp, static_cast<uint64_t>(nanos) -
                                        static_cast<uint64_t>(earliest_));
  }

  void Flush() {
    sink_.Write(out_.bytes());
    out_.Truncate(0);
  }

  void FindFlows(const std::vector<profile::Link>& arrows) {
    uint64_t id = 0;
    for (const profile::Link& link : arrows) {
      ++id;
      flows_.push_back({trace_.PlaceOfStep(link.from.step), link.from.index,
                        /*ends=*/false, id});
      flows_.push_back({trace_.PlaceOfStep(link.to.step), link.to.index,
                        /*ends=*/true, id});
    }
    std::sort(flows_.begin(), flows_.end());
  }

  // A packet of the sequence. The first one clears the interned state.
  class Packet {
   public:
    explicit Packet(Writer& writer) : writer_(writer) {
      if (writer_.out_.size() > kFlushBytes) writer_.Flush();
      at_ = writer_.out_.Begin(kPacket);
      writer_.out_.Int64(packet::kSequenceId, kSequence);
      writer_.out_.Int64(packet::kSequenceFlags,
                         std::exchange(writer_.first_, false)
                             ? packet::kStateCleared | packet::kNeedsState
                             : packet::kNeedsState);
    }
    ~Packet() { writer_.out_.End(at_); }
    Packet(const Packet&) = delete;
    Packet& operator=(const Packet&) = delete;

   private:
    Writer& writer_;
    size_t at_;
  };

  void Describe(uint64_t uuid, uint64_t parent, std::string_view name,
                int64_t rank) {
    const Packet packet(*this);
    const util::WireMessage track(out_, packet::kTrackDescriptor);
    out_.Uint64(descriptor::kUuid, uuid);
    out_.Bytes(descriptor::kName, util::ValidUtf8(name));
    if (parent != 0) out_.Uint64(descriptor::kParent, parent);
    out_.Int64(descriptor::kChildOrdering, descriptor::kExplicit);
    out_.Int64(descriptor::kRank, rank);
  }

  void DescribeProcess(profile::ProcessId id, uint64_t uuid) {
    const bool known = id != profile::kNone;
    const profile::Process process =
        known ? profile_.lanes().process(id) : profile::Process();
    std::string name = process.label.empty() ? process.name : process.label;
    if (name.empty()) name = fmt::format("process {}", known ? id : 0);
    const Packet packet(*this);
    const util::WireMessage track(out_, packet::kTrackDescriptor);
    out_.Uint64(descriptor::kUuid, uuid);
    out_.Int64(descriptor::kChildOrdering, descriptor::kExplicit);
    const util::WireMessage of(out_, descriptor::kProcess);
    // Two ranks on two machines may have the same number, so new numbers are
    // used.
    out_.Int64(descriptor::kPid, known ? int64_t{id} + 1 : 0);
    out_.Bytes(descriptor::kProcessName, util::ValidUtf8(name));
    const std::string label = trace_.LabelOf(id);
    if (!label.empty()) out_.Bytes(descriptor::kLabels, util::ValidUtf8(label));
  }

  uint64_t ProcessTrack(profile::ProcessId process) {
    const size_t slot =
        process == profile::kNone ? profile_.lanes().num_processes() : process;
    if (process_tracks_.empty()) {
      process_tracks_.assign(profile_.lanes().num_processes() + 1, 0);
    }
    if (process_tracks_[slot] == 0) {
      process_tracks_[slot] = NewTrack();
      DescribeProcess(process, process_tracks_[slot]);
    }
    return process_tracks_[slot];
  }

  void DescribeTracks() {
    const std::vector<timeline::EventTrack>& all = tracks_.all();
    uint64_t device = 0;
    for (size_t t = 0; t < all.size(); ++t) {
      const timeline::EventTrack& track = all[t];
      const uint64_t process = ProcessTrack(track.process);
      const bool same_device = t > 0 && all[t - 1].process == track.process &&
                               all[t - 1].device == track.device;
      if (!same_device) {
        device = track.device.empty() ? process : NewTrack();
        if (device != process) {
          Describe(device, process, track.device, static_cast<int64_t>(t) + 1);
        }
      }
      track_ids_.push_back(NewTrack());
      Describe(track_ids_.back(), device, track.name,
               static_cast<int64_t>(t) + 1);
    }
  }

  // Interns a text and returns its number; new texts are written before the
  // packet that uses them.
  struct Interned {
    uint32_t field;
    profile::StringPool pool;
    size_t written = 0;
  };
  static uint64_t Number(Interned& of, std::string_view text) {
    return uint64_t{of.pool.Intern(text)} + 1;  // 0 is no number
  }
  void WriteNewTexts() {
    bool any = false;
    for (const Interned* of : {&names_, &categories_, &keys_, &texts_}) {
      any |= of->written < of->pool.size();
    }
    if (!any) return;
    const Packet packet(*this);
    const util::WireMessage data(out_, packet::kInternedData);
    for (Interned* of : {&names_, &categories_, &keys_, &texts_}) {
      for (; of->written < of->pool.size(); ++of->written) {
        const util::WireMessage entry(out_, of->field);
        out_.Uint64(interned::kId, of->written + 1);
        out_.Bytes(interned::kValue,
                   util::ValidUtf8(of->pool.Get(
                       static_cast<profile::StringId>(of->written))));
      }
    }
  }

  // The data at the beginning of a slice.
  struct Slice {
    uint64_t name = 0;
    uint64_t category = 0;
    std::vector<std::pair<uint64_t, uint64_t>> texts;   // by number
    std::vector<std::pair<uint64_t, int64_t>> numbers;  // by key
  };

  void WriteEvent(int64_t type, uint64_t track, int64_t nanos,
                  const Slice* slice, std::span<const FlowEnd> flows) {
    if (slice != nullptr) WriteNewTexts();
    const Packet packet(*this);
    WriteTime(nanos);
    const util::WireMessage event(out_, packet::kTrackEvent);
    out_.Int64(event_field::kType, type);
    out_.Uint64(event_field::kTrack, track);
    if (slice == nullptr) return;
    out_.Uint64(event_field::kName, slice->name);
    out_.Uint64(event_field::kCategory, slice->category);
    for (const auto& [key, text] : slice->texts) {
      const util::WireMessage note(out_, event_field::kAnnotation);
      out_.Uint64(annotation::kName, key);
      out_.Uint64(annotation::kText, text);
    }
    for (const auto& [key, number] : slice->numbers) {
      const util::WireMessage note(out_, event_field::kAnnotation);
      out_.Uint64(annotation::kName, key);
      out_.Int64(annotation::kInt, number);
    }
    for (const FlowEnd& flow : flows) {
      out_.Fixed64(
          flow.ends ? event_field::kTerminatingFlow : event_field::kFlow,
          flow.id);
    }
  }

  void WriteSteps() {
    std::vector<uint64_t> tracks(profile_.lanes().num_processes() + 1, 0);
    for (const TimedStep& span : trace_.StepSpans()) {
      const uint64_t process = ProcessTrack(span.process);
      uint64_t& track =
          tracks[span.process == profile::kNone ? tracks.size() - 1
                                                : span.process];
      if (track == 0) {
        track = NewTrack();
        Describe(track, process, "steps", 0);
      }
      Slice slice;
      slice.name =
          Number(names_, span.name.empty() ? fmt::format("step {}", span.step)
                                           : std::string(span.name));
      slice.category = Number(categories_, "step");
      slice.numbers.emplace_back(Number(keys_, "step"), span.step);
      WriteEvent(event_field::kSliceBegin, track, Nanos(span.start), &slice,
                 {});
      WriteEvent(event_field::kSliceEnd, track, Nanos(span.end), nullptr, {});
    }
  }

  std::span<const FlowEnd> FlowsOf(const timeline::TrackEvent& event) const {
    const FlowEnd first = {event.step, event.record, false, 0};
    const auto begin = std::lower_bound(flows_.begin(), flows_.end(), first);
    auto end = begin;
    while (end != flows_.end() && end->step == event.step &&
           end->record == event.record) {
      ++end;
    }
    return {begin, end};
  }

  const profile::Profile& profile_;
  const TimedTrace& trace_;
  const timeline::Tracks& tracks_;
  util::Sink& sink_;
  util::WireWriter out_;
  bool first_ = true;
  int64_t earliest_ = 0;  // nanoseconds, at most 0: time 0 of the file
  uint64_t next_track_ = 1;
  std::vector<uint64_t> process_tracks_;
  std::vector<uint64_t> track_ids_;  // by place in Tracks::all()
  std::vector<FlowEnd> flows_;
  Interned categories_ = {interned::kCategories, {}, 0};
  Interned names_ = {interned::kNames, {}, 0};
  Interned keys_ = {interned::kKeys, {}, 0};
  Interned texts_ = {interned::kTexts, {}, 0};
  int64_t events_ = 0;
};

// Writes the bytes that it gets as pieces of a saved part.
class PieceSink : public util::Sink {
 public:
  explicit PieceSink(util::Sink& below) : below_(below) {}

  void Write(std::string_view bytes) override {
    piece_ += bytes;
    if (piece_.size() >= kFlushBytes) Finish();
  }
  void Finish() {
    if (piece_.empty()) return;
    {
      const util::WireMessage packet(out_, kPacket);
      out_.Int64(packet::kSequenceId, kSequence);
      out_.Bytes(perfetto::kSavedPiece, piece_);
    }
    below_.Write(out_.bytes());
    out_.Truncate(0);
    piece_.clear();
  }
  bool wanted() const override { return below_.wanted(); }

 private:
  util::Sink& below_;
  util::WireWriter out_;
  std::string piece_;
};

// Counts the bytes that pass.
class CountingSink : public util::Sink {
 public:
  explicit CountingSink(util::Sink& below) : below_(below) {}

  void Write(std::string_view bytes) override {
    count_ += bytes.size();
    below_.Write(bytes);
  }
  void Reached(double share) override { below_.Reached(share); }
  bool wanted() const override { return below_.wanted(); }
  size_t count() const { return count_; }

 private:
  util::Sink& below_;
  size_t count_ = 0;
};

// Writes the last packet, which has the length of the file.
void WriteLength(CountingSink& sink) {
  const auto packet_with = [](uint64_t length) {
    util::WireWriter out;
    {
      const util::WireMessage packet(out, kPacket);
      out.Int64(packet::kSequenceId, kSequence);
      out.Fixed64(perfetto::kLengthOfFile, length);
    }
    return std::string(out.bytes());
  };
  sink.Write(packet_with(sink.count() + packet_with(0).size()));
}

// Errors of the saved trace are those of the sink, which reports them itself.
void WriteSavedPart(const profile::Profile& profile, util::Sink& sink) {
  PieceSink pieces(sink);
  util::GzipSink packed(pieces);
  WriteSavedTrace(profile, packed).IgnoreError();
  packed.Finish().IgnoreError();
  pieces.Finish();
}

}  // namespace

TraceCounts WritePerfettoTrace(const profile::Profile& profile,
                               const TraceOptions& options, util::Sink& sink) {
  const TimedTrace trace(profile, options);
  CountingSink counted(sink);
  const bool is_whole = options.step < 0 && profile.graph().self_times &&
                        trace.tracks().num_events() > 0;
  if (is_whole) WriteSavedPart(profile, counted);
  Writer writer(profile, trace, counted);
  const TraceCounts contents = trace.WriteWith(writer, counted);
  writer.End();
  if (is_whole) WriteLength(counted);
  return contents;
}

}  // namespace tfprof::exporters
