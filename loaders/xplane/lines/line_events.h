// LineEvents: the events of one line of a plane, as flat columns.
//
// One walk over the bytes of a line makes them, without an allocation per
// event: 10 million events a second. Data that few events have (flows,
// correlation ids, memory, steps) is in separate lists; each entry has the
// number of its event. An event refers to an EventKey; a line has a few hundred
// keys.
//
// Times are picoseconds since the origin that the caller gives; they saturate.
// Aggregated events (num_occurrences), which have no position in time, and
// events without metadata are counted and skipped. Views are into the input.

#ifndef TFPROF_LOADERS_XPLANE_LINES_LINE_EVENTS_H_
#define TFPROF_LOADERS_XPLANE_LINES_LINE_EVENTS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/nodes/nesting.h"
#include "loaders/xplane/planes/xspace.h"
#include "profile/steps/lane_events.h"
#include "util/run/cancellation.h"

namespace tfprof::xplane {

// The properties of an event that decide which node it belongs to.
struct EventKey {
  uint32_t metadata = 0;  // index in XPlane::events
  int64_t program_id = 0;
  std::string_view hlo_op = {};
  std::string_view hlo_module = {};
  std::string_view op_name = {};  // the stat "name"
  // The stat "tf_op", else "annotation".
  std::string_view annotation = {};
  // The event has a stat of kernels, or of copies.
  bool is_kernel = false;
  bool is_copy = false;
  // The event has a correlation id.
  bool is_launch = false;
  // A call of a tf.function that traced its Python function (the stat
  // "tf_function_call").
  bool is_tracing = false;

  friend bool operator==(const EventKey&, const EventKey&) = default;
};

// The key of an event is a number in LineEvents::keys. Its group is at first
// the same number; the caller may split keys into smaller groups.
using Event = profile::LaneEvent;

struct Flow {
  uint32_t event = 0;
  bool produces = false;
  uint64_t type = 0;
  uint64_t id = 0;
};

struct MemoryEvent {
  uint32_t event = 0;
  bool allocates = false;
  std::string_view allocator;
  std::string_view tf_op;
  int64_t allocation_bytes = 0;
  int64_t requested_bytes = 0;
  int64_t bytes_in_use = 0;
};

struct LineEvents {
  std::vector<Event> events;  // in the order of the file
  std::vector<EventKey> keys;
  // For events that have the value, in ascending order of events.
  std::vector<std::pair<uint32_t, uint64_t>> correlations;
  std::vector<std::pair<uint32_t, int64_t>> groups;  // group_id
  std::vector<std::pair<uint32_t, int64_t>> steps;   // step_num
  // device_ordinal, for all devices except the first one.
  std::vector<std::pair<uint32_t, uint32_t>> ordinals;
  std::vector<Flow> flows;
  std::vector<MemoryEvent> memory;
  // The device's own start and duration, in picoseconds by the device's clock.
  // Has all events, or is empty if some event lacks it.
  std::vector<loaders::Span> device_spans;

  int64_t aggregated = 0;
  int64_t without_metadata = 0;
  int64_t damaged = 0;         // events with damage
  int64_t damaged_stats = 0;   // damaged stats, which were dropped
  int64_t negative = 0;        // negative durations, which count as 0
  uint64_t damage_offset = 0;  // of the first damage, in the file
  bool cut = false;            // the line ends too early
};

// Reads the events of a line, which may have several parts in a file. `file` is
// the beginning of the file, for offsets. Stops early after a cancellation.
LineEvents ReadLine(std::span<const XLine* const> parts, const XPlane& plane,
                    const char* file, int64_t origin_ns,
                    const util::Cancellation* cancellation);

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_LINES_LINE_EVENTS_H_
