// The numbers behind a timeline: for each step and device, how long it
// computed, communicated and copied, how much of the communication nothing hid,
// why it was idle, and its longest gaps.
//
// The figures are those of device_figures.h. A profile with several clocks has
// a table of them: how far the pictures move each, and the bounds of that
// (timeline/clock_offsets.h); the figures of a device are not moved.
// Microseconds.

#ifndef TFPROF_INSPECT_TIMELINE_TABLE_H_
#define TFPROF_INSPECT_TIMELINE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "tables/data_table.h"
#include "timeline/clock_offsets.h"
#include "views/views.h"

namespace tfprof {

// `step`: a step; below 0 all listed steps, for which `max_rows` (0: all)
// limits the rows of a table. `rest`: the command that shows all rows.
// FailedPrecondition: nothing in these steps has a start and a length.
absl::StatusOr<DataDocument> TimelineDocument(Views& views, int64_t step,
                                              const ClockOffsets& clocks,
                                              size_t max_rows,
                                              std::string_view rest);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_TIMELINE_TABLE_H_
