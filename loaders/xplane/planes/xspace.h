// XSpace: the outline of an .xplane.pb file: its planes with their tables of
// metadata, and the positions of their lines.
//
// One walk over the top level of each plane finds everything here. Lines come
// before the tables that their events refer to, so only their bytes are noted
// here, and line_events.h reads them. So each event is read once.
//
// All views are into the file, which must outlive this, or into made_names.
// Damage is logged, and data before and after it is kept if lengths allow. If a
// file is cut inside the lines of a plane, the names of their events are
// missing; the events are then named by their numbers in the file.

#ifndef TFPROF_LOADERS_XPLANE_PLANES_XSPACE_H_
#define TFPROF_LOADERS_XPLANE_PLANES_XSPACE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"
#include "loaders/xplane/planes/id_table.h"
#include "loaders/xplane/planes/stats.h"

namespace tfprof::xplane {

// Properties that all events of one kind share.
struct EventMetadata {
  int64_t id = 0;
  std::string_view name;
  std::string_view display_name;
  std::vector<std::string_view> stats;  // serialized XStat
};

struct XLine {
  int64_t id = 0;         // usually a hash; may be negative
  std::string_view name;  // the display name, if it has one
  int64_t timestamp_ns = 0;
  size_t num_events = 0;
  std::string_view bytes;  // serialized
};

struct XPlane {
  int64_t id = 0;
  std::string_view name;
  std::vector<XLine> lines;
  std::vector<std::string_view> stats;  // serialized XStat
  IdTable event_ids;
  std::vector<EventMetadata> events;  // by number
  StatTable stat_table;

  // Calls `call` with each readable stat of `stats`.
  template <typename Call>
  void VisitStats(const std::vector<std::string_view>& list, Call call) const {
    PlaneStat stat;
    for (const std::string_view bytes : list) {
      if (ReadStat(bytes, stat))
        call(stat_table.NameOf(stat.metadata_id), stat);
    }
  }
};

struct XSpace {
  std::vector<XPlane> planes;
  std::vector<std::string_view> errors;
  std::vector<std::string_view> warnings;
  std::vector<std::string_view> hostnames;
  // The file ends too early, which is logged; its last line and event are cut.
  bool cut = false;
  std::deque<std::string> made_names;  // stable addresses
};

XSpace ReadXSpace(const loaders::InputFile& file, loaders::ImportLog& log);

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_PLANES_XSPACE_H_
