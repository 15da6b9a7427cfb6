#include "loaders/chrome_json/chrome/chrome_trace.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"
#include "loaders/chrome_json/chrome/chrome_events.h"
#include "loaders/chrome_json/chrome/chrome_flows.h"
#include "loaders/chrome_json/chrome/chrome_lanes.h"
#include "loaders/chrome_json/chrome/chrome_nodes.h"
#include "loaders/chrome_json/chrome/chrome_pipeline.h"
#include "loaders/chrome_json/event_details.h"
#include "loaders/nodes/nesting.h"
#include "util/run/self_profile.h"
#include "util/text/decimal.h"

namespace tfprof::chrome_json {
namespace {

// A mark in the first bytes of a file of another tool.
constexpr std::string_view kSpeedscope = "speedscope.app/file-format";
constexpr size_t kToolBytes = 4096;

class Loader {
 public:
  Loader(const TraceInput& input, uint32_t number, ChromeNodes& nodes,
         loaders::LoadContext& context)
      : file_(*input.file),
        number_(number),
        nodes_(nodes),
        context_(context),
        builder_(context.builder),
        events_(ReadChromeEvents(input, context)),
        flows_(events_) {
    input_ = builder_.AddInput(
        input.source != nullptr ? input.source->Details()
                                : std::make_shared<EventDetails>(input.file));
  }

  // Adds the executions. Adds their steps to `steps`.
  absl::Status Load(std::set<int64_t>& steps) {
    if (events_.slices.empty() && events_.instants.empty() &&
        events_.counters.empty()) {
      return absl::InvalidArgumentError(
          fmt::format("{}: no event with a time in {} bytes of JSON",
                      file_.path(), file_.bytes().size()));
    }
    builder_.mutable_graph().has_code_traces |= events_.has_frames;
    nodes_.SetFile(events_.has_frames);
    FindWorkers();
    if (events_.steps.empty() && !is_pipeline_) {
      builder_.AddStep(0);
      steps.insert(0);
    }
    AddLanes();
    AddSteps();
    // The host's record of an operation counts the run that the kernel is part
    // of, so the records of the host come first.
    const bool host_first[] = {true, false};
    for (const bool host : host_first) AddSlices(host);
    for (auto& [key, batch] : batches_) {
      std::vector<profile::LaneExecutions> one;
      one.push_back(std::move(batch));
      builder_.AddExecutions(std::get<0>(key), std::move(one), {});
      steps.insert(std::get<0>(key));
    }
    AddInstants(steps);
    AddCounters();
    return absl::OkStatus();
  }

  // Call this after the steps are finished.
  void AddLinks() {
    const int64_t lost = flows_.AddLinks(builder_);
    if (lost > 0) {
      context_.log.Add(loaders::ImportLog::kNotice, "arrow without a slice",
                       fmt::format("{}: {} ends of arrows have no slice",
                                   file_.path(), lost));
    }
  }

 private:
  profile::StringId Intern(std::string_view s) {
    return builder_.mutable_graph().strings.Intern(s);
  }
  std::string_view Key(profile::StringId key) const {
    return key == profile::kNone ? std::string_view() : events_.keys.Get(key);
  }

  // ---- Workers of a pipeline

  // The file is the timeline of a pipeline if a thread of a worker has slices
  // with the numbers of its operations.
  void FindWorkers() {
    workers_.resize(events_.tracks.size());
    if (events_.pipeline.empty()) return;
    for (size_t t = 0; t < workers_.size(); ++t) {
      const ChromeTrack& track = events_.tracks[t];
      const ChromeProcess& process = events_.processes[track.process];
      workers_[t] = WorkerOfThread(process.name, Key(process.key), track.name);
    }
    is_pipeline_ = std::any_of(
        events_.slices.begin(), events_.slices.end(),
        [&](const ChromeSlice& slice) { return NumbersOf(slice) != nullptr; });
    if (!is_pipeline_) workers_.assign(workers_.size(), std::nullopt);
  }

