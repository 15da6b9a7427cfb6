// Tracks: reads the descriptions of tracks, and the names of processes.
//
// A track is a thread, a process, a counter or any row below another track. The
// last description of a track counts. Functions return false if a message is
// damaged; what is before the damage counts.
//
// Source: perfetto/trace/track_event/track_descriptor.proto and its imports

#ifndef TFPROF_LOADERS_PERFETTO_TRACKS_H_
#define TFPROF_LOADERS_PERFETTO_TRACKS_H_

#include <string_view>

#include "loaders/perfetto/trace_tables.h"

namespace tfprof::perfetto {

bool ReadTrackDescriptor(std::string_view bytes, TraceTables& tables);
// Of a ProcessTree.
bool ReadProcessTree(std::string_view bytes, TraceTables& tables);
// Of a ProcessDescriptor that is a packet of its own.
bool ReadProcessName(std::string_view bytes, TraceTables& tables);

}  // namespace tfprof::perfetto

#endif  // TFPROF_LOADERS_PERFETTO_TRACKS_H_
