// The tables of `status` about a CTF trace: its events, sessions, ops, threads,
// calls, kernels, clocks, transfers and counters, and how much of it has no
// partner. Times are nanoseconds. A table without rows is left out.

#ifndef TFPROF_EXPORTERS_REFERENCE_LTTNG_TRACE_TABLES_H_
#define TFPROF_EXPORTERS_REFERENCE_LTTNG_TRACE_TABLES_H_

#include <vector>

#include "loaders/ctf/trace_reader.h"
#include "tables/data_table.h"

namespace tfprof::ctf {

// In the order in which they are shown.
std::vector<DataDocument::Part> TraceTables(const TraceContents& trace);

}  // namespace tfprof::ctf

#endif  // TFPROF_EXPORTERS_REFERENCE_LTTNG_TRACE_TABLES_H_
