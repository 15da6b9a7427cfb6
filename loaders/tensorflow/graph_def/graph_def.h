// Loads a binary GraphDef: nodes, edges, shapes.
//
// Nodes come in file order; a name that exists is skipped (the first
// definition wins). Functions of the library are not expanded
// (function_library.h reads one when it is asked for), placement
// (NodeDef.device) is not read: where a node ran is what run metadata says.
// Constants are skipped over, never copied. Behaviour: reference spec 2.1.
//
// The file is cut at the ends of nodes into pieces that all cores parse; names
// are interned afterwards, in the order of the file.

#ifndef TFPROF_LOADERS_TENSORFLOW_GRAPH_DEF_GRAPH_DEF_H_
#define TFPROF_LOADERS_TENSORFLOW_GRAPH_DEF_GRAPH_DEF_H_

#include <memory>

#include "absl/status/status.h"
#include "loaders/load_context.h"

namespace tfprof {

absl::Status LoadGraphDef(std::shared_ptr<const InputFile> file,
                          LoadContext& context);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TENSORFLOW_GRAPH_DEF_GRAPH_DEF_H_
