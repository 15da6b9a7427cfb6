#include "profile/steps/step_columns.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "util/run/threads.h"

namespace tfprof::profile {
namespace {

// An event in the form of an execution.
struct EventExecution {
  LaneId lane;
  int64_t start;
  int64_t duration;
  RecordRef record;
  bool has_start() const { return true; }
};

// Calls call(event, group, execution) for each event that is not left out.
template <typename Call>
void VisitEvents(const StepEvents& events, Call call) {
  const LaneEvents& lane = *events.lane;
  for (uint32_t i = events.begin; i < events.end; ++i) {
    const LaneEvent& event = lane.events[i];
    const LaneEventGroup& group = lane.groups[event.group];
    if (group.is_left_out()) continue;
    call(i, group,
         EventExecution{group.lane, event.start, event.duration,
                        MakeRecordRef(lane.input, event.offset)});
  }
}

// Writes the places of linked events for the loader.
class PlaceWriter {
 public:
  PlaceWriter(int64_t step, const StepEvents& events)
      : step_(step), lane_(*events.lane) {
    next_ =
        static_cast<size_t>(std::lower_bound(lane_.linked.begin(),
                                             lane_.linked.end(), events.begin) -
                            lane_.linked.begin());
  }

  // `event` must ascend from call to call.
  void Set(uint32_t event, size_t place) {
    while (next_ < lane_.linked.size() && lane_.linked[next_] < event) ++next_;
    if (next_ == lane_.linked.size() || lane_.linked[next_] != event) return;
    (*lane_.places)[next_++] = {step_, static_cast<uint32_t>(place)};
  }