  // Returns nullptr if the slice is no operation of a worker.
  const PipelineNumbers* NumbersOf(const ChromeSlice& slice) const {
    return slice.pipeline != profile::kNone && workers_[slice.track]
               ? &events_.pipeline[slice.pipeline]
               : nullptr;
  }

  void AddPipelineOp(const ChromeSlice& slice, const PipelineNumbers& numbers) {
    builder_.AddStep(numbers.step);
    builder_.AddPipelineOp({.step = numbers.step,
                            .dp = workers_[slice.track]->dp,
                            .stage = workers_[slice.track]->stage,
                            .type = slice.name,
                            .sequence = numbers.sequence,
                            .micro_batch = numbers.micro_batch,
                            .model_chunk = numbers.model_chunk,
                            .start = slice.start,
                            .duration = slice.duration});
  }

  // ---- Processes and lanes

  // All devices of a file share one process; so do the tensors of Horovod.
  profile::ProcessId ProcessOf(uint32_t process, bool shared) {
    const auto [it, is_new] = processes_.try_emplace(
        shared ? profile::kNone : process, profile::kNone);
    if (!is_new) return it->second;
    profile::Process made;
    if (!shared) {
      const ChromeProcess& from = events_.processes[process];
      made.process_id = util::ParseDecimal(Key(from.key)).value_or(-1);
      made.name = !from.name.empty() ? from.name
                                     : fmt::format("process {}", Key(from.key));
    } else if (events_.is_horovod) {
      made.name = "horovod";
    }
    if (events_.processes.size() > 1 || number_ > 0) made.label = made.name;
    it->second = builder_.mutable_graph().lanes.AddProcess(std::move(made));
    return it->second;
  }

  std::string NameOfLane(const ChromeTrack& track, const LaneRole& role) const {
    const ChromeProcess& process = events_.processes[track.process];
    if (track.asynchronous) {
      return track.category == profile::kNone || Key(track.category).empty()
                 ? "asynchronous"
                 : fmt::format("asynchronous {}", Key(track.category));
    }
    if (!track.name.empty()) return track.name;
    // A device of TensorFlow 1 is named by its process.
    if (role.device_name || track.thread == profile::kNone) return process.name;
    return fmt::format("thread {}", Key(track.thread));
  }

  void AddLanes() {
    std::vector<LaneRole> roles;
    for (size_t t = 0; t < events_.tracks.size(); ++t) {
      const ChromeTrack& track = events_.tracks[t];
      LaneRole role =
          RoleOfLane(events_.processes[track.process].name, track.name);
      if (track.kind) role = RoleOfTimeline(*track.kind, track.name);
      if (const auto& worker = workers_[t]) {
        role.kind = worker->kind;
        role.device = fmt::format("stage:{}", worker->stage);
        role.device_kind = "accelerator";
      }
      // The threads already count the work of asynchronous operations.
      if (track.asynchronous && events_.has_threads) {
        role.kind = profile::LaneKind::kAnnotation;
      }
      roles.push_back(std::move(role));
    }
    ResolveRoles(roles);
    FindCopies(roles);
    std::vector<bool> used(events_.tracks.size(), false);
    for (const ChromeSlice& slice : events_.slices) used[slice.track] = true;
    for (const ChromeInstant& instant : events_.instants) {
      used[instant.track] = true;
    }
    lanes_.assign(events_.tracks.size(), profile::kNone);
    // Keyed by process and category, because asynchronous operations share a
    // lane.
    std::map<std::pair<uint32_t, profile::StringId>, profile::LaneId>
        asynchronous;
    for (uint32_t t = 0; t < events_.tracks.size(); ++t) {
      if (!used[t]) continue;
      const ChromeTrack& track = events_.tracks[t];
      if (!track.asynchronous) {
        lanes_[t] = AddLane(track, roles[t]);
        continue;
      }
      const auto [it, is_new] = asynchronous.try_emplace(
          {track.process, track.category}, profile::kNone);
      if (is_new) it->second = AddLane(track, roles[t]);
      lanes_[t] = it->second;
    }
    AddDevicesWithoutWork();
  }

