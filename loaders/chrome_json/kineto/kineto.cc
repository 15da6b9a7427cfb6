#include "loaders/chrome_json/kineto/kineto.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "loaders/chrome_json/kineto/file_times.h"
#include "loaders/chrome_json/kineto/host/device_steps.h"
#include "loaders/chrome_json/kineto/host/host_scopes.h"
#include "loaders/chrome_json/kineto/host/host_tree.h"
#include "loaders/chrome_json/kineto/host/python_time.h"
#include "loaders/chrome_json/kineto/host/steps.h"
#include "loaders/chrome_json/kineto/job_ranks.h"
#include "loaders/chrome_json/kineto/joined_work.h"
#include "loaders/chrome_json/kineto/lanes.h"
#include "loaders/chrome_json/kineto/nodes.h"
#include "loaders/chrome_json/kineto/python_nodes.h"
#include "loaders/chrome_json/kineto/replays/capture_files.h"
#include "loaders/chrome_json/kineto/replays/captures.h"
#include "loaders/chrome_json/kineto/replays/execution_batches.h"
#include "loaders/chrome_json/kineto/replays/replay_nodes.h"
#include "loaders/chrome_json/kineto/replays/replays.h"
#include "loaders/chrome_json/kineto/scan.h"
#include "loaders/nodes/device_steps.h"
#include "profile/steps/step.h"
#include "util/arithmetic.h"
#include "util/run/self_profile.h"

namespace tfprof::kineto {
namespace {

using Category = KinetoCategory;

// The scope of kernels whose launch is not in the file.
constexpr std::string_view kNoLaunch = "(launch not in the file)";

// A file and its tables, until its executions are in the builder.
struct Prepared {
  KinetoFile file;
  FileFacts facts;
  HostTree tree;
  std::vector<std::pair<uint32_t, uint32_t>> gradients;
  std::vector<HostMemory> memory;
  KinetoSteps steps;
  // When the devices ran the steps, if they are behind the host.
  std::vector<loaders::StepTime> device_steps;
  HostScopes scopes;
  // Node numbers, indexed by event.
  std::vector<uint32_t> host_node;
  std::vector<uint32_t> device_node;
  std::vector<PythonCall> python;
  std::vector<uint32_t> python_node;  // indexed by call
  // The launch of each device event; kNone: the file does not have it.
  std::vector<uint32_t> launch;
  std::vector<Replay> replays;
  // For each device event of a replay: something names its operator; it is the
  // first one of a run of that operator.
  std::vector<bool> named;
  std::vector<bool> begins_run;
  uint32_t input = 0;
  int64_t rank = -1;
  // The name of the file, if it is no rank of the job of the others.
  std::string label;
  FileTimes times;
};

// A file with captures, and of which process it is.
struct Capturing {
  CapturedFile file;
  FileFacts facts;
  int64_t given_rank = -1;  // in the file itself, not in its name
};

class Loader {
 public:
  explicit Loader(loaders::LoadContext& context)
      : context_(context),
        builder_(context.builder),
        scopes_(builder_),
        python_(builder_.mutable_graph().strings),
        kinds_(builder_.mutable_graph().strings) {}

