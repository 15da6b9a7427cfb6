// Roofline: the limit of each operation, and how much of the device's peak it
// reaches.

#ifndef TFPROF_INSPECT_DEVICES_ROOFLINE_H_
#define TFPROF_INSPECT_DEVICES_ROOFLINE_H_

#include <cstdint>
#include <optional>

#include "flops/device_peaks.h"
#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof::inspect {

// Returns three tables. "peaks" has one row for each model of accelerator, with
// its peaks and their source (`given`: from the user, for all). "ops" has one
// row for each type of operation that took time or has figures, sorted by time:
//
//   flops, bytes_accessed   of all its runs (flops/op_costs.h)
//   intensity               flops per byte
//   flops_per_second, bytes_per_second   over the time of the runs with
//                           figures; unrated_micros is the time of the others
//   bound                   "compute" if the intensity is at or above the ridge
//                           of the device (peak operations / peak bytes), else
//                           "memory"
//   peak_share              the share of the peak that bounds it
//   peak                    that peak: "memory", "16-bit" operations
//                           or "32-bit" ones (PeaksAt())
//
// "steps" has for each listed step its span, operations and MFU: the operations
// divided by the number that all accelerators could have done in the span.
// Times are microseconds. With several models, the peaks of the first one
// count. `step` is one step, kAllSteps for the whole file, or another negative
// number for the listed steps. The first `max_ops` (0: all) operations are
// listed.
tables::DataDocument RooflineDocument(
    views::Views& views, int64_t step,
    const std::optional<flops::DevicePeaks>& given, size_t max_ops);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_DEVICES_ROOFLINE_H_
