// IdTable: from the ids of a file to dense numbers 0, 1, 2 ….
//
// The ids of event and stat metadata are mostly 1, 2, 3 …, and then a lookup is
// one access to an array: it happens for each event and each stat. Ids that lie
// far apart (program ids of 64 bits, a file that wants our memory) are in a
// hash map. If an id comes twice, the last one counts, as in a protobuf map.

#ifndef TFPROF_LOADERS_XPLANE_ID_TABLE_H_
#define TFPROF_LOADERS_XPLANE_ID_TABLE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/string_pool.h"

namespace tfprof {

class IdTable {
 public:
  IdTable() = default;
  // The number of ids[i] is i.
  explicit IdTable(std::span<const int64_t> ids);

  // kNone: no such id.
  uint32_t Find(int64_t id) const {
    const uint64_t at =
        static_cast<uint64_t>(id) - static_cast<uint64_t>(smallest_);
    if (at < dense_.size()) return dense_[at];
    return sparse_.empty() ? kNone : FindSparse(id);
  }

 private:
  uint32_t FindSparse(int64_t id) const;

  int64_t smallest_ = 0;
  std::vector<uint32_t> dense_;  // by id less the smallest
  absl::flat_hash_map<int64_t, uint32_t> sparse_;
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_XPLANE_ID_TABLE_H_
