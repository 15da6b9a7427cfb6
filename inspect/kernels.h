// Kernels: what ran on the accelerators, by the names of the kernels.

#ifndef TFPROF_INSPECT_KERNELS_H_
#define TFPROF_INSPECT_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof {

// A row for each name and kind of what ran on accelerators: kernels,
// communication, copies by their direction, and sets of memory. The name is
// that in the record; an operation may run many kernels. Sorted by the sum of
// the times, the largest first; microseconds. The sum of all rows is the
// accelerator time of the op view, of everything in the file or of what belongs
// to `step` (not negative).
//
// The ops of a row are those that launched it, by their time, the first three
// in words. Copies have bytes and bytes per second where the file says how much
// they moved.
//
// `device` limits the table to one accelerator: its name ("gpu:0"), a part of
// the name at its end ("0"), or "" for all. InvalidArgument: there is no such
// device; the message names those that there are. With `max_rows` > 0 the table
// has that many rows at most.
absl::StatusOr<DataTable> KernelsTable(Views& views, int64_t step,
                                       std::string_view device,
                                       size_t max_rows);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_KERNELS_H_
