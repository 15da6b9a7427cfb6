// HloCost: the float operations and bytes of one run of an HLO instruction,
// from its shape and the shapes of its operands.
//
// Files of GPUs and CPUs do not have these numbers; files of TPUs do. In matrix
// products and convolutions, a multiplication and an addition count as 2
// operations; a fusion has the operations of its computation. All other
// instructions have 0 operations. Bytes count each operand and the result once:
// a fusion reads its operands and nothing in between.
//
// The dimension numbers of products and convolutions are not in the profile.
// Products are assumed to have the form that XLA writes: batch dimensions first
// in the result, and one contracted dimension, or more if one does not match. A
// convolution has the output features last in filter and result, or first in
// the filter and second in the result. The cost is unknown if the shapes match
// neither form.
//
// Numbers are not negative and saturate.

#ifndef TFPROF_FLOPS_HLO_COST_H_
#define TFPROF_FLOPS_HLO_COST_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "flops/torch_cost.h"
#include "profile/profile.h"

namespace tfprof::flops {

struct HloShape {
  std::vector<int64_t> dims;
  int64_t element_bytes = 0;  // 0: unknown
};

// Returns the arrays in "f32[8,128]{1,0}" or "(f32[2], s32[])", in order. Empty
// if the text is not a shape.
std::vector<HloShape> ParseHloShapes(std::string_view text);

// Return the operations of a product and of a convolution, or nullopt if the
// shapes do not match.
std::optional<int64_t> HloDotFlops(const HloShape& left, const HloShape& right,
                                   const HloShape& result);
std::optional<int64_t> HloConvolutionFlops(const HloShape& image,
                                           const HloShape& filter,
                                           const HloShape& result);

// Returns the cost of one run of an HLO instruction; kNoFormula for other
// nodes.
OpCost HloCost(const profile::Profile& profile, profile::NodeId n);

}  // namespace tfprof::flops

#endif  // TFPROF_FLOPS_HLO_COST_H_
