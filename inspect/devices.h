// Devices: a list of them, how long each worked, and why it did not.

#ifndef TFPROF_INSPECT_DEVICES_H_
#define TFPROF_INSPECT_DEVICES_H_

#include <cstdint>

#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof {

// A row for each device that did something or has nodes, of everything in the
// file or of what belongs to `step` (not negative). timeline/activity.h says
// what counts, timeline/device_metrics.h defines the numbers of accelerators. A
// host has the time in which any of its threads ran an op or a call. Executions
// of an accelerator are its kernels, copies and transfers, as in `kernels`; the
// host's work for it is its time of launching. Memory is there where an
// allocator recorded it. Columns that no device has a value for are left out of
// tables with accelerators only. Microseconds.
DataTable DevicesTable(Views& views, int64_t step);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_DEVICES_H_
