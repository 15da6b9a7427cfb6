#include "loaders/chrome_json/chrome/chrome_events.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"
#include "loaders/chrome_json/chrome/slice_pairs.h"
#include "loaders/chrome_json/event_location.h"
#include "loaders/chrome_json/event_pieces.h"
#include "loaders/chrome_json/event_scanner.h"
#include "loaders/chrome_json/scan_log.h"
#include "util/arithmetic.h"
#include "util/json/json_reader.h"
#include "util/text/ascii.h"
#include "util/text/decimal.h"

namespace tfprof::chrome_json {
namespace {

// The limit keeps all differences of times in range.
constexpr int64_t kMaxTime = std::numeric_limits<int64_t>::max() / 4;

bool IsInRange(int64_t time) { return time <= kMaxTime && time >= -kMaxTime; }

// Digits below a nanosecond are cut off, as the tools that read these files do.
// 43499.688999999998 is a picosecond less than 43499.689 and becomes 43499.688.
std::optional<int64_t> ParseTime(std::string_view text) {
  const std::optional<int64_t> time = util::ParseDecimalCut(text, 3);
  return time && IsInRange(*time) ? time : std::nullopt;
}

std::optional<int64_t> StartOf(const TraceEvent& event) {
  if (!event.nanos) return ParseTime(event.timestamp);
  return IsInRange(event.nanos->start) ? std::optional(event.nanos->start)
                                       : std::nullopt;
}

std::optional<int64_t> DurationOf(const TraceEvent& event) {
  if (!event.nanos) {
    return event.duration.empty() ? 0 : ParseTime(event.duration);
  }
  return IsInRange(event.nanos->duration) ? std::optional(event.nanos->duration)
                                          : std::nullopt;
}

class Reader {
 public:
  explicit Reader(loaders::LoadContext& context)
      : context_(context), graph_(context.builder.mutable_graph()) {}

  void Add(const TraceEvent& event) {
    if (event.phase == 'M') return AddMetadata(event);
    if (event.phase == 0) {
      ++unknown_;
      return;
    }
    const std::optional<int64_t> time = StartOf(event);
    if (!time) {
      ++without_time_;
      return;
    }
    first_ = std::min(first_, *time);
    last_ = std::max(last_, *time);
    switch (event.phase) {
      case 'X':
        return AddComplete(event, *time);
      case 'B':
      case 'E':
        result_.has_threads = true;
        return AddMark(event, *time, Track(event), event.phase == 'E');
      case 'b':
      case 'S':
        return AddMark(event, *time, AsynchronousTrack(event), false);
      case 'e':
      case 'F':
        return AddMark(event, *time, AsynchronousTrack(event), true);
      case 'n':
      case 'T':
      case 'p':
        result_.instants.push_back(
            {*time, event.offset, Name(event.name), AsynchronousTrack(event)});
        return;
      case 'i':
      case 'I':
      case 'R':
        result_.instants.push_back(
            {*time, event.offset, Name(event.name), Track(event)});
        return;
      case 'C':
        return AddCounter(event, *time);
      case 's':
      case 't':
      case 'f':
        return AddFlowPoint(event, *time);
      default:
        ++unknown_;
    }
  }

  ChromeEvents Finish(const loaders::InputFile& file) {
    SlicePairs pairs = PairSlices(std::move(marks_), std::max(first_, last_));
    std::vector<ChromeSlice>& slices = result_.slices;
    slices.insert(slices.end(), pairs.slices.begin(), pairs.slices.end());
    std::sort(slices.begin(), slices.end(),
              [](const ChromeSlice& a, const ChromeSlice& b) {
                return std::tie(a.track, a.offset) <
                       std::tie(b.track, b.offset);
              });
    for (ChromeSlice& slice : slices) slice.start -= first_;
    for (ChromeInstant& instant : result_.instants) instant.time -= first_;
    for (ChromeFlowPoint& point : result_.flows) point.time -= first_;
    for (auto& [key, samples] : result_.counters) {
      for (profile::CounterSample& sample : samples) sample.time -= first_;
    }
    UseNamedSteps();
    for (ChromeStep& step : result_.steps) {
      step.start -= first_;
      step.end -= first_;
    }
    std::stable_sort(result_.steps.begin(), result_.steps.end(),
                     [](const ChromeStep& a, const ChromeStep& b) {
                       return a.start < b.start;
                     });
    Log(file, pairs);
    return std::move(result_);
  }

 private:
  profile::StringId Name(std::string_view raw) {
    return graph_.strings.Intern(util::DecodeJsonString(raw, buffer_));
  }
  profile::StringId Key(std::string_view raw) {
    return result_.keys.Intern(raw);
  }

