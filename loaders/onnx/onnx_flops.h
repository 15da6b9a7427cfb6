// Computes the float operations of ONNX operators from the shapes of one
// execution.
//
// A multiplication and an addition are two operations, as in the formulas of
// flops/. Supports matrix products and convolutions, their fused and quantized
// forms, and operators that compute each element once; other operators have
// none.

#ifndef TFPROF_LOADERS_ONNX_ONNX_FLOPS_H_
#define TFPROF_LOADERS_ONNX_ONNX_FLOPS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tfprof::onnx {

using OnnxShape = std::vector<int64_t>;

// Returns 0 if unknown; saturates. Shapes have no unknown sizes. `inputs` may
// lack the shapes of weights that the runtime has packed; for a convolution,
// `weight` is then used if it is not empty.
int64_t OnnxFloatOps(std::string_view op, std::span<const OnnxShape> inputs,
                     std::span<const OnnxShape> outputs,
                     std::span<const int64_t> weight = {});

}  // namespace tfprof::onnx

#endif  // TFPROF_LOADERS_ONNX_ONNX_FLOPS_H_
