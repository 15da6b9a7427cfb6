#include "bench/traces.h"

#include <algorithm>
#include <utility>

#include "bench/kineto_trace.h"
#include "bench/xplane_trace.h"
#include "fmt/format.h"

namespace tfprof {
namespace {

class CountingSink : public util::Sink {
 public:
  explicit CountingSink(util::Sink* sink) : sink_(sink) {}
  void Write(std::string_view bytes) override {
    bytes_ += static_cast<int64_t>(bytes.size());
    if (sink_ != nullptr) sink_->Write(bytes);
  }
  int64_t bytes() const { return bytes_; }

 private:
  util::Sink* sink_;
  int64_t bytes_ = 0;
};

TraceTotals Write(const TraceShape& shape, util::Sink* sink) {
  CountingSink counting(sink);
  TraceTotals totals = shape.kind == TraceKind::kKineto
                           ? WriteKinetoTrace(shape, counting)
                           : WriteXPlaneTrace(shape, counting);
  totals.bytes = counting.bytes();
  return totals;
}

}  // namespace

std::optional<TraceKind> TraceKindOf(std::string_view word) {
  if (word == "kineto") return TraceKind::kKineto;
  if (word == "tpu") return TraceKind::kXPlaneTpu;
  if (word == "gpu") return TraceKind::kXPlaneGpu;
  return std::nullopt;
}

TraceTotals WriteTrace(const TraceShape& shape, util::Sink& sink) {
  return Write(shape, &sink);
}

TraceShape ShapeForBytes(TraceShape shape, int64_t bytes) {
  // Later steps are a little larger, because their numbers are longer.
  shape.steps = 1;
  const int64_t first = Write(shape, nullptr).bytes;
  shape.steps = 2;
  const int64_t step = Write(shape, nullptr).bytes - first;
  shape.steps = 1 + std::max<int64_t>(0, bytes - first + step - 1) / step;
  return shape;
}

std::string TotalsJson(const TraceTotals& totals) {
  std::string text = fmt::format(
      "{{\"bytes\": {}, \"events\": {}, \"steps\": {}, \"ticks_per_micro\": "
      "{}, \"kernels\": {}, \"ops\": {{",
      totals.bytes, totals.events, totals.steps, totals.ticks_per_micro,
      totals.kernels);
  const char* comma = "\n";
  for (const auto& [name, op] : totals.ops) {
    text += fmt::format(
        "{}  \"{}\": {{\"runs\": {}, \"host_ticks\": {}, "
        "\"accelerator_ticks\": {}}}",
        std::exchange(comma, ",\n"), name, op.runs, op.host_ticks,
        op.accelerator_ticks);
  }
  text += "\n}}\n";
  return text;
}

}  // namespace tfprof
