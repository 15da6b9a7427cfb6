// Tables of `status` about parts of a CTF trace: transfers between processes,
// and sums of ops by device, of work by queue, of ranges, of allocators and of
// log lines.

#ifndef TFPROF_EXPORTERS_REFERENCE_LTTNG_DETAIL_TABLES_H_
#define TFPROF_EXPORTERS_REFERENCE_LTTNG_DETAIL_TABLES_H_

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/ctf/events/trace_facts.h"
#include "tables/data_table.h"

namespace tfprof::exporters {

// Adds requests for tensors (sums, then each one), local rendezvous, and other
// calls.
void AddTransferTables(const ctf::TraceFacts& facts,
                       std::vector<tables::DataDocument::Part>& parts);

// Adds ops by device, work by queue, ranges by kind, statistics of allocators,
// and lines of logs.
void AddDetailTables(const ctf::TraceFacts& facts,
                     std::vector<tables::DataDocument::Part>& parts);

// The sums of the ops in each session, by TraceFacts::sessions: ops of its
// process that ran between its begin and its end.
std::vector<ctf::CallSum> SumBySession(const ctf::TraceFacts& facts);

// "kernel", "copy" or "other".
std::string_view WorkName(ctf::DeviceWork work);

// The length of the union of intervals.
int64_t UnionOf(std::vector<std::pair<int64_t, int64_t>> intervals);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REFERENCE_LTTNG_DETAIL_TABLES_H_
