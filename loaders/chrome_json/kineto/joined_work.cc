#include "loaders/chrome_json/kineto/joined_work.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "loaders/chrome_json/event_details.h"
#include "loaders/chrome_json/kineto/file_times.h"
#include "loaders/gpu_trace/from_profile.h"
#include "loaders/gpu_trace/same_events.h"
#include "loaders/gpu_trace/work_details.h"
#include "util/arithmetic.h"
#include "util/text/decimal.h"

namespace tfprof::kineto {
namespace {

using gpu_trace::GpuTrace;

// Reads the records of a file and of what was joined to it.
class JoinedDetails : public profile::DetailReader {
 public:
  JoinedDetails(std::shared_ptr<const profile::DetailReader> own,
                std::shared_ptr<const profile::DetailReader> joined)
      : own_(std::move(own)), joined_(std::move(joined)) {}

  profile::AttributeList Attributes(uint64_t offset) const override {
    return IsJoined(offset) ? profile::AttributeList()
                            : own_->Attributes(offset);
  }
  profile::ExecutionDetail Execution(uint64_t offset,
                                     bool on_cpu) const override {
    return IsJoined(offset) ? profile::ExecutionDetail()
                            : own_->Execution(offset, on_cpu);
  }
  profile::RecordText Text(uint64_t offset) const override {
    return IsJoined(offset) ? joined_->Text(Inner(offset)) : own_->Text(offset);
  }
  profile::Transfer TransferOf(uint64_t offset) const override {
    return IsJoined(offset) ? joined_->TransferOf(Inner(offset))
                            : own_->TransferOf(offset);
  }
  profile::ArgumentList Arguments(uint64_t offset) const override {
    return IsJoined(offset) ? profile::ArgumentList() : own_->Arguments(offset);
  }
  bool record_is_group() const override { return false; }

 private:
  static bool IsJoined(uint64_t offset) {
    return (offset & JoinedWork::kOffsetBit) != 0;
  }
  static uint64_t Inner(uint64_t offset) {
    return offset & ~JoinedWork::kOffsetBit;
  }

