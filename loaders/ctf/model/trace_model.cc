#include "loaders/ctf/model/trace_model.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"
#include "loaders/ctf/model/counter_model.h"
#include "loaders/ctf/model/device_names.h"
#include "loaders/ctf/model/step_times.h"
#include "loaders/tensorflow/device_names.h"
#include "util/text/ascii.h"

namespace tfprof::ctf {
namespace {

// The names of kernels that ran for a node, which has another name, and the
// bytes of what devices did. The offset of a record is its number.
class DeviceDetails : public profile::DetailReader {
 public:
  // Records are in ascending order.
  void Add(uint64_t record, std::string_view name,
           const profile::Transfer& transfer) {
    records_.push_back({record, names_.Intern(name), transfer});
  }

  profile::AttributeList Attributes(uint64_t) const override { return {}; }
  profile::ExecutionDetail Execution(uint64_t, bool) const override {
    return {};
  }
  bool record_is_group() const override { return false; }
  profile::RecordText Text(uint64_t offset) const override {
    const Record* record = Find(offset);
    profile::RecordText text;
    if (record != nullptr) text.name = names_.Get(record->name);
    return text;
  }
  profile::Transfer TransferOf(uint64_t offset) const override {
    const Record* record = Find(offset);
    return record == nullptr ? profile::Transfer() : record->transfer;
  }

 private:
  struct Record {
    uint64_t number = 0;
    profile::StringId name = profile::kNone;
    profile::Transfer transfer;
  };

  const Record* Find(uint64_t number) const {
    const auto it =
        std::ranges::lower_bound(records_, number, {}, &Record::number);
    return it == records_.end() || it->number != number ? nullptr : &*it;
  }

  profile::StringPool names_;
  std::vector<Record> records_;
};

class Modeller {
 public:
  Modeller(const TraceFacts& facts, const Attribution& attribution,
           const std::vector<HostClock>& hosts, const CountedKernels& counted,
           const std::vector<loaders::CounterFile>& counter_files,
           loaders::LoadContext& context)
      : facts_(facts),
        attribution_(attribution),
        counted_(counted.kernels),
        counter_files_(counter_files),
        context_(context),
        builder_(context.builder),
        times_(facts, hosts) {
    input_ = builder_.AddInput(details_);
  }

  void Run() {
    AddOps(facts_.ops, /*asynchronous=*/false);
    AddOps(facts_.async_ops, /*asynchronous=*/true);
    AddActivities();
    AddHostCalls();
    AddIntervals();
    AddCounters();
    for (auto& [key, batch] : batches_) {
      std::vector<profile::LaneExecutions> one;
      one.push_back(std::move(batch));
      builder_.AddExecutions(std::get<0>(key), std::move(one), {});
    }
    const std::set<int64_t>& steps = times_.steps();
    for (const int64_t step : steps) {
      if (step != profile::kOutsideSteps) builder_.AddStep(step);
    }
    builder_.FinishSteps({steps.begin(), steps.end()});
    AddLinks();
    AddKernelCounters();
  }

 private:
  std::string_view Name(profile::StringId id) const {
    return id == profile::kNone ? std::string_view() : facts_.names.Get(id);
  }
  profile::StringId Intern(std::string_view text) {
    return builder_.mutable_graph().strings.Intern(text);
  }

  uint32_t ProcessOf(ThreadId thread) const {
    return facts_.threads[thread].process_index;
  }

  void AddIntervals() {
    for (const SessionRun& session : facts_.sessions) {
      const auto it = process_of_.find(session.process);
      if (it == process_of_.end()) continue;
      builder_.AddStepInterval(
          {.step = session.count,
           .process = it->second,
           .start = times_.Moved(session.process, session.begin),
           .end = times_.Moved(session.process, session.end)});
    }
  }

  // ---- Executions

  // Returns the node of a name, or kNone if the rules make none.
  profile::NodeId NodeOf(profile::StringId name,
                         profile::StringId type = profile::kNone) {
    const auto [it, is_new] = nodes_.try_emplace(name, profile::kNone);
    if (!is_new) return it->second;
    const std::string_view text = Name(name);
    const profile::GraphTables& graph = builder_.graph();
    profile::NodeId node = graph.nodes.Find(graph.strings.Find(text));
    if (node == profile::kNone && !text.empty() &&
        builder_.rules().MakesNode(text)) {
      const std::string_view op = Name(type);
      node = builder_.AddNode(text, op.empty() ? text : op, profile::kNoRecord);
    }
    return it->second = node;
  }

