#include "loaders/gpu_trace/gpu_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "loaders/gpu_trace/range_steps.h"
#include "loaders/gpu_trace/rank_traces.h"
#include "loaders/gpu_trace/work_details.h"
#include "loaders/nodes/device_steps.h"
#include "loaders/nodes/nesting.h"
#include "loaders/nodes/open_at.h"
#include "loaders/nodes/trace_nodes.h"
#include "profile/launch_calls.h"
#include "profile/profile_builder.h"
#include "util/run/self_profile.h"

namespace tfprof::gpu_trace {
namespace {

// The scope of work whose launch is not in the file.
constexpr std::string_view kNoLaunch = "(launch not in the file)";
// The lanes of a thread of the host.
constexpr profile::LaneKind kHostLanes[] = {profile::LaneKind::kLaunches,
                                            profile::LaneKind::kAnnotation,
                                            profile::LaneKind::kCompute};

std::string_view LaneSuffix(profile::LaneKind kind) {
  switch (kind) {
    case profile::LaneKind::kCopies:
      return " copies";
    case profile::LaneKind::kCommunication:
      return " communication";
    case profile::LaneKind::kAnnotation:
      return " ranges";
    case profile::LaneKind::kLaunches:
      return " launches";
    default:
      return "";
  }
}

// A trace and the node of each of its events.
struct Placed {
  GpuTrace trace;
  uint32_t input = 0;
  std::vector<profile::NodeId> host_node;
  std::vector<int64_t> self;
  std::vector<uint32_t> owner;  // of the work of a launch; kNone: is no launch
  std::vector<profile::NodeId> sample_node;
  // When the devices ran the steps, if the host does not wait for them.
  std::vector<loaders::StepTime> device_steps;
};

std::vector<loaders::StepTime> HostSteps(const GpuTrace& trace) {
  std::vector<loaders::StepTime> times;
  for (const TraceStep& step : trace.steps) {
    times.push_back({.start = step.start, .end = step.end});
  }
  return times;
}

class Adder {
 public:
  Adder(loaders::LoadContext& context,
        std::vector<std::vector<WorkPlace>>* places)
      : builder_(context.builder),
        log_(context.log),
        nodes_(context.builder),
        places_(places) {}

  void Add(GpuTrace trace, bool alone) {
    Placed placed;
    placed.trace = std::move(trace);
    NoteMissingKernels(placed.trace);
    FindRangeSteps(placed.trace, builder_.mutable_graph().strings);
    FindDeviceSteps(placed);
    placed.input = builder_.AddInput(
        std::make_shared<WorkDetails>(placed.trace, builder_.graph().strings));
    AddProcess(placed.trace, alone);
    NestHost(placed);
    AddHost(placed);
    AddWork(placed);
    AddSamples(placed);
    for (CounterSeries& series : placed.trace.counters) {
      builder_.AddCounter(
          {.name = builder_.mutable_graph().strings.Intern(series.name),
           .unit = series.unit.empty()
                       ? profile::kNone
                       : builder_.mutable_graph().strings.Intern(series.unit),
           .kind = series.kind,
           .process = process_},
          std::move(series.samples));
    }
    AddSteps(placed);
    links_.push_back({placed.input, Launches(placed.trace)});
  }

  void Finish() {
    constexpr double kNanosPerMilli = 1e6;
    ahead_.Log(kNanosPerMilli, log_);
    std::vector<int64_t> steps;
    for (auto& [step, batches] : batches_) {
      if (step != profile::kOutsideSteps) builder_.AddStep(step);
      builder_.AddExecutions(step, std::move(batches), {});
      steps.push_back(step);
    }
    builder_.FinishSteps(steps);
    AddLinks();
  }

 private:
  // A step, a lane, and whether its executions are runs.
  using BatchKey = std::tuple<int64_t, profile::LaneId, bool>;
  // (offset of the launch, offset of the work).
  using LaunchPairs = std::vector<std::pair<uint64_t, uint64_t>>;

