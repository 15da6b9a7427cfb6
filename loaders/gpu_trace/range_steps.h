// Which named ranges of a GpuTrace are its steps.
//
// Programs mark their steps with ranges: "step 3", "iteration3",
// "ProfilerStep#3", or the same name again and again. Steps are ranges of one
// thread that do not overlap, around launches, and either
//   * their names differ only in a number at the end, which counts up; or
//   * they have one name, and nearly all launches are in them.
// Outer ranges come first, and epochs last. The ranges of layers, stages,
// ranks and other parts of a step count too, but are no steps.

#ifndef TFPROF_LOADERS_GPU_TRACE_RANGE_STEPS_H_
#define TFPROF_LOADERS_GPU_TRACE_RANGE_STEPS_H_

#include <string>
#include <string_view>

#include "loaders/gpu_trace/gpu_trace.h"
#include "profile/tables/string_pool.h"

namespace tfprof::gpu_trace {

// A name with a number at its end.
struct NumberedName {
  std::string row;      // "step *" of "step 3": what all of them share
  int64_t number = -1;  // -1: the name has none
};
NumberedName ReadNumberedName(std::string_view name);

// Sets `steps`, unless there are some. Five or more ranges whose number counts
// up get one operation, "step *"; their texts stay as they are.
void FindRangeSteps(GpuTrace& trace, profile::StringPool& strings);

}  // namespace tfprof::gpu_trace

#endif  // TFPROF_LOADERS_GPU_TRACE_RANGE_STEPS_H_
