// The graph view: nodes under their consumers.
//
// The top rows are the nodes without consumers; the sources of a node's inputs
// are below it. A node has only one place: under the first consumer found by a
// depth-first search. A component that consists only of cycles has no top row
// and is not shown. Behaviour: reference spec 6.

#ifndef TFPROF_VIEWS_GRAPH_H_
#define TFPROF_VIEWS_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "views/context.h"
#include "views/tree.h"

namespace tfprof::views {

inline constexpr std::string_view kGraphParentType = "_TFGraphParent";

// Row 0 is the root, row n + 1 is node n.
struct GraphRows {
  std::vector<std::string_view> names;
  std::vector<profile::NodeId> node;
  std::vector<profile::NodeId> top;  // sorted by name
};

GraphRows BuildGraphRows(ViewContext& context);

// `rows` must outlive the result.
std::shared_ptr<const AccountedTree> AccountGraph(
    const GraphRows& rows, ViewContext& context, int64_t step,
    flops::FlopsSource flops, const RegexPatterns& account_types);

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_GRAPH_H_