  absl::Status Load(std::span<const chrome_json::TraceInput> files) {
    builder_.SetTicksPerMicro(profile::kNanosPerMicro);
    std::vector<KinetoFile> scanned;
    std::vector<FileFacts> facts;
    for (const chrome_json::TraceInput& file : files) {
      absl::StatusOr<KinetoFile> one =
          ScanKineto(file, python_, scopes_, context_);
      if (!one.ok()) return one.status();
      // One file is an execution, whatever it has.
      facts.push_back(files.size() == 1
                          ? FileFacts()
                          : ReadFileFacts(*one, builder_.graph().strings));
      scanned.push_back(*std::move(one));
    }
    context_.operations_file = files.front().file->path();
    absl::Status joined = JoinRecordings(scanned, context_);
    if (!joined.ok()) return joined;
    const std::vector<bool> is_capture = FindCaptureFiles(facts);
    for (size_t i = 0; i < scanned.size(); ++i) {
      if (!is_capture[i]) continue;
      captures_.push_back(PrepareCaptures(std::move(scanned[i]), facts[i]));
    }
    num_executions_ = scanned.size() - captures_.size();
    for (size_t i = 0; i < scanned.size(); ++i) {
      if (is_capture[i]) continue;
      prepared_.push_back(Prepare(std::move(scanned[i]), facts[i]));
      if (context_.work.cancelled()) return Cancelled();
    }
    captures_.clear();
    SetShifts();
    SetRanks();
    NoteDeviceSteps();
    const std::vector<profile::NodeId> ids = nodes_.Build(builder_);
    if (context_.work.cancelled()) return Cancelled();
    bool has_steps = false;
    for (const Prepared& file : prepared_) has_steps |= !file.steps.empty();
    for (size_t i = 0; i < prepared_.size(); ++i) {
      Emit(prepared_[i], ids, has_steps, static_cast<uint32_t>(i));
      prepared_[i] = {};
      if (context_.work.cancelled()) return Cancelled();
    }
    builder_.FinishSteps({step_ids_.begin(), step_ids_.end()});
    if (context_.work.cancelled()) return Cancelled();
    std::move(links_).AddTo(builder_);
    builder_.mutable_graph().has_code_traces |=
        builder_.graph().stacks.size() > 1;
    return absl::OkStatus();
  }

 private:
  static absl::Status Cancelled() { return absl::CancelledError("cancelled"); }

  void LogErrors(const KinetoFile& file) {
    for (const std::string& error : file.envelope.errors) {
      context_.log.Add(loaders::ImportLog::kNotice, "error of the recorder",
                       fmt::format("{}: the recorder reports: {}",
                                   file.events.file->path(), error));
    }
  }

  Capturing PrepareCaptures(KinetoFile scanned, const FileFacts& facts) {
    LogErrors(scanned);
    // Only `status` shows this: nothing is wrong.
    context_.log.Count(loaders::ImportLog::kNotice,
                       "file with captures of graphs, without time of its own",
                       1);
    const uint32_t input = builder_.AddInput(DetailsOf(scanned.events));
    return {.file = ReadCaptures(std::move(scanned.events), input, kinds_,
                                 python_, scopes_),
            .facts = facts,
            .given_rank = scanned.envelope.rank};
  }

  // The result is incomplete after a cancellation.
  Prepared Prepare(KinetoFile scanned, const FileFacts& facts) {
    Prepared file;
    file.file = std::move(scanned);
    file.facts = facts;
    const KinetoEvents& events = file.file.events;
    LogErrors(file.file);
    // Only `status` shows these: nothing is wrong.
    for (const KinetoGroup& group : file.file.envelope.groups) {
      context_.log.Count(loaders::ImportLog::kNotice, GroupText(group), 1);
    }
    context_.log.Count(loaders::ImportLog::kNotice,
                       "process group that is not listed",
                       file.file.envelope.more_groups);
    file.input = builder_.AddInput(DetailsOf(events));
    file.tree = BuildHostTree(events);
    LogJoined(events, file.tree, context_.log);
    if (context_.work.cancelled()) return file;
    file.gradients = FindGradients(events, file.tree);
    file.steps = WithoutCutSteps(
        events, FindSteps(events, builder_.graph().strings), context_.log);
    LogCutSteps(events, file.steps, context_.log);
    int64_t outside = 0;
    file.memory = AttributeMemory(events, file.tree, outside);
    if (context_.work.cancelled()) return file;
    const std::vector<uint32_t> calls = OrderOfCalls(events);
    file.scopes = FindHostScopes(events, file.tree, file.gradients, calls,
                                 python_, scopes_);
    file.python = FindPythonTime(events, calls, python_, scopes_, file.tree);
    if (context_.work.cancelled()) return file;
    AddHostNodes(file);
    if (context_.work.cancelled()) return file;
    file.python_node =
        AddPythonNodes(events, file.python, file.scopes, file.host_node,
                       python_, builder_.mutable_graph().strings, nodes_);
    JoinLaunches(file);
    if (context_.work.cancelled()) return file;
    file.device_steps = FindDeviceSteps(events, file.steps, file.launch);
    AddDeviceNodes(file);
    file.scopes = {};
    const auto see = [&](const auto& rows) {
      for (const auto& row : rows) {
        file.times.first = std::min(file.times.first, row.start);
        file.times.last = std::max(
            file.times.last, util::SaturatingAdd(row.start, row.duration));
      }
    };
    see(events.host);
    see(events.device);
    see(events.other);
    return file;
  }

