#include "loaders/xplane/lines/launch_table.h"

#include <algorithm>

#include "profile/tables/string_pool.h"

namespace tfprof::xplane {
namespace {

// A dense table has at most this many places for each launch.
constexpr uint64_t kPlacesPerLaunch = 4;
constexpr uint64_t kFreePlaces = 1024;

}  // namespace

const Launch* LaunchTable::Find(uint64_t correlation) {
  if (!is_made_) Make();
  uint32_t number = profile::kNone;
  if (const uint64_t at = correlation - smallest_; at < dense_.size()) {
    number = dense_[at];
  } else if (const auto it = sparse_.find(correlation); it != sparse_.end()) {
    number = it->second;
  }
  return number == profile::kNone ? nullptr : &launches_[number].second;
}

void LaunchTable::Make() {
  is_made_ = true;
  dense_.clear();
  sparse_.clear();
  const auto [low, high] = std::minmax_element(
      launches_.begin(), launches_.end(),
      [](const auto& a, const auto& b) { return a.first < b.first; });
  smallest_ = low->first;
  const uint64_t range = high->first - low->first;
  const bool is_dense =
      range < kPlacesPerLaunch * launches_.size() + kFreePlaces;
  if (is_dense) {
    dense_.assign(range + 1, profile::kNone);
  } else {
    sparse_.reserve(launches_.size());
  }
  for (uint32_t i = 0; i < launches_.size(); ++i) {
    const uint64_t id = launches_[i].first;
    if (!is_dense) {
      sparse_.try_emplace(id, i);
    } else if (dense_[id - smallest_] == profile::kNone) {
      dense_[id - smallest_] = i;
    }
  }
}

}  // namespace tfprof::xplane
