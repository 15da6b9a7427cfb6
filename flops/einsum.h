// Counts the float operations of an Einsum from its equation.
//
// Each operand is first summed over the labels that only it has (one addition
// for each removed element). Then two operands are multiplied: with two
// operations for every combination of labels if a label is summed over, as in a
// matrix product, and otherwise with one. Repeated labels in an operand select
// its diagonal. The dimensions of ellipses are aligned at their ends, and a
// dimension of 1 broadcasts.

#ifndef TFPROF_FLOPS_EINSUM_H_
#define TFPROF_FLOPS_EINSUM_H_

#include <span>
#include <string_view>

#include "flops/formulas.h"

namespace tfprof::flops {

// Returns kNotSupported if there is no equation, if there are more than two
// operands, or if the equation does not match the shapes.
Flops EinsumFlops(std::string_view equation, std::span<const Dims> operands);

}  // namespace tfprof::flops

#endif  // TFPROF_FLOPS_EINSUM_H_