  void AddHostNodes(Prepared& file) {
    const KinetoEvents& events = file.file.events;
    const HostTree& tree = file.tree;
    const HostScopes& scopes = file.scopes;
    profile::StringPool& strings = builder_.mutable_graph().strings;
    file.host_node.assign(events.host.size(), profile::kNone);
    for (const uint32_t e : tree.order) {
      if (context_.work.cancelled()) return;
      const HostEvent& event = events.host[e];
      const uint32_t parent = tree.parent[e];
      if (tree.merged[e]) {
        file.host_node[e] = file.host_node[parent];
        continue;
      }
      const std::string row(StepRowOf(event));
      const profile::StringId op =
          row.empty() ? event.name : strings.Intern(row);
      file.host_node[e] = nodes_.Add(
          {scopes.scope[e], op, scopes.stack[e]}, op,
          profile::MakeRecordRef(file.input, event.offset), event.dims);
      if (parent != profile::kNone) {
        nodes_.AddCall(file.host_node[parent], file.host_node[e]);
      }
    }
    for (const auto& [forward, backward] : file.gradients) {
      nodes_.AddGradient(file.host_node[forward], file.host_node[backward]);
    }
  }

  // Finds the launch of each device event by its correlation.
  void JoinLaunches(Prepared& file) {
    const KinetoEvents& events = file.file.events;
    absl::flat_hash_map<int64_t, uint32_t> launches;
    std::vector<uint32_t> all;
    for (uint32_t e = 0; e < events.host.size(); ++e) {
      if (events.host[e].correlation != 0 &&
          launches.try_emplace(events.host[e].correlation, e).second) {
        all.push_back(e);
      }
    }
    file.launch.assign(events.device.size(), profile::kNone);
    for (size_t d = 0; d < events.device.size(); ++d) {
      const auto launch = launches.find(events.device[d].correlation);
      if (launch != launches.end()) file.launch[d] = launch->second;
    }
    file.replays =
        FindReplays(events, builder_.graph().strings, file.launch, all);
  }

  // The captures of the same process.
  std::vector<const CapturedFile*> CapturesOf(const Prepared& file) const {
    // The number in the name of a file is a guess, which is only needed to tell
    // several executions apart.
    const bool guess = num_executions_ > 1;
    const int64_t rank = guess ? file.facts.rank : file.file.envelope.rank;
    std::vector<const CapturedFile*> captures;
    for (const Capturing& capturing : captures_) {
      const int64_t of = guess ? capturing.facts.rank : capturing.given_rank;
      if (of == rank || of < 0 || rank < 0) captures.push_back(&capturing.file);
    }
    return captures;
  }

