// The executions of serialized StepStats messages, as they are written: devices
// and executions in the order of the file, a device once for each of its
// DeviceStepStats. What the reference's programs read in names and labels is
// read here in the same way.
//
// Texts are views into the messages. Damaged fields end the message that they
// are in: what was before them is there. Times are microseconds, of any value.

#ifndef TFPROF_EXPORTERS_REFERENCE_STEP_STATS_H_
#define TFPROF_EXPORTERS_REFERENCE_STEP_STATS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "util/arithmetic.h"

namespace tfprof {

// One NodeExecStats.
struct StepStatsOp {
  std::string_view name;
  std::string_view label;
  std::string_view message;
  int64_t start = 0;   // all_start_micros
  int64_t length = 0;  // all_end_rel_micros
  uint32_t lane = 0;   // for the caller

  int64_t end() const { return WrapAdd(start, length); }
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

// "[cpu 4.5MB 6.0MB] a = MatMul(x, y)", as the reference's programs read it:
// the regular expression (.*) = (.*)\((.*)\) at the start of the first line.
// nullopt: it is none.
std::optional<OpLabel> ParseLabel(std::string_view label);

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_REFERENCE_STEP_STATS_H_
