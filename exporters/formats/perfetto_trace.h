// A trace as Perfetto's own protobuf messages: smaller than JSON, and quicker
// to open.
//
// The content is that of chrome_trace.h. Tracks are a tree: process, device,
// track; their order is ours. Names and texts are written once and then named
// by number. Times are nanoseconds; where the profile has parts of one, they
// are rounded down. An arrow is a flow between two slices. Field numbers:
// perfetto/trace/trace_packet.proto and track_event/*.proto of Perfetto 40.
//
// Packets are written as they are made; memory is that of the tracks, of the
// arrows, and of the distinct texts. Errors are the sink's.

#ifndef TFPROF_EXPORTERS_FORMATS_PERFETTO_TRACE_H_
#define TFPROF_EXPORTERS_FORMATS_PERFETTO_TRACE_H_

#include "exporters/formats/timed_trace.h"
#include "profile/profile.h"
#include "util/sink.h"

namespace tfprof {

// As WriteChromeTrace().
TraceContents WritePerfettoTrace(const Profile& profile,
                                 const TraceOptions& options, Sink& sink);

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_FORMATS_PERFETTO_TRACE_H_
