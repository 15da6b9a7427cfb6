#include "loaders/chrome_json/kineto/kineto.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "loaders/chrome_json/event_details.h"
#include "loaders/chrome_json/kineto/execution_batches.h"
#include "loaders/chrome_json/kineto/host_scopes.h"
#include "loaders/chrome_json/kineto/host_tree.h"
#include "loaders/chrome_json/kineto/job_ranks.h"
#include "loaders/chrome_json/kineto/lanes.h"
#include "loaders/chrome_json/kineto/nodes.h"
#include "loaders/chrome_json/kineto/scan.h"
#include "loaders/chrome_json/kineto/steps.h"
#include "profile/steps/step.h"
#include "util/arithmetic.h"
#include "util/run/self_profile.h"

namespace tfprof::kineto {
namespace {

using Category = KinetoCategory;

// The scope and the type of kernels whose launch is not in the file.
constexpr std::string_view kNoLaunch = "(launch not in the file)";
constexpr std::string_view kAnyStep = "ProfilerStep*";

// The shortest calls of Python functions that are kept, in nanoseconds: most
// calls are shorter, and many files have millions.
constexpr int64_t kShortestPython = 20'000;

// Nanoseconds since 1970, in September 2001 and in 2100. Only times between
// them are absolute.
constexpr int64_t kFirstAbsolute = 1'000'000'000'000'000'000;
constexpr int64_t kLastAbsolute = 4'102'444'800'000'000'000;

// A file and its tables, until its executions are in the builder.
struct Prepared {
  KinetoFile file;
  HostTree tree;
  std::vector<std::pair<uint32_t, uint32_t>> gradients;
  std::vector<HostMemory> memory;
  std::vector<KinetoStep> steps;
  // Node numbers, indexed by event.
  std::vector<uint32_t> host_node;
  std::vector<uint32_t> device_node;
  // The launch of each device event; kNone: the file does not have it.
  std::vector<uint32_t> launch;
  uint32_t input = 0;
  int64_t rank = -1;
  // The name of the file, if it is no rank of the job of the others.
  std::string label;
  int64_t first = std::numeric_limits<int64_t>::max();  // the smallest start
  int64_t last = std::numeric_limits<int64_t>::min();   // the largest end
  bool absolute = false;
  // Nanoseconds to add to the times of the file.
  int64_t shift = 0;
};

int64_t Difference(int64_t a, int64_t b) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  return util::SaturatingAdd(
      a, b == kMin ? std::numeric_limits<int64_t>::max() : -b);
}

class Loader {
 public:
  explicit Loader(loaders::LoadContext& context)
      : context_(context),
        builder_(context.builder),
        scopes_(builder_),
        python_(builder_.mutable_graph().strings) {}

  absl::Status Load(
      std::span<const std::shared_ptr<const loaders::InputFile>> files) {
    builder_.SetTicksPerMicro(profile::kNanosPerMicro);
    for (const auto& file : files) {
      absl::StatusOr<KinetoFile> scanned =
          ScanKineto(file, python_, scopes_, context_);
      if (!scanned.ok()) return scanned.status();
      prepared_.push_back(Prepare(*std::move(scanned)));
    }
    SetShifts();
    SetRanks();
    const std::vector<profile::NodeId> ids = nodes_.Build(builder_);
    bool has_steps = false;
    for (const Prepared& file : prepared_) has_steps |= !file.steps.empty();
    for (size_t i = 0; i < prepared_.size(); ++i) {
      Emit(prepared_[i], ids, has_steps, static_cast<uint32_t>(i));
      prepared_[i] = {};
    }
    builder_.FinishSteps({step_ids_.begin(), step_ids_.end()});
    std::move(links_).AddTo(builder_);
    builder_.mutable_graph().has_code_traces |=
        builder_.graph().stacks.size() > 1;
    return absl::OkStatus();
  }

