// Calls between nodes without cycles.
//
// Operators may call each other in turn: a contains b, and elsewhere b contains
// a. The graph view begins at nodes that nobody calls, so nodes of which each
// is called by another one would be missing in it.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_CYCLES_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_CYCLES_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tfprof {

// (caller, called), sorted by caller.
using Calls = std::vector<std::pair<uint32_t, uint32_t>>;

// Drops the calls that close a cycle on a walk that begins at the nodes that
// nobody calls, then at the others, each in the order of their numbers. Takes
// time linear in nodes and calls, of any depth. Numbers are below `num_nodes`.
void DropCycles(size_t num_nodes, Calls& calls);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_CYCLES_H_
