// A trace as Perfetto's protobuf messages, which are smaller than JSON and
// faster to open.
//
// The content equals chrome_trace.h. Tracks form a tree: process, device,
// track; tfprof sets their order. Names and texts are written once, then
// referenced by number. Times are nanoseconds, rounded down. They have no sign:
// if something begins before time 0, the file's times count from there. An
// arrow is a flow between two slices. Field numbers:
// perfetto/trace/trace_packet.proto and track_event/*.proto of Perfetto 40.
//
// The slices do not have all facts of a profile. So a file with all steps of a
// trace begins with its saved trace (loaders/perfetto/saved_part.h), which
// viewers skip and tfprof reads.
//
// Packets are written incrementally; memory holds the tracks, the arrows, and
// the distinct texts. Errors come from the sink.

#ifndef TFPROF_EXPORTERS_FORMATS_PERFETTO_TRACE_H_
#define TFPROF_EXPORTERS_FORMATS_PERFETTO_TRACE_H_

#include "exporters/formats/timed_trace.h"
#include "profile/profile.h"
#include "util/files/sink.h"

namespace tfprof::exporters {

// The same as WriteChromeTrace(), in this format.
TraceCounts WritePerfettoTrace(const profile::Profile& profile,
                               const TraceOptions& options, util::Sink& sink);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_FORMATS_PERFETTO_TRACE_H_
