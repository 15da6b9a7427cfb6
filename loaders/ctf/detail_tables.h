// Tables of `status` about a CTF trace: what processes sent each other, and
// sums of ops by device, of work by queue, of ranges, of allocators and of log
// lines. A table
// without rows is left out. Times are nanoseconds.

#ifndef TFPROF_LOADERS_CTF_DETAIL_TABLES_H_
#define TFPROF_LOADERS_CTF_DETAIL_TABLES_H_

#include <vector>

#include "loaders/ctf/trace_facts.h"
#include "loaders/trace_report.h"

namespace tfprof::ctf {

// Requests for tensors in sum and each, local rendezvous, and other calls.
void AddTransferTables(const TraceFacts& facts,
                       std::vector<TraceReport::Table>& tables);

// Ops by device, work by queue, ranges by kind, numbers of allocators, lines of
// logs.
void AddDetailTables(const TraceFacts& facts,
                     std::vector<TraceReport::Table>& tables);

// The ops of each session, by TraceFacts::sessions: those of its process that
// ran between its begin and its end.
std::vector<CallSum> SumBySession(const TraceFacts& facts);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_DETAIL_TABLES_H_
