// A trace as trace events in JSON, for chrome://tracing and Perfetto: what was
// recorded, lane by lane, not a view of it.
//
// Each track (timeline/tracks.h) is a thread of its process, ordered by device;
// its number is not that of a thread of the program, whose name and number are
// in its name. A first thread has the steps. An execution is a complete event
// whose name is the operation, with the node, the step, inputs, shapes, what a
// transfer moved, and the arguments of its record. Links are arrows, and so is
// the dataflow of TensorFlow 1 between tracks; counters are counters. Times are
// microseconds with all digits that the profile has.
//
// tfprof opens the file again as a chrome trace. Text is written as it is made.
// Errors are the sink's.

#ifndef TFPROF_EXPORTERS_FORMATS_CHROME_TRACE_H_
#define TFPROF_EXPORTERS_FORMATS_CHROME_TRACE_H_

#include "exporters/formats/timed_trace.h"
#include "profile/profile.h"
#include "util/sink.h"

namespace tfprof {

TraceContents WriteChromeTrace(const Profile& profile,
                               const TraceOptions& options, Sink& sink);

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_FORMATS_CHROME_TRACE_H_
