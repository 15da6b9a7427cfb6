// The names of the scripts in scripts.h, as values of the option -output.

#ifndef TFPROF_EXPORTERS_REFERENCE_LTTNG_SCRIPT_NAMES_H_
#define TFPROF_EXPORTERS_REFERENCE_LTTNG_SCRIPT_NAMES_H_

#include <string_view>

namespace tfprof::exporters {

inline constexpr std::string_view kTraceAnalysis = "trace_analysis";
inline constexpr std::string_view kOperationsLatency =
    "operations_latency_analysis";
inline constexpr std::string_view kPerfCounters = "perfcounters_analysis";
inline constexpr std::string_view kInterceptedCounters =
    "perfcounters_interception_analysis";

inline constexpr std::string_view kScriptNames[] = {
    kTraceAnalysis, kOperationsLatency, kPerfCounters, kInterceptedCounters};

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REFERENCE_LTTNG_SCRIPT_NAMES_H_
