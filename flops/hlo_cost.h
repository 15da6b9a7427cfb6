// HloCost: the float operations and bytes of one run of an HLO instruction,
// from its shape and those of its operands.
//
// Files of GPUs and CPUs have no such figures; TPUs write their own. Products
// and convolutions count 2 operations for a multiplication and an addition; a
// fusion has the operations of what was fused. All other instructions have 0
// operations. Bytes are those of the operands and of the result, each once: a
// fusion reads its operands and nothing in between.
//
// The dimension numbers of products and convolutions are not in the profile.
// A product is read as XLA writes it: batch dimensions first in the result, and
// one contracted dimension, or more if that does not fit. A convolution has the
// output features last in filter and result, or first in the filter and second
// in the result. Shapes that fit neither have no figure.
//
// Figures are not negative and saturate.

#ifndef TFPROF_FLOPS_HLO_COST_H_
#define TFPROF_FLOPS_HLO_COST_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "flops/torch_cost.h"
#include "profile/profile.h"

namespace tfprof {

struct HloShape {
  std::vector<int64_t> dims;
  int64_t element_bytes = 0;  // 0: not known
};

// The arrays of "f32[8,128]{1,0}" or "(f32[2], s32[])", in their order. Empty:
// the text is no shape.
std::vector<HloShape> ParseHloShapes(std::string_view text);

// The operations of a product and of a convolution; nullopt: the shapes do not
// fit.
std::optional<int64_t> HloDotFlops(const HloShape& left, const HloShape& right,
                                   const HloShape& result);
std::optional<int64_t> HloConvolutionFlops(const HloShape& image,
                                           const HloShape& filter,
                                           const HloShape& result);

// Of one run of a node that is an HLO instruction; kNoFormula for others.
OpCost HloCost(const Profile& profile, NodeId n);

}  // namespace tfprof

#endif  // TFPROF_FLOPS_HLO_COST_H_
