// Kernels: the work that ran on the accelerators, by kernel name.

#ifndef TFPROF_INSPECT_DEVICES_KERNELS_H_
#define TFPROF_INSPECT_DEVICES_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof::inspect {

// One row for each name and kind of work on accelerators: kernels,
// communication, copies by direction, and memory sets. The name is the name in
// the record; an operation may run many kernels. Rows are sorted by the sum of
// times, largest first; times are microseconds. The sum of all rows is the
// accelerator time of the op view, for the whole file or for the work of `step`
// (if not negative).
//
// The ops of a row are the ops that launched it, sorted by time; the text names
// the first three. Copies have bytes and bytes per second if the file has their
// sizes.
//
// `device` limits the table to one accelerator: its name ("gpu:0"), the end of
// its name ("0"), or "" for all. InvalidArgument: there is no such device; the
// message lists the devices. If `max_rows` > 0, the table has at most that many
// rows.
absl::StatusOr<tables::DataTable> KernelsTable(views::Views& views,
                                               int64_t step,
                                               std::string_view device,
                                               size_t max_rows);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_DEVICES_KERNELS_H_
