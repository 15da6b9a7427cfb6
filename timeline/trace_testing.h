// TraceModel: makes a trace by hand, for tests: nanoseconds, physical devices,
// lanes of threads and streams, launches with links, texts and arguments.
//
//   TraceModel model;
//   const LaneId gpu = model.Stream(0, 7, LaneKind::kKernels);
//   const NodeId mm = model.Op("aten::mm");
//   const int call = model.Add({.name = "cudaLaunchKernel", .node = mm,
//                               .lane = model.Launches(), .start = 100,
//                               .duration = 5});
//   model.Add({.name = "gemm", .node = mm, .lane = gpu, .start = 120,
//              .duration = 50, .launch = call});
//   const Profile profile = std::move(model).Build();

#ifndef TFPROF_TIMELINE_TRACE_TESTING_H_
#define TFPROF_TIMELINE_TRACE_TESTING_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "accounting/self_time_rules.h"
#include "profile/details.h"
#include "profile/profile.h"
#include "profile/profile_builder.h"

namespace tfprof::timeline {

class TraceModel {
 public:
  // An execution. Times are ticks from the origin.
  struct Event {
    std::string name = "";
    profile::NodeId node = profile::kNone;
    profile::LaneId lane = profile::kNone;
    int64_t start = 0;
    int64_t duration = 0;
    int64_t step = 0;
    int launch = -1;  // the event that launched it; -1: none
    profile::ArgumentList arguments = {};
    int64_t bytes = -1;  // if it is a copy
    int64_t self = -1;   // -1: the duration
  };

  explicit TraceModel(int64_t ticks_per_micro = profile::kNanosPerMicro)
      : ticks_per_micro_(ticks_per_micro) {
    builder_.SetTicksPerMicro(ticks_per_micro);
    input_ = builder_.AddInput(details_);
    profile::Process process;
    process.process_id = 1;
    process_ = graph().lanes.AddProcess(std::move(process));
  }

  // Kernels count as the runs of ops, because the host has no records of them,
  // as in XPlane.
  bool kernels_are_runs = false;

  profile::ProfileBuilder& builder() { return builder_; }
  profile::GraphTables& graph() { return builder_.mutable_graph(); }
  profile::ProcessId process() const { return process_; }
  // Starts a new process for the lanes that follow.
  void NextRank(int64_t rank) {
    profile::Process process;
    process.rank = rank;
    process_ = graph().lanes.AddProcess(std::move(process));
  }

  profile::PhysicalId Gpu(int ordinal, std::string_view model = "") {
    const std::string label = "gpu:" + std::to_string(ordinal);
    const profile::PhysicalId id =
        graph().lanes.InternPhysical(process_, label, label);
    profile::PhysicalDevice& gpu = graph().lanes.mutable_physical(id);
    gpu.kind = "gpu";
    if (!model.empty()) gpu.model = model;
    return id;
  }
  // A stream has one lane for each kind of work.
  profile::LaneId Stream(
      int ordinal, int64_t stream, profile::LaneKind kind,
      profile::CopyKind copies = profile::CopyKind::kUnknown) {
    return InternLane({.process = process_,
                       .kind = kind,
                       .physical = Gpu(ordinal),
                       .stream = stream,
                       .copies = copies});
  }
  profile::LaneId Thread(int64_t thread, profile::LaneKind kind) {
    const profile::PhysicalId cpu =
        graph().lanes.InternPhysical(process_, "cpu:0", "cpu:0");
    graph().lanes.mutable_physical(cpu).kind = "cpu";
    return InternLane(
        {.process = process_, .kind = kind, .physical = cpu, .thread = thread});
  }
  profile::LaneId Ops() { return Thread(1, profile::LaneKind::kCompute); }
  profile::LaneId Launches() { return Thread(1, profile::LaneKind::kLaunches); }

  profile::NodeId Op(std::string_view op) { return Op(op, op); }
  profile::NodeId Op(std::string_view name, std::string_view op) {
    const auto [it, is_new] =
        nodes_.try_emplace(std::string(name), profile::kNone);
    if (is_new) it->second = builder_.AddNode(name, op, profile::kNoRecord);
    return it->second;
  }

  // Returns the number of the event.
  int Add(Event event) {
    events_.push_back(std::move(event));
    return static_cast<int>(events_.size()) - 1;
  }

