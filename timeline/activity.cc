#include "timeline/activity.h"

#include <algorithm>
#include <set>
#include <utility>

#include "profile/steps/step_intervals.h"
#include "profile/steps/time_column.h"
#include "profile/tables/lanes.h"
#include "profile/tables/links.h"
#include "timeline/account/work_classes.h"
#include "util/arithmetic.h"
#include "util/radix_sort.h"
#include "util/run/threads.h"

namespace tfprof::timeline {
namespace {

constexpr size_t kMaxKeptBytes = 64 << 20;

void Extend(Interval& span, bool is_first, const Interval& by) {
  span.start = is_first ? by.start : std::min(span.start, by.start);
  span.end = is_first ? by.end : std::max(span.end, by.end);
}

// Sorts runs by start. Runs with equal starts keep their order, which is that
// of steps and records.
void SortByStart(std::vector<DeviceRun>& runs) {
  const auto before = [](const DeviceRun& a, const DeviceRun& b) {
    return a.start < b.start;
  };
  if (std::is_sorted(runs.begin(), runs.end(), before)) return;
  const int64_t first =
      std::min_element(runs.begin(), runs.end(), before)->start;
  // Sorting small rows and copying each run once is faster.
  std::vector<std::pair<uint64_t, uint32_t>> order(runs.size());
  for (uint32_t i = 0; i < runs.size(); ++i) {
    order[i] = {static_cast<uint64_t>(util::WrapSub(runs[i].start, first)), i};
  }
  util::RadixSort(order, [](const auto& row) { return row.first; });
  std::vector<DeviceRun> sorted;
  sorted.reserve(runs.size());
  for (const auto& [start, i] : order) sorted.push_back(runs[i]);
  runs = std::move(sorted);
}

// Divides the recorded time of a clock into runs of the program. A run ends
// before a _SOURCE that is not the first of its device, if nothing was busy
// just before it. `sources` has an ascending list for each device.
Intervals CutRuns(const Intervals& recorded, const Interval& span,
                  const Intervals& busy,
                  const std::vector<std::vector<int64_t>>& sources) {
  Intervals runs;
  int64_t start = span.start;
  std::vector<int64_t> cuts;
  for (const std::vector<int64_t>& of_device : sources) {
    if (of_device.empty()) continue;
    start = std::min(start, of_device.front());
    cuts.insert(cuts.end(), of_device.begin() + 1, of_device.end());
  }
  const Interval before = {start, span.start};
  std::sort(cuts.begin(), cuts.end());
  auto cut = cuts.begin();
  for (size_t i = 0; i + 1 < busy.size(); ++i) {
    cut = std::lower_bound(cut, cuts.end(), busy[i].end);
    if (cut == cuts.end()) break;
    if (*cut > busy[i + 1].start) continue;
    AddInterval(runs, start, busy[i].end);
    start = *cut;
  }
  if (span.end > start) AddInterval(runs, start, span.end);
  return Intersect(runs,
                   before.length() > 0 ? Union({before}, recorded) : recorded);
}

}  // namespace

const DeviceActivity* StepActivity::Find(uint32_t unit) const {
  return FindUnit(devices, unit);
}

const ClockActivity* StepActivity::OfClock(uint32_t clock) const {
  for (const ClockActivity& of : clocks) {
    if (of.clock == clock) return &of;
  }
  return nullptr;
}

bool StepActivity::has_accelerators() const {
  return std::any_of(devices.begin(), devices.end(),
                     [](const DeviceActivity& device) {
                       return device.accelerator && device.executions > 0;
                     });
}

size_t StepActivity::bytes() const {
  size_t bytes = sizeof(*this);
  for (const DeviceActivity& d : devices) {
    bytes +=
        sizeof(d) + d.runs.capacity() * sizeof(DeviceRun) +
        d.launches.capacity() * sizeof(DeviceLaunch) +
        (d.compute.capacity() + d.communication.capacity() +
         d.copies.capacity() + d.busy.capacity() + d.launching.capacity()) *
            sizeof(Interval);
  }
  for (const ClockActivity& c : clocks) {
    bytes += sizeof(c) + c.runs.capacity() * sizeof(Interval);
  }
  return bytes;
}

// Collects the work of some steps by unit and makes a StepActivity of it.
class Activities::Collector {
 public:
  // Without `with_hosts`, runs of hosts are counted but not listed.
  Collector(Activities& activities, bool with_hosts)
      : activities_(activities),
        with_hosts_(with_hosts),
        source_(activities.profile_.strings().Find("_SOURCE")),
        units_(activities.units().size()) {
    const profile::LaneTable& lanes = activities.profile_.lanes();
    for (profile::LaneId id = 0; id < lanes.size(); ++id) {
      if (lanes[id].calls_nest &&
          lanes[id].kind != profile::LaneKind::kAnnotation) {
        continuous_.insert(lanes[id].clock);
      }
    }
  }

