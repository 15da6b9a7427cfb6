// A trace as trace events in JSON, for chrome://tracing and Perfetto: what was
// recorded, lane by lane, not a view of it.
//
// Each lane is a thread of its process. An execution is a complete event whose
// name is the operation, with the node, the step and the arguments of its
// record; one outside of all nodes has its own name. Links are arrows, counters
// are counters. Times are microseconds with all digits that the profile has.
//
// tfprof opens the file again as a chrome trace. Errors are the sink's.

#ifndef TFPROF_EXPORTERS_FORMATS_CHROME_TRACE_H_
#define TFPROF_EXPORTERS_FORMATS_CHROME_TRACE_H_

#include "profile/profile.h"
#include "util/sink.h"

namespace tfprof {

// `step`: the one that is written; below 0: all, and what is in none.
void WriteChromeTrace(const Profile& profile, int64_t step, Sink& sink);

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_FORMATS_CHROME_TRACE_H_
