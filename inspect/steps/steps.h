// Steps: how long each took, and how busy its devices were.

#ifndef TFPROF_INSPECT_STEPS_STEPS_H_
#define TFPROF_INSPECT_STEPS_STEPS_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof::inspect {

// One row for each listed step, or only for `step` if it is >= 0.
// timeline/account/step_wall.h defines the wall time, and the time until the
// devices are done with a step, which busy and idle times are parts of. A
// device is busy when it worked in this time for any step, as in step_split.h;
// idle is the time in which no accelerator was busy, or no host in a file
// without accelerators. If clocks differ, idle is measured on the one with the
// longest time. Exposed communication is communication while a device did not
// compute. Both are sums over the devices. Avoidable is the largest part of the
// account of a device (account_table.h) that is not computation; none if that
// part was not recorded, or is less than a hundredth of the wall time. Memory
// is the memory of the device that uses the most. Values that were not recorded
// (in a step kept as sums only) are missing.
//
// If the steps have phases (profile/steps/step_phases.h), so do the rows, with
// their requests and tokens, and for programs the wall time and the time in
// which any accelerator worked for the step, under names of their own:
// wall_micros and busy_micros.
//
// The busiest `max_devices` (0: all) have a column each, named after them
// ("busy_micros_gpu_0"), with the full name in DataColumn::of; a fact has the
// number of the others. With several steps, another fact draws their spans for
// people.
tables::DataTable StepsTable(views::Views& views, int64_t step,
                             size_t max_devices);

// A unique name for the column of the device `label`: "busy_micros_ps_gpu_0"
// for "ps/gpu:0". `taken` has the names so far.
std::string BusyColumn(std::string_view label, std::set<std::string>* taken);

// "▁▂▃▄▅▆▇█": one bar for each value, scaled from 0 to the largest. With more
// than `max_bars` values, a bar shows the largest of several neighbours.
std::string SparkLine(std::span<const int64_t> values, size_t max_bars);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_STEPS_STEPS_H_
