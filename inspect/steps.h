// Steps: how long each took, and what its devices did meanwhile.

#ifndef TFPROF_INSPECT_STEPS_H_
#define TFPROF_INSPECT_STEPS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "exporters/data_table.h"
#include "views/views.h"

namespace tfprof {

inline constexpr std::string_view kTrendFact = "span_trend";

// A row for each step; with `step` >= 0 for that one. A step's span is from
// its first record to its last end, of the task with the longest where there
// are several, because clocks of tasks differ; idle is how much of it nothing
// ran in that task. A device is busy while anything of it runs, however much
// at a time. Memory is that of the fullest device. What is not recorded (a step
// kept as sums only) is no value.
//
// The busiest eight devices have a column each; a fact says how many more there
// are. The fact kTrendFact has a bar for each step.
DataTable StepsTable(Views& views, int64_t step);

// "▁▂▃▄▅▆▇█", a bar for each value, from 0 up to the largest. Of more than
// `max_bars` values, a bar stands for the largest of several neighbours.
std::string SparkLine(std::span<const int64_t> values, size_t max_bars);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_STEPS_H_