 private:
  Prepared Prepare(KinetoFile scanned) {
    Prepared file;
    file.file = std::move(scanned);
    const KinetoEvents& events = file.file.events;
    for (const std::string& error : file.file.envelope.errors) {
      context_.log.Add(loaders::ImportLog::kNotice, "error of the recorder",
                       fmt::format("{}: the recorder reports: {}",
                                   events.file->path(), error));
    }
    // Only `status` shows these: nothing is wrong.
    for (const KinetoGroup& group : file.file.envelope.groups) {
      context_.log.Count(loaders::ImportLog::kNotice, GroupText(group), 1);
    }
    context_.log.Count(loaders::ImportLog::kNotice,
                       "process group that is not listed",
                       file.file.envelope.more_groups);
    file.input = builder_.AddInput(
        std::make_shared<chrome_json::EventDetails>(events.file));
    file.tree = BuildHostTree(events);
    file.gradients = FindGradients(events, file.tree);
    file.steps = FindSteps(events, builder_.graph().strings);
    int64_t outside = 0;
    file.memory = AttributeMemory(events, file.tree, outside);
    const HostScopes scopes =
        FindHostScopes(events, file.tree, file.gradients, python_, scopes_);
    AddHostNodes(scopes, file);
    JoinLaunches(file);
    AddDeviceNodes(file);
    const auto see = [&](const auto& rows) {
      for (const auto& row : rows) {
        file.first = std::min(file.first, row.start);
        file.last =
            std::max(file.last, util::SaturatingAdd(row.start, row.duration));
      }
    };
    see(events.host);
    see(events.device);
    see(events.other);
    return file;
  }

