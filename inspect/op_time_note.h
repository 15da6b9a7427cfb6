// Explains what may surprise in the times of a report: a sum that is larger
// than the wall time, and one launch that has the time of a whole graph.

#ifndef TFPROF_INSPECT_OP_TIME_NOTE_H_
#define TFPROF_INSPECT_OP_TIME_NOTE_H_

#include <string>

#include "views/report.h"
#include "views/views.h"

namespace tfprof::inspect {

// The reason why the sum of the op times of a report is larger than the wall
// time of its step, of the average step, or of all its steps. "" if it is not
// larger, or if a wall time is unknown. `views` must be the views of the
// report.
std::string SumNote(const views::Report& report, views::Views& views);

// How much of the accelerators' time is kernels of replayed graphs that nothing
// names, and what helps. "" if it is little.
std::string ReplayNote(const profile::Profile& profile);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_OP_TIME_NOTE_H_
