// The tables of `status` about a CTF trace: its events, sessions, ops, threads,
// calls, kernels, clocks, transfers and counters, and its unpaired events.
// Times are nanoseconds. A table without rows is left out.

#ifndef TFPROF_EXPORTERS_REFERENCE_LTTNG_STATUS_TABLES_H_
#define TFPROF_EXPORTERS_REFERENCE_LTTNG_STATUS_TABLES_H_

#include <vector>

#include "loaders/ctf/trace_reader.h"
#include "tables/data_table.h"

namespace tfprof::exporters {

// The tables, in display order.
std::vector<tables::DataDocument::Part> TraceTables(
    const ctf::TraceContents& trace);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REFERENCE_LTTNG_STATUS_TABLES_H_