  // Programs that do not know each other give their devices the same names. The
  // first program keeps the names; each other one becomes its own job.
  std::string DeviceIn(std::string_view device, uint32_t process) {
    const tensorflow::DeviceNameParts parts =
        tensorflow::SplitDeviceName(device);
    const bool is_local =
        parts.task.empty() || parts.task.starts_with("/job:localhost/");
    if (!is_local || first_users_.try_emplace(std::string(parts.task), process)
                             .first->second == process) {
      return std::string(device);
    }
    const ProcessFacts& facts = facts_.processes[process];
    const std::string_view program = Name(facts.program);
    return fmt::format("/job:{}_{}/device:{}{}{}",
                       program.empty() ? "process" : program, facts.process,
                       parts.local, parts.pseudo.empty() ? "" : "/",
                       parts.pseudo);
  }

  profile::LaneId LaneOf(std::string_view device, uint32_t process) {
    const profile::LaneId lane = tensorflow::DeviceLane(
        DeviceIn(device, process), builder_.mutable_graph());
    process_of_.try_emplace(process, builder_.graph().lanes[lane].process);
    return lane;
  }
  // Returns the lane of the ops of a device on a thread; kNone: the ops are
  // asynchronous, so they are on no thread.
  profile::LaneId OpLane(profile::StringId place, uint32_t process,
                         ThreadId thread) {
    const auto [it, is_new] =
        op_lanes_.try_emplace({place, process, thread}, profile::kNone);
    if (!is_new) return it->second;
    const std::string_view device = Name(place);
    const profile::LaneId first =
        LaneOf(device.empty() ? "/device:cpu:0" : device, process);
    const int64_t number =
        thread == profile::kNone ? -1 : facts_.threads[thread].thread;
    profile::LaneTable& lanes = builder_.mutable_graph().lanes;
    it->second = first;
    if (lanes[first].thread == number) return first;
    if (lanes[first].thread < 0) {
      lanes.mutable_lane(first).thread = number;
      return first;
    }
    profile::Lane lane = lanes[first];
    lane.thread = number;
    return it->second = lanes.Add(lane);
  }
  // Returns the lane of the calls and ranges of a thread.
  profile::LaneId CallLane(ThreadId thread, profile::ProcessId process) {
    const auto [it, is_new] = call_lanes_.try_emplace(thread, profile::kNone);
    if (!is_new) return it->second;
    const int64_t number = facts_.threads[thread].thread;
    profile::LaneTable& lanes = builder_.mutable_graph().lanes;
    const profile::PhysicalId host = lanes.InternPhysical(
        process, "cpu:0", lanes.process(process).name + "/device:cpu:0");
    lanes.mutable_physical(host).kind = "cpu";
    return it->second = lanes.Add(
               {.process = process,
                .name = Intern(fmt::format("thread {} calls", number)),
                .kind = profile::LaneKind::kAnnotation,
                .physical = host,
                .thread = number,
                .clock = process});
  }
  // Returns the lane of kernels or copies of a device. The reference's
  // accounting recognises these lanes by name.
  profile::LaneId ActivityLane(const Activity& activity, uint32_t process,
                               profile::StringId place) {
    const bool is_kernel = activity.work == DeviceWork::kKernel;
    const auto [it, is_new] = work_lanes_.try_emplace(
        {activity.device, activity.provider, place, process, is_kernel},
        profile::kNone);
    if (!is_new) return it->second;
    std::string device = DeviceName(facts_, activity);
    if (device.starts_with("gpu:") && !GpuOf(place).empty()) {
      device = GpuOf(place);
    }
    const std::string name =
        DeviceIn(fmt::format("/device:{}/{}", device,
                             is_kernel ? "stream:all" : "memcpy"),
                 process);
    profile::GraphTables& graph = builder_.mutable_graph();
    profile::Lane lane = {
        .process = ModelProcess(process),
        .kind = is_kernel ? profile::LaneKind::kKernels
                          : profile::LaneKind::kCopies,
        .device = graph.devices.Intern(name, tensorflow::ClassifyDevice(name)),
        .calls_nest = false};
    if (const profile::LaneId known = graph.lanes.OfDevice(lane.device);
        known != profile::kNone && graph.lanes[known].process == lane.process) {
      return it->second = known;
    }
    lane.clock = lane.process;
    const std::string label = DeviceLabel(device);
    lane.physical = graph.lanes.InternPhysical(
        lane.process, label,
        label == device
            ? name.substr(0, name.rfind('/'))
            : fmt::format("{}/device:{}",
                          graph.lanes.process(lane.process).name, label));
    std::string& kind = graph.lanes.mutable_physical(lane.physical).kind;
    if (kind.empty()) kind = label.substr(0, label.find(':'));
    return it->second = graph.lanes.Add(lane);
  }
  // Returns the place of the operation of a kernel, if the file does not say
  // where the kernel ran; kNone: unknown.
  profile::StringId PlaceOfKernel(const Activity& activity,
                                  const KernelLink& link) {
    if (activity.device != profile::kNone || link.name == profile::kNone) {
      return profile::kNone;
    }
    if (link.op != profile::kNone) return facts_.ops[link.op].place;
    FindPlaces();
    const auto it =
        place_of_name_.find({ProcessOf(activity.thread), link.name});
    return it == place_of_name_.end() ? profile::kNone : it->second;
  }
  // "gpu:1" for the place "/job:w/task:0/device:GPU:1"; "": it is no GPU.
  std::string GpuOf(profile::StringId place) const {
    const std::string name = util::LowerCase(Name(place));
    const std::string_view local = tensorflow::SplitDeviceName(name).local;
    return local.starts_with("gpu:") ? std::string(local) : "";
  }
  void FindPlaces() {
    if (!place_of_name_.empty()) return;
    for (const auto* ops : {&facts_.ops, &facts_.async_ops}) {
      for (const Interval& op : *ops) {
        const auto [it, is_new] = place_of_name_.try_emplace(
            {ProcessOf(op.thread), op.name}, op.place);
        if (!is_new && it->second != op.place) it->second = profile::kNone;
      }
    }
  }
  // Returns the process in the profile, without a name if none is known.
  profile::ProcessId ModelProcess(uint32_t process) {
    const auto [it, is_new] = process_of_.try_emplace(process, profile::kNone);
    if (is_new) it->second = builder_.mutable_graph().lanes.InternProcess("");
    return it->second;
  }

