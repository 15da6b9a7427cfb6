// The steps in which lanes.cc makes a chart: names, order and gaps.

#ifndef TFPROF_INSPECT_DEVICES_LANE_CHART_H_
#define TFPROF_INSPECT_DEVICES_LANE_CHART_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "inspect/devices/lanes.h"
#include "util/arithmetic.h"

namespace tfprof::inspect {

// The name of a lane, shown next to its device.
std::string LaneName(const profile::Profile& profile, profile::LaneId id);

// Sorts the busiest first, accelerators before all other devices. Lanes with
// equal names get numbers.
void SortLanes(LaneChart::Device& device);
void SortDevices(LaneChart& chart);

// Keeps the device of this name, or the devices whose names end with it.
// NotFound: there is none.
absl::Status KeepDevice(std::string_view name, LaneChart& chart);

// Finds the longest gaps of the accelerators, or of all devices if there are
// none.
void FindGaps(LaneChart& chart);

// The range from the earliest to the latest time that was added.
class Bounds {
 public:
  void Add(int64_t start, int64_t end) {
    start_ = any_ ? std::min(start_, start) : start;
    end_ = any_ ? std::max(end_, end) : end;
    any_ = true;
  }
  void Add(const timeline::Intervals& sorted) {
    if (!sorted.empty()) Add(sorted.front().start, sorted.back().end);
  }
  bool any() const { return any_; }
  int64_t start() const { return start_; }
  int64_t end() const { return end_; }
  // Times of a damaged file may be further apart than the range of int64_t.
  int64_t length() const {
    const int64_t length = util::WrapSub(end_, start_);
    return length < 0 ? std::numeric_limits<int64_t>::max() : length;
  }

 private:
  bool any_ = false;
  int64_t start_ = 0;
  int64_t end_ = 0;
};

// Finds the names of the executions around gaps. Add() must be called for each
// execution of their devices, and costs the same for any number of gaps.
class GapNames {
 public:
  // The gaps must outlive this object.
  explicit GapNames(std::span<LaneChart::Gap* const> gaps) {
    sides_.reserve(2 * gaps.size());
    for (LaneChart::Gap* gap : gaps) {
      const int64_t end = util::WrapAdd(gap->begin, gap->length);
      ends_[{gap->unit, gap->begin}].push_back(sides_.size());
      sides_.push_back({&gap->before});
      starts_[{gap->unit, end}].push_back(sides_.size());
      sides_.push_back({&gap->after});
    }
  }

  // `name` returns the name of the execution.
  template <typename Name>
  void Add(uint32_t unit, int64_t start, int64_t end, Name name) {
    const int64_t length = end - start;
    Offer(ends_, {unit, end}, length, name);
    Offer(starts_, {unit, start}, length, name);
  }

 private:
  // An end of a gap. The longest execution there gives its name.
  struct Side {
    std::string* name = nullptr;
    int64_t length = 0;
  };
  using Place = std::pair<uint32_t, int64_t>;  // a device and a time
  using Places = absl::flat_hash_map<Place, std::vector<size_t>>;

  template <typename Name>
  void Offer(const Places& places, Place place, int64_t length, Name name) {
    const auto found = places.find(place);
    if (found == places.end()) return;
    for (const size_t s : found->second) {
      if (length <= sides_[s].length) continue;
      sides_[s].length = length;
      *sides_[s].name = name();
    }
  }

  std::vector<Side> sides_;
  Places ends_;    // sides at which an execution ends
  Places starts_;  // sides at which an execution starts
};

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_DEVICES_LANE_CHART_H_
