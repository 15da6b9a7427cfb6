// Devices: a list of them, how long each worked, and why it was idle.

#ifndef TFPROF_INSPECT_DEVICES_DEVICES_H_
#define TFPROF_INSPECT_DEVICES_DEVICES_H_

#include <cstdint>

#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof::inspect {

// One row for each device that did something or has nodes, for the whole file
// or for the work of `step` (if not negative). timeline/activity.h defines
// which work counts, timeline/device_metrics.h defines the numbers of
// accelerators. A host has the time in which any of its threads ran an op or a
// call. Executions of an accelerator are its kernels, copies and transfers, as
// in `kernels`; the time in which the host launched them is separate. Memory is
// present if an allocator recorded it. The largest avoidable part of the wall
// time of a device (inspect/steps/account_table.h) is that of the step, or of
// the sum of all listed ones. Tables with accelerators only leave out columns
// without any value. Times are microseconds.
tables::DataTable DevicesTable(views::Views& views, int64_t step);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_DEVICES_DEVICES_H_
