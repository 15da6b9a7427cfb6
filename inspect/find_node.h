// Finds a node by the name that a user types.

#ifndef TFPROF_INSPECT_FIND_NODE_H_
#define TFPROF_INSPECT_FIND_NODE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "inspect/place.h"
#include "views/views.h"

namespace tfprof {

// The node of this name below the scope `here`, else of this name in full. A
// leading '/' says that it is in full; a tensor ("conv1:0") or a control input
// ("^conv1") means its node. NotFound with the nearest names.
//
// Names are those that the scope view and the other reports show. The name of a
// module may come before that of a node ("jit_step/fusion.3"). If several nodes
// have the name, the module must be given: InvalidArgument lists the nodes.
absl::StatusOr<NodeId> FindNode(Views& views, const Place& here,
                                std::string_view name);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_FIND_NODE_H_
