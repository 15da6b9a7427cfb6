#include "timeline/trace_activity.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"
#include "profile/lanes.h"
#include "profile/links.h"
#include "profile/step_intervals.h"
#include "profile/time_column.h"
#include "util/arithmetic.h"

namespace tfprof {
namespace {

constexpr size_t kMaxKeptBytes = 64 << 20;

bool IsOfAccelerator(LaneKind kind) {
  return kind == LaneKind::kKernels || kind == LaneKind::kCopies ||
         kind == LaneKind::kCommunication;
}

bool IsOfHost(LaneKind kind) {
  return kind == LaneKind::kCompute || kind == LaneKind::kLaunches;
}

TraceRunKind RunKindOf(LaneKind kind) {
  return kind == LaneKind::kCopies          ? TraceRunKind::kCopy
         : kind == LaneKind::kCommunication ? TraceRunKind::kCommunication
                                            : TraceRunKind::kCompute;
}

// What a table calls a process.
std::string ProcessName(const Process& process, ProcessId id) {
  if (!process.label.empty()) return process.label;
  if (!process.name.empty()) return process.name;
  if (process.rank >= 0) return fmt::format("rank {}", process.rank);
  return fmt::format("process {}", id);
}

void Extend(Interval& span, bool is_first, int64_t start, int64_t end) {
  span.start = is_first ? start : std::min(span.start, start);
  span.end = is_first ? end : std::max(span.end, end);
}

}  // namespace

bool IsTrace(const Profile& profile) {
  const LaneTable& lanes = profile.lanes();
  for (LaneId id = 0; id < lanes.size(); ++id) {
    if (lanes[id].device == kNone) return true;
  }
  return false;
}

size_t TraceActivity::bytes() const {
  size_t bytes = sizeof(*this);
  for (const AcceleratorActivity& a : accelerators) {
    bytes += sizeof(a) + a.runs.capacity() * sizeof(TraceRun) +
             a.launches.capacity() * sizeof(TraceLaunch) +
             (a.compute.capacity() + a.communication.capacity() +
              a.copies.capacity() + a.busy.capacity()) *
                 sizeof(Interval);
  }
  for (const HostActivity& h : hosts) {
    bytes += sizeof(h) +
             (h.busy.capacity() + h.launches.capacity()) * sizeof(Interval);
  }
  return bytes;
}

// Collects the runs of some steps by unit, and makes a TraceActivity of them.
class TraceActivities::Collector {
 public:
  explicit Collector(const TraceActivities& traces)
      : traces_(traces),
        accelerators_(traces.units_.size()),
        hosts_(traces.units_.size()),
        communicates_(traces.profile_.nodes().size(), Known::kNot) {}

  void Add(uint32_t step_index, const Step& step, size_t e, NodeId node) {
    const std::optional<Work> work = traces_.WorkAt(step, e);
    if (!work) return;
    const auto [unit, lane_id, on_accelerator, time] = *work;
    const Lane& lane = traces_.profile_.lanes()[lane_id];
    if (on_accelerator) {
      TraceRun run{.start = time.start,
                   .end = time.end,
                   .step = step_index,
                   .record = static_cast<uint32_t>(e),
                   .node = node,
                   .lane = lane_id,
                   .kind = RunKindOf(lane.kind)};
      // A stream of XLA computes and communicates.
      if (run.kind == TraceRunKind::kCompute &&
          (Communicates(node) || IsAdded(run))) {
        run.kind = TraceRunKind::kCommunication;
      }
      if (const auto& links = traces_.launch_link_[step_index];
          !links.empty()) {
        run.launch = links[e];  // a link; Finish numbers the launches
      }
      accelerators_[unit].push_back(run);
      return;
    }
    Host& host = hosts_[unit];
    Extend(host.span, host.executions == 0, time.start, time.end);
    ++host.executions;
    host.busy.Add(time.start, time.end);
    if (lane.kind == LaneKind::kLaunches) {
      host.launches.Add(time.start, time.end);
    }
  }