  // Returns the record of an execution, by which links find it.
  profile::RecordRef NextRecord() {
    return profile::MakeRecordRef(input_, next_record_++);
  }

  void Add(int64_t step, profile::LaneId lane, bool is_run,
           profile::StringId name, profile::NodeId node, int64_t start,
           int64_t duration, profile::RecordRef record) {
    if (node == profile::kNone) {
      builder_.AddOutside(step,
                          {.name = Intern(Name(name)),
                           .lane = lane,
                           .start = start,
                           .duration = duration,
                           .record = record},
                          kCtfTicksPerMicro);
      return;
    }
    // Most executions have the step and the lane of the one before.
    if (last_batch_ == nullptr || last_step_ != step ||
        last_batch_->lane != lane || last_batch_->are_runs != is_run) {
      last_step_ = step;
      last_batch_ = &batches_[{step, lane, is_run}];
      last_batch_->lane = lane;
      last_batch_->are_runs = is_run;
      last_batch_->ticks_per_micro = kCtfTicksPerMicro;
    }
    last_batch_->records.push_back(
        {.node = node, .start = start, .duration = duration, .record = record});
  }

  // Finds when the executor began to work for each op, by thread and name,
  // ascending.
  void FindReady() {
    for (const Interval& range : facts_.ranges) {
      if (Name(range.place) != "inline_ready") continue;
      ready_[{range.thread, range.name}].push_back({range.begin, range.end});
    }
    for (auto& [key, ranges] : ready_) std::sort(ranges.begin(), ranges.end());
  }
  int64_t ReadyOf(const Interval& op) const {
    const auto it = ready_.find({op.thread, op.name});
    if (it == ready_.end()) return op.begin;
    const auto next = std::partition_point(
        it->second.begin(), it->second.end(),
        [&](const auto& range) { return range.first <= op.begin; });
    if (next == it->second.begin()) return op.begin;
    const auto& range = *(next - 1);
    return op.begin <= range.second ? range.first : op.begin;
  }

