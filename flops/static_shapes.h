// Shapes of a node's outputs, as far as its attributes have them.

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

// By output, in the convention of ShapeTable: `_output_shapes`, or the shape
// that such an op has. Empty: no shape is known.
std::vector<std::vector<int64_t>> StaticOutputShapes(
    std::string_view op, const AttributeList& attributes);

// The output's shape, computed from those of the inputs: for elementwise
// operations, matrix products, and operations that return their input. Empty
// for all others. Needed because TensorFlow omits `_output_shapes` of a node
// that it renames, which it does if an output of the function has its name.
std::vector<int64_t> InferOutputShape(std::string_view op,
                                      std::span<const Dims> inputs,
                                      const AttributeList& attributes);

}  // namespace tfprof

#endif  // TFPROF_FLOPS_STATIC_SHAPES_H_
