// A sum of op times may be more than the wall time. This says why.

#ifndef TFPROF_INSPECT_SUM_NOTE_H_
#define TFPROF_INSPECT_SUM_NOTE_H_

#include <string>

#include "views/report.h"
#include "views/views.h"

namespace tfprof {

// Why the sum of the op times of a report is more than the wall time of the
// step, of the average step, or of all steps that it is about. "": it is not,
// or a wall time is not known. `views` are those of the report.
std::string SumNote(const Report& report, Views& views);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_SUM_NOTE_H_
