// StepSums: the sums that the accounting rules compute from the executions of a
// step, one value per group (step.h). The rules of the profile decide which
// executions count, and as what (accounting_rules.h).
//
// Summed times are in the ticks of the profile (Profile::ticks_per_micro();
// microseconds for TensorFlow 1), whatever the ticks of the step are. Memory is
// in bytes. Sums wrap around as in the reference. A span goes from the earliest
// start to the latest end of the executions that count. A group has no span if
// none of its executions has a start.
//
// Immutable.

#ifndef TFPROF_PROFILE_STEPS_STEP_SUMS_H_
#define TFPROF_PROFILE_STEPS_STEP_SUMS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "profile/steps/int_column.h"
#include "profile/steps/time_column.h"
#include "profile/tables/node_table.h"
#include "util/arithmetic.h"

namespace tfprof::profile {

// The sums of one group, while a step is made or as read from a file.
struct GroupSums {
  NodeId node = kNone;
  bool has_span = false;
  int64_t run_count = 0;
  int64_t accelerator_time = 0;
  int64_t cpu_time = 0;
  int64_t requested_bytes = 0;
  int64_t peak_bytes = 0;
  int64_t residual_bytes = 0;
  int64_t output_bytes = 0;
  int64_t start = 0;  // in ticks of the step
  int64_t end = 0;

  void AddSpan(int64_t span_start, int64_t span_end) {
    start = has_span ? std::min(start, span_start) : span_start;
    end = has_span ? std::max(end, span_end) : span_end;
    has_span = true;
  }

  // Adds all values, but keeps the node.
  void Add(const GroupSums& more) {
    run_count = util::WrapAdd(run_count, more.run_count);
    accelerator_time = util::WrapAdd(accelerator_time, more.accelerator_time);
    cpu_time = util::WrapAdd(cpu_time, more.cpu_time);
    requested_bytes = util::WrapAdd(requested_bytes, more.requested_bytes);
    peak_bytes = util::WrapAdd(peak_bytes, more.peak_bytes);
    residual_bytes = util::WrapAdd(residual_bytes, more.residual_bytes);
    output_bytes = util::WrapAdd(output_bytes, more.output_bytes);
    if (more.has_span) AddSpan(more.start, more.end);
  }
};

struct StepSums {
  IntColumn run_count;
  IntColumn accelerator_time;
  IntColumn cpu_time;
  IntColumn requested_bytes;
  IntColumn peak_bytes;
  IntColumn residual_bytes;
  IntColumn output_bytes;
  // Only valid for groups with a span.
  TimeColumn start;
  TimeColumn end;
  IntColumn has_span;  // 0 or 1

  bool HasSpan(size_t group) const { return has_span[group] != 0; }

  // Returns the time on accelerators and CPUs.
  int64_t Time(size_t group) const {
    return util::WrapAdd(accelerator_time[group], cpu_time[group]);
  }

  GroupSums Of(size_t group) const {
    return {.has_span = HasSpan(group),
            .run_count = run_count[group],
            .accelerator_time = accelerator_time[group],
            .cpu_time = cpu_time[group],
            .requested_bytes = requested_bytes[group],
            .peak_bytes = peak_bytes[group],
            .residual_bytes = residual_bytes[group],
            .output_bytes = output_bytes[group],
            .start = start.Ticks(group),
            .end = end.Ticks(group)};
  }

  size_t bytes() const {
    return run_count.bytes() + accelerator_time.bytes() + cpu_time.bytes() +
           requested_bytes.bytes() + peak_bytes.bytes() +
           residual_bytes.bytes() + output_bytes.bytes() + start.bytes() +
           end.bytes() + has_span.bytes();
  }
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_STEPS_STEP_SUMS_H_
