// FileLine: a line of a file that is being added to the profile.
//
// Lines of one plane with the same id and name are merged. ReadFileLine() may
// run on any thread: it only uses its own line. Views are into the file.

#ifndef TFPROF_LOADERS_XPLANE_LINES_FILE_LINE_H_
#define TFPROF_LOADERS_XPLANE_LINES_FILE_LINE_H_

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/core/import_log.h"
#include "loaders/nodes/nesting.h"
#include "loaders/xplane/lines/line_events.h"
#include "loaders/xplane/lines/thread_events.h"
#include "loaders/xplane/planes/device_planes.h"
#include "loaders/xplane/planes/xspace.h"
#include "profile/tables/lanes.h"
#include "profile/tables/node_table.h"
#include "profile/tables/string_pool.h"

namespace tfprof::xplane {

// How the events of a group are added to the profile.
struct EventTarget {
  enum class Kind : uint8_t {
    kHidden,   // not at all
    kNode,     // as executions of `node`
    kOutside,  // as executions without a node, called `name`
  };
  Kind kind = Kind::kHidden;
  profile::NodeId node = profile::kNone;
  uint32_t op = profile::kNone;  // number in OpNodes, which sets `node` later
  profile::StringId name = profile::kNone;
  bool is_copy = false;  // goes to the lane of copies
  bool is_step = false;  // is the range of a step
  bool are_runs = true;  // LaneExecutions::are_runs
  // One execution may have several kernels (kernel_runs.h).
  bool joins_kernels = false;
  int64_t output_bytes = 0;
};

struct FileLine {
  const XPlane* plane = nullptr;
  PlaneKind plane_kind = PlaneKind::kHost;
  LineUse use = LineUse::kThread;
  std::vector<const XLine*> parts;  // at least one

  LineEvents events;
  ThreadNesting thread;         // for kThread and kLaunch
  loaders::InsideTimes inside;  // see LaneEvents
  std::vector<int64_t> self;    // see LaneEvents
  // Of a host: FileSteps::RowsOfLaunches().
  std::vector<uint32_t> launch_rows;
  std::vector<EventTarget> targets;  // by group
  // Requested bytes, as (event, bytes) in ascending order of events.
  std::vector<std::pair<uint32_t, int64_t>> requested;
  profile::LaneId lane = profile::kNone;
  profile::LaneId copies_lane = profile::kNone;
  // Of the ranges of steps, if they are no work. kNone: `lane`.
  profile::LaneId steps_lane = profile::kNone;
  // If a host is several devices: the lanes of the devices after the first one,
  // by ordinal.
  absl::flat_hash_map<uint32_t, profile::LaneId> device_lanes;

  bool is_host() const {
    return use == LineUse::kThread || use == LineUse::kLaunch;
  }
  const EventMetadata& MetadataOf(const EventKey& key) const {
    return plane->events[key.metadata];
  }
};

// Returns the lines of a file that have events and are not derived from others,
// first the lines of hosts. `derived` counts the skipped lines.
std::vector<FileLine> CollectLines(const XSpace& space, int64_t& derived);

// Reads the events of the line, and nests them if its events nest.
void ReadFileLine(const char* file, int64_t origin_ns,
                  const util::Cancellation* cancellation, FileLine& line);

// Logs what ReadFileLine() skipped in a line of the file `path`. `file_is_cut`:
// the log already has that the file ends too early.
void LogLine(const FileLine& line, std::string_view path, bool file_is_cut,
             loaders::ImportLog& log);

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_LINES_FILE_LINE_H_