  const std::shared_ptr<const profile::DetailReader> own_;
  const std::shared_ptr<const profile::DetailReader> joined_;
};

// The first start and the last end of operations and ranges.
struct Window {
  int64_t begin = std::numeric_limits<int64_t>::max();
  int64_t end = std::numeric_limits<int64_t>::min();
  bool Has(int64_t time) const { return begin <= time && time <= end; }
};

int64_t NumberOf(const HostThread& thread) {
  return util::ParseDecimal(thread.tid).value_or(-1);
}

// How a recording is related to a file.
struct Relation {
  gpu_trace::ClockLine clock;
  // The event of the file that each one of the recording is; kNone: none.
  std::vector<uint32_t> own_of;
  int64_t same = 0;    // so many have one
  int64_t spread = 0;  // half of them are at most this far apart
  std::string how;     // the clocks are related, for the log
};

absl::StatusOr<Relation> Relate(const KinetoFile& file, const GpuTrace& trace,
                                const std::string& path) {
  const KinetoEvents& events = file.events;
  std::set<int64_t> common;
  for (const gpu_trace::HostThread& thread : trace.threads) {
    common.insert(thread.thread);
  }
  std::vector<gpu_trace::NamedTime> own, other;
  std::vector<uint32_t> own_event;
  const auto key = [](int64_t thread, profile::StringId name) {
    return uint64_t{absl::HashOf(thread, name)};
  };
  for (uint32_t e = 0; e < events.host.size(); ++e) {
    const HostEvent& event = events.host[e];
    const int64_t thread = NumberOf(events.threads[event.thread]);
    if (!common.contains(thread)) continue;
    own.push_back({key(thread, event.name), event.start});
    own_event.push_back(e);
  }
  for (const gpu_trace::HostEvent& event : trace.host) {
    const int64_t thread = trace.threads[event.thread].thread;
    // The operation of a range: its text may have more than the name.
    other.push_back({key(thread, event.op), event.start});
  }
  Relation relation;
  relation.own_of.assign(trace.host.size(), profile::kNone);
  const absl::StatusOr<gpu_trace::SameEvents> found =
      gpu_trace::FindSameEvents(own, other);
  if (found.ok()) {
    relation.clock = found->clock;
    relation.same = found->same;
    relation.spread = found->spread;
    for (size_t i = 0; i < own.size(); ++i) {
      if (found->second[i] == profile::kNone) continue;
      relation.own_of[found->second[i]] = own_event[i];
    }
    relation.how = fmt::format(
        "the clocks are related by {} of {} events that both have, half of "
        "them within {:.1f} us",
        found->same, found->of, static_cast<double>(found->spread) / 1e3);
    const double drift = found->clock.drift;
    if (drift != 0) {
      relation.how +=
          fmt::format("; that of {} runs {:.1f} ppm too {}", path,
                      std::abs(drift) * 1e6, drift > 0 ? "slowly" : "fast");
    }
    return relation;
  }
  FileTimes own_times, other_times;
  own_times.base = file.envelope.base_nanos;
  for (const HostEvent& event : events.host) {
    own_times.first = std::min(own_times.first, event.start);
  }
  for (const gpu_trace::Work& work : trace.work) {
    other_times.first = std::min(other_times.first, work.start);
  }
  FileTimes* const times[] = {&own_times, &other_times};
  SetShifts(times);
  const std::string why(found.status().message());
  if (!own_times.absolute || !other_times.absolute) {
    return absl::InvalidArgumentError(fmt::format(
        "{} cannot be joined to {}: {}, and not both count their times from "
        "1970, so nothing relates their clocks; record ranges in both "
        "(torch.autograd.profiler.emit_nvtx)",
        path, events.file->path(), why));
  }
  relation.clock.shift = other_times.shift - own_times.shift;
  relation.how = fmt::format("the clocks of both count from 1970 ({})", why);
  return relation;
}

class Joiner {
 public:
  Joiner(KinetoFile& file, GpuTrace trace, Relation relation,
         const std::string& path, profile::StringPool& strings)
      : file_(file),
        events_(file.events),
        trace_(std::move(trace)),
        clock_(relation.clock),
        own_of_(std::move(relation.own_of)),
        path_(path),
        strings_(strings) {
    joined_.how = std::move(relation.how);
  }

  void Join() {
    details_ = std::make_shared<gpu_trace::WorkDetails>(trace_, strings_);
    DropOwnWork();
    PlaceCalls();
    for (const HostEvent& event : events_.host) {
      window_.begin = std::min(window_.begin, event.start);
      window_.end = std::max(window_.end,
                             util::SaturatingAdd(event.start, event.duration));
    }
    AddWork();
    AddCalls();
    AddDevices();
    joined_.path = path_;
    joined_.details = details_;
    events_.joined = std::move(joined_);
  }

 private:
  int64_t Moved(int64_t time) const { return clock_.Moved(time); }

  void DropOwnWork() {
    for (const DeviceEvent& event : events_.device) {
      const profile::LaneKind kind = events_.device_lanes[event.lane].kind;
      joined_.replaced += kind == profile::LaneKind::kKernels ||
                          kind == profile::LaneKind::kCopies ||
                          kind == profile::LaneKind::kCommunication;
    }
    events_.device.clear();
    events_.device_lanes.clear();
    events_.node_names.clear();
    events_.launched_kernels.clear();
    std::vector<uint32_t> moved(events_.host.size(), profile::kNone);
    std::vector<HostEvent> kept;
    for (uint32_t e = 0; e < events_.host.size(); ++e) {
      if (events_.host[e].category == KinetoCategory::kLaunch) continue;
      moved[e] = static_cast<uint32_t>(kept.size());
      kept.push_back(events_.host[e]);
    }
    events_.host = std::move(kept);
    const auto renumber = [&](auto& rows, auto index) {
      std::erase_if(rows, [&](const auto& row) {
        return moved[row.*index] == profile::kNone;
      });
      for (auto& row : rows) row.*index = moved[row.*index];
    };
    renumber(events_.sequence, &SequenceNumber::host);
    renumber(events_.call_stacks,
             &std::pair<uint32_t, profile::StackId>::first);
    renumber(events_.hierarchies,
             &std::pair<uint32_t, profile::ScopeId>::first);
    joined_.in_both.assign(events_.host.size(), false);
    for (uint32_t& own : own_of_) {
      if (own == profile::kNone) continue;
      own = moved[own];
      if (own == profile::kNone || events_.host[own].async) {
        own = profile::kNone;
      } else {
        joined_.in_both[own] = true;
      }
    }
  }