  void AddHostNodes(const HostScopes& scopes, Prepared& file) {
    const KinetoEvents& events = file.file.events;
    const HostTree& tree = file.tree;
    profile::StringPool& strings = builder_.mutable_graph().strings;
    const profile::StringId any_step = strings.Intern(kAnyStep);
    file.host_node.assign(events.host.size(), profile::kNone);
    for (const uint32_t e : tree.order) {
      const HostEvent& event = events.host[e];
      const uint32_t parent = tree.parent[e];
      if (tree.merged[e]) {
        file.host_node[e] = file.host_node[parent];
        continue;
      }
      const profile::StringId op = IsStep(event) ? any_step : event.name;
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
    for (uint32_t e = 0; e < events.host.size(); ++e) {
      if (events.host[e].correlation != 0) {
        launches.try_emplace(events.host[e].correlation, e);
      }
    }
    file.launch.assign(events.device.size(), profile::kNone);
    for (size_t d = 0; d < events.device.size(); ++d) {
      const auto launch = launches.find(events.device[d].correlation);
      if (launch != launches.end()) file.launch[d] = launch->second;
    }
  }

  // A kernel belongs to the operator around its launch, else to the launch.
  void AddDeviceNodes(Prepared& file) {
    const KinetoEvents& events = file.file.events;
    profile::StringPool& strings = builder_.mutable_graph().strings;
    const profile::StringId no_launch = strings.Intern(kNoLaunch);
    const profile::ScopeId scope = scopes_.Push(profile::kRootScope, no_launch);
    file.device_node.assign(events.device.size(), profile::kNone);
    for (size_t d = 0; d < events.device.size(); ++d) {
      const DeviceEvent& event = events.device[d];
      if (!HasTime(events.device_lanes[event.lane].kind)) continue;
      if (file.launch[d] == profile::kNone) {
        file.device_node[d] = nodes_.Add({scope, event.name, profile::kNoStack},
                                         no_launch, profile::kNoRecord, 0);
        continue;
      }
      uint32_t op = file.tree.parent[file.launch[d]];
      while (op != profile::kNone &&
             (events.host[op].category == Category::kLaunch ||
              IsStep(events.host[op]))) {
        op = file.tree.parent[op];
      }
      file.device_node[d] =
          file.host_node[op == profile::kNone ? file.launch[d] : op];
    }
  }

  // Returns whether the time of executions on such a lane counts.
  static bool HasTime(profile::LaneKind kind) {
    return kind != profile::LaneKind::kAnnotation &&
           kind != profile::LaneKind::kOther;
  }

  bool IsStep(const HostEvent& event) const {
    return event.is_range &&
           StepNumber(builder_.graph().strings.Get(event.name)) >= 0;
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
      of.has_times = file.absolute;
      of.start = util::SaturatingAdd(file.first, file.shift);
      of.end = util::SaturatingAdd(file.last, file.shift);
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

  // Shifts times so that the smallest start is 0: for all files with absolute
  // times together, and for each other file alone.
  void SetShifts() {
    int64_t origin = std::numeric_limits<int64_t>::max();
    for (Prepared& file : prepared_) {
      if (file.first == std::numeric_limits<int64_t>::max()) file.first = 0;
      const int64_t base = file.file.envelope.base_nanos;
      for (const int64_t shift : {base, int64_t{0}}) {
        const int64_t first = util::SaturatingAdd(file.first, shift);
        if (first < kFirstAbsolute || first > kLastAbsolute) continue;
        file.absolute = true;
        file.shift = shift;
        origin = std::min(origin, first);
        break;
      }
    }
    for (Prepared& file : prepared_) {
      file.shift = file.absolute ? Difference(file.shift, origin)
                                 : Difference(0, file.first);
    }
  }

  void Emit(const Prepared& file, const std::vector<profile::NodeId>& ids,
            bool has_steps, uint32_t index) {
    const KinetoEvents& events = file.file.events;
    const uint32_t clock =
        file.absolute || prepared_.size() == 1 ? 0 : index + 1;
    KinetoPlaces places(events, file.file.envelope, file.rank, file.label,
                        clock, builder_);
    const auto step_at = [&](int64_t time) {
      const int64_t step = has_steps ? StepAt(file.steps, time) : 0;
      step_ids_.insert(step);
      return step;
    };
    const auto record_of = [&](const auto& event) {
      return profile::ExecutionRecord{
          .start = util::SaturatingAdd(event.start, file.shift),
          .duration = event.duration,
          .record = profile::MakeRecordRef(file.input, event.offset)};
    };
    ExecutionBatches batches;
    EmitHost(file, ids, places, step_at, record_of, batches);
    for (size_t d = 0; d < events.device.size(); ++d) {
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
      batches.Add(step, lane, /*is_run=*/launch == profile::kNone, record);
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
    EmitPython(file, places, step_at);
    std::move(batches).AddTo(builder_);
    EmitTables(file, places.process());
  }

  template <typename StepAt, typename RecordOf>
  void EmitHost(const Prepared& file, const std::vector<profile::NodeId>& ids,
                KinetoPlaces& places, StepAt step_at, RecordOf record_of,
                ExecutionBatches& batches) {
    const KinetoEvents& events = file.file.events;
    auto memory = file.memory.begin();
    for (uint32_t e = 0; e < events.host.size(); ++e) {
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
      const profile::LaneKind kind =
          event.async                           ? profile::LaneKind::kAnnotation
          : event.category == Category::kLaunch ? profile::LaneKind::kLaunches
                                                : profile::LaneKind::kCompute;
      batches.AddNested(step_at(event.start),
                        places.HostLane(event.thread, kind), record,
                        file.tree.self[e]);
    }
  }

  // Adds the calls of functions that have a file. Shorter calls, built-in
  // functions and modules are part of the function around them.
  template <typename StepAt>
  void EmitPython(const Prepared& file, KinetoPlaces& places, StepAt step_at) {
    profile::StringPool& strings = builder_.mutable_graph().strings;
    absl::flat_hash_map<uint32_t, profile::StringId> names;
    for (const PythonEvent& call : file.file.events.python) {
      const PythonName& name = python_[call.name];
      if (call.end - call.start < kShortestPython ||
          name.file == profile::kNone) {
        continue;
      }
      const auto [it, is_new] = names.try_emplace(call.name, profile::kNone);
      if (is_new) {
        it->second = strings.Intern(fmt::format(
            "{}:{}:{}", strings.Get(name.file), name.first_line,
            strings.Get(name.function)));
      }
      AddOutside(step_at(call.start), it->second,
                 places.HostLane(call.thread, profile::LaneKind::kPython),
                 {.start = util::SaturatingAdd(call.start, file.shift),
                  .duration = call.end - call.start,
                  .record = profile::kNoRecord});
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

  // Adds steps, counters and links.
  void EmitTables(const Prepared& file, profile::ProcessId process) {
    const KinetoEvents& events = file.file.events;
    for (const KinetoStep& step : file.steps) {
      step_ids_.insert(step.number);
      builder_.AddStepInterval(
          {.step = step.number,
           .process = process,
           .start = util::SaturatingAdd(step.start, file.shift),
           .end = util::SaturatingAdd(step.end, file.shift),
           .name = builder_.mutable_graph().strings.Intern(
               fmt::format("ProfilerStep#{}", step.number))});
    }
    for (const CounterSeries& series : events.counters) {
      std::vector<profile::CounterSample> samples = series.samples;
      for (profile::CounterSample& sample : samples) {
        sample.time = util::SaturatingAdd(sample.time, file.shift);
      }
      builder_.AddCounter(
          {.name = builder_.mutable_graph().strings.Intern(series.name),
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

  loaders::LoadContext& context_;
  profile::ProfileBuilder& builder_;
  ScopeMaker scopes_;
  PythonNames python_;
  KinetoNodes nodes_;
  std::vector<Prepared> prepared_;
  std::set<int64_t> step_ids_;
  RecordLinks links_;
};

}  // namespace

absl::Status LoadKineto(
    std::span<const std::shared_ptr<const loaders::InputFile>> files,
    loaders::LoadContext& context) {
  const util::ScopedPhase phase("kineto",
                                fmt::format("{} files", files.size()));
  return Loader(context).Load(files);
}

}  // namespace tfprof::kineto
