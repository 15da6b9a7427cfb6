// The functions of a GraphDef's library, read on demand: bodies of tf.function,
// and of the branches and loops that nodes such as If and While call.
//
// Nothing is kept: names are found by walking over the library, which skips the
// bodies, and a body is decoded from its place in the mapped file. Reading a
// record ends at damage, which the loader has already logged.

#ifndef TFPROF_LOADERS_TENSORFLOW_GRAPH_DEF_FUNCTION_LIBRARY_H_
#define TFPROF_LOADERS_TENSORFLOW_GRAPH_DEF_FUNCTION_LIBRARY_H_

#include <cstdint>
#include <functional>
#include <string_view>

#include "loaders/input_file.h"
#include "profile/details.h"

namespace tfprof {

// Calls `visit` with name and offset of each function of the file.
void VisitFunctions(
    const InputFile& file,
    const std::function<void(std::string_view, uint64_t)>& visit);

// The function at an offset that VisitFunctions() gave.
FunctionBody ReadFunction(const InputFile& file, uint64_t offset);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TENSORFLOW_GRAPH_DEF_FUNCTION_LIBRARY_H_