  void Add(uint32_t step_index, const profile::Step& step, size_t e,
           profile::NodeId node) {
    const std::optional<ActiveSpan> work = activities_.SpanAt(step, e);
    if (!work) return;
    const LaneUnit& of = activities_.units()[work->unit];
    Unit& unit = units_[work->unit];
    if (!work->is_run) {
      if (of.accelerator) return AddLaunching(*work);
      AddSpan(*work);
      unit.compute.Add(work->time.start, work->time.end);
      if (work->is_launch) unit.launching.Add(work->time.start, work->time.end);
      return;
    }
    const bool outside = e >= step.num_executions();
    if (outside && node == profile::kNone && step.OutsideName(e) == source_) {
      unit.sources.push_back(work->time.start);
      return;
    }
    DeviceRun run{.start = work->time.start,
                  .end = work->time.end,
                  .step = step_index,
                  .record = static_cast<uint32_t>(e),
                  .node = node,
                  .lane = work->lane};
    run.kind = activities_.KindOf(step, e, node, work->lane);
    if (of.accelerator && work->is_launch && run.kind == RunKind::kCompute) {
      return AddLaunching(*work);
    }
    AddSpan(*work);
    if (of.accelerator || with_hosts_) {
      if (const auto& links = activities_.launch_link_[step_index];
          !links.empty()) {
        run.launch = links[e];  // a link; Finish() replaces it by a launch
      }
      unit.runs.push_back(run);
      return;
    }
    (run.kind == RunKind::kCompute ? unit.compute
     : run.kind == RunKind::kCopy  ? unit.copies
                                   : unit.communication)
        .Add(run.start, run.end);
  }

  // Call this after the last execution of each step.
  void EndStep() {
    std::map<uint32_t, Interval> extents;  // indexed by clock
    for (const uint32_t u : in_step_) {
      const auto [it, is_new] =
          extents.try_emplace(activities_.units()[u].clock, units_[u].in_step);
      if (!is_new) Extend(it->second, false, units_[u].in_step);
      units_[u].is_in_step = false;
    }
    in_step_.clear();
    for (const auto& [clock, extent] : extents) {
      recorded_[clock].Add(extent.start, extent.end);
    }
  }

  std::shared_ptr<const StepActivity> Finish() && {
    auto activity = std::make_shared<StepActivity>();
    std::vector<uint32_t> worked;
    for (const bool accelerator : {true, false}) {
      for (uint32_t u = 0; u < units_.size(); ++u) {
        if (activities_.units()[u].accelerator != accelerator) continue;
        if (units_[u].executions == 0 && !units_[u].launches) continue;
        worked.push_back(u);
      }
    }
    activity->devices.resize(worked.size());
    util::ParallelFor(activities_.work_, worked.size(), [&](size_t i) {
      activity->devices[i] = FinishDevice(worked[i], units_[worked[i]]);
    });
    FinishClocks(*activity);
    return activity;
  }

 private:
  struct Unit {
    int64_t executions = 0;
    bool launches = false;  // the host worked for it
    std::vector<DeviceRun> runs;
    // The times of runs that are not listed.
    IntervalCollector compute, communication, copies;
    IntervalCollector launching;
    Interval span, launch_span;
    bool is_in_step = false;  // it has work in the current step
    Interval in_step;
    std::vector<int64_t> sources;  // start times of _SOURCE
  };

  void AddToStep(const ActiveSpan& work) {
    Unit& unit = units_[work.unit];
    const bool is_first = !std::exchange(unit.is_in_step, true);
    Extend(unit.in_step, is_first, work.time);
    if (is_first) in_step_.push_back(work.unit);
  }
  void AddLaunching(const ActiveSpan& work) {
    AddToStep(work);
    Unit& unit = units_[work.unit];
    unit.launching.Add(work.time.start, work.time.end);
    Extend(unit.launch_span, !std::exchange(unit.launches, true), work.time);
  }
  void AddSpan(const ActiveSpan& work) {
    AddToStep(work);
    Unit& unit = units_[work.unit];
    Extend(unit.span, unit.executions == 0, work.time);
    ++unit.executions;
  }