  // Adds the nodes of kernels, of replays first.
  void AddDeviceNodes(Prepared& file) {
    const KinetoEvents& events = file.file.events;
    ReplayNodes::Kernels of_replays = replay_nodes_.Add(
        {events, file.steps, file.scopes, file.replays, file.host_node},
        CapturesOf(file));
    file.device_node = std::move(of_replays.node);
    file.begins_run = std::move(of_replays.begins_run);
    file.named.assign(events.device.size(), false);
    profile::StringPool& strings = builder_.mutable_graph().strings;
    const profile::ScopeId no_launch =
        scopes_.Push(profile::kRootScope, strings.Intern(kNoLaunch));
    std::vector<bool> replayed(events.device.size(), false);
    for (const Replay& replay : file.replays) {
      for (const uint32_t d : replay.kernels) replayed[d] = true;
    }
    const Around around = AroundOf(file);
    auto node_name = events.node_names.begin();
    for (uint32_t d = 0; d < events.device.size(); ++d) {
      const DeviceEvent& event = events.device[d];
      while (node_name != events.node_names.end() && node_name->first < d) {
        ++node_name;
      }
      if (!HasTime(events.device_lanes[event.lane].kind)) continue;
      if (file.device_node[d] != profile::kNone) {
        file.named[d] = true;
        continue;
      }
      const uint32_t launch = file.launch[d];
      const bool has_name =
          node_name != events.node_names.end() && node_name->first == d;
      if (has_name && (replayed[d] || launch == profile::kNone)) {
        const profile::StringId name = node_name->second;
        const profile::ScopeId scope =
            launch == profile::kNone ? no_launch : file.scopes.scope[launch];
        file.device_node[d] = nodes_.Add({scope, name, profile::kNoStack}, name,
                                         profile::kNoRecord, 0);
        file.named[d] = true;
      } else if (launch == profile::kNone) {
        file.device_node[d] =
            nodes_.Add({no_launch, event.name, profile::kNoStack}, event.name,
                       profile::kNoRecord, 0);
      } else {
        file.device_node[d] = file.host_node[OwnerOf(file, around, launch)];
      }
    }
  }

  // The innermost operator and range at or around each event of the host;
  // kNone: there is none. Calls may nest deeply, so no launch looks for its
  // own.
  struct Around {
    std::vector<uint32_t> op, range;
  };
  Around AroundOf(const Prepared& file) const {
    const KinetoEvents& events = file.file.events;
    Around around;
    around.op.assign(events.host.size(), profile::kNone);
    around.range = around.op;
    // Parents come first.
    for (const uint32_t e : file.tree.order) {
      const HostEvent& event = events.host[e];
      const uint32_t parent = file.tree.parent[e];
      if (parent != profile::kNone) {
        around.op[e] = around.op[parent];
        around.range[e] = around.range[parent];
      }
      if (event.category == Category::kLaunch || IsExecute(event) ||
          !StepRowOf(event).empty()) {
        continue;
      }
      (event.is_range ? around.range : around.op)[e] = e;
    }
    return around;
  }

  // Returns the operator around a launch, else the innermost range that is no
  // step, else the launch itself.
  static uint32_t OwnerOf(const Prepared& file, const Around& around,
                          uint32_t launch) {
    const uint32_t parent = file.tree.parent[launch];
    if (parent == profile::kNone) return launch;
    if (around.op[parent] != profile::kNone) return around.op[parent];
    return around.range[parent] == profile::kNone ? launch
                                                  : around.range[parent];
  }

  // The operator of a runtime that executes others says nothing.
  bool IsExecute(const HostEvent& event) const {
    return !event.is_range &&
           builder_.graph().strings.Get(event.name) == "execute";
  }

  // Returns whether the time of executions on such a lane counts.
  static bool HasTime(profile::LaneKind kind) {
    return kind != profile::LaneKind::kAnnotation &&
           kind != profile::LaneKind::kOther;
  }

  // Returns the name of the row of a step, "" for other events.
  std::string_view StepRowOf(const HostEvent& event) const {
    return event.is_range ? StepRow(builder_.graph().strings.Get(event.name))
                          : std::string_view();
  }

  void NoteDeviceSteps() {
    constexpr double kNanosPerMilli = 1e6;
    loaders::HostsAhead ahead;
    for (const Prepared& file : prepared_) {
      ahead.Add(file.file.events.file->path(), HostSteps(file.steps),
                file.device_steps);
    }
    ahead.Log(kNanosPerMilli, context_.log);
  }

