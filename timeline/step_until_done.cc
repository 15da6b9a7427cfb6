// When a step is done.
//
// The recorded interval of a step is often that of the host, which launches
// work and goes on: the devices finish later. If another step begins at once,
// they do so in that step, and work counts where it ran. Otherwise nothing else
// is going on, and the step takes until its work is done, or until the next
// step of the process begins.
//
// If a device still worked for the step before when the last step began, each
// step contains work of the one before: the last one ends with its interval,
// too, as if the recording went on.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "profile/steps/step_intervals.h"
#include "timeline/activity.h"

namespace tfprof::timeline {
namespace {

// The next step begins at once if the time before it is shorter than this part
// of the step.
constexpr int64_t kAtOnce = 100;

}  // namespace

int64_t Activities::EndOfWork(const profile::Step& step,
                              profile::ProcessId process) {
  // A step may have work of many processes: it is read once for all of them.
  if (end_of_work_.try_emplace({&step, profile::kNone}).second) {
    const profile::LaneTable& lanes = profile_.lanes();
    profile::ProcessId last = profile::kNone;
    int64_t* end = nullptr;  // of the process of the record before
    for (size_t record = 0; record < step.num_records(); ++record) {
      const profile::LaneId lane = step.LaneOf(record);
      if (lane == profile::kNone || !units()[unit_of(lane)].accelerator) {
        continue;
      }
      const std::optional<ActiveSpan> span = SpanAt(step, record);
      if (!span || !span->is_run || span->is_launch) continue;
      const profile::ProcessId of = lanes[lane].process;
      if (end == nullptr || of != last) end = &end_of_work_[{&step, last = of}];
      *end = std::max(*end, span->time.end);
    }
  }
  const auto found = end_of_work_.find({&step, process});
  return found == end_of_work_.end() ? 0 : found->second;
}

Interval Activities::StepUntilDone(size_t row) {
  const profile::StepIntervals& intervals = profile_.step_intervals();
  if (steps_of_process_.empty()) {
    for (size_t r = 0; r < intervals.size(); ++r) {
      steps_of_process_[intervals[r].process].push_back({StepTime(r), r});
    }
    for (auto& [process, rows] : steps_of_process_) {
      std::ranges::stable_sort(rows, {},
                               [](const StepRow& of) { return of.time.start; });
    }
  }
  const profile::StepInterval of_row = intervals[row];
  const std::vector<StepRow>& rows = steps_of_process_[of_row.process];
  Interval time = StepTime(row);
  const auto next = std::ranges::lower_bound(
      rows, time.end, {}, [](const StepRow& of) { return of.time.start; });
  const auto step_of = [&](size_t r) -> const profile::Step& {
    return *profile_.steps()[StepIndex(intervals.step[r])];
  };
  if (next != rows.end()) {
    if (next->time.start - time.end < time.length() / kAtOnce ||
        intervals.step[next->row] == of_row.step) {
      return time;
    }
  } else {
    // The last step that ended before this one began.
    auto before = std::ranges::lower_bound(
        rows, time.start, {}, [](const StepRow& of) { return of.time.start; });
    while (before != rows.begin() && (before - 1)->time.end > time.start) {
      --before;
    }
    if (before != rows.begin() &&
        EndOfWork(step_of((before - 1)->row), of_row.process) > time.start) {
      return time;
    }
  }
  int64_t end = EndOfWork(step_of(row), of_row.process);
  if (next != rows.end()) end = std::min(end, next->time.start);
  time.end = std::max(time.end, end);
  return time;
}

}  // namespace tfprof::timeline
