// The graph of a profile as a picture with few boxes: a closed scope represents
// all operations in it, an open scope only itself.
//
// An edge leads from the box that makes a tensor to the box that reads it. Its
// weight is the bytes of the tensors, each counted once for each reader, as
// recorded in the step; tensors without a record count as edges, but not in the
// bytes. Edges inside a box are not shown.

#ifndef TFPROF_INSPECT_NODES_SCOPE_GRAPH_H_
#define TFPROF_INSPECT_NODES_SCOPE_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof::inspect {

// The number of boxes that a page can draw.
inline constexpr size_t kMaxBoxes = 2'000;

// The tables "boxes" (box, name, op, operations, opens) and "edges" (source,
// reader, tensors, bytes), with scopes in `open` opened. A name that is no
// scope is ignored. ResourceExhausted: more than kMaxBoxes boxes; Cancelled.
absl::StatusOr<tables::DataDocument> ScopeGraph(
    views::Views& views, int64_t step, const std::vector<std::string>& open);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_NODES_SCOPE_GRAPH_H_
