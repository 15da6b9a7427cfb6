// The steps of a trace: how long each took, and how busy its devices were.

#ifndef TFPROF_INSPECT_TRACE_STEPS_H_
#define TFPROF_INSPECT_TRACE_STEPS_H_

#include <cstddef>
#include <cstdint>

#include "tables/data_table.h"
#include "timeline/step_wall.h"
#include "views/views.h"

namespace tfprof {

// A row for each listed step, or for `step` (not negative). The span is the
// longest interval that the file has for the step, else from the first start to
// the last end of what ran in it. Idle is the part of the span in which no
// accelerator was busy, with work of any step; in a file without accelerators,
// in which no thread of the host was. The busy time of a device is that of the
// work that belongs to the step, which may end after it. Exposed communication
// is that of accelerators while they did not compute.
//
// `max_devices`: as for StepsTable.
DataTable TraceStepsTable(Views& views, int64_t step, size_t max_devices);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_TRACE_STEPS_H_
