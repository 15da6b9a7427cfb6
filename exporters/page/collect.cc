#include "exporters/page/collect.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "exporters/page/account.h"
#include "exporters/page/critical_path.h"
#include "exporters/page/details.h"
#include "exporters/page/entries.h"
#include "fmt/format.h"
#include "inspect/devices/device_figures.h"
#include "profile/steps/time_column.h"
#include "profile/tables/lanes.h"
#include "timeline/activity.h"
#include "util/arithmetic.h"
#include "views/name_path.h"

namespace tfprof::exporters {
namespace {

// An event, before its position in the page is known.
struct Collected {
  PageEvent event;
  uint32_t step_index = 0;  // in Profile::steps()
  uint32_t record = 0;      // in that step
  profile::NodeId node = profile::kNone;
};

class Collector {
 public:
  Collector(views::Views& views, const PageOptions& options)
      : views_(views),
        profile_(views.profile()),
        options_(options),
        activities_(views.Kept<timeline::Activities>()),
        entries_(views.profile(), page_) {}

  // The page is incomplete after a cancellation.
  Page Collect() {
    ChooseTicks();
    for (uint32_t s = 0; s < profile_.steps().size(); ++s) {
      if (IsWanted(*profile_.steps()[s])) AddStep(s);
    }
    const std::function<void()> stages[] = {
        [this] { SortEvents(); },
        [this] {
          Rebase();
          AddSteps();
        },
        [this] { AddLinks(); },
        [this] { AddDetails(profile_, Records(), views_.work(), page_); },
        [this] {
          AddCounters();
          AddFigures();
        },
        [this] { AddAccount(views_, options_, device_ids_, page_); },
        [this] { AddCriticalPath(views_, options_, place_, page_); },
        [this] { NoteLosses(); },
    };
    for (const auto& add : stages) {
      if (views_.work().cancelled()) break;
      add();
    }
    return std::move(page_);
  }

 private:
  bool IsWanted(const profile::Step& step) const {
    return (options_.step < 0 || step.id == options_.step) &&
           !step.aggregated && step.num_records() > 0;
  }

  // Chooses the finest unit of the steps.
  void ChooseTicks() {
    ticks_ = profile_.ticks_per_micro();
    for (const auto& step : profile_.steps()) {
      ticks_ = std::max(ticks_, step->exec_start.ticks_per_micro());
    }
    page_.ticks_per_micro = ticks_;
    page_.nested = profile_.graph().self_times;
  }

  void AddStep(uint32_t index) {
    const profile::Step& step = *profile_.steps()[index];
    uint32_t number = profile::kNone;
    if (step.id >= 0) {
      number = static_cast<uint32_t>(page_.step_numbers.size());
      page_.step_numbers.push_back(step.id);
    }
    for (size_t g = 0; g < step.num_groups(); ++g) {
      const auto node = static_cast<profile::NodeId>(step.node[g]);
      for (size_t e = step.exec_begin(g); e < step.exec_end(g); ++e) {
        AddEvent(index, number, step, e, node);
      }
    }
    for (size_t e = step.num_executions(); e < step.num_records(); ++e) {
      AddEvent(index, number, step, e, profile::kNone);
    }
  }

  void AddEvent(uint32_t index, uint32_t number, const profile::Step& step,
                size_t e, profile::NodeId node) {
    if (views_.work().cancelled()) return;
    const profile::LaneId lane_id = step.LaneOf(e);
    if (lane_id == profile::kNone || !step.HasStart(e)) {
      ++without_start_;
      return;
    }
    const timeline::DeviceRun run{.step = index,
                                  .record = static_cast<uint32_t>(e),
                                  .node = node,
                                  .lane = lane_id};
    const profile::Lane& lane = profile_.lanes()[lane_id];
    const std::string_view op = activities_.Op(run);
    // A call of a function has no other name than the function.
    const std::string_view name = lane.kind == profile::LaneKind::kPython ? op
                                  : lane.calls_nest ? activities_.Name(run)
                                                    : activities_.NodeName(run);
    const PageKind kind = KindOf(step, run);
    Collected collected;
    collected.step_index = index;
    collected.record = static_cast<uint32_t>(e);
    collected.node = node;
    PageEvent& event = collected.event;
    const int64_t scale = ticks_ / step.exec_start.ticks_per_micro();
    event.start = util::SaturatingAdd(
        util::SaturatingMul(step.exec_start.Ticks(e), scale), Offset(lane_id));
    event.duration =
        util::SaturatingMul(step.exec_duration.Ticks(e),
                            ticks_ / step.exec_duration.ticks_per_micro());
    if (event.duration < 0) {
      event.duration = 0;
      ++negative_;
    }
    event.lane = LaneOf(lane_id, kind, node);
    event.entry = entries_.Of(node, name, op);
    event.step = number;
    collected_.push_back(collected);
  }