  std::shared_ptr<const TraceActivity> Finish() && {
    auto activity = std::make_shared<TraceActivity>();
    for (uint32_t u = 0; u < accelerators_.size(); ++u) {
      if (!accelerators_[u].empty()) {
        activity->accelerators.push_back(
            FinishAccelerator(u, std::move(accelerators_[u])));
      }
      Host& host = hosts_[u];
      if (host.executions == 0) continue;
      activity->hosts.push_back({.unit = u,
                                 .executions = host.executions,
                                 .busy = std::move(host.busy).Take(),
                                 .launches = std::move(host.launches).Take(),
                                 .span = host.span});
    }
    return activity;
  }

 private:
  enum class Known : uint8_t { kNot, kYes, kNo };

  bool Communicates(NodeId node) {
    if (node == kNone) return false;
    Known& known = communicates_[node];
    if (known == Known::kNot) {
      const Profile& profile = traces_.profile_;
      const std::string_view op =
          profile.strings().Get(profile.nodes().op[node]);
      known = traces_.rules_->IsCollective(op) ? Known::kYes : Known::kNo;
    }
    return known == Known::kYes;
  }

  // A rule of the user may name a kernel.
  bool IsAdded(const TraceRun& run) const {
    return traces_.rules_->has_added() &&
           traces_.rules_->IsAdded(traces_.Name(run));
  }

  struct Host {
    int64_t executions = 0;
    IntervalCollector busy;
    IntervalCollector launches;
    Interval span;
  };

  AcceleratorActivity FinishAccelerator(uint32_t unit,
                                        std::vector<TraceRun> runs) const {
    AcceleratorActivity device;
    device.unit = unit;
    std::sort(runs.begin(), runs.end(),
              [](const TraceRun& a, const TraceRun& b) {
                if (a.start != b.start) return a.start < b.start;
                if (a.step != b.step) return a.step < b.step;
                return a.record < b.record;
              });
    runs.shrink_to_fit();
    device.runs = std::move(runs);
    NumberLaunches(device);
    for (size_t i = 0; i < device.runs.size(); ++i) {
      const TraceRun& run = device.runs[i];
      Extend(device.span, i == 0, run.start, run.end);
      if (run.end <= run.start) continue;
      AddInterval(run.kind == TraceRunKind::kCompute ? device.compute
                  : run.kind == TraceRunKind::kCopy  ? device.copies
                                                     : device.communication,
                  run.start, run.end);
      AddInterval(device.busy, run.start, run.end);
    }
    return device;
  }

  // Turns the links of runs into launches.
  void NumberLaunches(AcceleratorActivity& device) const {
    const Links& links = traces_.profile_.links();
    absl::flat_hash_map<std::pair<int64_t, uint32_t>, uint32_t> number;
    for (uint32_t r = 0; r < device.runs.size(); ++r) {
      TraceRun& run = device.runs[r];
      if (run.launch == kNone) continue;
      const Link link = links[run.launch];
      const auto [it, is_new] =
          number.try_emplace({link.from.step, link.from.index},
                             static_cast<uint32_t>(device.launches.size()));
      run.launch = it->second;
      if (is_new) {
        const uint32_t step_index = traces_.StepIndex(link.from.step);
        const Step& step = *traces_.profile_.steps()[step_index];
        const Interval time = traces_.TimeOf(step, link.from.index);
        device.launches.push_back({.start = time.start,
                                   .end = time.end,
                                   .step = step_index,
                                   .record = link.from.index,
                                   .first_run = r});
      }
      ++device.launches[it->second].num_runs;
    }
  }