  static LaunchPairs Launches(const GpuTrace& trace) {
    LaunchPairs pairs;
    for (size_t w = 0; w < trace.work.size(); ++w) {
      if (trace.work[w].launch == profile::kNone) continue;
      pairs.emplace_back(trace.work[w].launch, trace.host.size() + w);
    }
    return pairs;
  }

  void AddSteps(const Placed& placed) {
    const std::vector<TraceStep>& steps = placed.trace.steps;
    if (steps.empty()) {
      batches_[0];  // is a step even if nothing ran
      return;
    }
    for (size_t row = 0; row < steps.size(); ++row) {
      const TraceStep& step = steps[row];
      const loaders::StepTime time =
          placed.device_steps.empty()
              ? loaders::StepTime{.start = step.start, .end = step.end}
              : placed.device_steps[row];
      const HostEvent* const range = step.range == profile::kNone
                                         ? nullptr
                                         : &placed.trace.host[step.range];
      builder_.AddStepInterval({.step = step.number,
                                .process = process_,
                                .start = time.start,
                                .end = time.end,
                                .name = range == nullptr || range->has_own_text
                                            ? profile::kNone
                                            : range->text});
      batches_[step.number];
    }
  }

  // Says that the file has launches and no kernels.
  void NoteMissingKernels(const GpuTrace& trace) {
    for (const Work& work : trace.work) {
      if (trace.lanes[work.lane].kind != profile::LaneKind::kCopies) return;
    }
    absl::flat_hash_map<profile::StringId, bool> is_launch;
    int64_t launches = 0;
    for (const HostEvent& event : trace.host) {
      if (event.kind != HostKind::kCall) continue;
      const auto [it, is_new] = is_launch.try_emplace(event.op);
      if (is_new) {
        it->second =
            profile::IsKernelLaunch(builder_.graph().strings.Get(event.op));
      }
      launches += it->second ? 1 : 0;
    }
    if (launches == 0) return;
    log_.Add(loaders::ImportLog::kNotice, "kernels are not in the file",
             fmt::format("{}: the program launched {} kernels, but the file "
                         "has none, so nothing is known about when the GPU "
                         "was idle; record and export kernels, too",
                         PathOf(trace), launches),
             launches);
  }

  static const std::string& PathOf(const GpuTrace& trace) {
    return trace.file == nullptr ? trace.label : trace.file->path();
  }

  static const TraceStep* OpenStep(const GpuTrace& trace, int64_t time) {
    return loaders::OpenAt(trace.steps, time, &TraceStep::start,
                           &TraceStep::end);
  }

  // Returns the last step that began before `time` and had not ended.
  static int64_t StepAt(const GpuTrace& trace, int64_t time) {
    if (trace.steps.empty()) return 0;
    const TraceStep* const step = OpenStep(trace, time);
    return step == nullptr ? profile::kOutsideSteps : step->number;
  }

  void FindDeviceSteps(Placed& placed) {
    const GpuTrace& trace = placed.trace;
    if (trace.steps.empty() || trace.steps.front().range == profile::kNone) {
      return;
    }
    std::vector<loaders::WorkLane> lanes;
    for (const WorkLane& lane : trace.lanes) {
      lanes.push_back({.device = lane.device,
                       .stream = lane.stream,
                       .computes = lane.kind == profile::LaneKind::kKernels});
    }
    std::vector<loaders::LaunchedWork> work;
    work.reserve(trace.work.size());
    for (const Work& of : trace.work) {
      const TraceStep* const step =
          of.launch == profile::kNone
              ? nullptr
              : OpenStep(trace, trace.host[of.launch].start);
      work.push_back({.start = of.start,
                      .end = of.end,
                      .step = step == nullptr ? profile::kNone
                                              : static_cast<uint32_t>(
                                                    step - trace.steps.data()),
                      .lane = of.lane});
    }
    const std::vector<loaders::StepTime> host = HostSteps(trace);
    placed.device_steps = loaders::FindDeviceSteps(host, work, lanes);
    ahead_.Add(PathOf(trace), host, placed.device_steps);
  }

