// StepIntervals: the start and end of each step, if the input records them.
//
// There is one row for each interval of a step in a process, ascending by step,
// then process, then start: processes do not start a step at the same time, and
// one may enter it several times. Times are nanoseconds from the profile's
// origin, ends at or after starts. Each row belongs to a step of the profile,
// which may have no executions.
//
// Without this table, as in TensorFlow 1, a step spans its executions. A table
// of size 0 uses no memory. Immutable; shared between profiles.

#ifndef TFPROF_PROFILE_STEPS_STEP_INTERVALS_H_
#define TFPROF_PROFILE_STEPS_STEP_INTERVALS_H_

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "profile/steps/int_column.h"
#include "profile/tables/string_pool.h"

namespace tfprof::profile {

using ProcessId = uint32_t;

struct StepInterval {
  int64_t step = 0;  // Step::id
  ProcessId process = 0;
  int64_t start = 0;
  int64_t end = 0;
  StringId name = kNone;  // the program's name for the step, or kNone
  friend auto operator<=>(const StepInterval&, const StepInterval&) = default;
};

struct StepIntervals {
  IntColumn step;
  IntColumn process;
  IntColumn start;
  IntColumn end;
  IntColumn name;  // StringId

  StepIntervals() = default;
  // `intervals` are in ascending order.
  explicit StepIntervals(std::span<const StepInterval> intervals)
      : step(intervals.size(), [&](size_t i) { return intervals[i].step; }),
        process(intervals.size(),
                [&](size_t i) { return intervals[i].process; }),
        start(intervals.size(), [&](size_t i) { return intervals[i].start; }),
        end(intervals.size(), [&](size_t i) { return intervals[i].end; }),
        name(intervals.size(), [&](size_t i) { return intervals[i].name; }) {}

  size_t size() const { return step.size(); }
  StepInterval operator[](size_t i) const {
    return {step[i], static_cast<ProcessId>(process[i]), start[i], end[i],
            static_cast<StringId>(name[i])};
  }

  // Returns the rows of a step as [first, last + 1).
  std::pair<size_t, size_t> RowsOf(int64_t number) const {
    return {FirstAtOrAfter(number, /*after=*/false),
            FirstAtOrAfter(number, /*after=*/true)};
  }

  size_t bytes() const {
    return step.bytes() + process.bytes() + start.bytes() + end.bytes() +
           name.bytes();
  }

 private:
  // Returns the first row whose step is at least `number`, or, with `after`,
  // above it.
  size_t FirstAtOrAfter(int64_t number, bool after) const {
    size_t low = 0, high = size();
    while (low < high) {
      const size_t mid = (low + high) / 2;
      if (step[mid] < number || (after && step[mid] == number)) {
        low = mid + 1;
      } else {
        high = mid;
      }
    }
    return low;
  }
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_STEPS_STEP_INTERVALS_H_
