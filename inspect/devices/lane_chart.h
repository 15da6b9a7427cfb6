// The steps in which lanes.cc makes a chart: names, order and gaps.

#ifndef TFPROF_INSPECT_DEVICES_LANE_CHART_H_
#define TFPROF_INSPECT_DEVICES_LANE_CHART_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

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

// Finds the names of the executions around the gaps of a device. Add() must be
// called for each execution of the device.
class GapNames {
 public:
  GapNames(LaneChart& chart, size_t device) {
    for (LaneChart::Gap& gap : chart.gaps) {
      if (gap.device == device) gaps_.push_back({.gap = &gap});
    }
    origin_ = chart.devices[device].origin;
  }
  bool empty() const { return gaps_.empty(); }

  // `name` returns the name of the execution.
  template <typename Name>
  void Add(int64_t start, int64_t end, Name name) {
    for (Sides& sides : gaps_) {
      const int64_t begin = util::WrapAdd(origin_, sides.gap->start);
      const int64_t finish = util::WrapAdd(begin, sides.gap->length);
      if (end == begin && end - start > sides.before) {
        sides.before = end - start;
        sides.gap->before = name();
      }
      if (start == finish && end - start > sides.after) {
        sides.after = end - start;
        sides.gap->after = name();
      }
    }
  }

 private:
  struct Sides {
    LaneChart::Gap* gap = nullptr;
    int64_t before = 0;  // the length of the named execution
    int64_t after = 0;
  };
  std::vector<Sides> gaps_;
  int64_t origin_ = 0;
};

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_DEVICES_LANE_CHART_H_
