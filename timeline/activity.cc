#include "timeline/activity.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "profile/steps/step_intervals.h"
#include "profile/steps/time_column.h"
#include "profile/tables/lanes.h"
#include "profile/tables/links.h"
#include "timeline/account/work_classes.h"
#include "util/arithmetic.h"

namespace tfprof::timeline {
namespace {

constexpr size_t kMaxKeptBytes = 64 << 20;

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

Activities::Activities(const profile::Profile& profile,
                       const util::TaskOptions& work)
    : profile_(profile),
      work_(work),
      units_(profile.graph()),
      node_kind_(profile.nodes().size(), Known::kNot),
      name_kind_(profile.strings().size(), Known::kNot) {
  for (profile::LaneId id = 0; id < profile.lanes().size(); ++id) {
    lane_work_.push_back(WorkOnLane(id));
  }
  const size_t num_steps = profile.step_intervals().size();
  steps_.reserve(num_steps);
  for (size_t row = 0; row < num_steps; ++row) {
    steps_.push_back(StepTime(row));
    with_steps_.insert(
        static_cast<profile::ProcessId>(profile.step_intervals().process[row]));
  }
  std::sort(
      steps_.begin(), steps_.end(),
      [](const Interval& a, const Interval& b) { return a.start < b.start; });
  for (const Interval& step : steps_) {
    if (step.length() > 0) AddInterval(time_in_steps_, step.start, step.end);
  }
}

bool Activities::IsWholeStep(const Interval& time) const {
  auto step = std::lower_bound(
      steps_.begin(), steps_.end(), time.start,
      [](const Interval& i, int64_t start) { return i.start < start; });
  for (; step != steps_.end() && step->start == time.start; ++step) {
    // A step is cut where the recording ends.
    if (step->end <= time.end) return true;
  }
  return false;
}

Activities::LaneWork Activities::WorkOnLane(profile::LaneId id) const {
  const profile::Lane& lane = profile_.lanes()[id];
  LaneWork work = {.unit = units_.of(id)};
  switch (lane.kind) {
    case profile::LaneKind::kKernels:
    case profile::LaneKind::kCopies:
    case profile::LaneKind::kCommunication:
      work.is_run = true;
      break;
    case profile::LaneKind::kCompute:
      work.is_run = units_.all()[work.unit].accelerator || !lane.calls_nest;
      break;
    case profile::LaneKind::kLaunches:
      work.is_run = !lane.calls_nest;
      work.is_launch = true;
      break;
    case profile::LaneKind::kAnnotation:
    case profile::LaneKind::kPython:
    case profile::LaneKind::kOther:
      return work;
  }
  work.is_work = lane.repeats == profile::kNone;
  return work;
}

std::optional<Activities::ActiveSpan> Activities::SpanAt(
    const profile::Step& step, size_t record) const {
  if (!step.HasStart(record)) return std::nullopt;
  const profile::LaneId lane = step.LaneOf(record);
  if (lane == profile::kNone) return std::nullopt;
  const LaneWork& of_lane = lane_work_[lane];
  if (!of_lane.is_work) return std::nullopt;
  const Interval time = TimeOf(step, record);
  if (!of_lane.is_run && IsWholeStep(time)) return std::nullopt;
  return ActiveSpan{of_lane.unit, lane, of_lane.is_run, of_lane.is_launch,
                    time};
}

RunKind Activities::KindOf(const profile::Step& step, size_t record,
                           profile::NodeId node, profile::LaneId lane_id) {
  const profile::Lane& lane = profile_.lanes()[lane_id];
  if (lane.kind == profile::LaneKind::kCopies) return RunKind::kCopy;
  if (lane.kind == profile::LaneKind::kCommunication)
    return RunKind::kCommunication;
  const auto ref = static_cast<profile::RecordRef>(step.exec_record[record]);
  if (node == profile::kNone) node = NodeOfOutside(step, record, lane_id);
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
  // Links are sorted by step, so most have that of the link before.
  const auto place = [this, last = int64_t{-1},
                      index = StepIndex(-1)](int64_t id) mutable {
    if (id != last) index = StepIndex(last = id);
    return index;
  };
  auto place_from = place, place_to = place;
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
    const uint32_t to = place_to(links.to_step[i]);
    if (to == profile::kNone ||
        place_from(links.from_step[i]) == profile::kNone) {
      continue;
    }
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
  const int64_t of_step = step.exec_start.ticks_per_micro();
  int64_t start = step.exec_start.Ticks(record);
  int64_t length = step.exec_duration.Ticks(record);
  // A division costs more than the rest.
  if (of_step < profile_.ticks_per_micro()) {
    const int64_t scale = profile_.ticks_per_micro() / of_step;
    start = util::SaturatingMul(start, scale);
    length = util::SaturatingMul(length, scale);
  }
  return {start, util::SaturatingAdd(start, std::max<int64_t>(length, 0))};
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
  name_kind_.assign(name_kind_.size(), Known::kNot);
  everything_ = nullptr;
  names_of_runs_ = nullptr;
  kept_.clear();
  kept_bytes_ = 0;
}

// Several threads may ask for the kinds of nodes and names, and write what they
// find: they all find the same.
RunKind Activities::KindOfNode(profile::NodeId node, profile::RecordRef record,
                               bool has_label) {
  const std::atomic_ref<Known> known(node_kind_[node]);
  switch (known.load(std::memory_order_relaxed)) {
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
  const std::string_view type = has_label ? TypeFrom(node, op) : op;
  const bool communicates = rules_->IsCommunication(op) ||
                            rules_->IsCommunication(type) ||
                            (has_label && !profile_.graph().self_times &&
                             TakesToken(profile_.node_name(node), type));
  const RunKind kind = communicates       ? RunKind::kCommunication
                       : WaitsForCopy(op) ? RunKind::kCopy
                                          : RunKind::kCompute;
  // Another record may have the op of the node.
  if (kind != RunKind::kCompute || !has_label || !OpMayBeInLabel(node) ||
      HasOpOfLabel(node)) {
    known.store(kind == RunKind::kCommunication ? Known::kCommunication
                : kind == RunKind::kCopy        ? Known::kCopy
                                                : Known::kCompute,
                std::memory_order_relaxed);
  }
  return kind;
}

bool Activities::NameCommunicates(profile::StringId name) {
  const std::atomic_ref<Known> known(name_kind_[name]);
  Known kind = known.load(std::memory_order_relaxed);
  if (kind == Known::kNot) {
    kind = rules_->IsCommunication(profile_.strings().Get(name))
               ? Known::kCommunication
               : Known::kCompute;
    known.store(kind, std::memory_order_relaxed);
  }
  return kind == Known::kCommunication;
}

}  // namespace tfprof::timeline