  void SetRanks() {
    std::vector<JobFile> files;
    for (const Prepared& file : prepared_) {
      const std::string& path = file.file.events.file->path();
      JobFile& of = files.emplace_back();
      of.path = path;
      of.recorded_rank = file.file.envelope.rank;
      of.path_rank = RankOfPath(path);
      of.world_size = file.file.envelope.world_size;
      of.has_times = file.times.absolute;
      of.start = util::SaturatingAdd(file.times.first, file.times.shift);
      of.end = util::SaturatingAdd(file.times.last, file.times.shift);
      if (prepared_.size() == 1) continue;
      std::ranges::copy(file.host_node, std::back_inserter(of.nodes));
      std::ranges::copy(file.device_node, std::back_inserter(of.nodes));
      std::erase(of.nodes, profile::kNone);
      std::ranges::sort(of.nodes);
      of.nodes.erase(std::unique(of.nodes.begin(), of.nodes.end()),
                     of.nodes.end());
    }
    const std::vector<JobRank> ranks = FindJobRanks(files);
    for (size_t i = 0; i < prepared_.size(); ++i) {
      prepared_[i].rank = ranks[i].rank;
      if (ranks[i].rank >= 0 || prepared_.size() == 1) continue;
      prepared_[i].label =
          files[i].path.substr(files[i].path.find_last_of('/') + 1);
      if (ranks[i].why_not.empty()) continue;
      context_.log.Add(loaders::ImportLog::kNotice,
                       "file that is no rank of the job", ranks[i].why_not);
    }
  }

  void SetShifts() {
    std::vector<FileTimes*> times;
    for (Prepared& file : prepared_) {
      file.times.base = file.file.envelope.base_nanos;
      times.push_back(&file.times);
    }
    kineto::SetShifts(times, context_.keep_times);
  }

  void Emit(const Prepared& file, const std::vector<profile::NodeId>& ids,
            bool has_steps, uint32_t index) {
    const KinetoEvents& events = file.file.events;
    const uint32_t clock =
        file.times.absolute || prepared_.size() == 1 ? 0 : index + 1;
    KinetoPlaces places(events, file.file.envelope, file.rank, file.label,
                        clock, builder_);
    std::optional<int64_t> last_step;
    const auto step_at = [&](int64_t time) {
      const int64_t step = has_steps ? file.steps.At(time) : 0;
      if (step != last_step) step_ids_.insert(step);
      last_step = step;
      return step;
    };
    const auto record_of = [&](const auto& event) {
      return profile::ExecutionRecord{
          .start = util::SaturatingAdd(event.start, file.times.shift),
          .duration = event.duration,
          .record = profile::MakeRecordRef(file.input, event.offset)};
    };
    ExecutionBatches batches;
    EmitHost(file, ids, places, step_at, record_of, batches);
    for (size_t d = 0; d < events.device.size(); ++d) {
      if (context_.work.cancelled()) return;
      const DeviceEvent& event = events.device[d];
      const profile::LaneId lane = places.DeviceLaneOf(event.lane);
      profile::ExecutionRecord record = record_of(event);
      const uint32_t launch = file.launch[d];
      const int64_t step = step_at(
          launch == profile::kNone ? event.start : events.host[launch].start);
      if (file.device_node[d] == profile::kNone) {
        AddOutside(step, event.name, lane, record);
        continue;
      }
      record.node = ids[file.device_node[d]];
      const bool is_run = launch == profile::kNone || file.begins_run[d];
      batches.Add(step, lane, is_run, record);
      if (launch != profile::kNone) {
        links_.Add(
            profile::MakeRecordRef(file.input, events.host[launch].offset),
            record.record, profile::LinkKind::kLaunch);
      }
    }
    for (const OtherEvent& event : events.other) {
      AddOutside(step_at(event.start), event.name,
                 places.HostLane(event.thread, profile::LaneKind::kOther),
                 record_of(event));
    }
    EmitPython(file, ids, places, step_at, batches);
    if (context_.work.cancelled()) return;
    std::move(batches).AddTo(builder_);
    EmitTables(file, places.process());
    EmitReplays(file, places.process(), step_at);
  }

