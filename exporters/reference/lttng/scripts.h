// The answers of the scripts of the LTTng profiler for TensorFlow, in their
// columns, for programs that read their files.
//
// Sums are those of the scripts where these are right; g3doc/formats/ctf.md
// lists where they differ. Times are nanoseconds. As in the scripts, the
// session of an interval is the number of sessions that were complete at its
// end, and one more; the first two sessions, in which programs start, are left
// out. A text with a semicolon, a quote or a new line is in quotes, which are
// doubled inside.

#ifndef TFPROF_EXPORTERS_REFERENCE_LTTNG_SCRIPTS_H_
#define TFPROF_EXPORTERS_REFERENCE_LTTNG_SCRIPTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "loaders/counter_file.h"
#include "loaders/ctf/events/trace_facts.h"
#include "loaders/ctf/model/kernel_counts.h"
#include "loaders/ctf/trace_reader.h"
#include "profile/profile.h"

namespace tfprof::ctf {

// trace_analysis.py: sessions, ops and CUDA kernels, the longest first, and
// behind each of the three the mean of each name.
std::string TraceAnalysis(const TraceFacts& facts);

// operations_latency_analysis.py: how long each op waited after the last of its
// inputs was there, for ops that have an input in the session. `profile` has
// the graph.
std::string OperationsLatency(const TraceFacts& facts, const Profile& profile);

// perfcounters_analysis.py: a row for each kernel of a counter file, in the
// order of their begins: session, place in the session and in all (-1 outside
// of sessions), time, and the columns of the file.
std::string PerfCounters(const TraceFacts& facts, const CountedKernels& counted,
                         const std::vector<CounterFile>& files);

// perfcounters_interception_analysis.py: a row for each kernel with a set of
// counters in a trace.
std::string InterceptedCounters(const TraceFacts& facts,
                                const CountedKernels& counted);

// The answer of the script with this name (script_names.h) about a trace that
// is loaded, whose profile is `profile`: its file. Reads the trace again.
// Errors: the trace has changed, or lacks what the answer is made of.
absl::StatusOr<std::string> ScriptAnswer(std::string_view name,
                                         const TraceReader& reader,
                                         const Profile& profile,
                                         const Cancellation* cancellation);

}  // namespace tfprof::ctf

#endif  // TFPROF_EXPORTERS_REFERENCE_LTTNG_SCRIPTS_H_
