// Gives the slices of a Perfetto trace to the loaders of Kineto or of chrome
// traces, as the events that these read from their own files, so that one set
// of rules makes the facts.
//
// A trace that has work of GPUs, operators or launches is like a Kineto trace,
// any other one like a chrome trace. A launch is found by its correlation, else
// by a flow: then both get a number. A trace may hold several recordings one
// behind the other, whose correlations are equal: what no flow and no common
// process joins is a recording of its own. It is named FILE.rank0, …
//
// The arguments of all events together have at most kMaxArgumentGrowth times
// the bytes of the trace, or kMinArguments; beyond, they are left out and
// counted.

#ifndef TFPROF_LOADERS_PERFETTO_TRACE_EVENTS_H_
#define TFPROF_LOADERS_PERFETTO_TRACE_EVENTS_H_

#include <cstddef>
#include <vector>

#include "loaders/chrome_json/event_source.h"
#include "loaders/core/load_context.h"
#include "loaders/perfetto/trace_tables.h"

namespace tfprof::perfetto {

inline constexpr size_t kMaxArgumentGrowth = 64;
inline constexpr size_t kMinArguments = size_t{256} << 20;

struct TraceInputs {
  bool is_kineto = false;
  std::vector<chrome_json::TraceInput> inputs;  // one for each recording
};

// Takes a trace whose slices are paired. The context must outlive the inputs.
TraceInputs MakeTraceInputs(TraceTables tables, loaders::LoadContext& context);

}  // namespace tfprof::perfetto

#endif  // TFPROF_LOADERS_PERFETTO_TRACE_EVENTS_H_