  void AddOps(const std::vector<Interval>& ops, bool asynchronous) {
    if (!asynchronous) {
      FindReady();
      record_of_op_.assign(ops.size(), profile::kNoRecord);
      step_of_op_.assign(ops.size(), 0);
    }
    for (size_t i = 0; i < ops.size(); ++i) {
      if (context_.work.cancelled()) return;
      const Interval& op = ops[i];
      const uint32_t process = ProcessOf(op.thread);
      const int64_t start = times_.Moved(process, ReadyOf(op));
      const int64_t step =
          op.step >= 0 && times_.HasSession(process, op.step)
              ? op.step
              : times_.StepAt(process, times_.Moved(process, op.begin));
      const profile::RecordRef record = NextRecord();
      Add(step,
          OpLane(op.place, process, asynchronous ? profile::kNone : op.thread),
          /*is_run=*/true, op.name, NodeOf(op.name, op.type), start,
          times_.Moved(process, op.end) - start, record);
      if (asynchronous) continue;
      record_of_op_[i] = record;
      step_of_op_[i] = step;
    }
  }

  void AddActivities() {
    for (const CountedKernel& kernel : counted_) {
      if (kernel.activity != profile::kNone)
        models_.try_emplace(kernel.activity);
    }
    for (size_t i = 0; i < facts_.activities.size(); ++i) {
      const Activity& activity = facts_.activities[i];
      if (activity.clock == DeviceClock::kUnknown) continue;
      const uint32_t process = ProcessOf(activity.thread);
      const int64_t start = times_.Moved(process, activity.begin);
      const KernelLink& link = attribution_.links[i];
      const bool is_kernel = activity.work == DeviceWork::kKernel;
      // A kernel is in the step of its op.
      const int64_t step =
          link.op != profile::kNone ? step_of_op_[link.op]
          : link.launch != Activity::kNoTime
              ? times_.StepAt(process, times_.Moved(process, link.launch))
              : times_.StepAt(process, start);
      const profile::LaneId lane =
          ActivityLane(activity, process, PlaceOfKernel(activity, link));
      const profile::NodeId node = is_kernel && link.name != profile::kNone
                                       ? NodeOf(link.name)
                                       : profile::kNone;
      details_->Add(next_record_, Name(activity.name),
                    {.kind = activity.work == DeviceWork::kCopy
                                 ? KindOfCopy(Name(activity.name))
                                 : profile::CopyKind::kUnknown,
                     .bytes = activity.bytes > 0 ? activity.bytes : -1});
      const profile::RecordRef record = NextRecord();
      // An op that only its kernels name runs when they run.
      const bool is_run = link.op == profile::kNone;
      Add(step, lane, is_run, activity.name, node, start,
          activity.end - activity.begin, record);
      if (const auto it = models_.find(static_cast<uint32_t>(i));
          it != models_.end()) {
        it->second = {.node = node,
                      .step = step,
                      .lane = lane,
                      .start = start,
                      .duration = activity.end - activity.begin};
      }
      if (link.op != profile::kNone) {
        links_.push_back({record_of_op_[link.op], record});
      }
    }
  }

  // Calls of a process without ops and without work of a device say nothing
  // about the profile.
  void AddHostCalls() {
    for (const Interval& call : facts_.host_calls) {
      if (context_.work.cancelled()) return;
      const uint32_t process = ProcessOf(call.thread);
      const auto known = process_of_.find(process);
      if (known == process_of_.end()) continue;
      const int64_t start = times_.Moved(process, call.begin);
      Add(times_.StepAt(process, start), CallLane(call.thread, known->second),
          /*is_run=*/false, call.name, profile::kNone, start,
          times_.Moved(process, call.end) - start, NextRecord());
    }
  }

