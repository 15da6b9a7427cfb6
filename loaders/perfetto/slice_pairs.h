// Pairs the begins and the ends of slices.
//
// On each track they pair as a stack, in the order of time; marks of one time
// keep the order of the file. Only if a track has all its begins first, and
// then ends that are not in the order of time, its ends are in the order of its
// begins, as PyTorch 2.15 writes them. A begin without an end lasts until the
// last time of the trace, or, as work of a GPU, until the next begin. An end
// without a begin is dropped. Both are in the log.

#ifndef TFPROF_LOADERS_PERFETTO_SLICE_PAIRS_H_
#define TFPROF_LOADERS_PERFETTO_SLICE_PAIRS_H_

#include "loaders/perfetto/packet_log.h"
#include "loaders/perfetto/trace_tables.h"

namespace tfprof::perfetto {

// Sets the durations of the slices. Takes the marks and the ends out of
// `tables`.
void PairSlices(TraceTables& tables, PacketLog& log);

}  // namespace tfprof::perfetto

#endif  // TFPROF_LOADERS_PERFETTO_SLICE_PAIRS_H_