  DeviceActivity FinishDevice(uint32_t u, Unit& unit) const {
    DeviceActivity device;
    device.unit = u;
    device.accelerator = activities_.units()[u].accelerator;
    device.executions = unit.executions;
    device.span = unit.executions > 0 ? unit.span : unit.launch_span;
    SortByStart(unit.runs);
    unit.runs.shrink_to_fit();
    device.runs = std::move(unit.runs);
    NumberLaunches(device);
    for (const DeviceRun& run : device.runs) {
      if (run.end <= run.start) continue;
      AddInterval(run.kind == RunKind::kCompute ? device.compute
                  : run.kind == RunKind::kCopy  ? device.copies
                                                : device.communication,
                  run.start, run.end);
      AddInterval(device.busy, run.start, run.end);
    }
    Join(device.compute, std::move(unit.compute).Take(), device.busy);
    Join(device.communication, std::move(unit.communication).Take(),
         device.busy);
    Join(device.copies, std::move(unit.copies).Take(), device.busy);
    device.launching = std::move(unit.launching).Take();
    return device;
  }

  static void Join(Intervals& part, Intervals more, Intervals& busy) {
    if (more.empty()) return;
    busy = busy.empty() ? more : Union(busy, more);
    part = part.empty() ? std::move(more) : Union(part, more);
  }

  // Replaces the links of runs by launches.
  void NumberLaunches(DeviceActivity& device) const {
    const profile::Links& links = activities_.profile_.links();
    absl::flat_hash_map<uint32_t, uint32_t> number;  // by calling execution
    for (uint32_t r = 0; r < device.runs.size(); ++r) {
      DeviceRun& run = device.runs[r];
      if (run.launch == profile::kNone) continue;
      const uint32_t link = run.launch;
      const auto [it, is_new] =
          number.try_emplace(activities_.call_of_link_[link],
                             static_cast<uint32_t>(device.launches.size()));
      run.launch = it->second;
      if (is_new) {
        const profile::ExecutionRef from = links[link].from;
        const uint32_t step_index = activities_.StepIndex(from.step);
        const profile::Step& step = *activities_.profile_.steps()[step_index];
        const Interval time = activities_.TimeOf(step, from.index);
        device.launches.push_back({.start = time.start,
                                   .end = time.end,
                                   .step = step_index,
                                   .record = from.index,
                                   .first_run = r});
      }
      ++device.launches[it->second].num_runs;
    }
  }

  void FinishClocks(StepActivity& activity) {
    struct OfClock {
      Interval span;
      bool any = false;
      bool is_cut = false;
      std::vector<std::vector<int64_t>> sources;
    };
    std::map<uint32_t, OfClock> clocks;
    for (const DeviceActivity& device : activity.devices) {
      OfClock& of = clocks[activities_.units()[device.unit].clock];
      Extend(of.span, !std::exchange(of.any, true), device.span);
      if (!device.launching.empty()) {
        Extend(of.span, false,
               {device.launching.front().start, device.launching.back().end});
      }
      std::vector<int64_t>& sources = units_[device.unit].sources;
      std::sort(sources.begin(), sources.end());
      of.is_cut |= !sources.empty();
      of.sources.push_back(std::move(sources));
    }
    for (const auto& [clock, of] : clocks) {
      Intervals runs = std::move(recorded_[clock]).Take();
      if (continuous_.contains(clock) && of.span.length() > 0) {
        runs = {of.span};
      }
      if (of.is_cut) {
        runs = CutRuns(runs, of.span, BusyOn(clock, activity), of.sources);
      }
      const int64_t length = Length(runs);
      const Interval span = runs.empty()
                                ? of.span
                                : Interval{runs.front().start, runs.back().end};
      for (DeviceActivity& device : activity.devices) {
        if (activities_.units()[device.unit].clock != clock) continue;
        if (device.span.length() <= 0) continue;
        device.window = Intersect({device.span}, runs);
      }
      activity.clocks.push_back({clock, std::move(runs), length, span});
    }
  }

  Intervals BusyOn(uint32_t clock, const StepActivity& activity) const {
    UnionOfMany all;
    for (const DeviceActivity& device : activity.devices) {
      if (activities_.units()[device.unit].clock != clock) continue;
      all.Add(device.busy);
      all.Add(device.launching);
    }
    return std::move(all).Take();
  }

