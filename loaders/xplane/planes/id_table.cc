#include "loaders/xplane/planes/id_table.h"

#include <algorithm>

namespace tfprof::xplane {
namespace {

// A dense table has at most this many places for each id.
constexpr uint64_t kPlacesPerId = 4;
constexpr uint64_t kFreePlaces = 1024;

}  // namespace

IdTable::IdTable(std::span<const int64_t> ids) {
  if (ids.empty()) return;
  const auto [low, high] = std::minmax_element(ids.begin(), ids.end());
  const uint64_t range =
      static_cast<uint64_t>(*high) - static_cast<uint64_t>(*low);
  if (range < kPlacesPerId * ids.size() + kFreePlaces) {
    smallest_ = *low;
    dense_.assign(range + 1, profile::kNone);
    for (size_t i = 0; i < ids.size(); ++i) {
      dense_[static_cast<uint64_t>(ids[i]) - static_cast<uint64_t>(*low)] =
          static_cast<uint32_t>(i);
    }
    return;
  }
  sparse_.reserve(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    sparse_[ids[i]] = static_cast<uint32_t>(i);
  }
}

uint32_t IdTable::FindSparse(int64_t id) const {
  const auto it = sparse_.find(id);
  return it == sparse_.end() ? profile::kNone : it->second;
}

}  // namespace tfprof::xplane
