// TorchCost: the float operations and bytes of one run of a PyTorch operation,
// from the shapes and types of its arguments in the trace (`record_shapes`).
//
// A multiplication and an addition are two operations. The numbers equal those
// of torch.utils.flop_counter, which counts matrix products, convolutions and
// attention. Elementwise operations have bytes, but 0 operations. Attention
// counts all pairs, even if a mask excludes half of them.
//
// Bytes count each tensor that an operation reads or writes once, which is the
// minimum that it must move. Caches, workspaces and strides are ignored. The
// outputs of an operation are not in the trace; they are derived from its
// arguments.
//
// Numbers are not negative and saturate. Texts may be any bytes.

#ifndef TFPROF_FLOPS_TORCH_COST_H_
#define TFPROF_FLOPS_TORCH_COST_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "profile/details.h"

namespace tfprof::flops {

struct OpCost {
  enum class Outcome {
    kKnown,
    kNoFormula,     // nothing is counted for the operation
    kNoShapes,      // the trace has no (usable) shapes
    kNotSupported,  // the formula does not cover such arguments
  };
  Outcome outcome = Outcome::kNoFormula;
  int64_t flops = 0;
  int64_t bytes = 0;
  // The element size of the first operand in bytes; 0: unknown.
  int64_t element_bytes = 0;
};

// `op` is the name without its overload, such as "aten::mm".
OpCost TorchCost(std::string_view op, const profile::ArgumentList& arguments);

// Returns true if TorchCost has a formula for the op.
bool HasTorchCost(std::string_view op);
// Returns true if the op only calls others that have a formula, such as
// aten::linear. If both are in a trace, the inner one counts.
bool IsTorchWrapper(std::string_view op);

// Returns 2 for "c10::BFloat16", 0 if the type is unknown.
int64_t TorchElementBytes(std::string_view type);

// The ops, separated by spaces, and their formula, for `help flops` and g3doc.
struct TorchFormulaText {
  std::string_view ops;
  std::string_view text;
};
std::span<const TorchFormulaText> TorchFormulas();

}  // namespace tfprof::flops

#endif  // TFPROF_FLOPS_TORCH_COST_H_
