// Reads the functions of a GraphDef's library on demand: bodies of tf.function,
// and of branches and loops that nodes such as If and While call.
//
// Nothing is kept: names are found by a walk over the library, which skips the
// bodies. A body is decoded from its position in the mapped file. Reading a
// record ends at damage, which the loader has already logged.

#ifndef TFPROF_LOADERS_TENSORFLOW_GRAPH_DEF_FUNCTION_LIBRARY_H_
#define TFPROF_LOADERS_TENSORFLOW_GRAPH_DEF_FUNCTION_LIBRARY_H_

#include <cstdint>
#include <functional>
#include <string_view>

#include "loaders/core/input_file.h"
#include "profile/details.h"

namespace tfprof::tensorflow {

// Calls `visit` with the name and the offset of each function of the file.
void VisitFunctions(
    const loaders::InputFile& file,
    const std::function<void(std::string_view, uint64_t)>& visit);

// Reads the function at an offset from VisitFunctions().
profile::FunctionBody ReadFunction(const loaders::InputFile& file,
                                   uint64_t offset);

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_GRAPH_DEF_FUNCTION_LIBRARY_H_
