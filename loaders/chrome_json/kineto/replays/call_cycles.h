// Removes cycles from the calls between nodes.
//
// Operators may call each other: a contains b, and elsewhere b contains a. The
// graph view begins at nodes without a caller, so it would miss a group of
// nodes that only call each other.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_CALL_CYCLES_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_CALL_CYCLES_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tfprof::kineto {

// (caller, called), sorted by caller.
using Calls = std::vector<std::pair<uint32_t, uint32_t>>;

// Drops the calls that close a cycle in a depth-first walk. The walk begins at
// the nodes without a caller, then at the others, in ascending order. Takes
// time linear in nodes and calls, at any depth. Node numbers are below
// `num_nodes`.
void DropCycles(size_t num_nodes, Calls& calls);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_CALL_CYCLES_H_