  uint32_t Process(const TraceEvent& event) {
    const profile::StringId key = Key(event.pid);
    const auto [it, is_new] = processes_.try_emplace(
        key, static_cast<uint32_t>(result_.processes.size()));
    if (is_new) result_.processes.push_back({.key = key, .name = {}});
    return it->second;
  }

  uint32_t NewTrack(ChromeTrack track) {
    result_.tracks.push_back(std::move(track));
    return static_cast<uint32_t>(result_.tracks.size() - 1);
  }

  uint32_t Track(const TraceEvent& event) {
    const uint32_t process = Process(event);
    const profile::StringId thread =
        event.tid.empty() ? profile::kNone : Key(event.tid);
    const auto [it, is_new] = threads_.try_emplace({process, thread}, 0);
    if (is_new) {
      ChromeTrack track;
      track.process = process;
      track.thread = thread;
      it->second = NewTrack(std::move(track));
    }
    return it->second;
  }

  // Asynchronous events of a process with the same category and id are one
  // operation, whatever their threads.
  uint32_t AsynchronousTrack(const TraceEvent& event) {
    const uint32_t process = Process(event);
    const profile::StringId category = Key(event.category);
    const auto [it, is_new] =
        operations_.try_emplace({process, category, Key(event.id)}, 0);
    if (is_new) {
      ChromeTrack track;
      track.process = process;
      track.asynchronous = true;
      track.category = category;
      it->second = NewTrack(std::move(track));
    }
    return it->second;
  }

  // Fills all of a slice except its duration.
  ChromeSlice Slice(const TraceEvent& event, int64_t time, uint32_t track) {
    ChromeSlice slice;
    slice.start = time;
    slice.offset = event.offset;
    slice.name = Name(event.name);
    slice.track = track;
    slice.frame = FrameOfName(slice.name);
    if (slice.frame == profile::kNone && event.args.size() > 2) {
      ReadSliceArgs(event, slice);
    }
    result_.has_frames |= slice.frame != profile::kNone;
    return slice;
  }

  void AddComplete(const TraceEvent& event, int64_t time) {
    const std::optional<int64_t> duration = DurationOf(event);
    if (!duration) {
      ++without_time_;
      return;
    }
    result_.has_threads = true;
    ChromeSlice slice = Slice(event, time, Track(event));
    if (event.category == "step" && AddTimelineStep(event, slice, *duration)) {
      return;
    }
    AddArrowEnd(event, slice);
    negative_ += *duration < 0;
    slice.duration = std::max<int64_t>(0, *duration);
    last_ = std::max(last_, time + slice.duration);
    AddStep(event, slice);
    if (const auto numbers = ReadPipelineNumbers(event.args)) {
      slice.pipeline = static_cast<uint32_t>(result_.pipeline.size());
      result_.pipeline.push_back(*numbers);
    }
    result_.slices.push_back(slice);
  }

  // A step of a timeline that tfprof wrote is a slice, but nothing that ran.
  bool AddTimelineStep(const TraceEvent& event, ChromeSlice slice,
                       int64_t duration) {
    const size_t before = result_.steps.size();
    slice.duration = std::max<int64_t>(0, duration);
    AddStep(event, slice, "step", result_.steps);
    return result_.steps.size() > before;
  }

  void AddMark(const TraceEvent& event, int64_t time, uint32_t track,
               bool is_end) {
    SliceMark mark;
    mark.is_end = is_end;
    if (is_end) {
      mark.slice.start = time;
      mark.slice.track = track;
    } else {
      mark.slice = Slice(event, time, track);
      AddArrowEnd(event, mark.slice);
      // Only Horovod writes such begin events without a thread.
      result_.is_horovod |=
          event.tid.empty() && event.name.starts_with("NEGOTIATE_");
    }
    marks_.push_back(mark);
  }

  profile::FrameId FrameOfName(profile::StringId name) {
    if (name >= frame_of_name_.size()) {
      frame_of_name_.resize(graph_.strings.size(), kUnseen);
    }
    if (frame_of_name_[name] != kUnseen) return frame_of_name_[name];
    const EventLocation location = LocationOfName(graph_.strings.Get(name));
    profile::FrameId frame = profile::kNone;
    if (location.known()) {
      frame = MakeFrame(location.function, location.file, location.line);
    }
    if (name >= frame_of_name_.size()) {
      frame_of_name_.resize(graph_.strings.size(), kUnseen);
    }
    frame_of_name_[name] = frame;
    return frame;
  }

  profile::FrameId MakeFrame(std::string_view function, std::string_view file,
                             int32_t line) {
    profile::Frame frame;
    frame.function = graph_.strings.Intern(function);
    frame.file = graph_.strings.Intern(file);
    frame.lineno = line;
    return graph_.stacks.InternFrame(frame);
  }

