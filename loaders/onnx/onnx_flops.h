// Float operations of ONNX operators, from the shapes of one execution.
//
// A multiplication and an addition are two operations, as in the formulas of
// flops/. Known are the matrix products and convolutions, their fused and
// quantized forms, and operators that compute each element once; other
// operators have none.

#ifndef TFPROF_LOADERS_ONNX_ONNX_FLOPS_H_
#define TFPROF_LOADERS_ONNX_ONNX_FLOPS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tfprof {

using OnnxShape = std::vector<int64_t>;

// 0: not known. Shapes are without unknown sizes; `inputs` may lack those of
// weights that the runtime has packed before, `weight` (of a convolution) is
// then taken instead, if it is not empty. Saturates.
int64_t OnnxFloatOps(std::string_view op, std::span<const OnnxShape> inputs,
                     std::span<const OnnxShape> outputs,
                     std::span<const int64_t> weight = {});

}  // namespace tfprof

#endif  // TFPROF_LOADERS_ONNX_ONNX_FLOPS_H_
