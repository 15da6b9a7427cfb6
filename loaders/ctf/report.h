// Makes the report of a trace from its facts (loaders/trace_report.h).

#ifndef TFPROF_LOADERS_CTF_REPORT_H_
#define TFPROF_LOADERS_CTF_REPORT_H_

#include <vector>

#include "loaders/ctf/attribution.h"
#include "loaders/ctf/host_clocks.h"
#include "loaders/ctf/trace_facts.h"
#include "loaders/ctf/trace_files.h"
#include "loaders/trace_report.h"

namespace tfprof::ctf {

TraceReport MakeReport(const TraceFiles& files, const TraceFacts& facts,
                       const Attribution& attribution,
                       const std::vector<HostClock>& hosts);

// "kernel", "copy" or "other".
std::string_view WorkName(Work work);

// The time that a union of intervals takes.
int64_t UnionOf(std::vector<std::pair<int64_t, int64_t>> intervals);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_REPORT_H_
