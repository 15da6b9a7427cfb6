// LaneUnits: the devices whose activity is counted, and which lanes are theirs.
//
// A unit is a physical device, or all lanes of a process that have none. It is
// an accelerator if its kind says so ("gpu", "tpu" …), or if it has a lane of
// kernels, copies or communication and its kind does not say "cpu".
//
// Computed from the lanes of a profile (profile/lanes.h) and from nothing else;
// names are for people.

#ifndef TFPROF_TIMELINE_LANE_UNITS_H_
#define TFPROF_TIMELINE_LANE_UNITS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace tfprof {

struct LaneUnit {
  std::string name;   // "rank 3 gpu:0", "/job:w/replica:0/task:0/device:gpu:0"
  std::string label;  // "gpu:0"
  std::string kind;   // "gpu"; "accelerator" where the file does not say it
  ProcessId process = kNone;
  PhysicalId physical = kNone;
  uint32_t clock = 0;
  bool accelerator = false;
};

class LaneUnits {
 public:
  explicit LaneUnits(const GraphTables& graph);

  // In the order of their first lanes.
  const std::vector<LaneUnit>& all() const { return units_; }
  uint32_t of(LaneId lane) const { return unit_of_lane_[lane]; }
  // kNone: no lane has this device name.
  uint32_t of_device(DeviceId device) const;
  bool has_accelerators() const { return has_accelerators_; }

 private:
  const LaneTable& lanes_;
  std::vector<LaneUnit> units_;
  std::vector<uint32_t> unit_of_lane_;
  bool has_accelerators_ = false;
};

// What a table calls a process: its label, its name, "rank 3", "process 2".
std::string ProcessName(const LaneTable& lanes, ProcessId id);

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_LANE_UNITS_H_
