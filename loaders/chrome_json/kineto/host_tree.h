// Which host events of a Kineto file run inside which, and how long each ran
// itself, by torch's own rules.
//
// Operators, ranges and launches of one thread nest in each other; Python calls
// do not take part, because ranges open in one call and close in another. An
// operator of the same name as its parent and its only child is merged into it:
// its time is the parent's, and so are its children. Asynchronous events stand
// alone.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_TREE_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_TREE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "loaders/chrome_json/kineto/events.h"

namespace tfprof {

struct HostTree {
  // By host event. kNone: no parent. Of a merged event it is the event that it
  // was merged into; no other event has a merged parent.
  std::vector<uint32_t> parent;
  // Nanoseconds; of merged events 0.
  std::vector<int64_t> self;
  std::vector<bool> merged;
  // All events: those of thread t are order[begin[t]] … order[begin[t+1] - 1],
  // by start, parents before their children.
  std::vector<uint32_t> order;
  std::vector<uint32_t> begin;

  std::span<const uint32_t> OfThread(uint32_t thread) const {
    return {order.data() + begin[thread], order.data() + begin[thread + 1]};
  }
};

HostTree BuildHostTree(const KinetoEvents& events);

// The first host event of a thread (by HostTree::order) that starts after
// `time`, as an index of OfThread().
size_t FirstAfter(const KinetoEvents& events, std::span<const uint32_t> order,
                  int64_t time);

// The memory that host events allocated.
struct HostMemory {
  uint32_t host = 0;
  int64_t requested = 0;  // the sum of all allocations
  int64_t peak = 0;       // the most that was in use at once, of its own
  int64_t residual = 0;   // still in use at its end; not negative
};

// Each change of memory belongs to the innermost operator or range that is open
// on its thread. Ascending host event, each once. `outside`: changes while none
// was open.
std::vector<HostMemory> AttributeMemory(const KinetoEvents& events,
                                        const HostTree& tree, int64_t& outside);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_TREE_H_
