// LaunchTable: finds the launches of a file by their correlation ids.
//
// A tracer counts its launches, so ids are usually dense. Then a lookup is one
// array access, and the kernels of a stream access it in order. Ids that are
// far apart are in a hash map. If several launches have the same id, the first
// one wins.

#ifndef TFPROF_LOADERS_XPLANE_LINES_LAUNCH_TABLE_H_
#define TFPROF_LOADERS_XPLANE_LINES_LAUNCH_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/xplane/lines/event_links.h"

namespace tfprof::xplane {

struct Launch {
  LinkEnd end;
  int64_t step = 0;
};

class LaunchTable {
 public:
  void Reserve(size_t launches) { launches_.reserve(launches); }
  void Add(uint64_t correlation, const Launch& launch) {
    launches_.push_back({correlation, launch});
    is_made_ = false;
  }
  // Returns nullptr if there is none. Valid until the next launch is added.
  const Launch* Find(uint64_t correlation);

 private:
  void Make();

  std::vector<std::pair<uint64_t, Launch>> launches_;
  bool is_made_ = true;
  uint64_t smallest_ = 0;
  std::vector<uint32_t> dense_;  // launches by id minus the smallest id
  absl::flat_hash_map<uint64_t, uint32_t> sparse_;
};

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_LINES_LAUNCH_TABLE_H_
