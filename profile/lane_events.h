// LaneEvents: the events of one lane of a trace, as its loader has read them.
//
// A trace has ten million events of a few hundred kinds. What is the same for a
// kind is in a LaneEventGroup, once, so an event takes 32 bytes until it is in
// the columns of its step; an ExecutionRecord takes twice as much. Times are
// picoseconds. A loader gives each line to ProfileBuilder::AddEvents(), and
// says which events are in which step.
//
// Links name executions by their places in a step, which exist only when the
// step is finished. `linked` lists the events whose places a loader wants, and
// the builder writes them into `places`.

#ifndef TFPROF_PROFILE_LANE_EVENTS_H_
#define TFPROF_PROFILE_LANE_EVENTS_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "profile/lanes.h"
#include "profile/links.h"
#include "profile/node_table.h"
#include "profile/string_pool.h"
#include "profile/time_column.h"

namespace tfprof {

struct LaneEvent {
  int64_t start = 0;
  int64_t duration = 0;  // not negative
  uint64_t offset = 0;   // of its record in the input
  uint32_t key = 0;      // for the loader's own use
  uint32_t group = 0;
};

// What the events of one group are.
struct LaneEventGroup {
  NodeId node = kNone;    // kNone: of no node
  StringId name = kNone;  // without a node; kNone: the events are left out
  LaneId lane = kNone;
  bool are_runs = true;  // as in LaneExecutions
  int64_t output_bytes = 0;

  bool is_left_out() const { return node == kNone && name == kNone; }
};

struct LaneEvents {
  static constexpr int64_t kTicksPerMicro = kPicosPerMicro;

  uint32_t input = 0;  // of the offsets
  std::vector<LaneEvent> events;
  // Time that events spent in events inside them: (event, time), in ascending
  // event, each once. At most the duration of the event. The rest of its
  // duration is the time that it spent itself.
  std::vector<std::pair<uint32_t, int64_t>> inside;
  // By event: the time that it spent itself, where a clock that is better than
  // that of the durations knows it. Empty: as `inside` says.
  std::vector<int64_t> self;
  std::vector<LaneEventGroup> groups;
  // Bytes that events requested: (event, bytes), in ascending event.
  std::vector<std::pair<uint32_t, int64_t>> requested;
  // Events, each once, ascending.
  std::vector<uint32_t> linked;
  // By entry of `linked`. Index kNone: it is no execution. May be null if
  // nothing is linked.
  std::shared_ptr<std::vector<ExecutionRef>> places;

  const LaneEventGroup& GroupOf(uint32_t event) const {
    return groups[events[event].group];
  }
  RecordRef RecordOf(uint32_t event) const {
    return MakeRecordRef(input, events[event].offset);
  }
};

// Consecutive events of a lane that are in one step.
struct EventRange {
  int64_t step = 0;
  uint32_t begin = 0, end = 0;
  bool has_nodes = false;  // some event is of a node
};

// A range together with its lane.
struct StepEvents {
  std::shared_ptr<const LaneEvents> lane;
  uint32_t begin = 0, end = 0;
};

}  // namespace tfprof

#endif  // TFPROF_PROFILE_LANE_EVENTS_H_
