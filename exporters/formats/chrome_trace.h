// A trace as trace events in JSON, for chrome://tracing and Perfetto: the
// recorded executions, lane by lane, not a view of them.
//
// Each track (timeline/tracks.h) is a thread of its process, ordered by device.
// Its number is not the number of a thread of the program; the name of the
// track contains that thread's name and number. The first thread has the steps.
// An execution is a complete event whose name is the operation, with the node,
// the step, inputs, shapes, the data of a transfer, and the arguments of its
// record. Links are arrows, and so is the dataflow of TensorFlow 1 between
// tracks; counters are counters. Times are microseconds with all digits of the
// profile.
//
// tfprof opens the file again as a chrome trace. Text is written incrementally.
// Errors come from the sink.

#ifndef TFPROF_EXPORTERS_FORMATS_CHROME_TRACE_H_
#define TFPROF_EXPORTERS_FORMATS_CHROME_TRACE_H_

#include "exporters/formats/timed_trace.h"
#include "profile/profile.h"
#include "util/files/sink.h"

namespace tfprof::exporters {

TraceCounts WriteChromeTrace(const profile::Profile& profile,
                             const TraceOptions& options, util::Sink& sink);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_FORMATS_CHROME_TRACE_H_