  // Finds the innermost event around the start of each call that both
  // recordings have. The clock of the other recording alone says what is around
  // it, so no shift of the clocks can be wrong.
  void PlaceCalls() {
    const std::vector<gpu_trace::HostEvent>& host = trace_.host;
    around_.assign(host.size(), profile::kNone);
    call_start_.resize(host.size());
    std::vector<uint32_t> order;
    for (uint32_t e = 0; e < host.size(); ++e) {
      if (host[e].kind == gpu_trace::HostKind::kCall ||
          own_of_[e] != profile::kNone) {
        order.push_back(e);
      }
    }
    std::ranges::sort(order, {}, [&](uint32_t e) {
      const bool is_call = host[e].kind == gpu_trace::HostKind::kCall;
      return std::tuple(host[e].thread, host[e].start, is_call, ~host[e].end,
                        e);
    });
    std::vector<uint32_t> open;
    for (const uint32_t e : order) {
      const gpu_trace::HostEvent& event = host[e];
      while (!open.empty() && (host[open.back()].thread != event.thread ||
                               host[open.back()].end <= event.start)) {
        open.pop_back();
      }
      if (event.kind != gpu_trace::HostKind::kCall) {
        open.push_back(e);
        continue;
      }
      call_start_[e] = Moved(event.start);
      if (open.empty()) continue;
      around_[e] = own_of_[open.back()];
      // Times of the two recordings differ by a microsecond or so.
      const HostEvent& own = events_.host[around_[e]];
      call_start_[e] = std::clamp(call_start_[e], own.start, own.end());
    }
  }

  // Returns the thread of the file that has the number of a thread of the
  // recording. It is added if it is new.
  uint32_t ThreadOf(uint32_t thread) {
    const auto [it, is_new] = threads_.try_emplace(thread, profile::kNone);
    if (!is_new) return it->second;
    const gpu_trace::HostThread& other = trace_.threads[thread];
    for (uint32_t t = 0; t < events_.threads.size(); ++t) {
      if (NumberOf(events_.threads[t]) == other.thread) return it->second = t;
    }
    events_.threads.push_back({.pid = fmt::format("{}", other.process),
                               .tid = fmt::format("{}", other.thread),
                               .name = other.name});
    return it->second = static_cast<uint32_t>(events_.threads.size() - 1);
  }

  void AddCalls() {
    std::vector<uint32_t> calls;
    for (uint32_t e = 0; e < trace_.host.size(); ++e) {
      if (trace_.host[e].kind == gpu_trace::HostKind::kCall &&
          window_.Has(call_start_[e])) {
        calls.push_back(e);
      }
    }
    for (const uint32_t e : calls) {
      const gpu_trace::HostEvent& call = trace_.host[e];
      HostEvent event;
      event.start = call_start_[e];
      event.duration = call.end - call.start;
      event.offset = JoinedWork::kOffsetBit | e;
      event.correlation = int64_t{e} + 1;
      event.name = call.op;
      event.thread = ThreadOf(call.thread);
      event.category = KinetoCategory::kLaunch;
      events_.host.push_back(event);
      joined_.around.push_back(around_[e]);
    }
  }