  int64_t Offset(profile::LaneId lane) const {
    if (lane >= options_.clock_offsets.size()) return 0;
    return util::SaturatingMul(options_.clock_offsets[lane],
                               ticks_ / profile_.ticks_per_micro());
  }
  // The offset for something that belongs to a process, but to no lane.
  int64_t OffsetOfProcess(profile::ProcessId process) const {
    for (profile::LaneId l = 0; l < options_.clock_offsets.size(); ++l) {
      if (profile_.lanes()[l].process == process) return Offset(l);
    }
    return 0;
  }

  PageKind KindOf(const profile::Step& step, const timeline::DeviceRun& run) {
    const profile::Lane& lane = profile_.lanes()[run.lane];
    if (lane.kind == profile::LaneKind::kOther) return PageKind::kOther;
    // A call that spans a whole step does not represent work.
    if (lane.kind == profile::LaneKind::kAnnotation ||
        (lane.calls_nest &&
         activities_.IsWholeStep(activities_.TimeOf(step, run.record)))) {
      return PageKind::kAnnotation;
    }
    const bool is_call =
        lane.calls_nest &&
        !activities_.units()[activities_.unit_of(run.lane)].accelerator;
    switch (is_call
                ? timeline::RunKind::kCompute
                : activities_.KindOf(step, run.record, run.node, run.lane)) {
      case timeline::RunKind::kCopy:
        return PageKind::kCopy;
      case timeline::RunKind::kCommunication:
        return PageKind::kCommunication;
      case timeline::RunKind::kCompute:
        break;
    }
    return lane.kind == profile::LaneKind::kLaunches ? PageKind::kLaunch
                                                     : PageKind::kCompute;
  }

  bool IsCounted(profile::LaneId lane_id, PageKind kind) const {
    return kind != PageKind::kAnnotation && kind != PageKind::kOther &&
           profile_.lanes()[lane_id].repeats == profile::kNone;
  }

  // The lane of the page; it is created at its first event, which is of `node`.
  uint32_t LaneOf(profile::LaneId lane_id, PageKind kind,
                  profile::NodeId node) {
    const auto [it, is_new] = lane_ids_.try_emplace(
        {lane_id, kind}, static_cast<uint32_t>(page_.lanes.size()));
    if (is_new) {
      const profile::Lane& lane = profile_.lanes()[lane_id];
      PageLane added;
      added.device = DeviceOf(lane_id);
      if (lane.name != profile::kNone) {
        added.name = profile_.strings().Get(lane.name);
      } else if (lane.device != profile::kNone) {
        added.name = NameOfRecorder(lane_id);
      } else {
        added.name = profile::LaneKindName(lane.kind);
      }
      added.kind = kind;
      // The sums leave out threads that run nothing but Python.
      added.counted =
          IsCounted(lane_id, kind) &&
          (lane.kind != profile::LaneKind::kPython || node != profile::kNone);
      if (lane.thread >= 0) {
        added.thread =
            thread_ids_
                .try_emplace({lane.process, lane.thread},
                             static_cast<uint32_t>(thread_ids_.size()))
                .first->second;
      }
      page_.lanes.push_back(std::move(added));
    }
    return it->second;
  }

  // The part of a recorder's name after the name of its device: "stream:all";
  // "ops" if there is none.
  std::string NameOfRecorder(profile::LaneId lane_id) const {
    const profile::Lane& lane = profile_.lanes()[lane_id];
    const std::string_view name = profile_.devices().name(lane.device);
    if (name != activities_.units()[activities_.unit_of(lane_id)].name) {
      return std::string(views::LastPart(name));
    }
    return lane.kind == profile::LaneKind::kCommunication ? "transfers" : "ops";
  }

