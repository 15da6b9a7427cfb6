// Generates traces of any size from parameters only: a training loop of PyTorch
// as Kineto JSON, and one of JAX as an XSpace with TPUs or GPUs. The writers
// return exact totals, against which a reader can be tested. Equal shapes give
// equal bytes.
//
// Times of a trace are in ticks: nanoseconds (Kineto), picoseconds (XSpace).

#ifndef TFPROF_BENCH_TRACES_H_
#define TFPROF_BENCH_TRACES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "util/files/sink.h"

namespace tfprof {

enum class TraceKind { kKineto, kXPlaneTpu, kXPlaneGpu };

// Parses "kineto", "tpu" or "gpu"; nullopt for other words.
std::optional<TraceKind> TraceKindOf(std::string_view word);

struct TraceShape {
  TraceKind kind = TraceKind::kKineto;
  int64_t steps = 1;
  // Each layer is three operators with about 33 events (Kineto), or ten HLO
  // instructions on each device (XSpace).
  int64_t layers = 1000;
  // The number of devices in an XSpace. A Kineto file describes one process
  // with one device.
  int64_t devices = 8;
};

// The sums of one op as in the op view. Times exclude nested events.
struct OpTotal {
  int64_t runs = 0;
  int64_t host_ticks = 0;
  // The time of the kernels that the op launched, or of its work on a TPU.
  int64_t accelerator_ticks = 0;
  friend bool operator==(const OpTotal&, const OpTotal&) = default;
};

struct TraceTotals {
  int64_t bytes = 0;
  int64_t events = 0;  // all of the file, facts and arrows included
  int64_t steps = 0;
  int64_t ticks_per_micro = 1;
  // The executions of kernels and other work on accelerators.
  int64_t kernels = 0;
  std::map<std::string, OpTotal> ops;
};

TraceTotals WriteTrace(const TraceShape& shape, util::Sink& sink);

// The shape with the fewest steps that give at least `bytes`.
TraceShape ShapeForBytes(TraceShape shape, int64_t bytes);

// {"bytes": …, "ops": {"aten::mm": {"runs": …}}}, one line for each op.
std::string TotalsJson(const TraceTotals& totals);

}  // namespace tfprof

#endif  // TFPROF_BENCH_TRACES_H_
