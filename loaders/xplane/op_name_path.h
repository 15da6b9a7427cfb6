// The paths in names of operations: "jit(step)/transpose(jvp(mlp))/dot_general"
// of JAX, "gradient_tape/net/dense/MatMul" of TensorFlow.
//
// A slash inside of brackets does not divide: a compiler merges operations into
// "jit(step)/(a/b:c/d)", and einsum writes "bqhd,bkhd->bhqk" as one part. If
// the brackets of a name do not match, each slash divides. JAX up to 0.6 puts
// "jit(main)" behind the outermost "jit(f)" and later versions do not; it is
// left out, so that profiles of both can be compared.
//
// The functions take linear time for any string. Views are into the name.

#ifndef TFPROF_LOADERS_XPLANE_OP_NAME_PATH_H_
#define TFPROF_LOADERS_XPLANE_OP_NAME_PATH_H_

#include <string>
#include <string_view>
#include <vector>

namespace tfprof {

// The parts of a name, without empty ones and without the ":" or ":Type" that
// TensorFlow's traces add at the end. The last part is the operation itself.
std::vector<std::string_view> OpNameParts(std::string_view op_name);

// The parts again as one name.
std::string JoinOpName(const std::vector<std::string_view>& parts);

// The name of the operation whose gradient the operation with these parts is:
// "transpose(jvp(mlp))" is the backward pass of "jvp(mlp)", and
// "gradient_tape/net/dense/MatMul/MatMul_1" that of "net/dense/MatMul". "" if
// the parts do not say that it is a gradient.
std::string ForwardOpName(const std::vector<std::string_view>& parts);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_XPLANE_OP_NAME_PATH_H_
