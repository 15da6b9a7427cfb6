// Places: the process and the thread that a track stands for.
//
// A track is inside the tracks above it, up to kMaxParents; more are a cycle.
// It takes the process and the thread from the nearest one that has them. Rows
// of one thread that have the same name as the track above are that track.
// Files of tfprof name their tracks after lanes, with the device above.

#ifndef TFPROF_LOADERS_PERFETTO_PLACES_H_
#define TFPROF_LOADERS_PERFETTO_PLACES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/perfetto/trace_tables.h"

namespace tfprof::perfetto {

inline constexpr int kMaxParents = 64;

struct Place {
  uint32_t root = 0;    // the outermost track that exists
  int64_t device = -1;  // of a device of a file of tfprof
  // Numbers and names as texts; a name may be empty.
  std::string pid, tid, process, thread;
};

class Places {
 public:
  // `tables` must outlive this, and gets no more tracks.
  explicit Places(const TraceTables& tables)
      : tables_(tables), places_(tables.tracks.size()) {}

  // The reference is valid as long as this.
  const Place& Of(uint32_t track);
  // The places that Of() returned, by track; nullptr for others.
  const std::vector<std::unique_ptr<Place>>& used() const { return places_; }

 private:
  const Track* Find(uint64_t uuid) const;
  void SetOwn(std::string_view device, uint64_t track, Place& place);

  const TraceTables& tables_;
  std::vector<std::unique_ptr<Place>> places_;
  absl::flat_hash_map<std::string, uint64_t> own_threads_;
};

}  // namespace tfprof::perfetto

#endif  // TFPROF_LOADERS_PERFETTO_PLACES_H_