  template <typename StepAt, typename RecordOf>
  void EmitHost(const Prepared& file, const std::vector<profile::NodeId>& ids,
                KinetoPlaces& places, StepAt step_at, RecordOf record_of,
                ExecutionBatches& batches) {
    const KinetoEvents& events = file.file.events;
    auto memory = file.memory.begin();
    std::vector<bool> is_step(events.host.size(), false);
    for (const KinetoStep& step : file.steps.rows()) {
      is_step[step.host] = file.device_steps.empty();
    }
    for (uint32_t e = 0; e < events.host.size(); ++e) {
      if (context_.work.cancelled()) return;
      const HostEvent& event = events.host[e];
      if (file.tree.merged[e]) continue;
      profile::ExecutionRecord record = record_of(event);
      record.node = ids[file.host_node[e]];
      if (memory != file.memory.end() && memory->host == e) {
        record.requested_bytes = memory->requested;
        record.peak_bytes = memory->peak;
        record.residual_bytes = memory->residual;
        ++memory;
      }
      // A range around steps, such as ProfilerStep#3, is no work.
      const bool around_steps = !is_step[e] && !StepRowOf(event).empty();
      const profile::LaneKind kind =
          event.async || around_steps           ? profile::LaneKind::kAnnotation
          : event.category == Category::kLaunch ? profile::LaneKind::kLaunches
                                                : profile::LaneKind::kCompute;
      batches.AddNested(step_at(event.start),
                        places.HostLane(event.thread, kind), record,
                        file.tree.self[e]);
    }
  }

  template <typename StepAt>
  void EmitPython(const Prepared& file, const std::vector<profile::NodeId>& ids,
                  KinetoPlaces& places, StepAt step_at,
                  ExecutionBatches& batches) {
    for (size_t i = 0; i < file.python.size(); ++i) {
      const PythonCall& call = file.python[i];
      const PythonEvent& event = file.file.events.python[call.event];
      const profile::LaneId lane =
          places.HostLane(event.thread, profile::LaneKind::kPython);
      const profile::NodeId node = ids[file.python_node[i]];
      profile::ExecutionRecord record = {
          .start = util::SaturatingAdd(event.start, file.times.shift),
          .duration = event.end - event.start,
          .record = profile::kNoRecord};
      if (!call.counts) {
        AddOutside(step_at(event.start), builder_.graph().nodes.op[node], lane,
                   record);
        continue;
      }
      record.node = node;
      batches.AddNested(step_at(event.start), lane, record, call.self);
    }
  }

  void AddOutside(int64_t step, profile::StringId name, profile::LaneId lane,
                  const profile::ExecutionRecord& record) {
    builder_.AddOutside(step,
                        {.name = name,
                         .lane = lane,
                         .start = record.start,
                         .duration = record.duration,
                         .record = record.record},
                        profile::kNanosPerMicro);
  }

  // The label of the one accelerator that has memory and work, which may have
  // two numbers: ROCm numbers agents, of which CPUs are the first, and PyTorch
  // numbers GPUs. "" if there are several.
  static std::string DeviceOfMemory(const KinetoEvents& events) {
    std::set<std::string_view> with_memory;
    for (const CounterSeries& series : events.counters) {
      if (!series.of_accelerator) continue;
      with_memory.insert(
          std::string_view(series.name).substr(0, series.name.find(' ')));
    }
    std::set<int64_t> with_work;
    for (const DeviceLane& lane : events.device_lanes) {
      with_work.insert(lane.device);
    }
    return with_memory.size() == 1 && with_work.size() == 1
               ? fmt::format("{}:{}", events.accelerator, *with_work.begin())
               : "";
  }

