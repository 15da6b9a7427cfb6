// Nests the events of a host thread, and says which Python frames each is in.
//
// All events of a line nest in each other: ops, ranges, Python frames. An event
// that is inside Python frames has a stack, a node in a small tree of the line.
// Events of one key but different stacks are different groups
// (Event::group): they become different nodes, so that the code view shows each
// where it was called.

#ifndef TFPROF_LOADERS_XPLANE_THREAD_EVENTS_H_
#define TFPROF_LOADERS_XPLANE_THREAD_EVENTS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "loaders/nesting.h"
#include "loaders/xplane/line_events.h"
#include "loaders/xplane/xspace.h"

namespace tfprof {

struct ThreadNesting {
  struct Stack {
    uint32_t caller = 0;    // number of a stack before this one
    uint32_t metadata = 0;  // of the innermost frame
  };
  struct Group {
    uint32_t key = 0;
    uint32_t stack = 0;  // of the event; of a Python frame with itself
  };

  // Empty without Python frames and memory events.
  Nesting nesting;
  InsideTimes inside;
  std::vector<Stack> stacks;  // stack 0 is empty
  std::vector<Group> groups;
};

// Sets the group of each event of `line`.
ThreadNesting NestThread(const XPlane& plane, LineEvents& line);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_XPLANE_THREAD_EVENTS_H_
