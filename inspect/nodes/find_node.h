// Finds a node by the name that a user types.

#ifndef TFPROF_INSPECT_NODES_FIND_NODE_H_
#define TFPROF_INSPECT_NODES_FIND_NODE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "inspect/nodes/place.h"
#include "views/views.h"

namespace tfprof::inspect {

// The node with this name below the scope `here`, else with this full name. A
// leading '/' marks a full name; a tensor ("conv1:0") or a control input
// ("^conv1") refers to its node. NotFound lists the nearest names.
//
// Names are the names that the scope view and the other reports show. A node's
// name may follow its module's ("jit_step/fusion.3"). If several nodes have the
// name, the module is required: InvalidArgument lists the nodes.
absl::StatusOr<profile::NodeId> FindNode(views::Views& views, const Place& here,
                                         std::string_view name);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_NODES_FIND_NODE_H_