  // In a timeline that tfprof wrote, categories are kinds of lanes.
  static std::optional<profile::LaneKind> KindOfTimeline(
      const TraceEvent& event) {
    if (event.args.find("\"node\"") == event.args.npos ||
        event.args.find("\"step\"") == event.args.npos) {
      return std::nullopt;
    }
    using profile::LaneKind;
    for (const LaneKind kind :
         {LaneKind::kCompute, LaneKind::kKernels, LaneKind::kCopies,
          LaneKind::kCommunication, LaneKind::kLaunches, LaneKind::kPython}) {
      if (event.category == profile::LaneKindName(kind)) return kind;
    }
    return std::nullopt;
  }

  // Reads the source location of a function in py-spy's form, and the operation
  // that ran in the form of TensorFlow 1 or of tfprof.
  void ReadSliceArgs(const TraceEvent& event, ChromeSlice& slice) {
    const std::optional<profile::LaneKind> kind = KindOfTimeline(event);
    if (kind) result_.tracks[slice.track].kind = kind;
    const bool is_op = event.category == "Op" || kind;
    if (!is_op && event.args.find("\"filename\"") == event.args.npos) return;
    std::string_view key, value, file, line, operation, op;
    util::JsonReader r(event.args);
    for (bool in = r.EnterObject(); in && r.NextDecodedMember(key);) {
      if (!r.ReadScalar(value)) value = r.Skip();
      if (key == "filename") file = value;
      if (key == "line") line = value;
      if (key == (kind ? "node" : "name") && operation.empty()) {
        operation = value;
      }
      if (key == "op") op = value;
    }
    if (is_op && (kind || !op.empty()) && !operation.empty()) {
      slice.operation = Name(operation);
    }
    const std::optional<int64_t> number = util::ParseDecimal(line);
    if (file.empty() || !number) return;
    const int32_t in_range =
        *number >= 0 && *number <= std::numeric_limits<int32_t>::max()
            ? static_cast<int32_t>(*number)
            : -1;
    std::string path;
    path.assign(util::DecodeJsonString(file, buffer_));
    const std::string function(graph_.strings.Get(slice.name));
    slice.frame = MakeFrame(function, path, in_range);
  }

  void AddStep(const TraceEvent& event, const ChromeSlice& slice) {
    AddStep(event, slice, "step_num", result_.steps);
    if (IsNameOfStep(graph_.strings.Get(slice.name))) {
      AddStep(event, slice, "step", named_steps_);
      step_tracks_.insert(slice.track);
    }
  }

  // Adds a slice that has this argument.
  void AddStep(const TraceEvent& event, const ChromeSlice& slice,
               std::string_view argument, std::vector<ChromeStep>& steps) {
    if (event.args.find(argument) == event.args.npos) return;
    std::string_view key, value;
    util::JsonReader r(event.args);
    for (bool in = r.EnterObject(); in && r.NextDecodedMember(key);) {
      if (!r.ReadScalar(value)) value = r.Skip();
      const std::optional<int64_t> number = util::ParseDecimal(value);
      if (key != argument || !number || *number < 0) continue;
      steps.push_back({.number = *number,
                       .start = slice.start,
                       .end = slice.start + slice.duration,
                       .process = result_.tracks[slice.track].process,
                       .name = slice.name});
      return;
    }
  }

  static bool IsNameOfStep(std::string_view name) {
    constexpr std::string_view kNames[] = {"step", "train_step",
                                           "training_step", "iteration"};
    return std::ranges::find(kNames, util::LowerCase(name)) != std::end(kNames);
  }

  // Slices that are called step and have a number are the steps, if nothing
  // else is, and if they are the steps of one thread.
  void UseNamedSteps() {
    if (result_.steps.empty() && result_.pipeline.empty() &&
        step_tracks_.size() == 1) {
      result_.steps = std::move(named_steps_);
    }
  }

  void AddCounter(const TraceEvent& event, int64_t time) {
    const uint32_t process = Process(event);
    std::string_view key, value;
    util::JsonReader r(event.args);
    for (bool in = r.EnterObject(); in && r.NextDecodedMember(key);) {
      if (!r.ReadScalar(value)) value = r.Skip();
      // Values may be fractions. Nine digits are enough for a rate.
      const std::optional<int64_t> nano = util::ParseDecimal(value, 9);
      const std::optional<int64_t> whole = util::ParseDecimal(value);
      if (!whole) continue;
      std::string name(util::DecodeJsonString(event.name, buffer_));
      if (!key.empty() && key != name && key != "value") {
        name.append("/").append(key);
      }
      if (event.in_bytes) result_.counters_in_bytes.emplace(process, name);
      result_.counters[{process, std::move(name)}].push_back(
          {.time = time,
           .value = nano ? static_cast<double>(*nano) / 1e9
                         : static_cast<double>(*whole)});
    }
  }