  // A process that is named after a device is listed even if nothing ran on it.
  void AddDevicesWithoutWork() {
    if (events_.is_horovod || !processes_.contains(profile::kNone)) return;
    for (uint32_t p = 0; p < events_.processes.size(); ++p) {
      const LaneRole role = RoleOfLane(events_.processes[p].name, "");
      if (role.device_name) DeviceOf(ProcessOf(p, true), role);
    }
  }

  profile::PhysicalId DeviceOf(profile::ProcessId process,
                               const LaneRole& role) {
    profile::GraphTables& graph = builder_.mutable_graph();
    const std::string& label = graph.lanes.process(process).label;
    const profile::PhysicalId physical = graph.lanes.InternPhysical(
        process, role.device,
        label.empty() ? role.device : fmt::format("{} {}", label, role.device));
    graph.lanes.mutable_physical(physical).kind =
        role.device_kind.empty() ? DeviceKind(role.device) : role.device_kind;
    return physical;
  }

  // TensorFlow 1 does not mark the streams that have copies. A stream has
  // copies if it has nothing else.
  void FindCopies(std::vector<LaneRole>& roles) {
    std::vector<bool> has_slices(roles.size(), false);
    std::vector<bool> has_others(roles.size(), false);
    for (const ChromeSlice& slice : events_.slices) {
      const std::string_view name = builder_.graph().strings.Get(slice.name);
      has_slices[slice.track] = true;
      if (!name.starts_with("MEMCPY")) has_others[slice.track] = true;
    }
    for (size_t t = 0; t < roles.size(); ++t) {
      if (roles[t].kind == profile::LaneKind::kKernels && has_slices[t] &&
          !has_others[t]) {
        roles[t].kind = profile::LaneKind::kCopies;
      }
    }
  }

  profile::LaneId AddLane(const ChromeTrack& track, const LaneRole& role) {
    const bool shared = role.device_name || events_.is_horovod;
    const profile::ProcessId process = ProcessOf(track.process, shared);
    profile::GraphTables& graph = builder_.mutable_graph();
    const profile::PhysicalId physical = DeviceOf(process, role);
    profile::Lane lane = {
        .process = process, .kind = role.kind, .physical = physical};
    lane.name = Intern(NameOfLane(track, role));
    lane.thread = util::ParseDecimal(Key(track.thread)).value_or(-1);
    lane.stream = role.stream;
    lane.clock = number_;
    lane.calls_nest = role.kind != profile::LaneKind::kAnnotation;
    return graph.lanes.Add(lane);
  }

  // ---- Steps

  void AddSteps() {
    for (const ChromeStep& step : events_.steps) {
      builder_.AddStepInterval({.step = step.number,
                                .process = ProcessOfStep(step),
                                .start = step.start,
                                .end = step.end,
                                .name = step.name});
    }
  }

  profile::ProcessId ProcessOfStep(const ChromeStep& step) {
    const std::string& name = events_.processes[step.process].name;
    return ProcessOf(step.process, RoleOfLane(name, "").device_name);
  }

  // Returns the last step that begins at or before `time`, if it has not ended.
  int64_t StepAt(int64_t time) const {
    if (events_.steps.empty()) return is_pipeline_ ? profile::kOutsideSteps : 0;
    const auto next = std::partition_point(
        events_.steps.begin(), events_.steps.end(),
        [&](const ChromeStep& step) { return step.start <= time; });
    if (next == events_.steps.begin()) return profile::kOutsideSteps;
    const ChromeStep& step = *(next - 1);
    return time <= step.end ? step.number : profile::kOutsideSteps;
  }

  // ---- Slices

