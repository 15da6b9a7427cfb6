// The numbers behind a timeline: for each step and device, how long it
// computed, communicated and copied, how much communication was exposed, why it
// was idle, and its longest gaps.
//
// device_figures.h defines the figures. A profile with several clocks has a
// table of them: by how much pictures move each clock, and the bounds of this
// offset (timeline/ranks/clock_offsets.h). The figures of a device are not
// moved. Times are microseconds.

#ifndef TFPROF_INSPECT_STEPS_TIMELINE_TABLE_H_
#define TFPROF_INSPECT_STEPS_TIMELINE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "tables/data_table.h"
#include "timeline/ranks/clock_offsets.h"
#include "views/views.h"

namespace tfprof::inspect {

// `step` is a step; below 0, all listed steps, for which `max_rows` (0: all)
// limits the rows of each table. `rest` is the command that shows all rows.
// FailedPrecondition: no execution in these steps has a start and a length.
absl::StatusOr<tables::DataDocument> TimelineDocument(
    views::Views& views, int64_t step, const timeline::ClockOffsets& clocks,
    size_t max_rows, std::string_view rest);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_STEPS_TIMELINE_TABLE_H_
