// Traces of any size, made from nothing but parameters: a training loop of
// PyTorch as Kineto JSON, and one of JAX as an XSpace with TPUs or GPUs. Their
// writers know what they write, so they return exact totals, which a reader can
// be held to. Equal shapes give equal bytes.
//
// Times of a trace are in ticks: nanoseconds (Kineto), picoseconds (XSpace).

#ifndef TFPROF_BENCH_TRACES_H_
#define TFPROF_BENCH_TRACES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "util/sink.h"

namespace tfprof {

enum class TraceKind { kKineto, kXPlaneTpu, kXPlaneGpu };

// "kineto", "tpu", "gpu"; nothing for other words.
std::optional<TraceKind> TraceKindOf(std::string_view word);

struct TraceShape {
  TraceKind kind = TraceKind::kKineto;
  int64_t steps = 1;
  // Each layer is three operators with about 33 events (Kineto), or ten HLO
  // instructions on each device (XSpace).
  int64_t layers = 1000;
  // Of an XSpace. A Kineto file is of one process, which has one.
  int64_t devices = 8;
};

// The sums of one op, as the op view shows them: time without what runs inside.
struct OpTotal {
  int64_t runs = 0;
  int64_t host_ticks = 0;
  // Of the kernels that it launched, or of what a TPU executes.
  int64_t accelerator_ticks = 0;
  friend bool operator==(const OpTotal&, const OpTotal&) = default;
};

struct TraceTotals {
  int64_t bytes = 0;
  int64_t events = 0;  // all of the file, facts and arrows included
  int64_t steps = 0;
  int64_t ticks_per_micro = 1;
  // The kernels and what else runs on accelerators, as often as it runs.
  int64_t kernels = 0;
  std::map<std::string, OpTotal> ops;
};

TraceTotals WriteTrace(const TraceShape& shape, Sink& sink);

// The shape with as many steps as give at least `bytes`.
TraceShape ShapeForBytes(TraceShape shape, int64_t bytes);

// {"bytes": …, "ops": {"aten::mm": {"runs": …}}}, one line for each op.
std::string TotalsJson(const TraceTotals& totals);

}  // namespace tfprof

#endif  // TFPROF_BENCH_TRACES_H_
