// The numbers behind a timeline: for each step and device, how long it
// computed, communicated and copied, how much of the communication nothing hid,
// why it was idle, and its longest gaps.
//
// Wall, busy, compute, communication, copies and idle are those of
// step_split.h, each a union of intervals. Overlap is the time in which the
// device computes and communicates; exposed communication is the rest of the
// communication. For an accelerator of a trace, idle time is divided as in
// timeline/trace_metrics.h: waiting (work was launched, and had not begun),
// host bound (nothing was launched), other (the file does not say which, or the
// time is before its first run or after its last). For one of TensorFlow 1, it
// is host bound while the host works for it, else other. Microseconds.

#ifndef TFPROF_INSPECT_TIMELINE_TABLE_H_
#define TFPROF_INSPECT_TIMELINE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof {

// `step`: a step; below 0 all listed steps, for which `max_rows` (0: all)
// limits the rows of a table. `rest`: the command that shows all rows.
// FailedPrecondition: nothing in these steps has a start and a length.
absl::StatusOr<DataDocument> TimelineDocument(Views& views, int64_t step,
                                              size_t max_rows,
                                              std::string_view rest);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_TIMELINE_TABLE_H_
