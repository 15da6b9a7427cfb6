// Shapes of a node's outputs as far as its attributes say them.

#ifndef TFPROF_FLOPS_STATIC_SHAPES_H_
#define TFPROF_FLOPS_STATIC_SHAPES_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "flops/formulas.h"
#include "profile/details.h"

namespace tfprof {

// True for ops whose own attributes have the shape of their only output: a
// constant's value, the `shape` of a placeholder or of a variable by reference.
bool StatesItsShape(std::string_view op);

// By output, in the convention of ShapeTable: `_output_shapes`, or what such an
// op states. Empty: nothing is known.
std::vector<std::vector<int64_t>> StaticOutputShapes(
    std::string_view op, const AttributeList& attributes);

// The output's shape from those of the inputs, for operations of one element
// each, products of matrices and what passes its input on; empty for all else.
// TensorFlow leaves the shape out where a function's output has the name of the
// node that computes it, which then gets another one.
std::vector<int64_t> InferOutputShape(std::string_view op,
                                      std::span<const Dims> inputs,
                                      const AttributeList& attributes);

}  // namespace tfprof

#endif  // TFPROF_FLOPS_STATIC_SHAPES_H_