  void AddProcess(const GpuTrace& trace, bool alone) {
    profile::Process process;
    std::vector<int64_t> ids;
    for (const HostThread& thread : trace.threads) {
      ids.push_back(thread.process);
    }
    for (const WorkLane& lane : trace.lanes) ids.push_back(lane.process);
    std::erase_if(ids, [](int64_t id) { return id < 0; });
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    several_processes_ = ids.size() > 1;
    if (ids.size() == 1) process.process_id = ids.front();
    if (trace.process >= 0) process.process_id = trace.process;
    prefix_.clear();
    clock_ = trace.clock;
    if (!alone) {
      process.label = NameOf(trace);
      process.name = process.label;
      prefix_ = process.label + ' ';
    }
    process_ = builder_.mutable_graph().lanes.AddProcess(std::move(process));
  }

  // The node of an operation in a scope, and the scope of what runs inside a
  // range; each is made at the first call.
  profile::NodeId NodeOf(profile::ScopeId scope, profile::StringId op) {
    const auto [it, is_new] = known_nodes_.try_emplace({scope, op});
    if (is_new) {
      // Interning may move the texts.
      const std::string text(builder_.graph().strings.Get(op));
      it->second = nodes_.Node(scope, text, profile::kNoStack);
    }
    return it->second;
  }
  profile::ScopeId ScopeInside(profile::ScopeId scope, profile::StringId op) {
    const auto [it, is_new] = known_scopes_.try_emplace({scope, op});
    if (is_new) {
      const std::string text(builder_.graph().strings.Get(op));
      it->second = nodes_.Scope(scope, text);
    }
    return it->second;
  }

  // Finds what runs inside what on each thread, and gives each event its node.
  void NestHost(Placed& placed) {
    const GpuTrace& trace = placed.trace;
    placed.host_node.assign(trace.host.size(), profile::kNone);
    placed.self.assign(trace.host.size(), 0);
    placed.sample_node.assign(trace.samples.size(), profile::kNone);
    placed.owner.assign(trace.host.size(), profile::kNone);
    for (const Work& work : trace.work) {
      if (work.launch == profile::kNone) continue;
      placed.owner[work.launch] = work.launch;
    }
    std::vector<size_t> sizes(trace.threads.size(), 0);
    for (const HostEvent& event : trace.host) ++sizes[event.thread];
    std::vector<std::vector<uint32_t>> of_thread(trace.threads.size());
    for (size_t thread = 0; thread < sizes.size(); ++thread) {
      of_thread[thread].reserve(sizes[thread]);
    }
    for (uint32_t e = 0; e < trace.host.size(); ++e) {
      const HostEvent& event = trace.host[e];
      if (event.kind != HostKind::kAsyncRange) {
        of_thread[event.thread].push_back(e);
        continue;
      }
      placed.self[e] = event.end - event.start;
      placed.host_node[e] = NodeOf(profile::kRootScope, event.op);
    }
    std::vector<std::vector<uint32_t>> samples(trace.threads.size());
    for (uint32_t i = 0; i < trace.samples.size(); ++i) {
      samples[trace.samples[i].thread].push_back(i);
    }
    for (size_t thread = 0; thread < of_thread.size(); ++thread) {
      NestThread(of_thread[thread], samples[thread], placed);
    }
  }