  const TraceActivities& traces_;
  std::vector<std::vector<TraceRun>> accelerators_;  // by unit
  std::vector<Host> hosts_;
  std::vector<Known> communicates_;  // by node
};

TraceActivities::TraceActivities(const Profile& profile) : profile_(profile) {
  AddUnits();
  const size_t num_steps = profile.step_intervals().size();
  steps_.reserve(num_steps);
  for (size_t row = 0; row < num_steps; ++row) steps_.push_back(StepTime(row));
  std::sort(
      steps_.begin(), steps_.end(),
      [](const Interval& a, const Interval& b) { return a.start < b.start; });
}

bool TraceActivities::IsWholeStep(const Interval& time) const {
  auto step = std::lower_bound(
      steps_.begin(), steps_.end(), time.start,
      [](const Interval& i, int64_t start) { return i.start < start; });
  for (; step != steps_.end() && step->start == time.start; ++step) {
    if (step->end == time.end) return true;
  }
  return false;
}

std::optional<TraceActivities::Work> TraceActivities::WorkAt(
    const Step& step, size_t record) const {
  if (!step.HasStart(record)) return std::nullopt;
  Work work;
  work.lane = step.LaneOf(record);
  if (work.lane == kNone) return std::nullopt;
  work.unit = unit_of_lane_[work.lane];
  if (work.unit == kNone) return std::nullopt;
  const LaneKind kind = profile_.lanes()[work.lane].kind;
  work.on_accelerator =
      IsOfAccelerator(kind) ||
      (kind == LaneKind::kCompute && units_[work.unit].accelerator);
  if (!work.on_accelerator && !IsOfHost(kind)) return std::nullopt;
  work.time = TimeOf(step, record);
  if (!work.on_accelerator && IsWholeStep(work.time)) return std::nullopt;
  return work;
}

Interval TraceActivities::StepTime(size_t row) const {
  const StepIntervals& intervals = profile_.step_intervals();
  const int64_t ticks = profile_.ticks_per_micro();
  const auto of = [ticks](int64_t nanos) {
    return ticks >= kNanosPerMicro
               ? SaturatingMul(nanos, ticks / kNanosPerMicro)
               : FloorDiv(nanos, kNanosPerMicro / ticks);
  };
  return {of(intervals.start[row]), of(intervals.end[row])};
}

void TraceActivities::AddUnits() {
  const LaneTable& lanes = profile_.lanes();
  std::vector<uint32_t> unit_of_physical(lanes.num_physical(), kNone);
  std::vector<uint32_t> unit_of_process(lanes.num_processes() + 1, kNone);
  unit_of_lane_.assign(lanes.size(), kNone);
  for (LaneId id = 0; id < lanes.size(); ++id) {
    const Lane& lane = lanes[id];
    if (lane.device != kNone) continue;
    uint32_t& unit =
        lane.physical != kNone
            ? unit_of_physical[lane.physical]
            : unit_of_process[lane.process == kNone ? lanes.num_processes()
                                                    : lane.process];
    if (unit == kNone) {
      unit = static_cast<uint32_t>(units_.size());
      TraceUnit& added = units_.emplace_back();
      added.process = lane.process;
      added.physical = lane.physical;
      if (lane.physical != kNone) {
        const PhysicalDevice& physical = lanes.physical(lane.physical);
        added.name = physical.name;
        added.label = physical.label;
        added.kind = physical.kind;
        added.process = physical.process;
        added.accelerator = !added.kind.empty() && added.kind != "cpu";
      } else {
        added.name =
            lane.process == kNone
                ? "(no process)"
                : ProcessName(lanes.process(lane.process), lane.process);
        added.label = added.name;
      }
    }
    unit_of_lane_[id] = unit;
    units_[unit].accelerator |= IsOfAccelerator(lane.kind);
  }
  for (TraceUnit& unit : units_) {
    has_accelerators_ |= unit.accelerator;
    if (unit.kind.empty()) unit.kind = unit.accelerator ? "accelerator" : "cpu";
    if (unit.accelerator && unit.kind == "cpu") unit.kind = "accelerator";
  }
}

uint32_t TraceActivities::StepIndex(int64_t id) const {
  const auto& steps = profile_.steps();
  const auto it = std::lower_bound(
      steps.begin(), steps.end(), id,
      [](const auto& step, int64_t value) { return step->id < value; });
  return it == steps.end() || (*it)->id != id
             ? kNone
             : static_cast<uint32_t>(it - steps.begin());
}

void TraceActivities::FindLaunches() {
  if (found_launches_) return;
  found_launches_ = true;
  const auto& steps = profile_.steps();
  launch_link_.resize(steps.size());
  const Links& links = profile_.links();
  for (size_t i = 0; i < links.size(); ++i) {
    if (links.kind[i] != static_cast<int64_t>(LinkKind::kLaunch)) continue;
    const uint32_t to = StepIndex(links.to_step[i]);
    if (to == kNone || StepIndex(links.from_step[i]) == kNone) continue;
    std::vector<uint32_t>& column = launch_link_[to];
    if (column.empty()) column.assign(steps[to]->num_records(), kNone);
    const auto index = static_cast<size_t>(links.to_index[i]);
    // Of several launches of one run the first in the table counts.
    if (index < column.size() && column[index] == kNone) {
      column[index] = static_cast<uint32_t>(i);
    }
  }
}

Interval TraceActivities::TimeOf(const Step& step, size_t record) const {
  const int64_t scale =
      profile_.ticks_per_micro() / step.exec_start.ticks_per_micro();
  int64_t start = step.exec_start.Ticks(record);
  int64_t length = step.exec_duration.Ticks(record);
  if (scale > 1) {
    start = SaturatingMul(start, scale);
    length = SaturatingMul(length, scale);
  }
  return {start, SaturatingAdd(start, std::max<int64_t>(length, 0))};
}

std::shared_ptr<const TraceActivity> TraceActivities::Compute(size_t first_step,
                                                              size_t end_step) {
  FindLaunches();
  Collector collector(*this);
  for (size_t s = first_step; s < end_step; ++s) {
    const Step& step = *profile_.steps()[s];
    const auto index = static_cast<uint32_t>(s);
    if (step.num_executions() > 0) {
      for (size_t g = 0; g < step.num_groups(); ++g) {
        const auto node = static_cast<NodeId>(step.node[g]);
        const size_t end = step.exec_end(g);
        for (size_t e = step.exec_begin(g); e < end; ++e) {
          collector.Add(index, step, e, node);
        }
      }
    }
    for (size_t e = step.num_executions(); e < step.num_records(); ++e) {
      collector.Add(index, step, e, kNone);
    }
  }
  return std::move(collector).Finish();
}

std::shared_ptr<const TraceActivity> TraceActivities::Everything() {
  if (everything_ == nullptr) {
    everything_ = Compute(0, profile_.steps().size());
  }
  return everything_;
}

std::shared_ptr<const TraceActivity> TraceActivities::Of(const Step& step) {
  if (const auto it = kept_.find(&step); it != kept_.end()) return it->second;
  const uint32_t index = StepIndex(step.id);
  std::shared_ptr<const TraceActivity> activity = Compute(index, index + 1);
  const size_t bytes = activity->bytes();
  if (kept_bytes_ + bytes <= kMaxKeptBytes) {
    kept_bytes_ += bytes;
    kept_.emplace(&step, activity);
  }
  return activity;
}

void TraceActivities::UseRules(
    std::shared_ptr<const CommunicationRules> rules) {
  rules_ = std::move(rules);
  everything_ = nullptr;
  kept_.clear();
  kept_bytes_ = 0;
}

RecordRef TraceActivities::RecordOf(const TraceRun& run) const {
  return static_cast<RecordRef>(
      profile_.steps()[run.step]->exec_record[run.record]);
}

std::string_view TraceActivities::Op(const TraceRun& run) const {
  if (run.node == kNone) return Name(run);
  return profile_.strings().Get(profile_.nodes().op[run.node]);
}

std::string_view TraceActivities::Name(const TraceRun& run) const {
  const std::string_view name = profile_.Text(RecordOf(run)).name;
  if (!name.empty()) return name;
  if (run.node != kNone) return profile_.node_name(run.node);
  return profile_.strings().Get(
      profile_.steps()[run.step]->OutsideName(run.record));
}

Transfer TraceActivities::TransferOf(const TraceRun& run) const {
  Transfer transfer = profile_.TransferOf(RecordOf(run));
  const CopyKind of_lane = profile_.lanes()[run.lane].copies;
  if (of_lane != CopyKind::kUnknown) transfer.kind = of_lane;
  return transfer;
}

}  // namespace tfprof
