// Float operations of an Einsum, from its equation.
//
// Each operand is first summed over the labels that only it has (one addition
// for each element that goes away). Then two operands are multiplied: two
// operations for every combination of labels where a label is summed over, as
// in a matrix product, one where none is. Repeated labels of an operand are its
// diagonal. An ellipsis stands for its dimensions, aligned at their ends;
// dimensions of 1 stretch.

#ifndef TFPROF_FLOPS_EINSUM_H_
#define TFPROF_FLOPS_EINSUM_H_

#include <span>
#include <string_view>

#include "flops/formulas.h"

namespace tfprof {

// kNotSupported: no equation, more than two operands, or an equation that does
// not fit the shapes.
Flops EinsumFlops(std::string_view equation, std::span<const Dims> operands);

}  // namespace tfprof

#endif  // TFPROF_FLOPS_EINSUM_H_