  // The same for one thread. Samples nest as events without a length do.
  void NestThread(const std::vector<uint32_t>& events,
                  const std::vector<uint32_t>& samples, Placed& placed) {
    const GpuTrace& trace = placed.trace;
    std::vector<loaders::Span> spans;
    spans.reserve(events.size() + samples.size());
    for (const uint32_t e : events) {
      spans.push_back(
          {trace.host[e].start, trace.host[e].end - trace.host[e].start});
    }
    for (const uint32_t s : samples) {
      spans.push_back({trace.samples[s].time, 0});
    }
    const loaders::Nesting nesting = loaders::Nest(spans);
    FindOwners(trace, events, spans, nesting.order, placed.owner);
    // For each span, the scope of what runs inside, and the event that its time
    // is of: a sample has none inside.
    std::vector<profile::ScopeId> inside(spans.size(), profile::kRootScope);
    std::vector<uint32_t> event_of(spans.size(), profile::kNone);
    for (const uint32_t i : nesting.order) {
      const uint32_t parent = nesting.parent[i];
      const profile::ScopeId scope =
          parent == profile::kNone ? profile::kRootScope : inside[parent];
      inside[i] = scope;
      if (i < events.size()) {
        const HostEvent& event = trace.host[events[i]];
        event_of[i] = events[i];
        placed.host_node[events[i]] = NodeOf(scope, event.op);
        placed.self[events[i]] = nesting.self[i];
        if (event.kind == HostKind::kRange) {
          inside[i] = ScopeInside(scope, event.op);
        }
        continue;
      }
      const uint32_t number = samples[i - events.size()];
      const CpuSample& sample = trace.samples[number];
      // Interning may move the texts.
      const std::string text(builder_.graph().strings.Get(sample.op));
      placed.sample_node[number] = nodes_.Node(scope, text, sample.stack);
      if (parent == profile::kNone) continue;
      event_of[i] = event_of[parent];
      if (event_of[i] == profile::kNone) continue;
      int64_t& self = placed.self[event_of[i]];
      self -= std::min(self, trace.sample_period);
    }
  }

  // Finds the event that the work of each launch of a thread belongs to.
  // `order`: of these spans, of which the first ones are `events`.
  static void FindOwners(const GpuTrace& trace,
                         const std::vector<uint32_t>& events,
                         const std::vector<loaders::Span>& spans,
                         const std::vector<uint32_t>& order,
                         std::vector<uint32_t>& owner) {
    std::vector<uint32_t> open;
    size_t next = 0;
    for (const uint32_t i : order) {
      if (i >= events.size() || owner[events[i]] == profile::kNone) continue;
      const int64_t start = spans[i].start;
      for (; next < order.size() && spans[order[next]].start <= start; ++next) {
        if (order[next] >= events.size()) continue;
        const uint32_t range = events[order[next]];
        if (trace.host[range].kind == HostKind::kRange) open.push_back(range);
      }
      // A range that has ended never holds a later launch.
      while (!open.empty() && trace.host[open.back()].end < start) {
        open.pop_back();
      }
      if (!open.empty()) owner[events[i]] = open.back();
    }
  }

  profile::PhysicalId Device(std::string_view label, std::string_view kind) {
    profile::LaneTable& lanes = builder_.mutable_graph().lanes;
    std::string name = prefix_;
    name += label;
    const profile::PhysicalId id = lanes.InternPhysical(process_, label, name);
    lanes.mutable_physical(id).kind = kind;
    return id;
  }

  profile::StringId LaneName(std::string name, int64_t process,
                             profile::LaneKind kind) {
    if (several_processes_ && process >= 0) {
      name = fmt::format("process {} {}", process, name);
    }
    name += LaneSuffix(kind);
    return builder_.mutable_graph().strings.Intern(name);
  }

  // `expected`: about how many executions it will have.
  profile::LaneExecutions& Batch(int64_t step, profile::LaneId lane,
                                 bool are_runs, size_t expected) {
    const BatchKey key = {step, lane, are_runs};
    if (last_batches_ != nullptr && key == last_batch_) {
      return (*last_batches_)[last_index_];
    }
    std::vector<profile::LaneExecutions>& batches = batches_[step];
    const auto [it, is_new] = batch_of_.try_emplace(key, batches.size());
    if (is_new) {
      batches.push_back({.lane = lane,
                         .records = {},
                         .ticks_per_micro = profile::kNanosPerMicro,
                         .are_runs = are_runs});
      batches.back().records.reserve(expected);
    }
    last_batch_ = key;
    last_batches_ = &batches;
    last_index_ = it->second;
    return batches[it->second];
  }

  // How many executions of a lane to expect in a step, if all of its executions
  // are `of_lane`.
  static size_t Expected(const GpuTrace& trace, size_t of_lane) {
    return trace.steps.empty() ? of_lane : 0;
  }

