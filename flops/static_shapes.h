// Determines the shapes of a node's outputs from its attributes.

#ifndef TFPROF_FLOPS_STATIC_SHAPES_H_
#define TFPROF_FLOPS_STATIC_SHAPES_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "flops/formulas.h"
#include "profile/details.h"

namespace tfprof::flops {

// Returns true for ops whose own attributes have the shape of their only
// output: the value of a constant, the `shape` of a placeholder or of a
// reference variable.
bool StatesItsShape(std::string_view op);

// Returns the shape of each output, in the convention of ShapeTable: from
// `_output_shapes`, or for an op that states its shape. Empty if no shape is
// known.
std::vector<std::vector<int64_t>> StaticOutputShapes(
    std::string_view op, const profile::AttributeList& attributes);

// Infers the output's shape from the shapes of the inputs, for elementwise
// operations, matrix products, and operations that return their input. Returns
// an empty shape for all others. This is needed because TensorFlow omits
// `_output_shapes` of a node that it renames, which it does if an output of the
// function has the same name.
std::vector<int64_t> InferOutputShape(std::string_view op,
                                      std::span<const Dims> inputs,
                                      const profile::AttributeList& attributes);

}  // namespace tfprof::flops

#endif  // TFPROF_FLOPS_STATIC_SHAPES_H_
