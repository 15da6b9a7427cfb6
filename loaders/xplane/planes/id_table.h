// IdTable: maps the ids of a file to the numbers 0, 1, 2 ….
//
// The ids of event and stat metadata are usually 1, 2, 3 …. Then a lookup,
// which each event and each stat needs, is one array access. Ids that are far
// apart (64-bit program ids, or a file that tries to use up memory) are in a
// hash map. If an id occurs twice, the last one wins, as in a protobuf map.

#ifndef TFPROF_LOADERS_XPLANE_PLANES_ID_TABLE_H_
#define TFPROF_LOADERS_XPLANE_PLANES_ID_TABLE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/tables/string_pool.h"

namespace tfprof::xplane {

class IdTable {
 public:
  IdTable() = default;
  // ids[i] gets the number i.
  explicit IdTable(std::span<const int64_t> ids);

  // Returns kNone if there is no such id.
  uint32_t Find(int64_t id) const {
    const uint64_t at =
        static_cast<uint64_t>(id) - static_cast<uint64_t>(smallest_);
    if (at < dense_.size()) return dense_[at];
    return sparse_.empty() ? profile::kNone : FindSparse(id);
  }

 private:
  uint32_t FindSparse(int64_t id) const;

  int64_t smallest_ = 0;
  std::vector<uint32_t> dense_;  // by id minus the smallest id
  absl::flat_hash_map<int64_t, uint32_t> sparse_;
};

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_PLANES_ID_TABLE_H_