  uint32_t DeviceOf(profile::LaneId lane_id) {
    const uint32_t unit = activities_.unit_of(lane_id);
    const auto [it, is_new] = device_ids_.try_emplace(
        unit, static_cast<uint32_t>(page_.devices.size()));
    if (is_new) {
      const timeline::LaneUnit& of = activities_.units()[unit];
      PageDevice device;
      device.label = of.label;
      device.name = of.name;
      device.accelerator = of.accelerator;
      device.process = ProcessOf(of.process);
      if (of.physical != profile::kNone) {
        const auto& physical = profile_.lanes().physical(of.physical);
        if (!physical.model.empty()) {
          device.name.append(" (").append(physical.model).append(")");
        }
      }
      page_.devices.push_back(std::move(device));
    }
    return it->second;
  }

  // The number of a process. Processes with the same name are one.
  uint32_t ProcessOf(profile::ProcessId id) {
    const profile::Process process = id == profile::kNone
                                         ? profile::Process()
                                         : profile_.lanes().process(id);
    std::string name = process.label.empty() ? process.name : process.label;
    if (process.rank >= 0) {
      const std::string rank = fmt::format("rank {}", process.rank);
      if (name.find(rank) == name.npos) {
        name = name.empty() ? rank : fmt::format("{} · {}", rank, name);
      }
    }
    if (!process.host.empty() && name.find(process.host) == name.npos) {
      name.append(name.empty() ? "" : " · ").append(process.host);
    }
    if (name.empty()) {
      name = id == profile::kNone ? "process" : fmt::format("process {}", id);
    }
    const auto [it, is_new] = process_ids_.try_emplace(
        {name, id}, static_cast<uint32_t>(page_.processes.size()));
    if (is_new) page_.processes.push_back({name});
    return it->second;
  }