  void AddHost(const Placed& placed) {
    const GpuTrace& trace = placed.trace;
    // A range around a step that the devices ran later is no work.
    absl::flat_hash_set<uint32_t> around_steps;
    if (!placed.device_steps.empty()) {
      for (const TraceStep& step : trace.steps) around_steps.insert(step.range);
    }
    const auto lane_of = [&](size_t e) {
      const HostEvent& event = trace.host[e];
      const bool marks = event.kind == HostKind::kAsyncRange ||
                         around_steps.contains(static_cast<uint32_t>(e));
      return event.thread * std::size(kHostLanes) +
             (event.kind == HostKind::kCall ? 0
              : marks                       ? 1
                                            : 2);
    };
    const size_t num_lanes = trace.threads.size() * std::size(kHostLanes);
    std::vector<size_t> sizes(num_lanes, 0);
    for (size_t e = 0; e < trace.host.size(); ++e) ++sizes[lane_of(e)];
    std::vector<profile::LaneId> lanes(num_lanes, profile::kNone);
    for (size_t e = 0; e < trace.host.size(); ++e) {
      const HostEvent& event = trace.host[e];
      const size_t of_event = lane_of(e);
      profile::LaneId& lane = lanes[of_event];
      if (lane == profile::kNone) {
        lane = HostLane(trace.threads[event.thread],
                        kHostLanes[of_event % std::size(kHostLanes)], "");
      }
      profile::LaneExecutions& batch =
          Batch(StepAt(trace, event.start), lane, /*are_runs=*/true,
                Expected(trace, sizes[of_event]));
      if (batch.self.empty()) batch.self.reserve(batch.records.capacity());
      batch.records.push_back(
          {.node = placed.host_node[e],
           .start = event.start,
           .duration = event.end - event.start,
           .record = profile::MakeRecordRef(placed.input, e)});
      batch.self.push_back(placed.self[e]);
    }
  }

  void AddSamples(const Placed& placed) {
    const GpuTrace& trace = placed.trace;
    std::map<uint32_t, profile::LaneId> lanes;  // by thread
    const uint64_t first = trace.host.size() + trace.work.size();
    for (size_t i = 0; i < trace.samples.size(); ++i) {
      const CpuSample& sample = trace.samples[i];
      const auto [lane, is_new] =
          lanes.try_emplace(sample.thread, profile::kNone);
      if (is_new) {
        lane->second = HostLane(trace.threads[sample.thread],
                                profile::LaneKind::kCompute, " samples");
      }
      profile::LaneExecutions& batch =
          Batch(StepAt(trace, sample.time), lane->second, /*are_runs=*/true,
                /*expected=*/0);
      batch.records.push_back(
          {.node = placed.sample_node[i],
           .start = sample.time,
           .duration = 0,
           .record = profile::MakeRecordRef(placed.input, first + i)});
      batch.self.push_back(trace.sample_period);
    }
  }

  profile::LaneId HostLane(const HostThread& thread, profile::LaneKind kind,
                           std::string_view suffix) {
    std::string name =
        thread.name == profile::kNone
            ? fmt::format("thread {}", thread.thread)
            : std::string(builder_.graph().strings.Get(thread.name));
    name += suffix;
    const profile::Lane lane = {
        .process = process_,
        .name = LaneName(std::move(name), thread.process, kind),
        .kind = kind,
        .physical = Device("cpu:0", "cpu"),
        .thread = thread.thread,
        .clock = clock_,
        .calls_nest = kind != profile::LaneKind::kAnnotation};
    return builder_.mutable_graph().lanes.Add(lane);
  }