  bool IsHost(uint32_t track) const {
    const profile::LaneKind kind = builder_.graph().lanes[lanes_[track]].kind;
    return kind == profile::LaneKind::kCompute ||
           kind == profile::LaneKind::kLaunches;
  }

  // Adds the slices on lanes of the host, or the slices on all other lanes.
  void AddSlices(bool host) {
    const std::vector<ChromeSlice>& slices = events_.slices;
    for (size_t begin = 0, end = 0; begin < slices.size(); begin = end) {
      const uint32_t track = slices[begin].track;
      while (end < slices.size() && slices[end].track == track) ++end;
      if (IsHost(track) != host || context_.work.cancelled()) continue;
      AddTrack(track, {slices.data() + begin, end - begin}, host);
    }
  }

  void AddTrack(uint32_t track, std::span<const ChromeSlice> slices,
                bool host) {
    std::vector<loaders::Span> spans;
    std::vector<profile::RecordRef> records;
    for (const ChromeSlice& slice : slices) {
      spans.push_back({slice.start, slice.duration});
      records.push_back(profile::MakeRecordRef(input_, slice.offset));
    }
    const loaders::Nesting nesting = loaders::Nest(spans);
    flows_.BindTrack(track, slices, nesting, records);
    std::vector<ChromeNodes::CallId> calls(slices.size());
    const ChromeNodes::CallId root =
        nodes_.Root(events_.is_horovod
                        ? events_.processes[events_.tracks[track].process].name
                        : std::string());
    for (const uint32_t i : nesting.order) {
      const uint32_t parent = nesting.parent[i];
      calls[i] = nodes_.Call(parent == profile::kNone ? root : calls[parent],
                             slices[i].name, slices[i].frame);
    }
    for (size_t i = 0; i < slices.size(); ++i) {
      const ChromeSlice& slice = slices[i];
      const bool is_operation = slice.operation != profile::kNone;
      const profile::NodeId node =
          is_operation ? nodes_.Operation(slice.operation, slice.name)
                       : nodes_.NodeOf(calls[i]);
      if (host && is_operation) {
        if (node >= runs_on_host_.size()) runs_on_host_.resize(node + 1, false);
        runs_on_host_[node] = true;
      }
      const bool is_run =
          host || node >= runs_on_host_.size() || !runs_on_host_[node];
      const PipelineNumbers* const numbers = NumbersOf(slice);
      if (numbers != nullptr) AddPipelineOp(slice, *numbers);
      profile::LaneExecutions& batch =
          batches_[{numbers != nullptr ? numbers->step : StepAt(slice.start),
                    lanes_[track], is_run}];
      batch.lane = lanes_[track];
      batch.are_runs = is_run;
      batch.ticks_per_micro = kChromeTicksPerMicro;
      batch.records.push_back({.node = node,
                               .start = slice.start,
                               .duration = slice.duration,
                               .record = records[i]});
      batch.self.push_back(nesting.self[i]);
    }
  }

  // ---- The rest

  void AddInstants(std::set<int64_t>& steps) {
    for (const ChromeInstant& instant : events_.instants) {
      const int64_t step = StepAt(instant.time);
      steps.insert(step);
      builder_.AddOutside(
          step,
          {.name = instant.name,
           .lane = lanes_[instant.track],
           .start = instant.time,
           .record = profile::MakeRecordRef(input_, instant.offset)},
          kChromeTicksPerMicro);
    }
  }

  void AddCounters() {
    for (auto& [key, samples] : events_.counters) {
      const bool in_bytes = events_.counters_in_bytes.contains(key);
      builder_.AddCounter({.name = Intern(key.second),
                           .unit = in_bytes ? Intern("bytes") : profile::kNone,
                           .process = ProcessOf(key.first, events_.is_horovod)},
                          std::move(samples));
    }
  }

