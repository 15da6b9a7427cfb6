// The executions of serialized StepStats messages, in file order: devices, once
// for each DeviceStepStats, and executions. Names and labels are parsed as in
// the reference's programs.
//
// Texts are views into the messages. A damaged field ends its message: the
// fields before it are kept. Times are microseconds, of any value.

#ifndef TFPROF_EXPORTERS_REFERENCE_STEP_STATS_H_
#define TFPROF_EXPORTERS_REFERENCE_STEP_STATS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "util/arithmetic.h"

namespace tfprof::exporters {

// One NodeExecStats.
struct StepStatsOp {
  std::string_view name;
  std::string_view label;
  std::string_view message;
  int64_t start = 0;   // all_start_micros
  int64_t length = 0;  // all_end_rel_micros
  uint32_t lane = 0;   // for the caller

  int64_t end() const { return util::WrapAdd(start, length); }
};

// One DeviceStepStats.
struct StepStatsDevice {
  std::string_view name;
  std::vector<StepStatsOp> ops;
  // Its ops are kernels and copies.
  bool is_gpu_tracer = false;
};

std::vector<StepStatsDevice> ReadStepStats(
    std::span<const std::string_view> step_stats);

struct KernelName {
  std::string_view name;
  std::optional<std::string_view> op;
};

// "… @@conv1:Conv2D#…", or a node name "conv1:Conv2D".
KernelName ParseKernel(const StepStatsOp& kernel);

struct OpLabel {
  std::string_view op;
  std::vector<std::string_view> inputs;
};

// Parses "[cpu 4.5MB 6.0MB] a = MatMul(x, y)" as the reference's programs do,
// with the regular expression (.*) = (.*)\((.*)\) at the start of the first
// line. nullopt: the text does not match.
std::optional<OpLabel> ParseLabel(std::string_view label);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REFERENCE_STEP_STATS_H_