  void AddWork() {
    std::vector<uint32_t> lanes(trace_.lanes.size(), profile::kNone);
    int64_t last = window_.end;
    for (size_t w = 0; w < trace_.work.size(); ++w) {
      const gpu_trace::Work& work = trace_.work[w];
      const bool launched = work.launch != profile::kNone;
      const int64_t launch =
          launched ? call_start_[work.launch] : Moved(work.start);
      if (!window_.Has(launch)) {
        ++joined_.left_out;
        joined_.left_out_nanos =
            util::SaturatingAdd(joined_.left_out_nanos, work.end - work.start);
        continue;
      }
      if (lanes[work.lane] == profile::kNone) {
        const gpu_trace::WorkLane& lane = trace_.lanes[work.lane];
        lanes[work.lane] = static_cast<uint32_t>(events_.device_lanes.size());
        events_.device_lanes.push_back(
            {.device = lane.device,
             .stream = lane.stream >= 0 ? lane.stream
                                        : profile::Lane::kUnnumberedStream,
             .kind = lane.kind});
      }
      DeviceEvent event;
      event.start = Moved(work.start);
      event.duration = work.end - work.start;
      event.offset = JoinedWork::kOffsetBit | (trace_.host.size() + w);
      event.correlation = launched ? int64_t{work.launch} + 1 : 0;
      event.name = work.name;
      event.lane = lanes[work.lane];
      events_.device.push_back(event);
      last = std::max(last, util::SaturatingAdd(event.start, event.duration));
    }
    // The call that waits for the last work begins after the last operation.
    window_.end = last;
  }

  void AddDevices() {
    for (const auto& [number, label] : trace_.labels) {
      events_.accelerator = label.substr(0, label.find(':'));
    }
    for (const auto& [number, model] : trace_.models) {
      if (std::ranges::find(file_.envelope.devices, number,
                            &KinetoDevice::id) ==
          file_.envelope.devices.end()) {
        file_.envelope.devices.push_back({.id = number, .name = model});
      }
    }
  }

  KinetoFile& file_;
  KinetoEvents& events_;
  GpuTrace trace_;
  const gpu_trace::ClockLine clock_;
  std::vector<uint32_t> own_of_;  // as in Relation
  const std::string& path_;
  const profile::StringPool& strings_;
  // For each call of the recording: the event of the file that it is in by the
  // ranges of the recording, and its start in the file.
  std::vector<uint32_t> around_;
  std::vector<int64_t> call_start_;
  Window window_;
  JoinedWork joined_;
  std::shared_ptr<const profile::DetailReader> details_;
  absl::flat_hash_map<uint32_t, uint32_t> threads_;
};

// The files that have a process, or a thread, by its number.
using FilesOf = absl::flat_hash_map<int64_t, std::set<size_t>>;

// The number of a process without that of its machine, which Nsight adds.
int64_t PidOf(int64_t process) { return process & 0xFFFFFF; }

// A trace of a recording, and the files that it may belong to.
struct Part {
  GpuTrace trace;
  const std::string* path = nullptr;
  std::vector<size_t> files;
};

// Where a recording does not say which process its threads are of, and several
// files have them, returns the trace of each file; work goes with its launch.
std::vector<Part> SplitByFile(GpuTrace trace, const FilesOf& with_thread) {
  std::vector<size_t> file_of;  // of each thread
  std::set<size_t> files;
  constexpr auto kNoFile = std::numeric_limits<size_t>::max();
  for (const gpu_trace::HostThread& thread : trace.threads) {
    const auto found = with_thread.find(thread.thread);
    const bool is_of_one = thread.process < 0 && found != with_thread.end() &&
                           found->second.size() == 1;
    file_of.push_back(is_of_one ? *found->second.begin() : kNoFile);
    if (is_of_one) files.insert(file_of.back());
  }
  std::vector<Part> parts;
  if (files.size() < 2) {
    parts.push_back({.trace = std::move(trace)});
    return parts;
  }
  std::map<size_t, Part> by_file;
  std::vector<uint32_t> number;  // of each event in its part
  for (gpu_trace::HostEvent event : trace.host) {
    GpuTrace& to = by_file[file_of[event.thread]].trace;
    const gpu_trace::HostThread& thread = trace.threads[event.thread];
    event.thread = to.Thread(thread.process, thread.thread);
    to.threads[event.thread].name = thread.name;
    number.push_back(static_cast<uint32_t>(to.host.size()));
    to.host.push_back(event);
  }
  for (gpu_trace::Work work : trace.work) {
    const bool launched = work.launch != profile::kNone;
    const size_t file =
        launched ? file_of[trace.host[work.launch].thread] : kNoFile;
    GpuTrace& to = by_file[file].trace;
    work.lane = to.Lane(trace.lanes[work.lane]);
    if (launched) work.launch = number[work.launch];
    to.work.push_back(work);
  }
  for (auto& [file, part] : by_file) {
    if (part.trace.work.empty()) continue;
    part.trace.label = trace.label;
    part.trace.labels = trace.labels;
    part.trace.models = trace.models;
    if (file != kNoFile) part.files = {file};
    parts.push_back(std::move(part));
  }
  return parts;
}

// Returns the traces of all recordings.
absl::StatusOr<std::vector<Part>> PartsOf(
    std::span<const loaders::JoinedRecording> recordings,
    std::span<const KinetoFile> files, profile::StringPool& strings) {
  FilesOf with_process, with_thread;
  for (size_t f = 0; f < files.size(); ++f) {
    for (const HostThread& thread : files[f].events.threads) {
      with_process[util::ParseDecimal(thread.pid).value_or(-1)].insert(f);
      with_thread[NumberOf(thread)].insert(f);
    }
  }
  std::vector<Part> parts;
  for (const loaders::JoinedRecording& recording : recordings) {
    std::vector<GpuTrace> traces =
        gpu_trace::FromProfile(recording.profile, strings);
    if (traces.empty()) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: found no work of a device, expected a recording of kernels and "
          "copies to join",
          recording.path));
    }
    const bool is_only = traces.size() == 1 && files.size() == 1;
    for (GpuTrace& trace : traces) {
      for (Part& part : SplitByFile(std::move(trace), with_thread)) {
        std::set<size_t> found(part.files.begin(), part.files.end());
        const auto add = [&](const FilesOf& of, int64_t number) {
          const auto it = of.find(number);
          if (it != of.end())
            found.insert(it->second.begin(), it->second.end());
        };
        if (found.empty()) {
          for (const gpu_trace::HostThread& thread : part.trace.threads) {
            if (thread.process >= 0) {
              add(with_process, PidOf(thread.process));
            } else {
              add(with_thread, thread.thread);
            }
          }
        }
        if (found.empty() && is_only) found.insert(0);
        part.path = &recording.path;
        part.files.assign(found.begin(), found.end());
        parts.push_back(std::move(part));
      }
    }
  }
  return parts;
}