  const loaders::InputFile& file_;
  const uint32_t number_;  // of the file
  ChromeNodes& nodes_;
  loaders::LoadContext& context_;
  profile::ProfileBuilder& builder_;
  ChromeEvents events_;
  ChromeFlows flows_;
  uint32_t input_ = 0;
  absl::flat_hash_map<uint32_t, profile::ProcessId>
      processes_;                       // kNone: shared
  std::vector<profile::LaneId> lanes_;  // by track; kNone: the track is empty
  std::vector<bool> runs_on_host_;      // by node
  std::vector<std::optional<PipelineWorker>> workers_;  // by track
  bool is_pipeline_ = false;
  // Keyed by step, lane and are_runs.
  std::map<std::tuple<int64_t, profile::LaneId, bool>, profile::LaneExecutions>
      batches_;
};

absl::Status CheckTool(const loaders::InputFile& file) {
  if (file.bytes().substr(0, kToolBytes).find(kSpeedscope) ==
      std::string_view::npos) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(fmt::format(
      "{}: this is a file for speedscope, which tfprof does not read; record "
      "it as a chrome trace (py-spy record --format chrometrace)",
      file.path()));
}

}  // namespace

absl::Status LoadChromeTraces(
    std::span<const std::shared_ptr<const loaders::InputFile>> files,
    loaders::LoadContext& context) {
  return LoadChromeEvents(InputsOf(files), context);
}

absl::Status LoadChromeEvents(std::span<const TraceInput> inputs,
                              loaders::LoadContext& context) {
  ChromeNodes nodes(context.builder);
  std::vector<std::unique_ptr<Loader>> loaders;
  std::set<int64_t> steps;
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    const loaders::InputFile& file = *inputs[i].file;
    const util::ScopedPhase phase("chrome trace", file.path());
    absl::Status status = CheckTool(file);
    if (!status.ok()) return status;
    loaders.push_back(std::make_unique<Loader>(inputs[i], i, nodes, context));
    status = loaders.back()->Load(steps);
    if (!status.ok()) return status;
    if (context.work.cancelled()) return absl::OkStatus();
  }
  const util::ScopedPhase phase("make columns");
  context.builder.FinishSteps({steps.begin(), steps.end()});
  for (const auto& loader : loaders) loader->AddLinks();
  if (nodes.num_too_deep() > 0) {
    context.log.Count(loaders::ImportLog::kNotice,
                      "slice too deep for its own scope", nodes.num_too_deep());
  }
  return absl::OkStatus();
}

namespace {

// Returns whether `text` has a quoted member `key` whose value begins in a way
// that `fits(value)` accepts.
template <typename Fits>
bool HasMember(std::string_view text, std::string_view key, Fits fits) {
  constexpr std::string_view kSpaces = " \t\r\n";
  for (size_t at = text.find(key); at != text.npos; at = text.find(key, at)) {
    at += key.size();
    const size_t colon = text.find_first_not_of(kSpaces, at);
    if (colon == text.npos || text[colon] != ':') continue;
    const size_t value = text.find_first_not_of(kSpaces, colon + 1);
    if (value != text.npos && fits(text.substr(value))) return true;
  }
  return false;
}

}  // namespace

int ChromeTraceFit(std::string_view bytes) {
  constexpr size_t kLooked = 256 << 10;
  const std::string_view head = bytes.substr(0, kLooked);
  const size_t first = head.find_first_not_of(" \t\r\n");
  if (first == head.npos) return 0;
  const auto is_phase = [](std::string_view value) {
    return value.size() > 2 && value[0] == '"' && value[2] == '"';
  };
  const auto is_array = [](std::string_view value) {
    return value.starts_with('[');
  };
  if (head[first] == '[') return HasMember(head, "\"ph\"", is_phase);
  if (head[first] != '{') return 0;
  return HasMember(head, "\"traceEvents\"", is_array) ||
         head.substr(0, kToolBytes).find(kSpeedscope) != head.npos;
}

}  // namespace tfprof::chrome_json
