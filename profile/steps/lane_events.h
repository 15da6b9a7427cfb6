// LaneEvents: the events of one lane of a trace, as its loader reads them.
//
// A trace has ten million events of a few hundred kinds. Data that is the same
// for all events of a kind is stored once, in a LaneEventGroup, so an event
// takes only 32 bytes until it is in the columns of its step, half the size of
// an ExecutionRecord. Times are picoseconds. A loader passes each lane to
// ProfileBuilder::AddEvents() and assigns ranges of events to steps.
//
// Links identify executions by their index in a step, which exists only when
// the step is finished. The loader lists the events that it needs for links in
// `linked`, and the builder writes their places to `places`.

#ifndef TFPROF_PROFILE_STEPS_LANE_EVENTS_H_
#define TFPROF_PROFILE_STEPS_LANE_EVENTS_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "profile/steps/time_column.h"
#include "profile/tables/lanes.h"
#include "profile/tables/links.h"
#include "profile/tables/node_table.h"
#include "profile/tables/string_pool.h"

namespace tfprof::profile {

struct LaneEvent {
  int64_t start = 0;
  int64_t duration = 0;  // not negative
  uint64_t offset = 0;   // offset of its record in the input
  uint32_t key = 0;      // for the loader's own use
  uint32_t group = 0;
};

// The properties of the events of one group.
struct LaneEventGroup {
  NodeId node = kNone;    // kNone: belongs to no node
  StringId name = kNone;  // used if there is no node; kNone: ignore the events
  LaneId lane = kNone;
  bool are_runs = true;  // as in LaneExecutions
  int64_t output_bytes = 0;

  bool is_left_out() const { return node == kNone && name == kNone; }
};

struct LaneEvents {
  static constexpr int64_t kTicksPerMicro = kPicosPerMicro;

  uint32_t input = 0;  // input of the offsets
  std::vector<LaneEvent> events;
  // The time of each event that was spent in nested events, as (event, time),
  // in ascending event without duplicates. It is at most the duration of the
  // event; the rest is its self time.
  std::vector<std::pair<uint32_t, int64_t>> inside;
  // The self time of each event, if a better clock than that of the durations
  // measured it. If empty, `inside` gives the self times.
  std::vector<int64_t> self;
  std::vector<LaneEventGroup> groups;
  // Requested bytes as (event, bytes), in ascending event.
  std::vector<std::pair<uint32_t, int64_t>> requested;
  // Events in ascending order, without duplicates.
  std::vector<uint32_t> linked;
  // One entry for each entry of `linked`; index kNone if the event is no
  // execution. May be null if `linked` is empty.
  std::shared_ptr<std::vector<ExecutionRef>> places;

  const LaneEventGroup& GroupOf(uint32_t event) const {
    return groups[events[event].group];
  }
  RecordRef RecordOf(uint32_t event) const {
    return MakeRecordRef(input, events[event].offset);
  }
};

// Consecutive events of a lane that belong to one step.
struct EventRange {
  int64_t step = 0;
  uint32_t begin = 0, end = 0;
  bool has_nodes = false;  // some event belongs to a node
};

// A range together with its lane.
struct StepEvents {
  std::shared_ptr<const LaneEvents> lane;
  uint32_t begin = 0, end = 0;
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_STEPS_LANE_EVENTS_H_