  // Adds steps, counters and links.
  void EmitTables(const Prepared& file, profile::ProcessId process) {
    const KinetoEvents& events = file.file.events;
    for (size_t row = 0; row < file.steps.rows().size(); ++row) {
      const KinetoStep& step = file.steps.rows()[row];
      const loaders::StepTime time =
          file.device_steps.empty() ? loaders::StepTime{step.start, step.end}
                                    : file.device_steps[row];
      step_ids_.insert(step.number);
      builder_.AddStepInterval(
          {.step = step.number,
           .process = process,
           .start = util::SaturatingAdd(time.start, file.times.shift),
           .end = util::SaturatingAdd(time.end, file.times.shift),
           .name = events.host[step.host].name});
      if (!file.steps.of_engine()) continue;
      builder_.AddStepPhase({.step = step.number,
                             .process = process,
                             .phase = step.engine.phase,
                             .requests = step.engine.requests,
                             .tokens = step.engine.tokens});
    }
    const std::string device = DeviceOfMemory(events);
    for (const CounterSeries& series : events.counters) {
      std::vector<profile::CounterSample> samples = series.samples;
      for (profile::CounterSample& sample : samples) {
        sample.time = util::SaturatingAdd(sample.time, file.times.shift);
      }
      builder_.AddCounter(
          {.name = builder_.mutable_graph().strings.Intern(
               series.of_accelerator && !device.empty()
                   ? device + series.name.substr(series.name.find(' '))
                   : series.name),
           .unit = series.unit,
           .process = process},
          std::move(samples));
    }
    for (const auto& [forward, backward] : file.gradients) {
      links_.Add(
          profile::MakeRecordRef(file.input, events.host[forward].offset),
          profile::MakeRecordRef(file.input, events.host[backward].offset),
          profile::LinkKind::kGradient);
    }
  }

  // Adds how much of the time was replays of graphs.
  template <typename StepAt>
  void EmitReplays(const Prepared& file, profile::ProcessId process,
                   StepAt step_at) {
    const KinetoEvents& events = file.file.events;
    std::map<int64_t, profile::GraphReplay> rows;
    for (const Replay& replay : file.replays) {
      if (replay.kernels.empty()) continue;
      profile::GraphReplay& row =
          rows[step_at(events.host[replay.launch].start)];
      ++row.launches;
      bool all_named = true;
      for (const uint32_t d : replay.kernels) {
        const int64_t duration = events.device[d].duration;
        ++row.kernels;
        row.time = util::SaturatingAdd(row.time, duration);
        if (file.named[d]) continue;
        all_named = false;
        ++row.unnamed_kernels;
        row.unnamed_time = util::SaturatingAdd(row.unnamed_time, duration);
      }
      row.unnamed_launches += all_named ? 0 : 1;
    }
    for (auto& [step, row] : rows) {
      row.step = step;
      row.process = process;
      builder_.AddGraphReplay(row);
    }
  }

  loaders::LoadContext& context_;
  profile::ProfileBuilder& builder_;
  ScopeMaker scopes_;
  PythonNames python_;
  const WorkKinds kinds_;
  KinetoNodes nodes_;
  ReplayNodes replay_nodes_{kinds_, scopes_, nodes_};
  std::vector<Prepared> prepared_;
  std::vector<Capturing> captures_;
  size_t num_executions_ = 0;
  std::set<int64_t> step_ids_;
  RecordLinks links_;
};

}  // namespace

absl::Status LoadKineto(
    std::span<const std::shared_ptr<const loaders::InputFile>> files,
    loaders::LoadContext& context) {
  return LoadKinetoEvents(chrome_json::InputsOf(files), context);
}

absl::Status LoadKinetoEvents(std::span<const chrome_json::TraceInput> inputs,
                              loaders::LoadContext& context) {
  const util::ScopedPhase phase("kineto",
                                fmt::format("{} files", inputs.size()));
  return Loader(context).Load(inputs);
}

}  // namespace tfprof::kineto