  Activities& activities_;
  const bool with_hosts_;
  const profile::StringId source_;
  std::vector<Unit> units_;
  std::vector<uint32_t> in_step_;                   // units in the current step
  std::map<uint32_t, IntervalCollector> recorded_;  // indexed by clock
  // Clocks with recorded calls; they are also recorded between steps.
  std::set<uint32_t> continuous_;
};

Activities::Activities(const profile::Profile& profile,
                       const util::TaskOptions& work)
    : profile_(profile),
      work_(work),
      units_(profile.graph()),
      node_kind_(profile.nodes().size(), Known::kNot) {
  const size_t num_steps = profile.step_intervals().size();
  steps_.reserve(num_steps);
  for (size_t row = 0; row < num_steps; ++row) steps_.push_back(StepTime(row));
  std::sort(
      steps_.begin(), steps_.end(),
      [](const Interval& a, const Interval& b) { return a.start < b.start; });
}

bool Activities::IsWholeStep(const Interval& time) const {
  auto step = std::lower_bound(
      steps_.begin(), steps_.end(), time.start,
      [](const Interval& i, int64_t start) { return i.start < start; });
  for (; step != steps_.end() && step->start == time.start; ++step) {
    if (step->end == time.end) return true;
  }
  return false;
}

std::optional<Activities::ActiveSpan> Activities::SpanAt(
    const profile::Step& step, size_t record) const {
  if (!step.HasStart(record)) return std::nullopt;
  ActiveSpan work;
  work.lane = step.LaneOf(record);
  if (work.lane == profile::kNone) return std::nullopt;
  const profile::Lane& lane = profile_.lanes()[work.lane];
  if (lane.repeats != profile::kNone) return std::nullopt;
  work.unit = units_.of(work.lane);
  const bool accelerator = units_.all()[work.unit].accelerator;
  switch (lane.kind) {
    case profile::LaneKind::kKernels:
    case profile::LaneKind::kCopies:
    case profile::LaneKind::kCommunication:
      work.is_run = true;
      break;
    case profile::LaneKind::kCompute:
      work.is_run = accelerator || !lane.calls_nest;
      break;
    case profile::LaneKind::kLaunches:
      work.is_run = !lane.calls_nest;
      work.is_launch = true;
      break;
    case profile::LaneKind::kAnnotation:
    case profile::LaneKind::kPython:
    case profile::LaneKind::kOther:
      return std::nullopt;
  }
  work.time = TimeOf(step, record);
  if (!work.is_run && IsWholeStep(work.time)) return std::nullopt;
  return work;
}

RunKind Activities::KindOf(const profile::Step& step, size_t record,
                           profile::NodeId node, profile::LaneId lane_id) {
  const profile::Lane& lane = profile_.lanes()[lane_id];
  if (lane.kind == profile::LaneKind::kCopies) return RunKind::kCopy;
  if (lane.kind == profile::LaneKind::kCommunication)
    return RunKind::kCommunication;
  const auto ref = static_cast<profile::RecordRef>(step.exec_record[record]);
  const RunKind kind = node != profile::kNone
                           ? KindOfNode(node, ref, !lane.calls_nest)
                       : record >= step.num_executions() &&
                               NameCommunicates(step.OutsideName(record))
                           ? RunKind::kCommunication
                           : RunKind::kCompute;
  if (kind != RunKind::kCompute) return kind;
  // A user's rule may match the name of a kernel.
  if (rules_->has_added() && lane.kind == profile::LaneKind::kKernels &&
      rules_->IsAdded(profile_.Text(ref).name)) {
    return RunKind::kCommunication;
  }
  return RunKind::kCompute;
}

Interval Activities::StepTime(size_t row) const {
  const profile::StepIntervals& intervals = profile_.step_intervals();
  const int64_t ticks = profile_.ticks_per_micro();
  const auto of = [ticks](int64_t nanos) {
    return ticks >= profile::kNanosPerMicro
               ? util::SaturatingMul(nanos, ticks / profile::kNanosPerMicro)
               : profile::FloorDiv(nanos, profile::kNanosPerMicro / ticks);
  };
  return {of(intervals.start[row]), of(intervals.end[row])};
}

uint32_t Activities::StepIndex(int64_t id) const {
  const auto& steps = profile_.steps();
  const auto it = std::lower_bound(
      steps.begin(), steps.end(), id,
      [](const auto& step, int64_t value) { return step->id < value; });
  return it == steps.end() || (*it)->id != id
             ? profile::kNone
             : static_cast<uint32_t>(it - steps.begin());
}

void Activities::FindLaunches() {
  if (found_launches_) return;
  found_launches_ = true;
  const auto& steps = profile_.steps();
  launch_link_.resize(steps.size());
  const profile::Links& links = profile_.links();
  call_of_link_.resize(links.size());
  uint32_t calls = 0;
  for (size_t i = 0; i < links.size(); ++i) {
    const bool same = i > 0 && links.from_step[i] == links.from_step[i - 1] &&
                      links.from_index[i] == links.from_index[i - 1];
    call_of_link_[i] = same ? calls : ++calls;
    if (links.kind[i] != static_cast<int64_t>(profile::LinkKind::kLaunch))
      continue;
    const uint32_t to = StepIndex(links.to_step[i]);
    if (to == profile::kNone || StepIndex(links.from_step[i]) == profile::kNone)
      continue;
    std::vector<uint32_t>& column = launch_link_[to];
    if (column.empty()) column.assign(steps[to]->num_records(), profile::kNone);
    const auto index = static_cast<size_t>(links.to_index[i]);
    // If a run has several launches, the first one in the table counts.
    if (index < column.size() && column[index] == profile::kNone) {
      column[index] = static_cast<uint32_t>(i);
    }
  }
}

Interval Activities::TimeOf(const profile::Step& step, size_t record) const {
  const int64_t scale =
      profile_.ticks_per_micro() / step.exec_start.ticks_per_micro();
  int64_t start = step.exec_start.Ticks(record);
  int64_t length = step.exec_duration.Ticks(record);
  if (scale > 1) {
    start = util::SaturatingMul(start, scale);
    length = util::SaturatingMul(length, scale);
  }
  return {start, util::SaturatingAdd(start, std::max<int64_t>(length, 0))};
}

std::shared_ptr<const StepActivity> Activities::Compute(size_t first_step,
                                                        size_t end_step,
                                                        bool with_hosts) {
  FindLaunches();
  Collector collector(*this, with_hosts);
  for (size_t s = first_step; s < end_step; ++s) {
    if (work_.cancelled()) break;
    const profile::Step& step = *profile_.steps()[s];
    const auto index = static_cast<uint32_t>(s);
    if (step.num_executions() > 0) {
      for (size_t g = 0; g < step.num_groups(); ++g) {
        const auto node = static_cast<profile::NodeId>(step.node[g]);
        const size_t end = step.exec_end(g);
        for (size_t e = step.exec_begin(g); e < end; ++e) {
          collector.Add(index, step, e, node);
        }
      }
    }
    for (size_t e = step.num_executions(); e < step.num_records(); ++e) {
      collector.Add(index, step, e, profile::kNone);
    }
    collector.EndStep();
  }
  return std::move(collector).Finish();
}

std::shared_ptr<const StepActivity> Activities::Everything() {
  if (everything_ == nullptr) {
    everything_ = Compute(0, profile_.steps().size(), /*with_hosts=*/false);
  }
  return everything_;
}

std::shared_ptr<const StepActivity> Activities::Of(const profile::Step& step) {
  if (const auto it = kept_.find(&step); it != kept_.end()) return it->second;
  const uint32_t index = StepIndex(step.id);
  std::shared_ptr<const StepActivity> activity =
      Compute(index, index + 1, /*with_hosts=*/true);
  const size_t bytes = activity->bytes();
  if (kept_bytes_ + bytes <= kMaxKeptBytes) {
    kept_bytes_ += bytes;
    kept_.emplace(&step, activity);
  }
  return activity;
}

void Activities::UseRules(std::shared_ptr<const CommunicationRules> rules) {
  rules_ = std::move(rules);
  node_kind_.assign(node_kind_.size(), Known::kNot);
  name_communicates_.clear();
  everything_ = nullptr;
  kept_.clear();
  kept_bytes_ = 0;
}

RunKind Activities::KindOfNode(profile::NodeId node, profile::RecordRef record,
                               bool has_label) {
  Known& known = node_kind_[node];
  switch (known) {
    case Known::kCommunication:
      return RunKind::kCommunication;
    case Known::kCopy:
      return RunKind::kCopy;
    case Known::kCompute:
      return RunKind::kCompute;
    case Known::kNot:
      break;
  }
  const std::string_view op = OpOf(node, record, has_label);
  const RunKind kind = rules_->IsCommunication(op) ? RunKind::kCommunication
                       : WaitsForCopy(op)          ? RunKind::kCopy
                                                   : RunKind::kCompute;
  // Another record may have the op of the node.
  const profile::NodeTable& nodes = profile_.nodes();
  if (kind != RunKind::kCompute || !has_label ||
      nodes.record[node] != profile::kNoRecord ||
      nodes.op[node] != nodes.name[node] || op_of_label_.contains(node)) {
    known = kind == RunKind::kCommunication ? Known::kCommunication
            : kind == RunKind::kCopy        ? Known::kCopy
                                            : Known::kCompute;
  }
  return kind;
}

bool Activities::NameCommunicates(profile::StringId name) {
  const auto [it, is_new] = name_communicates_.try_emplace(name, false);
  if (is_new) {
    it->second = rules_->IsCommunication(profile_.strings().Get(name));
  }
  return it->second;
}

}  // namespace tfprof::timeline
