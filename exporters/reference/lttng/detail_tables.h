// Tables of `status` about parts of a CTF trace: what processes sent each
// other, and sums of ops by device, of work by queue, of ranges, of allocators
// and of log lines.

#ifndef TFPROF_EXPORTERS_REFERENCE_LTTNG_DETAIL_TABLES_H_
#define TFPROF_EXPORTERS_REFERENCE_LTTNG_DETAIL_TABLES_H_

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/ctf/events/trace_facts.h"
#include "tables/data_table.h"

namespace tfprof::ctf {

// Requests for tensors in sum and each, local rendezvous, and other calls.
void AddTransferTables(const TraceFacts& facts,
                       std::vector<DataDocument::Part>& parts);

// Ops by device, work by queue, ranges by kind, numbers of allocators, lines of
// logs.
void AddDetailTables(const TraceFacts& facts,
                     std::vector<DataDocument::Part>& parts);

// The ops of each session, by TraceFacts::sessions: those of its process that
// ran between its begin and its end.
std::vector<CallSum> SumBySession(const TraceFacts& facts);

// "kernel", "copy" or "other".
std::string_view WorkName(DeviceWork work);

// The time that a union of intervals takes.
int64_t UnionOf(std::vector<std::pair<int64_t, int64_t>> intervals);

}  // namespace tfprof::ctf

#endif  // TFPROF_EXPORTERS_REFERENCE_LTTNG_DETAIL_TABLES_H_