  void SortEvents() {
    // Sorts by lane and keeps the order, which is correct in most lanes.
    std::vector<size_t> first(page_.lanes.size() + 1, 0);
    for (const Collected& c : collected_) ++first[c.event.lane + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<Collected> by_lane(collected_.size());
    std::vector<size_t> next = first;
    for (const Collected& c : collected_) by_lane[next[c.event.lane]++] = c;
    collected_ = std::move(by_lane);
    const auto before = [](const Collected& a, const Collected& b) {
      const PageEvent &x = a.event, &y = b.event;
      return std::tie(x.start, y.duration, a.step_index, a.record) <
             std::tie(y.start, x.duration, b.step_index, b.record);
    };
    for (size_t lane = 0; lane < page_.lanes.size(); ++lane) {
      const auto from =
          collected_.begin() + static_cast<ptrdiff_t>(first[lane]);
      const auto to =
          collected_.begin() + static_cast<ptrdiff_t>(first[lane + 1]);
      if (!std::is_sorted(from, to, before)) std::sort(from, to, before);
    }
    page_.events.reserve(collected_.size());
    place_.resize(profile_.steps().size());
    for (uint32_t i = 0; i < collected_.size(); ++i) {
      const Collected& c = collected_[i];
      page_.events.push_back(c.event);
      std::vector<uint32_t>& places = place_[c.step_index];
      if (places.empty()) {
        places.assign(profile_.steps()[c.step_index]->num_records(),
                      profile::kNone);
      }
      places[c.record] = i;
    }
  }

  // Moves times to start at the first event, and limits them to the numbers of
  // a browser.
  void Rebase() {
    if (page_.events.empty()) return;
    int64_t origin = std::numeric_limits<int64_t>::max();
    for (const PageEvent& e : page_.events) origin = std::min(origin, e.start);
    const profile::StepIntervals& intervals = profile_.step_intervals();
    for (size_t row = 0; row < intervals.size(); ++row) {
      if (IsShown(intervals[row].step)) {
        origin = std::min(origin, util::SaturatingAdd(
                                      OfNanos(intervals.start[row]),
                                      OffsetOfProcess(intervals[row].process)));
      }
    }
    page_.origin = origin;
    for (PageEvent& e : page_.events) {
      e.start = FromOrigin(e.start);
      e.duration = std::min(e.duration, kMaxPageTime - e.start);
      page_.span = std::max(page_.span, e.start + e.duration);
    }
  }

  int64_t FromOrigin(int64_t time) {
    // Both are int64_t, so the difference is at most 2^64.
    const uint64_t from =
        time <= page_.origin
            ? 0
            : static_cast<uint64_t>(time) - static_cast<uint64_t>(page_.origin);
    if (from <= static_cast<uint64_t>(kMaxPageTime)) {
      return static_cast<int64_t>(from);
    }
    ++cut_;
    return kMaxPageTime;
  }

  int64_t OfNanos(int64_t nanos) const {
    return ticks_ >= profile::kNanosPerMicro
               ? util::SaturatingMul(nanos, ticks_ / profile::kNanosPerMicro)
               : profile::FloorDiv(nanos, profile::kNanosPerMicro / ticks_);
  }

  bool IsShown(int64_t step) const {
    return step >= 0 && (options_.step < 0 || step == options_.step);
  }

  // Adds the recorded intervals of steps; without them, from the first to the
  // last event of each.
  void AddSteps() {
    const profile::StepIntervals& intervals = profile_.step_intervals();
    std::vector<bool> has_interval(page_.step_numbers.size(), false);
    for (size_t row = 0; row < intervals.size(); ++row) {
      const profile::StepInterval interval = intervals[row];
      const auto known = std::lower_bound(
          page_.step_numbers.begin(), page_.step_numbers.end(), interval.step);
      if (known == page_.step_numbers.end() || *known != interval.step) {
        continue;
      }
      has_interval[static_cast<size_t>(known - page_.step_numbers.begin())] =
          true;
      PageStep step;
      step.number = interval.step;
      step.process = ProcessOf(interval.process);
      if (interval.name != profile::kNone) {
        step.name = entries_.Intern(profile_.strings().Get(interval.name));
      }
      const int64_t offset = OffsetOfProcess(interval.process);
      const auto at = [&](int64_t nanos) {
        return FromOrigin(util::SaturatingAdd(OfNanos(nanos), offset));
      };
      step.start = at(interval.start);
      step.end = std::max(step.start, at(interval.end));
      page_.span = std::max(page_.span, step.end);
      page_.steps.push_back(step);
    }
    std::vector<PageStep> spans(page_.step_numbers.size());
    for (size_t s = 0; s < spans.size(); ++s) {
      spans[s] = {.number = page_.step_numbers[s],
                  .start = std::numeric_limits<int64_t>::max()};
    }
    for (const PageEvent& event : page_.events) {
      if (event.step == profile::kNone || has_interval[event.step]) continue;
      PageStep& span = spans[event.step];
      span.start = std::min(span.start, event.start);
      span.end = std::max(span.end, event.start + event.duration);
    }
    for (size_t s = 0; s < spans.size(); ++s) {
      if (!has_interval[s] && spans[s].end >= spans[s].start) {
        page_.steps.push_back(spans[s]);
      }
    }
    std::stable_sort(
        page_.steps.begin(), page_.steps.end(),
        [](const PageStep& a, const PageStep& b) { return a.start < b.start; });
  }

  uint32_t PlaceOf(const profile::ExecutionRef& at) const {
    const auto& steps = profile_.steps();
    const auto found = std::lower_bound(
        steps.begin(), steps.end(), at.step,
        [](const auto& step, int64_t id) { return step->id < id; });
    if (found == steps.end() || (*found)->id != at.step) return profile::kNone;
    const auto& places = place_[static_cast<size_t>(found - steps.begin())];
    return at.index < places.size() ? places[at.index] : profile::kNone;
  }

  void AddLinks() {
    const profile::Links& links = profile_.links();
    for (size_t i = 0; i < links.size(); ++i) {
      const profile::Link link = links[i];
      const uint32_t from = PlaceOf(link.from), to = PlaceOf(link.to);
      if (from == profile::kNone || to == profile::kNone) continue;
      page_.links.push_back({from, to, static_cast<uint8_t>(link.kind)});
    }
    std::sort(page_.links.begin(), page_.links.end(),
              [](const PageLink& a, const PageLink& b) {
                return std::tie(a.from, a.to, a.kind) <
                       std::tie(b.from, b.to, b.kind);
              });
  }

  std::vector<EventRecord> Records() const {
    std::vector<EventRecord> records;
    records.reserve(collected_.size());
    for (const Collected& c : collected_) {
      const profile::Step& step = *profile_.steps()[c.step_index];
      const profile::LaneId lane = step.LaneOf(c.record);
      const profile::DeviceId device = profile_.device_of(lane);
      records.push_back({.record = static_cast<profile::RecordRef>(
                             step.exec_record[c.record]),
                         .lane = lane,
                         .on_cpu = device != profile::kNone &&
                                   profile_.devices()[device].on_cpu});
    }
    return records;
  }

  void AddCounters() {
    if (options_.step >= 0) return;  // they belong to no step
    for (const profile::Counter& counter : profile_.counters()) {
      if (counter.size() == 0) continue;
      PageCounter added;
      added.process = ProcessOf(counter.process);
      const int64_t of_process = OffsetOfProcess(counter.process);
      if (counter.lane != profile::kNone) {
        // Only a lane with events has a row.
        const uint32_t device = DeviceOf(counter.lane);
        added.device = device;
      }
      const auto text = [&](profile::StringId s) {
        return s == profile::kNone ? std::string()
                                   : std::string(profile_.strings().Get(s));
      };
      added.name = text(counter.name);
      added.unit = text(counter.unit);
      added.is_change = counter.kind == profile::Counter::Kind::kChange;
      for (size_t i = 0; i < counter.size(); ++i) {
        const int64_t time = FromOrigin(util::SaturatingAdd(
            OfNanos(counter.time[i]), counter.lane == profile::kNone
                                          ? of_process
                                          : Offset(counter.lane)));
        added.samples.push_back({time, counter.value[i], profile::kNone});
      }
      page_.counters.push_back(std::move(added));
    }
  }

  // Adds the figures of `timeline`, summed over all steps that are shown.
  void AddFigures() {
    inspect::DeviceFigures figures(views_);
    const int64_t scale = ticks_ / profile_.ticks_per_micro();
    for (const auto& step : profile_.steps()) {
      if (!IsWanted(*step) || !step->listed) continue;
      for (const inspect::DeviceFigure& of : figures.Of(*step)) {
        const auto known = device_ids_.find(of.split.unit);
        if (known == device_ids_.end()) continue;
        AddFigure(of, scale, page_.devices[known->second]);
      }
    }
  }

  static void AddFigure(const inspect::DeviceFigure& of, int64_t scale,
                        PageDevice& device) {
    if (!device.figures) device.figures.emplace();
    PageFigures& sums = *device.figures;
    const auto add = [&](int64_t& sum, int64_t ticks) {
      sum = util::SaturatingAdd(sum, util::SaturatingMul(ticks, scale));
    };
    add(sums.span, of.split.wall);
    add(sums.busy, of.split.busy);
    add(sums.compute, of.split.compute);
    add(sums.communication, of.split.communication);
    add(sums.copies, of.split.copies);
    add(sums.overlap, of.overlap);
    add(sums.exposed_communication, of.exposed());
    add(sums.idle, of.split.idle);
    if (!of.idle) return;
    if (sums.idle_by_cause.empty()) {
      sums.idle_by_cause = {{"waiting", 0}, {"host-bound", 0}, {"other", 0}};
    }
    add(sums.idle_by_cause[0].second, of.idle->waiting);
    add(sums.idle_by_cause[1].second, of.idle->host_bound);
    add(sums.idle_by_cause[2].second, of.idle->other);
  }

  void NoteLosses() {
    const auto note = [&](size_t count, std::string_view what) {
      if (count == 0) return;
      page_.notes.push_back(
          fmt::format("{} event{} {}", count, count == 1 ? "" : "s", what));
    };
    note(without_start_, "without a start or a lane: left out");
    note(negative_, "with a negative duration: shown with length 0");
    note(cut_, "with a time that is too large for a browser: cut");
    for (const auto& step : profile_.steps()) {
      if (step->aggregated &&
          (options_.step < 0 || step->id == options_.step)) {
        page_.notes.push_back(fmt::format(
            "Step {} has no single executions: --max_memory dropped them",
            step->id));
      }
    }
  }

  views::Views& views_;
  const profile::Profile& profile_;
  const PageOptions& options_;
  timeline::Activities& activities_;
  int64_t ticks_ = 1;
  std::vector<Collected> collected_;
  std::vector<std::vector<uint32_t>> place_;  // the event, by step and record
  absl::flat_hash_map<std::pair<profile::LaneId, PageKind>, uint32_t> lane_ids_;
  absl::flat_hash_map<uint32_t, uint32_t> device_ids_;  // by unit
  absl::flat_hash_map<std::pair<std::string, profile::ProcessId>, uint32_t>
      process_ids_;
  absl::flat_hash_map<std::pair<profile::ProcessId, int64_t>, uint32_t>
      thread_ids_;
  size_t without_start_ = 0;
  size_t negative_ = 0;
  size_t cut_ = 0;
  Page page_;
  PageEntries entries_;  // of page_
};

}  // namespace

Page CollectPage(views::Views& views, const PageOptions& options) {
  return Collector(views, options).Collect();
}

}  // namespace tfprof::exporters