  profile::Profile Build() && {
    std::map<std::pair<int64_t, profile::LaneId>, profile::LaneExecutions>
        batches;
    std::vector<int64_t> steps;
    for (size_t i = 0; i < events_.size(); ++i) {
      const Event& event = events_[i];
      const profile::RecordRef record = profile::MakeRecordRef(input_, i);
      details_->events.push_back(event);
      steps.push_back(event.step);
      if (event.node == profile::kNone) {
        builder_.AddOutside(event.step,
                            {.name = graph().strings.Intern(event.name),
                             .lane = event.lane,
                             .start = event.start,
                             .duration = event.duration,
                             .record = record},
                            ticks_per_micro_);
        continue;
      }
      profile::LaneExecutions& batch = batches[{event.step, event.lane}];
      batch.lane = event.lane;
      batch.ticks_per_micro = ticks_per_micro_;
      const profile::LaneKind kind = graph().lanes[event.lane].kind;
      batch.are_runs = kind == profile::LaneKind::kCompute || kernels_are_runs;
      batch.records.push_back({.node = event.node,
                               .start = event.start,
                               .duration = event.duration,
                               .record = record});
      batch.self.push_back(event.self >= 0 ? event.self : event.duration);
    }
    std::map<int64_t, std::vector<profile::LaneExecutions>> by_step;
    for (auto& [key, batch] : batches) {
      by_step[key.first].push_back(std::move(batch));
    }
    for (auto& [step, executions] : by_step) {
      builder_.AddExecutions(step, std::move(executions), {});
    }
    builder_.FinishSteps(steps);
    AddLinks();
    return std::move(builder_).Build();
  }

 private:
  struct Details : profile::DetailReader {
    profile::AttributeList Attributes(uint64_t) const override { return {}; }
    profile::ExecutionDetail Execution(uint64_t, bool) const override {
      return {};
    }
    bool record_is_group() const override { return false; }
    profile::RecordText Text(uint64_t offset) const override {
      profile::RecordText text;
      text.name = events[offset].name;
      return text;
    }
    profile::ArgumentList Arguments(uint64_t offset) const override {
      return events[offset].arguments;
    }
    profile::Transfer TransferOf(uint64_t offset) const override {
      profile::Transfer transfer;
      transfer.bytes = events[offset].bytes;
      // As in the name: "Memcpy HtoD (Pageable -> Device)".
      const std::string_view name = events[offset].name;
      if (name.find("(Pageable") != name.npos) transfer.from = "Pageable";
      if (name.find("-> Pageable") != name.npos) transfer.to = "Pageable";
      return transfer;
    }
    std::vector<Event> events;
  };

  profile::LaneId InternLane(const profile::Lane& lane) {
    const auto [it, is_new] = lanes_.try_emplace(
        {lane.physical, lane.kind, lane.copies, lane.thread, lane.stream},
        profile::kNone);
    if (is_new) it->second = graph().lanes.Add(lane);
    return it->second;
  }

  void AddLinks() {
    std::map<profile::RecordRef, profile::ExecutionRef> execution;
    for (const auto& step : builder_.finished_steps()) {
      for (size_t e = 0; e < step->num_records(); ++e) {
        execution[static_cast<profile::RecordRef>(step->exec_record[e])] = {
            step->id, static_cast<uint32_t>(e)};
      }
    }
    for (size_t i = 0; i < events_.size(); ++i) {
      const int from = events_[i].launch;
      if (from < 0) continue;
      builder_.AddLink({execution[profile::MakeRecordRef(
                            input_, static_cast<uint64_t>(from))],
                        execution[profile::MakeRecordRef(input_, i)],
                        profile::LinkKind::kLaunch});
    }
  }

  int64_t ticks_per_micro_;
  profile::ProfileBuilder builder_{accounting::SelfTimeRules()};
  std::shared_ptr<Details> details_ = std::make_shared<Details>();
  uint32_t input_ = 0;
  profile::ProcessId process_ = 0;
  std::vector<Event> events_;
  std::map<std::string, profile::NodeId> nodes_;
  std::map<std::tuple<profile::PhysicalId, profile::LaneKind, profile::CopyKind,
                      int64_t, int64_t>,
           profile::LaneId>
      lanes_;
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_TRACE_TESTING_H_
