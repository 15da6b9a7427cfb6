// Steps: how long each took, and what its devices did meanwhile.

#ifndef TFPROF_INSPECT_STEPS_H_
#define TFPROF_INSPECT_STEPS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof {

// A row for each step; with `step` >= 0 for that one. A step's span is from
// its first record to its last end, of the task with the longest where there
// are several, because clocks of tasks differ; idle is how much of it nothing
// ran in that task. Where the input says when a step began and ended
// (profile/step_intervals.h), that is its span instead: of the process with the
// longest. A device is busy while anything of it runs, however much
// at a time. Memory is that of the fullest device. What is not recorded (a step
// kept as sums only) is no value.
//
// The busiest `max_devices` (0: all) have a column each, named after them
// ("busy_micros_gpu_0") and in full in DataColumn::of; a fact says how many
// more there are. Of several steps another fact, for people, draws the spans.
DataTable StepsTable(Views& views, int64_t step, size_t max_devices);

// "▁▂▃▄▅▆▇█", a bar for each value, from 0 up to the largest. Of more than
// `max_bars` values, a bar stands for the largest of several neighbours.
std::string SparkLine(std::span<const int64_t> values, size_t max_bars);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_STEPS_H_