// Leaves each part one file, if it has several: that with the most of its
// events, at the best time, which no other part has more of.
void ChooseFiles(std::span<const KinetoFile> files, std::vector<Part>& parts) {
  struct Choice {
    int64_t same = 0, spread = 0;
    size_t part = 0, file = 0;
  };
  std::vector<Choice> choices;
  std::vector<bool> taken(files.size(), false);
  for (size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].files.size() == 1) taken[parts[p].files.front()] = true;
    if (parts[p].files.size() < 2) continue;
    for (const size_t file : parts[p].files) {
      const auto relation = Relate(files[file], parts[p].trace, *parts[p].path);
      if (relation.ok() && relation->same > 0) {
        choices.push_back({relation->same, relation->spread, p, file});
      }
    }
  }
  std::ranges::stable_sort(choices, {}, [](const Choice& choice) {
    return std::pair(-choice.same, choice.spread);
  });
  for (const Choice& choice : choices) {
    std::vector<size_t>& of = parts[choice.part].files;
    if (of.size() < 2 || taken[choice.file]) continue;
    of = {choice.file};
    taken[choice.file] = true;
  }
}

std::string Millis(int64_t nanos) {
  return fmt::format("{:.3f}", static_cast<double>(nanos) / 1e6);
}

}  // namespace

