#include "loaders/ctf/model/device_trace.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "fmt/format.h"
#include "loaders/ctf/model/counter_model.h"
#include "loaders/ctf/model/device_names.h"
#include "loaders/ctf/model/step_times.h"
#include "loaders/gpu_trace/gpu_trace.h"
#include "loaders/gpu_trace/names.h"
#include "loaders/nodes/communication_kernels.h"
#include "loaders/nodes/open_at.h"

namespace tfprof::ctf {
namespace {

using gpu_trace::GpuTrace;
using gpu_trace::HostKind;

// Makes the tables of gpu_trace.h, one for each process.
class DeviceTraces {
 public:
  DeviceTraces(const TraceFacts& facts, const std::vector<HostClock>& hosts,
               loaders::LoadContext& context)
      : facts_(facts),
        strings_(context.builder.mutable_graph().strings),
        times_(facts, hosts),
        traces_(facts.processes.size()),
        place_of_(facts.activities.size()) {}

  std::vector<GpuTrace> Make() {
    AddHostCalls();
    AddWork();
    AddCounters();
    AddSteps();
    return Finish();
  }

  // The trace and the number of the work of each activity.
  struct Place {
    uint32_t trace = profile::kNone;
    size_t work = 0;
  };
  const std::vector<Place>& place_of() const { return place_of_; }

 private:
  std::string_view Name(profile::StringId id) const {
    return id == profile::kNone ? std::string_view() : facts_.names.Get(id);
  }

  uint32_t ProcessOf(ThreadId thread) const {
    return facts_.threads[thread].process_index;
  }

  void AddHostCalls() {
    for (const Interval& call : facts_.host_calls) {
      const ThreadFacts& thread = facts_.threads[call.thread];
      const uint32_t process = thread.process_index;
      GpuTrace& trace = traces_[process];
      const bool is_range = std::ranges::any_of(
          facts_.range_sums,
          [&](const RangeSum& sum) { return sum.kind == call.place; });
      const std::string_view text = Name(call.name);
      if (!is_range) {
        calls_[{process, thread.thread}].push_back(
            {call.begin, call.end, static_cast<uint32_t>(trace.host.size())});
      }
      trace.host.push_back(
          {.start = times_.Moved(process, call.begin),
           .end = times_.Moved(process, call.end),
           .op = strings_.Intern(is_range ? gpu_trace::OperationOf(text)
                                          : gpu_trace::CallName(text)),
           .text = strings_.Intern(text),
           .thread = trace.Thread(thread.process, thread.thread),
           .kind = is_range ? HostKind::kRange : HostKind::kCall});
    }
    for (auto& [thread, calls] : calls_) {
      std::ranges::stable_sort(calls, {}, &Call::begin);
    }
  }

  // Returns the innermost call that launched `activity`, in GpuTrace::host.
  uint32_t LaunchOf(const Activity& activity, uint32_t process) const {
    const auto thread = calls_.find({process, activity.launch_thread});
    if (thread == calls_.end()) return profile::kNone;
    const Call* const call = loaders::OpenAt(thread->second, activity.entry,
                                             &Call::begin, &Call::end);
    return call == nullptr ? profile::kNone : call->event;
  }

  // Returns the number of the device of `activity` in its trace.
  int64_t DeviceOf(const Activity& activity, uint32_t process) {
    const std::string label = DeviceLabel(DeviceName(facts_, activity));
    GpuTrace& trace = traces_[process];
    const auto [it, is_new] = devices_.try_emplace(
        {process, label}, static_cast<int64_t>(trace.labels.size()));
    if (is_new) trace.labels[it->second] = label;
    return it->second;
  }

  void AddWork() {
    for (size_t i = 0; i < facts_.activities.size(); ++i) {
      const Activity& activity = facts_.activities[i];
      if (activity.clock == DeviceClock::kUnknown) continue;
      const uint32_t process = ProcessOf(activity.thread);
      GpuTrace& trace = traces_[process];
      const std::string_view name = Name(activity.name);
      gpu_trace::WorkLane lane = {
          .device = DeviceOf(activity, process),
          .process = facts_.processes[process].process,
          .stream = profile::Lane::kUnnumberedStream,
          .kind = activity.work != DeviceWork::kKernel
                      ? profile::LaneKind::kCopies
                  : loaders::IsCommunicationKernel(name)
                      ? profile::LaneKind::kCommunication
                      : profile::LaneKind::kKernels};
      const std::string_view queue = Name(activity.queue);
      if (int64_t number = 0; absl::SimpleAtoi(
              absl::string_view(queue.data(), queue.size()), &number)) {
        lane.stream = number;
      }
      place_of_[i] = {process, trace.work.size()};
      trace.work.push_back({.start = times_.Moved(process, activity.begin),
                            .end = times_.Moved(process, activity.end),
                            .name = strings_.Intern(name),
                            .lane = trace.Lane(lane),
                            .launch = LaunchOf(activity, process),
                            .bytes = activity.bytes > 0 ? activity.bytes : -1,
                            .copy = activity.work == DeviceWork::kCopy
                                        ? KindOfCopy(name)
                                        : profile::CopyKind::kUnknown});
    }
  }

