// Splits the names of operations into paths:
// "jit(step)/transpose(jvp(mlp))/dot_general" of JAX,
// "gradient_tape/net/dense/MatMul" of TensorFlow.
//
// A slash inside brackets does not separate parts: a compiler merges operations
// into "jit(step)/(a/b:c/d)", and einsum writes "bqhd,bkhd->bhqk" as one part.
// If the brackets of a name do not match, each slash separates. JAX up to 0.6
// puts "jit(main)" after the outermost "jit(f)"; later versions do not. This
// part is removed, so that profiles of both versions can be compared.
//
// The functions take linear time for any string. Views are into the name.

#ifndef TFPROF_LOADERS_XPLANE_HLO_OP_NAME_PATH_H_
#define TFPROF_LOADERS_XPLANE_HLO_OP_NAME_PATH_H_

#include <string>
#include <string_view>
#include <vector>

namespace tfprof::xplane {

// Returns the parts of a name, without empty parts and without the ":" or
// ":Type" that TensorFlow's traces append. The last part is the operation
// itself.
std::vector<std::string_view> OpNameParts(std::string_view op_name);

// Joins the parts to one name.
std::string JoinOpName(const std::vector<std::string_view>& parts);

// Returns the name of the forward operation of a gradient, which has these
// parts: "transpose(jvp(mlp))" is the backward pass of "jvp(mlp)", and
// "gradient_tape/net/dense/MatMul/MatMul_1" of "net/dense/MatMul". Returns ""
// if the parts are not those of a gradient.
std::string ForwardOpName(const std::vector<std::string_view>& parts);

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_HLO_OP_NAME_PATH_H_