  void AddLinks() {
    if (links_.empty()) return;
    absl::flat_hash_map<profile::RecordRef, profile::ExecutionRef> places;
    for (const auto& step : builder_.finished_steps()) {
      for (size_t e = 0; e < step->num_records(); ++e) {
        places.try_emplace(
            static_cast<profile::RecordRef>(step->exec_record[e]),
            profile::ExecutionRef{step->id, static_cast<uint32_t>(e)});
      }
    }
    for (const auto& [from, to] : links_) {
      const auto a = places.find(from), b = places.find(to);
      if (a == places.end() || b == places.end()) continue;
      builder_.AddLink({a->second, b->second, profile::LinkKind::kLaunch});
    }
  }

  void AddCounters() {
    for (const Series& series : facts_.series) {
      const profile::ProcessId process = ModelProcess(series.process);
      std::vector<profile::CounterSample> samples;
      samples.reserve(series.samples.size());
      for (const Sample& sample : series.samples) {
        samples.push_back(
            {times_.Moved(series.process, sample.time), sample.value});
      }
      builder_.AddCounter(
          {.name = Intern(Name(series.name)),
           .unit = series.unit == profile::kNone ? profile::kNone
                                                 : Intern(Name(series.unit)),
           .kind = series.is_change ? profile::Counter::Kind::kChange
                                    : profile::Counter::Kind::kLevel,
           .process = process},
          std::move(samples));
    }
  }

  void AddKernelCounters() {
    if (counted_.empty()) return;
    builder_.SetKernelCounters(ModelCounters(
        facts_, counted_, counter_files_, builder_.mutable_graph().strings,
        [&](const CountedKernel& kernel) {
          const auto it = models_.find(kernel.activity);
          profile::KernelCounters::Kernel model =
              it == models_.end() ? profile::KernelCounters::Kernel()
                                  : it->second;
          if (kernel.op != profile::kNone) {
            model.node = NodeOf(facts_.ops[kernel.op].name);
            model.step = step_of_op_[kernel.op];
          }
          return model;
        }));
  }

  const TraceFacts& facts_;
  const Attribution& attribution_;
  const std::vector<CountedKernel>& counted_;
  const std::vector<loaders::CounterFile>& counter_files_;
  // Where the counted kernels are in the profile, by activity.
  std::map<uint32_t, profile::KernelCounters::Kernel> models_;
  loaders::LoadContext& context_;
  profile::ProfileBuilder& builder_;
  std::shared_ptr<DeviceDetails> details_ = std::make_shared<DeviceDetails>();
  uint32_t input_ = 0;
  uint64_t next_record_ = 0;
  StepTimes times_;
  std::map<uint32_t, profile::ProcessId> process_of_;
  std::map<std::string, uint32_t, std::less<>> first_users_;  // by task
  absl::flat_hash_map<profile::StringId, profile::NodeId> nodes_;
  std::map<std::pair<ThreadId, profile::StringId>,
           std::vector<std::pair<int64_t, int64_t>>>
      ready_;
  std::map<std::tuple<int64_t, profile::LaneId, bool>, profile::LaneExecutions>
      batches_;
  profile::LaneExecutions* last_batch_ = nullptr;
  int64_t last_step_ = 0;
  absl::flat_hash_map<std::tuple<profile::StringId, uint32_t, ThreadId>,
                      profile::LaneId>
      op_lanes_;
  absl::flat_hash_map<ThreadId, profile::LaneId> call_lanes_;
  absl::flat_hash_map<std::tuple<profile::StringId, profile::StringId,
                                 profile::StringId, uint32_t, bool>,
                      profile::LaneId>
      work_lanes_;
  // The places of operations, by process and name; kNone: several.
  absl::flat_hash_map<std::pair<uint32_t, profile::StringId>, profile::StringId>
      place_of_name_;
  std::vector<profile::RecordRef> record_of_op_;
  std::vector<int64_t> step_of_op_;
  std::vector<std::pair<profile::RecordRef, profile::RecordRef>> links_;
};

}  // namespace

void ModelTrace(const TraceFacts& facts, const Attribution& attribution,
                const std::vector<HostClock>& hosts,
                const CountedKernels& counted,
                const std::vector<loaders::CounterFile>& counter_files,
                loaders::LoadContext& context) {
  Modeller(facts, attribution, hosts, counted, counter_files, context).Run();
}

}  // namespace tfprof::ctf
