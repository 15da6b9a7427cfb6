// The answers of the scripts of the LTTng profiler for TensorFlow, in their
// columns, for programs that read their files.
//
// Sums equal the sums of the scripts, except where these are wrong;
// g3doc/formats/ctf.md lists the differences. Times are nanoseconds. As in the
// scripts, the session of an interval is one more than the number of sessions
// that were complete at its end; the first two sessions, in which programs
// start, are left out. A text with a semicolon, a quote or a newline is quoted,
// and its quotes are doubled.

#ifndef TFPROF_EXPORTERS_REFERENCE_LTTNG_SCRIPTS_H_
#define TFPROF_EXPORTERS_REFERENCE_LTTNG_SCRIPTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "loaders/core/counter_file.h"
#include "loaders/ctf/events/trace_facts.h"
#include "loaders/ctf/model/kernel_counts.h"
#include "loaders/ctf/trace_reader.h"
#include "profile/profile.h"

namespace tfprof::exporters {

// trace_analysis.py: sessions, ops and CUDA kernels, the longest first, each of
// the three followed by the mean of each name.
std::string TraceAnalysis(const ctf::TraceFacts& facts);

// operations_latency_analysis.py: how long each op waited after its last input
// was available, for ops that have an input in the session. `profile` contains
// the graph.
std::string OperationsLatency(const ctf::TraceFacts& facts,
                              const profile::Profile& profile);

// perfcounters_analysis.py: one row for each kernel of a counter file, sorted
// by begin: session, index in the session and in all (-1 outside sessions),
// time, and the columns of the file.
std::string PerfCounters(const ctf::TraceFacts& facts,
                         const ctf::CountedKernels& counted,
                         const std::vector<loaders::CounterFile>& files);

// perfcounters_interception_analysis.py: one row for each kernel with a set of
// counters in a trace.
std::string InterceptedCounters(const ctf::TraceFacts& facts,
                                const ctf::CountedKernels& counted);

// The output of the script with this name (script_names.h) for a loaded trace
// with the profile `profile`. Reads the trace again. Errors: the trace has
// changed, or lacks the data that the script needs.
absl::StatusOr<std::string> ScriptAnswer(
    std::string_view name, const ctf::TraceReader& reader,
    const profile::Profile& profile, const util::Cancellation* cancellation);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REFERENCE_LTTNG_SCRIPTS_H_
