// TorchCost: the float operations and bytes of one run of a PyTorch operation,
// from the shapes and types of its arguments in the trace (`record_shapes`).
//
// A multiplication and an addition are two operations. The figures are those of
// torch.utils.flop_counter, which counts products of matrices, convolutions and
// attention. Elementwise operations have 0, and bytes only. Attention counts
// all pairs, even if a mask leaves half of them out.
//
// Bytes are the tensors that an operation reads and writes, each once: the
// least that it must move. Caches, workspaces and strides are not in it. The
// outputs of an operation are not in the trace; they follow from its arguments.
//
// Figures are not negative and saturate. Texts may be any bytes.

#ifndef TFPROF_FLOPS_TORCH_COST_H_
#define TFPROF_FLOPS_TORCH_COST_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "profile/details.h"

namespace tfprof {

struct OpCost {
  enum class Outcome {
    kKnown,
    kNoFormula,     // of this operation
    kNoShapes,      // the trace has no (usable) shapes
    kNotSupported,  // the formula does not cover such arguments
  };
  Outcome outcome = Outcome::kNoFormula;
  int64_t flops = 0;
  int64_t bytes = 0;
  // The size of an element of the first operand; 0: not known.
  int64_t element_bytes = 0;
};

// `op` without its overload: "aten::mm".
OpCost TorchCost(std::string_view op, const ArgumentList& arguments);

// Whether TorchCost has a formula for the op.
bool HasTorchCost(std::string_view op);
// Whether the op only calls others that have a formula, such as aten::linear.
// Where both are in a trace, the inner one counts.
bool IsTorchWrapper(std::string_view op);

// "c10::BFloat16" is 2; 0: not known.
int64_t TorchElementBytes(std::string_view type);

// For `help flops` and the page: the ops, separated by blanks, and the formula.
struct TorchFormulaText {
  std::string_view ops;
  std::string_view text;
};
std::span<const TorchFormulaText> TorchFormulas();

}  // namespace tfprof

#endif  // TFPROF_FLOPS_TORCH_COST_H_
