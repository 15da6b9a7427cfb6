// The devices of a trace: how long each worked, and why it did not.

#ifndef TFPROF_INSPECT_TRACE_DEVICES_H_
#define TFPROF_INSPECT_TRACE_DEVICES_H_

#include <cstdint>

#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof {

// A row for each device that did something, of everything in the file or of
// what belongs to `step` (not negative). timeline/trace_metrics.h defines the
// numbers of accelerators; a host has the time in which any of its threads ran
// an op or a launch. Microseconds.
DataTable TraceDevicesTable(Views& views, int64_t step);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_TRACE_DEVICES_H_
