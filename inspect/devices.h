// Devices: a list of them, and how long each was busy.

#ifndef TFPROF_INSPECT_DEVICES_H_
#define TFPROF_INSPECT_DEVICES_H_

#include <cstdint>

#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof {

// A row for each device, which includes its streams and copy engines; sums over
// all steps, or of `step`. Busy shares are of the spans of the device's task. A
// GPU's launches are the time in which the host worked for it. A trace has
// other columns (trace_devices.h).
DataTable DevicesTable(Views& views, int64_t step);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_DEVICES_H_