  void AddFlowPoint(const TraceEvent& event, int64_t time) {
    std::string id(event.category);
    id.append(1, '\0').append(event.name).append(1, '\0').append(event.id);
    result_.flows.push_back({.time = time,
                             .id = Key(id),
                             .track = Track(event),
                             .to_next = event.phase == 'f' && event.bind != "e",
                             .kind = KindOfArrow(event)});
  }

  static profile::LinkKind KindOfArrow(const TraceEvent& event) {
    using profile::LinkKind;
    if (event.category != "link") return LinkKind::kData;
    for (const LinkKind kind :
         {LinkKind::kLaunch, LinkKind::kTransfer, LinkKind::kGradient}) {
      if (event.name == profile::LinkKindName(kind)) return kind;
    }
    return LinkKind::kData;
  }

  // A slice may be an end of an arrow itself. All slices with one bind_id are
  // one arrow, in the order of time.
  void AddArrowEnd(const TraceEvent& event, const ChromeSlice& slice) {
    if (event.bind_id.empty() || (!event.flow_in && !event.flow_out)) return;
    std::string id("bind_id");
    id.append(1, '\0').append(event.bind_id);
    result_.flows.push_back(
        {.time = slice.start, .id = Key(id), .track = slice.track});
  }

  void AddMetadata(const TraceEvent& event) {
    const bool of_process = event.name == "process_name";
    if (!of_process && event.name != "thread_name") return;
    std::string_view key, value;
    util::JsonReader r(event.args);
    for (bool in = r.EnterObject(); in && r.NextDecodedMember(key);) {
      if (!r.ReadScalar(value)) value = r.Skip();
      if (key != "name") continue;
      const std::string_view name = util::DecodeJsonString(value, buffer_);
      // The last name wins.
      if (of_process) {
        result_.processes[Process(event)].name.assign(name);
      } else {
        result_.tracks[Track(event)].name.assign(name);
      }
    }
  }

  void Log(const loaders::InputFile& file, const SlicePairs& pairs) {
    loaders::ImportLog& log = context_.log;
    const auto note = [&](loaders::ImportLog::Severity severity,
                          std::string_view kind, int64_t count,
                          std::string_view text) {
      if (count == 0) return;
      log.Add(severity, kind,
              fmt::format("{}: {} {}", file.path(), count, text));
    };
    note(loaders::ImportLog::kDamage, "trace event without a time",
         without_time_,
         "events have no time, or one that is not a number; skipped");
    note(loaders::ImportLog::kNotice, "trace event of another kind", unknown_,
         "events are of kinds that have no time; skipped");
    note(loaders::ImportLog::kNotice, "negative duration", negative_,
         "events have a negative duration, which counts as 0");
    note(loaders::ImportLog::kNotice, "begin without an end", pairs.open_begins,
         "events have no end; they last until the end of the trace");
    note(loaders::ImportLog::kDamage, "end without a begin", pairs.lost_ends,
         "events end but did not begin; skipped");
  }

  static constexpr profile::FrameId kUnseen = profile::kNone - 1;

  loaders::LoadContext& context_;
  profile::GraphTables& graph_;
  ChromeEvents result_;
  std::vector<SliceMark> marks_;
  absl::flat_hash_map<profile::StringId, uint32_t> processes_;
  absl::flat_hash_map<std::pair<uint32_t, profile::StringId>, uint32_t>
      threads_;
  absl::flat_hash_map<
      std::tuple<uint32_t, profile::StringId, profile::StringId>, uint32_t>
      operations_;
  std::vector<profile::FrameId> frame_of_name_;
  std::string buffer_;
  std::vector<ChromeStep> named_steps_;
  std::set<uint32_t> step_tracks_;  // of slices that are called step
  int64_t first_ = kMaxTime;
  int64_t last_ = -kMaxTime;
  int64_t without_time_ = 0;
  int64_t unknown_ = 0;
  int64_t negative_ = 0;
};

}  // namespace

ChromeEvents ReadChromeEvents(const TraceInput& input,
                              loaders::LoadContext& context) {
  Reader reader(context);
  if (input.source != nullptr) {
    input.source->Visit([&](const TraceEvent& event) { reader.Add(event); });
    return reader.Finish(*input.file);
  }
  const loaders::InputFile& file = *input.file;
  EventScanner scanner(file.bytes());
  VisitEvents(
      scanner, context.work,
      [&](const TraceEvent& event) { reader.Add(event); },
      [&](size_t bytes) {
        context.progress->done += static_cast<int64_t>(bytes);
      });
  LogScan(file, scanner, context.log);
  return reader.Finish(file);
}

}  // namespace tfprof::chrome_json