 private:
  int64_t step_;
  const LaneEvents& lane_;
  size_t next_ = 0;
};

// Makes the columns of groups, except first_exec.
void MakeSums(const std::vector<GroupSums>& sums, int64_t ticks_per_micro,
              Step& step) {
  // Groups without a span must not widen the columns of start and end.
  const auto spanned = std::find_if(sums.begin(), sums.end(),
                                    [](const auto& g) { return g.has_span; });
  const int64_t any_start = spanned == sums.end() ? 0 : spanned->start;
  const int64_t any_end = spanned == sums.end() ? 0 : spanned->end;
  StepSums& to = step.sums;
  IntColumn start, end;
  std::tie(step.node, to.run_count, to.accelerator_time, to.cpu_time,
           to.requested_bytes, to.peak_bytes, to.residual_bytes,
           to.output_bytes, to.has_span, start, end) =
      std::tuple_cat(IntColumn::OfRows(
          std::span<const GroupSums>(sums),
          [](const GroupSums& g) { return g.node; },
          [](const GroupSums& g) { return g.run_count; },
          [](const GroupSums& g) { return g.accelerator_time; },
          [](const GroupSums& g) { return g.cpu_time; },
          [](const GroupSums& g) { return g.requested_bytes; },
          [](const GroupSums& g) { return g.peak_bytes; },
          [](const GroupSums& g) { return g.residual_bytes; },
          [](const GroupSums& g) { return g.output_bytes; },
          [](const GroupSums& g) { return g.has_span; },
          [=](const GroupSums& g) { return g.has_span ? g.start : any_start; },
          [=](const GroupSums& g) { return g.has_span ? g.end : any_end; }));
  to.start = TimeColumn(std::move(start), ticks_per_micro);
  to.end = TimeColumn(std::move(end), ticks_per_micro);
}

// Marks a node that has known sums and no executions so far.
constexpr uint32_t kHasSums = kNone - 1;

}  // namespace

StepColumns::StepColumns(const AddedToStep& added,
                         const util::TaskOptions& work, bool parallel)
    : added_(added),
      work_(work),
      begin_(added.graph.nodes.size() + 1, 0),
      num_outside_(added.outside.size()),
      group_of_(added.graph.nodes.size(), kNone) {
  size_t most_executions = 0;
  for (const auto& records : added_.records) most_executions += records.size();
  for (const StepEvents& events : added_.events) {
    most_executions += events.end - events.begin;
  }
  num_parts_ = parallel ? util::NumRanges(work_, most_executions) : 1;
}

bool StepColumns::Fill() {
  CountExecutions();
  if (work_.cancelled()) return false;
  MakeGroups();
  DivideNodes();
  AddSums();
  if (work_.cancelled()) return false;
  WriteOutside();
  WriteExecutions();
  return !work_.cancelled();
}

void StepColumns::CountExecutions() {
  ranges_.resize(num_parts_);
  util::ParallelFor(work_, num_parts_, [&](size_t i) { CountPart(i); });
  num_executions_ = std::accumulate(begin_.begin(), begin_.end(), size_t{0});
}

// Here, each part has the same number of nodes.
void StepColumns::CountPart(size_t part) {
  const size_t num_nodes = added_.graph.nodes.size();
  const NodeRange range = {
      static_cast<NodeId>(num_nodes * part / num_parts_),
      static_cast<NodeId>(num_nodes * (part + 1) / num_parts_)};
  uint32_t* const begin = begin_.data();
  ExecutionRanges found;
  for (const auto& records : added_.records) {
    for (const ExecutionRecord& r : records) {
      if (!range.Has(r.node)) continue;
      ++begin[r.node + 1];
      found.Add(r);
    }
  }
  size_t outside = 0;
  for (const StepEvents& events : added_.events) {
    if (work_.cancelled()) return;
    VisitEvents(events, [&](uint32_t, const LaneEventGroup& group,
                            const EventExecution& r) {
      if (group.node == kNone ? part != 0 : !range.Has(group.node)) return;
      found.Add(r);
      if (group.node == kNone) {
        ++outside;
      } else {
        ++begin[group.node + 1];
      }
    });
  }
  if (part == 0) num_outside_ += outside;
  ranges_[part] = found;
}

// Makes a group for each node that has executions, or sums whose executions
// were dropped.
void StepColumns::MakeGroups() {
  for (const auto& sums : added_.known_sums) {
    for (const GroupSums& group : sums) group_of_[group.node] = kHasSums;
  }
  for (size_t n = 0; n < group_of_.size(); ++n) {
    if (begin_[n + 1] != 0 || group_of_[n] == kHasSums) {
      group_of_[n] = static_cast<uint32_t>(sums_.size());
      sums_.push_back({.node = static_cast<NodeId>(n)});
      first_exec_.push_back(begin_[n]);
    }
    begin_[n + 1] += begin_[n];
  }
  first_exec_.push_back(static_cast<int64_t>(num_executions_));
}

// Divides the nodes into parts with about the same number of executions.
void StepColumns::DivideNodes() {
  for (size_t i = 0; i < num_parts_; ++i) {
    const auto cut = std::lower_bound(begin_.begin(), begin_.end() - 1,
                                      num_executions_ * (i + 1) / num_parts_);
    const auto end = i + 1 == num_parts_
                         ? static_cast<NodeId>(group_of_.size())
                         : static_cast<NodeId>(cut - begin_.begin());
    parts_.push_back({parts_.empty() ? 0 : parts_.back().end, end});
  }
}

void StepColumns::AddSums() {
  for (const auto& sums : added_.known_sums) {
    for (const GroupSums& group : sums) {
      sums_[group_of_[group.node]].Add(group);
    }
  }
  added_.rules.Sum({.graph = added_.graph,
                    .work = work_,
                    .batches = added_.batches,
                    .events = added_.events,
                    .group_of_node = group_of_,
                    .parts = parts_},
                   sums_);
}

// Executions outside of groups follow all executions of nodes.
void StepColumns::WriteOutside() {
  ExecutionRanges all;
  for (const ExecutionRanges& ranges : ranges_) all.Add(ranges);
  for (const auto& [execution, tick] : added_.outside) all.Add(execution);
  writer_.emplace(num_executions_ + num_outside_, all);
  for (const auto& [execution, tick] : added_.outside) {
    writer_->Set(num_executions_ + outside_name_.size(), execution);
    outside_name_.push_back(execution.name);
  }
}

void StepColumns::WriteExecutions() {
  util::ParallelFor(work_, num_parts_, [&](size_t i) { WritePart(i); });
}

void StepColumns::WritePart(size_t part) {
  const NodeRange range = parts_[part];
  uint32_t* const begin = begin_.data();
  ExecutionWriter& writer = *writer_;
  for (const auto& records : added_.records) {
    for (const ExecutionRecord& r : records) {
      if (range.Has(r.node)) writer.Set(begin[r.node]++, r);
    }
  }
  for (const StepEvents& events : added_.events) {
    if (work_.cancelled()) return;
    PlaceWriter places(added_.id, events);
    VisitEvents(events, [&](uint32_t event, const LaneEventGroup& group,
                            const EventExecution& r) {
      if (group.node == kNone ? part != 0 : !range.Has(group.node)) return;
      size_t place;
      if (group.node == kNone) {
        place = num_executions_ + outside_name_.size();
        outside_name_.push_back(group.name);
      } else {
        place = begin[group.node]++;
      }
      writer.Set(place, r);
      places.Set(event, place);
    });
  }
}

void StepColumns::MoveTo(int64_t ticks_per_micro, Step& step) && {
  std::move(*writer_).Finish(ticks_per_micro, step);
  MakeSums(sums_, ticks_per_micro, step);
  step.outside_name = IntColumn(outside_name_);
  step.first_exec = IntColumn(first_exec_);
}

}  // namespace tfprof::profile
