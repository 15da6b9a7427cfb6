// Steps: how long each took, and how busy its devices were.

#ifndef TFPROF_INSPECT_STEPS_H_
#define TFPROF_INSPECT_STEPS_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof {

// A row for each listed step; with `step` >= 0 for that one. The wall time is
// that of timeline/step_wall.h. Idle is the part of it in which no accelerator
// was busy, with work of any step; in a file without accelerators, in which no
// host was. Where clocks differ, both are those of the clock with the longest
// wall time. The busy time of a device is that of the work that belongs to the
// step, which may end after it. Exposed communication is that of devices while
// they did not compute; both are sums over the devices. Memory is that of the
// device with the most. Values that were not recorded (of a step kept as sums
// only) are missing.
//
// The busiest `max_devices` (0: all) have a column each, named after them
// ("busy_micros_gpu_0") and in full in DataColumn::of; a fact says how many
// more there are. With several steps, another fact draws their spans for
// people.
DataTable StepsTable(Views& views, int64_t step, size_t max_devices);

// A unique name for the column of the device `label`: "busy_micros_ps_gpu_0"
// for "ps/gpu:0". `taken` has those so far.
std::string BusyColumn(std::string_view label, std::set<std::string>* taken);

// "▁▂▃▄▅▆▇█", a bar for each value, from 0 to the largest. With more than
// `max_bars` values, a bar is for the largest of several neighbours.
std::string SparkLine(std::span<const int64_t> values, size_t max_bars);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_STEPS_H_
