// Collects the work of devices from the executions of steps (activity.h).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "profile/tables/lanes.h"
#include "profile/tables/links.h"
#include "timeline/activity.h"
#include "timeline/own_time.h"
#include "util/arithmetic.h"
#include "util/radix_sort.h"
#include "util/run/huge_pages.h"
#include "util/run/task_options.h"
#include "util/run/threads.h"

namespace tfprof::timeline {
namespace {

void Extend(Interval& span, bool is_first, const Interval& by) {
  span.start = is_first ? by.start : std::min(span.start, by.start);
  span.end = is_first ? by.end : std::max(span.end, by.end);
}

// Returns the places of runs by start. Runs with equal starts keep their order,
// which is that of steps and records. After a cancellation the order is any.
std::vector<std::pair<uint64_t, uint32_t>> OrderByStart(
    std::span<const DeviceRun> runs, const util::Cancellation* cancellation) {
  int64_t first = runs.front().start;
  for (const DeviceRun& run : runs) first = std::min(first, run.start);
  // Sorting small rows and copying each run once is faster.
  std::vector<std::pair<uint64_t, uint32_t>> order(runs.size());
  for (uint32_t i = 0; i < runs.size(); ++i) {
    order[i] = {static_cast<uint64_t>(util::WrapSub(runs[i].start, first)), i};
  }
  constexpr size_t kMany = 1 << 10;  // a sort in linear time pays from here on
  if (runs.size() < kMany) {
    std::sort(order.begin(), order.end());
  } else {
    util::RadixSort(
        order, [](const auto& row) { return row.first; }, cancellation);
  }
  return order;
}

bool IsSortedByStart(std::span<const DeviceRun> runs) {
  return std::ranges::is_sorted(runs, {}, &DeviceRun::start);
}

// Copies runs to `sorted`, which has as many, by start.
void CopySorted(std::span<const DeviceRun> runs, DeviceRun* sorted,
                const util::Cancellation* cancellation) {
  if (IsSortedByStart(runs)) {
    std::ranges::copy(runs, sorted);
    return;
  }
  for (const auto& [start, i] : OrderByStart(runs, cancellation))
    *sorted++ = runs[i];
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

// Collects the work of some steps by unit and makes a StepActivity of it.
class Activities::Collector {
 public:
  // Without `with_hosts`, runs of hosts are counted but not listed.
  Collector(Activities& activities, bool with_hosts)
      : activities_(activities),
        with_hosts_(with_hosts),
        source_(activities.profile_.strings().Find("_SOURCE")) {}

  // Counts the runs of some steps that may be listed.
  void CountRuns(size_t first_step, size_t end_step) {
    for (size_t s = first_step; s < end_step; ++s) {
      const profile::Step& step = *activities_.profile_.steps()[s];
      for (size_t e = 0; e < step.num_records(); ++e) {
        const profile::LaneId lane = step.LaneOf(e);
        if (lane == profile::kNone) continue;
        const LaneWork& work = activities_.lane_work_[lane];
        if (work.is_work && work.is_run && IsListed(work.unit)) {
          ++UnitOf(work.unit).max_runs;
        }
      }
    }
  }

  // Gives each collector room for the runs of each unit in one list, which is
  // that of the first collector. So no run is copied to join them.
  static void MakeRoom(std::span<Collector> collectors) {
    std::map<uint32_t, size_t> sizes;
    for (const Collector& collector : collectors) {
      for (const auto& [u, unit] : collector.units_) sizes[u] += unit.max_runs;
    }
    for (const auto& [u, size] : sizes) {
      profile::UninitializedVector<DeviceRun>& runs =
          collectors.front().units_[u].runs;
      runs.reserve(size);
      util::AdviseHugePages(runs.data(), size * sizeof(DeviceRun));
      runs.resize(size);
      DeviceRun* next = runs.data();
      for (Collector& collector : collectors) {
        const auto found = collector.units_.find(u);
        if (found == collector.units_.end()) continue;
        found->second.listed = {next, 0};
        next += found->second.max_runs;
      }
    }
  }

  // Adds all executions of a step.
  void AddStep(size_t place) {
    const profile::Step& step = *activities_.profile_.steps()[place];
    const auto index = static_cast<uint32_t>(place);
    if (step.num_executions() > 0) {
      for (size_t g = 0; g < step.num_groups(); ++g) {
        const auto node = static_cast<profile::NodeId>(step.node[g]);
        const size_t end = step.exec_end(g);
        if (activities_.work_.cancelled()) return;
        for (size_t e = step.exec_begin(g); e < end; ++e) {
          Add(index, step, e, node);
        }
      }
    }
    for (size_t e = step.num_executions(); e < step.num_records(); ++e) {
      Add(index, step, e, profile::kNone);
    }
    EndStep();
  }

  void Add(uint32_t step_index, const profile::Step& step, size_t e,
           profile::NodeId node) {
    const std::optional<ActiveSpan> work = activities_.SpanAt(step, e);
    if (!work) return AddPython(step, e);
    const LaneUnit& of = activities_.units()[work->unit];
    Unit& unit = UnitOf(work->unit);
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
    if (IsListed(work->unit)) {
      if (const auto& links = activities_.launch_link_[step_index];
          !links.empty()) {
        run.launch = links[e];  // a link; Finish() replaces it by a launch
      }
      unit.of_step.push_back(run);
      return;
    }
    unit.Times(run.kind).Add(run.start, run.end);
  }

  // Adds the steps of another collector, which come after those of this one.
  void Append(Collector other) {
    for (auto& [u, unit] : other.units_) {
      UnitOf(u).Append(std::move(unit));
    }
    for (auto& [clock, recorded] : other.recorded_) {
      recorded_[clock].Add(std::move(recorded).Take());
    }
  }

  void EndStep() {
    std::map<uint32_t, Interval> extents;  // indexed by clock
    for (const uint32_t u : in_step_) {
      Unit& unit = UnitOf(u);
      const auto [it, is_new] =
          extents.try_emplace(activities_.units()[u].clock, unit.in_step);
      if (!is_new) Extend(it->second, false, unit.in_step);
      unit.is_in_step = false;
      // The executions of a step are in the order of their nodes. Sorting a few
      // is faster than sorting those of all steps.
      DeviceRun* const end = unit.listed.data() + unit.listed.size();
      CopySorted(unit.of_step, end, activities_.work_.cancellation);
      unit.List({end, unit.of_step.size()});
      unit.of_step.clear();
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
      for (const auto& [u, unit] : units_) {
        if (activities_.units()[u].accelerator != accelerator) continue;
        if (unit.executions == 0 && !unit.launches) continue;
        worked.push_back(u);
      }
    }
    activity->devices.resize(worked.size());
    util::ParallelFor(activities_.work_, worked.size(), [&](size_t i) {
      activity->devices[i] = FinishDevice(worked[i], units_.at(worked[i]));
    });
    FinishClocks(*activity);
    if (activities_.work_.cancelled()) return activity;
    OccupyHosts(*activity);
    return activity;
  }

 private:
  struct Unit {
    int64_t executions = 0;
    bool launches = false;  // the host worked for it
    size_t max_runs = 0;
    std::vector<DeviceRun> of_step;  // of the current step
    // The runs of other steps, in the list of the first collector.
    std::span<DeviceRun> listed;
    bool in_order = true;  // the listed ones are sorted by start
    // The list of all collectors, only in the first one.
    profile::UninitializedVector<DeviceRun> runs;
    // The times of runs that are not listed, and of calls.
    IntervalCollector compute, communication, copies;
    IntervalCollector launching;
    IntervalCollector python;
    Interval span, launch_span;
    bool is_in_step = false;  // it has work in the current step
    Interval in_step;
    std::vector<int64_t> sources;  // start times of _SOURCE

    IntervalCollector& Times(RunKind kind) {
      return kind == RunKind::kCompute ? compute
             : kind == RunKind::kCopy  ? copies
                                       : communication;
    }
    // Lists the runs that are behind the listed ones.
    void List(std::span<const DeviceRun> more) {
      in_order &= listed.empty() || more.empty() ||
                  listed.back().start <= more.front().start;
      listed = {listed.data(), listed.size() + more.size()};
    }
    void Append(Unit other) {
      if (other.executions > 0) Extend(span, executions == 0, other.span);
      if (other.launches) Extend(launch_span, !launches, other.launch_span);
      executions += other.executions;
      launches |= other.launches;
      // Executions without a start are counted, but not listed.
      DeviceRun* const end = listed.data() + listed.size();
      if (end != other.listed.data()) std::ranges::copy(other.listed, end);
      in_order &= other.in_order;
      List({end, other.listed.size()});
      compute.Add(std::move(other.compute).Take());
      communication.Add(std::move(other.communication).Take());
      copies.Add(std::move(other.copies).Take());
      launching.Add(std::move(other.launching).Take());
      python.Add(std::move(other.python).Take());
      sources.insert(sources.end(), other.sources.begin(), other.sources.end());
    }
  };

  // Returns whether the runs of a unit are listed.
  bool IsListed(uint32_t unit) const {
    return with_hosts_ || activities_.units()[unit].accelerator;
  }
  Unit& UnitOf(uint32_t u) {
    if (last_unit_ == nullptr || last_ != u) {
      last_ = u;
      last_unit_ = &units_[u];
    }
    return *last_unit_;
  }
  void AddPython(const profile::Step& step, size_t e) {
    const profile::LaneId id = step.LaneOf(e);
    if (id == profile::kNone || !step.HasStart(e)) return;
    const profile::Lane& lane = activities_.profile_.lanes()[id];
    if (lane.kind != profile::LaneKind::kPython ||
        lane.repeats != profile::kNone) {
      return;
    }
    const Interval time = activities_.TimeOf(step, e);
    UnitOf(activities_.unit_of(id)).python.Add(time.start, time.end);
  }

  void AddToStep(const ActiveSpan& work) {
    Unit& unit = UnitOf(work.unit);
    const bool is_first = !std::exchange(unit.is_in_step, true);
    Extend(unit.in_step, is_first, work.time);
    if (is_first) in_step_.push_back(work.unit);
  }
  void AddLaunching(const ActiveSpan& work) {
    AddToStep(work);
    Unit& unit = UnitOf(work.unit);
    unit.launching.Add(work.time.start, work.time.end);
    Extend(unit.launch_span, !std::exchange(unit.launches, true), work.time);
  }
  void AddSpan(const ActiveSpan& work) {
    AddToStep(work);
    Unit& unit = UnitOf(work.unit);
    Extend(unit.span, unit.executions == 0, work.time);
    ++unit.executions;
  }

  DeviceActivity FinishDevice(uint32_t u, Unit& unit) const {
    DeviceActivity device;
    device.unit = u;
    device.accelerator = activities_.units()[u].accelerator;
    device.executions = unit.executions;
    device.span = unit.executions > 0 ? unit.span : unit.launch_span;
    if (activities_.work_.cancelled()) return device;
    unit.runs.resize(unit.listed.size());
    if (unit.in_order) {
      device.runs = std::move(unit.runs);
    } else {
      device.runs.resize(unit.runs.size());
      CopySorted(unit.runs, device.runs.data(), activities_.work_.cancellation);
    }
    if (activities_.work_.cancelled()) return WithoutRuns(std::move(device));
    NumberLaunches(device);
    if (activities_.work_.cancelled()) return WithoutRuns(std::move(device));
    device.nesting = NestingLanes(device.runs, activities_.profile_.lanes());
    IntervalCollector compute, communication, copies;
    OwnTime own_time(device.nesting,
                     [&](const DeviceRun& run, int64_t start, int64_t end) {
                       (run.kind == RunKind::kCompute ? compute
                        : run.kind == RunKind::kCopy  ? copies
                                                      : communication)
                           .Add(start, end);
                     });
    for (const DeviceRun& run : device.runs) {
      if (activities_.work_.cancelled()) return WithoutRuns(std::move(device));
      if (run.end <= run.start) continue;
      AddInterval(device.busy, run.start, run.end);
      own_time.Add(run);
    }
    own_time.Finish();
    device.compute = std::move(compute).Take();
    device.communication = std::move(communication).Take();
    device.copies = std::move(copies).Take();
    Join(device.compute, std::move(unit.compute).Take(), device.busy);
    Join(device.communication, std::move(unit.communication).Take(),
         device.busy);
    Join(device.copies, std::move(unit.copies).Take(), device.busy);
    device.launching = std::move(unit.launching).Take();
    return device;
  }

  // What is left of a device after a cancellation. Its runs may name links
  // instead of launches.
  static DeviceActivity WithoutRuns(DeviceActivity device) {
    device.runs.clear();
    device.launches.clear();
    return device;
  }

  static void Join(Intervals& part, Intervals more, Intervals& busy) {
    if (more.empty()) return;
    busy = busy.empty() ? more : Union(busy, more);
    part = part.empty() ? std::move(more) : Union(part, more);
  }

  // Replaces the links of runs by launches. Sorting the runs by their call is
  // faster than a hash table of calls, and reads links and times in order. The
  // runs of most devices are in the order of their calls already.
  void NumberLaunches(DeviceActivity& device) const {
    const profile::Links& links = activities_.profile_.links();
    if (links.size() == 0) return;
    std::vector<std::pair<uint32_t, uint32_t>> runs_of_calls;  // (call, run)
    for (uint32_t r = 0; r < device.runs.size(); ++r) {
      const uint32_t link = device.runs[r].launch;
      if (link == profile::kNone) continue;
      if (runs_of_calls.empty()) runs_of_calls.reserve(device.runs.size() - r);
      runs_of_calls.emplace_back(activities_.call_of_link_[link], r);
    }
    const util::Cancellation* cancellation = activities_.work_.cancellation;
    const auto call_of = [](const auto& row) { return row.first; };
    if (!std::ranges::is_sorted(runs_of_calls, {}, call_of)) {
      util::RadixSort(runs_of_calls, call_of, cancellation);
    }
    size_t calls = 0;
    for (size_t i = 0; i < runs_of_calls.size(); ++i) {
      calls +=
          i == 0 || call_of(runs_of_calls[i]) != call_of(runs_of_calls[i - 1]);
    }
    device.launches.reserve(calls);
    uint32_t last = profile::kNone, step_index = 0;
    for (const auto& [call, r] : runs_of_calls) {
      if (util::IsCancelled(cancellation)) return;
      uint32_t& launch = device.runs[r].launch;
      if (device.launches.empty() || call != last) {
        const profile::ExecutionRef from = links[launch].from;
        const auto& steps = activities_.profile_.steps();
        if (steps[step_index]->id != from.step) {
          step_index = activities_.StepIndex(from.step);
        }
        const profile::Step& step = *steps[step_index];
        const Interval time = activities_.TimeOf(step, from.index);
        device.launches.push_back({.start = time.start,
                                   .end = time.end,
                                   .step = step_index,
                                   .record = from.index,
                                   .first_run = r});
        last = call;
      }
      launch = static_cast<uint32_t>(device.launches.size() - 1);
      ++device.launches.back().num_runs;
    }
  }

  void FinishClocks(StepActivity& activity) {
    struct OfClock {
      Interval span;
      bool any = false;
      bool is_cut = false;
      std::vector<std::vector<int64_t>> sources;
      std::vector<DeviceActivity*> devices;
    };
    std::map<uint32_t, OfClock> clocks;
    for (DeviceActivity& device : activity.devices) {
      OfClock& of = clocks[activities_.units()[device.unit].clock];
      of.devices.push_back(&device);
      Extend(of.span, !std::exchange(of.any, true), device.span);
      if (!device.launching.empty()) {
        Extend(of.span, false,
               {device.launching.front().start, device.launching.back().end});
      }
      std::vector<int64_t>& sources = UnitOf(device.unit).sources;
      std::sort(sources.begin(), sources.end());
      of.is_cut |= !sources.empty();
      of.sources.push_back(std::move(sources));
    }
    for (const auto& [clock, of] : clocks) {
      Intervals runs = std::move(recorded_[clock]).Take();
      if (of.span.length() > 0 && IsContinuous(clock)) runs = {of.span};
      if (of.is_cut) {
        runs = CutRuns(runs, of.span, BusyOf(of.devices), of.sources);
      }
      const int64_t length = Length(runs);
      const Interval span = runs.empty()
                                ? of.span
                                : Interval{runs.front().start, runs.back().end};
      for (DeviceActivity* device : of.devices) {
        if (device->span.length() <= 0) continue;
        device->window = Intersect({device->span}, runs);
      }
      activity.clocks.push_back({clock, std::move(runs), length, span});
    }
  }

  // A clock with recorded calls is also recorded between steps.
  bool IsContinuous(uint32_t clock) const {
    const profile::LaneTable& lanes = activities_.profile_.lanes();
    for (profile::LaneId id = 0; id < lanes.size(); ++id) {
      if (lanes[id].clock == clock && lanes[id].calls_nest &&
          lanes[id].kind != profile::LaneKind::kAnnotation) {
        return true;
      }
    }
    return false;
  }

  // The threads of a host are busy in Python functions and while they start
  // work of an accelerator. A function may have begun long before the first
  // operation: it counts in the recorded time and in steps.
  void OccupyHosts(StepActivity& activity) {
    using Key = std::pair<profile::ProcessId, uint32_t>;  // process and clock
    std::map<Key, UnionOfMany> launching;
    for (const DeviceActivity& device : activity.devices) {
      const LaneUnit& unit = activities_.units()[device.unit];
      if (device.accelerator) {
        launching[{unit.process, unit.clock}].Add(device.launching);
      }
    }
    for (DeviceActivity& host : activity.devices) {
      if (host.accelerator) continue;
      const LaneUnit& unit = activities_.units()[host.unit];
      Intervals held = std::move(UnitOf(host.unit).python).Take();
      // The first host of a process launches.
      if (const auto of = launching.find({unit.process, unit.clock});
          of != launching.end()) {
        held = Union(held, std::move(of->second).Take());
        launching.erase(of);
      }
      held = Union(Intersect(held, activity.OfClock(unit.clock)->runs),
                   Intersect(held, activities_.time_in_steps_));
      if (held.empty()) continue;
      host.busy = Union(host.busy, held);
      Extend(host.span, false, {held.front().start, held.back().end});
      host.window = Union(host.window, held);
    }
  }

  static Intervals BusyOf(const std::vector<DeviceActivity*>& devices) {
    UnionOfMany all;
    for (const DeviceActivity* device : devices) {
      all.Add(device->busy);
      all.Add(device->launching);
    }
    return std::move(all).Take();
  }

  Activities& activities_;
  const bool with_hosts_;
  const profile::StringId source_;
  std::map<uint32_t, Unit> units_;  // those with work
  // The unit that was used last; most work in a row is of one unit.
  uint32_t last_ = 0;
  Unit* last_unit_ = nullptr;
  std::vector<uint32_t> in_step_;                   // units in the current step
  std::map<uint32_t, IntervalCollector> recorded_;  // indexed by clock
};

std::shared_ptr<const StepActivity> Activities::Compute(size_t first_step,
                                                        size_t end_step,
                                                        bool with_hosts) {
  FindLaunches();
  // Each thread collects some steps in a row, with about as many executions as
  // the others.
  size_t records = 0;
  for (size_t s = first_step; s < end_step; ++s) {
    records += profile_.steps()[s]->num_records();
  }
  const size_t parts = util::NumRanges(work_, records);
  std::vector<size_t> begin_of_part(parts + 1, end_step);
  size_t before = 0, part = 0;
  for (size_t s = first_step; s < end_step; ++s) {
    while (part < parts && before >= records * part / parts) {
      begin_of_part[part++] = s;
    }
    before += profile_.steps()[s]->num_records();
  }
  std::vector<Collector> collectors(parts, Collector(*this, with_hosts));
  util::ParallelFor(work_, parts, [&](size_t p) {
    collectors[p].CountRuns(begin_of_part[p], begin_of_part[p + 1]);
  });
  Collector::MakeRoom(collectors);
  util::ParallelFor(work_, parts, [&](size_t p) {
    for (size_t s = begin_of_part[p]; s < begin_of_part[p + 1]; ++s) {
      if (work_.cancelled()) return;
      collectors[p].AddStep(s);
    }
  });
  for (size_t p = 1; p < parts; ++p) {
    if (work_.cancelled()) break;
    collectors.front().Append(std::move(collectors[p]));
  }
  return std::move(collectors.front()).Finish();
}

}  // namespace tfprof::timeline