  profile::LaneId DeviceLane(const GpuTrace& trace, const WorkLane& of) {
    const auto known = trace.labels.find(of.device);
    const std::string label = known == trace.labels.end()
                                  ? fmt::format("gpu:{}", of.device)
                                  : known->second;
    const profile::PhysicalId physical =
        Device(label, std::string_view(label).substr(0, label.find(':')));
    profile::LaneTable& lanes = builder_.mutable_graph().lanes;
    const auto model = trace.models.find(of.device);
    if (model != trace.models.end()) {
      lanes.mutable_physical(physical).model = model->second;
    }
    const bool numbered = of.stream >= 0;
    const profile::Lane lane = {
        .process = process_,
        .name = LaneName(numbered ? fmt::format("stream {}", of.stream)
                                  : std::string("stream"),
                         of.process, of.kind),
        .kind = of.kind,
        .physical = physical,
        .stream = numbered ? of.stream : profile::Lane::kUnnumberedStream,
        .clock = clock_};
    return lanes.Add(lane);
  }

  void AddWork(const Placed& placed) {
    const GpuTrace& trace = placed.trace;
    std::vector<profile::LaneId> lanes;
    for (const WorkLane& lane : trace.lanes) {
      lanes.push_back(DeviceLane(trace, lane));
    }
    std::vector<size_t> sizes(lanes.size(), 0);
    for (const Work& work : trace.work) ++sizes[work.lane];
    const profile::ScopeId no_launch =
        nodes_.Scope(profile::kRootScope, kNoLaunch);
    std::vector<WorkPlace> places;
    for (size_t w = 0; w < trace.work.size(); ++w) {
      const Work& work = trace.work[w];
      const bool launched = work.launch != profile::kNone;
      const profile::NodeId node =
          launched ? placed.host_node[placed.owner[work.launch]]
                   : NodeOf(no_launch, work.name);
      const int64_t step =
          StepAt(trace, launched ? trace.host[work.launch].start : work.start);
      if (places_ != nullptr) {
        places.push_back(
            {node, lanes[work.lane], step, work.start, work.end - work.start});
      }
      // The event of the host counts the run of its work.
      Batch(step, lanes[work.lane], /*are_runs=*/!launched,
            Expected(trace, sizes[work.lane]))
          .records.push_back({.node = node,
                              .start = work.start,
                              .duration = work.end - work.start,
                              .record = profile::MakeRecordRef(
                                  placed.input, trace.host.size() + w)});
    }
    if (places_ != nullptr) places_->push_back(std::move(places));
  }

  // Finds the places of the executions, and links launches with their work.
  void AddLinks() {
    constexpr profile::ExecutionRef kNowhere = {0, profile::kNone};
    // By input, by offset.
    std::map<uint32_t, std::vector<profile::ExecutionRef>> places;
    for (const auto& [input, pairs] : links_) {
      uint64_t size = 0;
      for (const auto& [from, to] : pairs) size = std::max(size, to + 1);
      places[input].assign(size, kNowhere);
    }
    constexpr uint64_t kOffsetMask = (uint64_t{1} << profile::kOffsetBits) - 1;
    for (const auto& step : builder_.finished_steps()) {
      auto found = places.end();
      for (size_t i = 0; i < step->num_executions(); ++i) {
        const auto record =
            static_cast<profile::RecordRef>(step->exec_record[i]);
        const auto input =
            static_cast<uint32_t>(record >> profile::kOffsetBits);
        if (found == places.end() || found->first != input) {
          found = places.find(input);
        }
        const uint64_t offset = record & kOffsetMask;
        if (found == places.end() || offset >= found->second.size()) continue;
        found->second[offset] = {step->id, static_cast<uint32_t>(i)};
      }
    }
    for (const auto& [input, pairs] : links_) {
      const std::vector<profile::ExecutionRef>& of_input = places[input];
      for (const auto& [from, to] : pairs) {
        if (of_input[from] == kNowhere || of_input[to] == kNowhere) continue;
        builder_.AddLink(
            {of_input[from], of_input[to], profile::LinkKind::kLaunch});
      }
    }
  }