absl::Status JoinRecordings(std::span<KinetoFile> files,
                            loaders::LoadContext& context) {
  const std::vector<loaders::JoinedRecording> recordings =
      std::exchange(context.joined, {});
  profile::StringPool& strings = context.builder.mutable_graph().strings;
  absl::StatusOr<std::vector<Part>> parts = PartsOf(recordings, files, strings);
  if (!parts.ok()) return parts.status();
  ChooseFiles(files, *parts);
  std::set<std::string_view> joined;
  for (Part& part : *parts) {
    if (part.files.empty()) {
      context.log.Add(loaders::ImportLog::kNotice,
                      "process that was not joined",
                      fmt::format("{}: {} is in none of the other files; its "
                                  "work of devices is left out",
                                  *part.path, part.trace.label));
      continue;
    }
    KinetoFile& file = files[part.files.front()];
    if (part.files.size() > 1) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: {} and {} have a process with its number, and no events that "
          "both have say which of them it belongs to; join it to one of them, "
          "or record ranges in both (torch.autograd.profiler.emit_nvtx)",
          *part.path, file.events.file->path(),
          files[part.files[1]].events.file->path()));
    }
    if (file.events.joined) {
      return absl::InvalidArgumentError(fmt::format(
          "{} and {} are both recordings of the process of {}; join one of "
          "them",
          file.events.joined->path, *part.path, file.events.file->path()));
    }
    absl::StatusOr<Relation> relation = Relate(file, part.trace, *part.path);
    if (!relation.ok()) return relation.status();
    Joiner(file, std::move(part.trace), *std::move(relation), *part.path,
           strings)
        .Join();
    joined.insert(*part.path);
  }
  for (const loaders::JoinedRecording& recording : recordings) {
    if (joined.contains(recording.path)) continue;
    return absl::InvalidArgumentError(fmt::format(
        "{}: none of its processes is in the other files, so it is no "
        "recording of the same run",
        recording.path));
  }
  return absl::OkStatus();
}

std::shared_ptr<const profile::DetailReader> DetailsOf(
    const KinetoEvents& events) {
  std::shared_ptr<const profile::DetailReader> own;
  if (events.source != nullptr) {
    own = events.source->Details();
  } else {
    own = std::make_shared<chrome_json::EventDetails>(events.file);
  }
  if (!events.joined) return own;
  return std::make_shared<JoinedDetails>(std::move(own),
                                         events.joined->details);
}

void LogJoined(const KinetoEvents& events, const HostTree& tree,
               loaders::ImportLog& log) {
  if (!events.joined) return;
  // Whether each event is an operation or a range, or inside of one.
  enum Place : uint8_t { kOutside, kInRange, kInOperation };
  std::vector<Place> places(events.host.size(), kOutside);
  absl::flat_hash_map<int64_t, Place> of_launch;  // by correlation
  for (const uint32_t e : tree.order) {
    const HostEvent& event = events.host[e];
    const uint32_t parent = tree.parent[e];
    if (parent != profile::kNone) places[e] = places[parent];
    if (event.category == KinetoCategory::kLaunch) {
      of_launch[event.correlation] = places[e];
    } else {
      places[e] = std::max(places[e], event.is_range ? kInRange : kInOperation);
    }
  }
  struct Sum {
    int64_t number = 0, nanos = 0;
    void Add(int64_t duration) {
      ++number;
      nanos = util::SaturatingAdd(nanos, duration);
    }
  };
  Sum all, in_operations, in_ranges;
  for (const DeviceEvent& event : events.device) {
    all.Add(event.duration);
    const auto it = of_launch.find(event.correlation);
    if (it == of_launch.end() || it->second == kOutside) continue;
    (it->second == kInRange ? in_ranges : in_operations).Add(event.duration);
  }
  const JoinedWork& joined = *events.joined;
  std::string text = fmt::format(
      "{}: {} of {} pieces of work of devices ({} of {} ms) were launched "
      "inside of operations of {}",
      joined.path, in_operations.number, all.number,
      Millis(in_operations.nanos), Millis(all.nanos), events.file->path());
  if (in_ranges.number > 0) {
    text += fmt::format(", and {} ({} ms) only inside of its ranges",
                        in_ranges.number, Millis(in_ranges.nanos));
  }
  text += fmt::format("; {}", joined.how);
  if (joined.left_out > 0) {
    text += fmt::format(
        "; {} more ({} ms), launched before its first or after its last "
        "operation, are left out",
        joined.left_out, Millis(joined.left_out_nanos));
  }
  if (joined.replaced > 0) {
    text +=
        fmt::format("; they replace {} of the file itself", joined.replaced);
  }
  log.Add(loaders::ImportLog::kNotice, "joined recording", text);
}

}  // namespace tfprof::kineto