  void AddCounters() {
    for (const Series& series : facts_.series) {
      gpu_trace::CounterSeries counter = {
          .name = std::string(Name(series.name)),
          .samples = {},
          .unit = std::string(Name(series.unit)),
          .kind = series.is_change ? profile::Counter::Kind::kChange
                                   : profile::Counter::Kind::kLevel};
      counter.samples.reserve(series.samples.size());
      for (const Sample& sample : series.samples) {
        counter.samples.push_back(
            {times_.Moved(series.process, sample.time), sample.value});
      }
      traces_[series.process].counters.push_back(std::move(counter));
    }
  }

  // A process without steps of its own has those of all.
  void AddSteps() {
    std::vector<gpu_trace::TraceStep> all;
    for (const SessionRun& session : facts_.sessions) {
      const gpu_trace::TraceStep step = {
          .number = session.count,
          .start = times_.Moved(session.process, session.begin),
          .end = times_.Moved(session.process, session.end)};
      traces_[session.process].steps.push_back(step);
      all.push_back(step);
    }
    std::ranges::stable_sort(all, {}, &gpu_trace::TraceStep::start);
    for (GpuTrace& trace : traces_) {
      if (trace.steps.empty()) trace.steps = all;
      std::ranges::stable_sort(trace.steps, {}, &gpu_trace::TraceStep::start);
    }
  }

  // Leaves out the processes that did nothing.
  std::vector<GpuTrace> Finish() {
    std::vector<GpuTrace> kept;
    std::vector<uint32_t> number(traces_.size(), profile::kNone);
    for (uint32_t process = 0; process < traces_.size(); ++process) {
      GpuTrace& trace = traces_[process];
      if (trace.host.empty() && trace.work.empty() && trace.counters.empty()) {
        continue;
      }
      const ProcessFacts& facts = facts_.processes[process];
      trace.label = fmt::format("{} {}", Name(facts.program), facts.process);
      if (facts_.processes.size() > 1 && !Name(facts.host).empty()) {
        trace.label = fmt::format("{} {}", Name(facts.host), trace.label);
      }
      number[process] = static_cast<uint32_t>(kept.size());
      kept.push_back(std::move(trace));
    }
    for (Place& place : place_of_) {
      if (place.trace != profile::kNone) place.trace = number[place.trace];
    }
    return kept;
  }

  const TraceFacts& facts_;
  profile::StringPool& strings_;
  const StepTimes times_;
  std::vector<GpuTrace> traces_;  // by process
  std::vector<Place> place_of_;
  // By process and thread; the calls of each are sorted by begin.
  struct Call {
    int64_t begin = 0, end = 0;
    uint32_t event = 0;  // in GpuTrace::host
  };
  std::map<std::pair<uint32_t, int64_t>, std::vector<Call>> calls_;
  std::map<std::pair<uint32_t, std::string>, int64_t> devices_;
};

}  // namespace

bool IsDeviceTrace(const TraceFacts& facts) {
  return facts.ops.empty() && facts.async_ops.empty() &&
         !(facts.activities.empty() && facts.host_calls.empty());
}

void ModelDeviceTrace(const TraceFacts& facts,
                      const std::vector<HostClock>& hosts,
                      const CountedKernels& counted,
                      const std::vector<loaders::CounterFile>& counter_files,
                      loaders::LoadContext& context) {
  DeviceTraces traces(facts, hosts, context);
  std::vector<std::vector<gpu_trace::WorkPlace>> places;
  gpu_trace::AddGpuTraces(traces.Make(), context, &places);
  if (counted.kernels.empty()) return;
  context.builder.SetKernelCounters(ModelCounters(
      facts, counted.kernels, counter_files,
      context.builder.mutable_graph().strings,
      [&](const CountedKernel& kernel) {
        profile::KernelCounters::Kernel model;
        if (kernel.activity == profile::kNone) return model;
        const auto& [trace, work] = traces.place_of()[kernel.activity];
        if (trace == profile::kNone) return model;
        const gpu_trace::WorkPlace& at = places[trace][work];
        model.node = at.node;
        model.step = at.step;
        model.lane = at.lane;
        model.start = at.start;
        model.duration = at.duration;
        return model;
      }));
}

}  // namespace tfprof::ctf
