// HostTree: which host events of a Kineto file run inside which, and the self
// time of each, by torch's own rules.
//
// Operators, ranges and launches of one thread nest in each other. Python calls
// do not take part, because ranges may open in one call and close in another.
// Calls that were joined (events.h) are in what the other recording says.
// An operator that is the only child of its parent and has the same name is
// merged into it: its time and its children become the parent's. Asynchronous
// events have no parent and no children. Times are in nanoseconds.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_HOST_TREE_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_HOST_TREE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "loaders/chrome_json/kineto/events.h"

namespace tfprof::kineto {

struct HostTree {
  // The parent of each host event, or kNone. The parent of a merged event is
  // the event that it was merged into. No other event has a merged parent.
  std::vector<uint32_t> parent;
  // In nanoseconds; 0 for merged events.
  std::vector<int64_t> self;
  std::vector<bool> merged;
  // All events. Thread t has order[begin[t]] … order[begin[t+1] - 1], by start,
  // parents before their children.
  std::vector<uint32_t> order;
  std::vector<uint32_t> begin;

  std::span<const uint32_t> OfThread(uint32_t thread) const {
    return {order.data() + begin[thread], order.data() + begin[thread + 1]};
  }
};

HostTree BuildHostTree(const KinetoEvents& events);

// Returns the index in OfThread() of the first host event of a thread (`order`
// is HostTree::order) that starts after `time`.
size_t FirstAfter(const KinetoEvents& events, std::span<const uint32_t> order,
                  int64_t time);

// The memory that a host event allocated, in bytes.
struct HostMemory {
  uint32_t host = 0;
  int64_t requested = 0;  // sum of all allocations
  int64_t peak = 0;       // most of its own in use at once
  int64_t residual = 0;   // in use at its end; not negative
};

// Attributes each change of memory to the innermost operator or range that is
// open on its thread. Returns each host event once, in ascending order.
// `outside` is the number of changes while none was open.
std::vector<HostMemory> AttributeMemory(const KinetoEvents& events,
                                        const HostTree& tree, int64_t& outside);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_HOST_TREE_H_
