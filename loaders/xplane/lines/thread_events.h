// Nests the events of a host thread, and finds the Python frames around each
// event.
//
// All events of a line nest in each other: ops, ranges, Python frames. An event
// inside Python frames has a stack, which is a node in a small tree of the
// line. Events with the same key but different stacks become different groups
// (Event::group) and so different nodes, so that the code view shows each of
// them where it was called.

#ifndef TFPROF_LOADERS_XPLANE_LINES_THREAD_EVENTS_H_
#define TFPROF_LOADERS_XPLANE_LINES_THREAD_EVENTS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "loaders/nodes/nesting.h"
#include "loaders/xplane/lines/line_events.h"
#include "loaders/xplane/planes/xspace.h"

namespace tfprof::xplane {

struct ThreadNesting {
  struct Stack {
    uint32_t caller = 0;    // number of an earlier stack
    uint32_t metadata = 0;  // of the innermost frame
  };
  struct Group {
    uint32_t key = 0;
    uint32_t stack = 0;  // of the event; a Python frame includes itself
  };

  // Empty if there are no Python frames and no memory events.
  loaders::Nesting nesting;
  loaders::InsideTimes inside;
  std::vector<Stack> stacks;  // stack 0 is empty
  std::vector<Group> groups;
};

// Also sets the group of each event of `line`.
ThreadNesting NestThread(const XPlane& plane, LineEvents& line);

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_LINES_THREAD_EVENTS_H_