  profile::ProfileBuilder& builder_;
  loaders::ImportLog& log_;
  loaders::HostsAhead ahead_;
  loaders::TraceNodes nodes_;
  absl::flat_hash_map<std::pair<profile::ScopeId, profile::StringId>,
                      profile::NodeId>
      known_nodes_;
  absl::flat_hash_map<std::pair<profile::ScopeId, profile::StringId>,
                      profile::ScopeId>
      known_scopes_;
  profile::ProcessId process_ = 0;
  uint32_t clock_ = 0;
  bool several_processes_ = false;
  std::string prefix_;  // of names of devices
  std::map<int64_t, std::vector<profile::LaneExecutions>> batches_;  // by step
  absl::flat_hash_map<BatchKey, size_t> batch_of_;  // in batches_[step]
  // The last one: consecutive events are often in the same batch.
  BatchKey last_batch_;
  std::vector<profile::LaneExecutions>* last_batches_ = nullptr;
  size_t last_index_ = 0;
  std::vector<std::pair<uint32_t, LaunchPairs>> links_;  // by input
  std::vector<std::vector<WorkPlace>>* places_;
};

}  // namespace

std::string NameOf(const GpuTrace& trace) {
  if (!trace.label.empty()) return trace.label;
  const std::string& path = trace.file->path();
  return path.substr(path.find_last_of('/') + 1);
}

bool Fits(const Times& times) {
  int64_t duration = 0;
  return times.start && times.end && *times.start <= *times.end &&
         !__builtin_sub_overflow(*times.end, *times.start, &duration);
}

uint32_t GpuTrace::Thread(int64_t process, int64_t thread) {
  if (last_thread_ < threads.size() &&
      threads[last_thread_].process == process &&
      threads[last_thread_].thread == thread) {
    return last_thread_;
  }
  const auto [it, is_new] = thread_numbers_.try_emplace(
      {process, thread}, static_cast<uint32_t>(threads.size()));
  if (is_new) threads.push_back({process, thread, profile::kNone});
  return last_thread_ = it->second;
}

uint32_t GpuTrace::Lane(const WorkLane& lane) {
  if (last_lane_ < lanes.size() && lanes[last_lane_] == lane) return last_lane_;
  const auto [it, is_new] =
      lane_numbers_.try_emplace(lane, static_cast<uint32_t>(lanes.size()));
  if (is_new) lanes.push_back(lane);
  return last_lane_ = it->second;
}

namespace {

// Says so if nothing relates the clocks of the traces to that of the operations
// of another file. Returns the first clock that no lane has yet.
uint32_t NoteUnrelatedClocks(const std::vector<GpuTrace>& traces,
                             loaders::LoadContext& context) {
  const std::string& operations = context.operations_file;
  if (operations.empty()) return 0;
  for (const GpuTrace& trace : traces) {
    if (trace.work.empty()) continue;
    const std::string& path =
        trace.file != nullptr ? trace.file->path() : trace.label;
    context.log.Add(
        loaders::ImportLog::kNotice, "clocks that nothing relates",
        fmt::format("{} and {}: nothing relates their clocks, so times of one "
                    "are not compared with times of the other; if both are of "
                    "one run, join them: tfprof {} --join {}",
                    operations, path, operations, path));
  }
  uint32_t next = 0;
  const profile::LaneTable& lanes = context.builder.graph().lanes;
  for (profile::LaneId lane = 0; lane < lanes.size(); ++lane) {
    next = std::max(next, lanes[lane].clock + 1);
  }
  return next;
}

}  // namespace

void AddGpuTraces(std::vector<GpuTrace> traces, loaders::LoadContext& context,
                  std::vector<std::vector<WorkPlace>>* places) {
  const util::ScopedPhase phase("gpu trace");
  context.builder.SetTicksPerMicro(profile::kNanosPerMicro);
  Adder adder(context, places);
  const uint32_t first_clock = NoteUnrelatedClocks(traces, context);
  for (uint32_t i = 0; i < traces.size(); ++i) {
    traces[i].clock = first_clock + i;
  }
  if (places == nullptr) traces = SplitRanks(std::move(traces));
  const bool alone = traces.size() == 1;
  for (GpuTrace& trace : traces) adder.Add(std::move(trace), alone);
  adder.Finish();
}

}  // namespace tfprof::gpu_trace
