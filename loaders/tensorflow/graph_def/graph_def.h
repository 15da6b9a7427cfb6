// Loads a binary GraphDef: nodes, edges, shapes.
//
// Nodes are in file order; a name that exists is skipped (the first definition
// wins). Functions of the library are not expanded (function_library.h reads
// one on demand). Placement (NodeDef.device) is not read: run metadata shows
// where a node ran. Constants are skipped, never copied. An error means that
// the file is not a GraphDef; damage inside is in the log. Behaviour: reference
// spec 2.1.
//
// The file is cut at the ends of nodes into pieces that all cores parse. Names
// are interned afterwards, in the order of the file.

#ifndef TFPROF_LOADERS_TENSORFLOW_GRAPH_DEF_GRAPH_DEF_H_
#define TFPROF_LOADERS_TENSORFLOW_GRAPH_DEF_GRAPH_DEF_H_

#include <memory>

#include "absl/status/status.h"
#include "loaders/core/load_context.h"

namespace tfprof::tensorflow {

absl::Status LoadGraphDef(const std::shared_ptr<const loaders::InputFile>& file,
                          loaders::LoadContext& context);

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_GRAPH_DEF_GRAPH_DEF_H_
