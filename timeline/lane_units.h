// LaneUnits: the devices whose activity is counted, and their lanes.
//
// A unit is a physical device, or all lanes of a process that have no physical
// device. It is an accelerator if its kind is an accelerator ("gpu", "tpu" …),
// or if it has a lane of kernels, copies or communication and its kind is not
// "cpu".
//
// Computed only from the lanes of a profile (profile/tables/lanes.h); names are
// for display.

#ifndef TFPROF_TIMELINE_LANE_UNITS_H_
#define TFPROF_TIMELINE_LANE_UNITS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace tfprof::timeline {

struct LaneUnit {
  std::string name;   // "rank 3 gpu:0", "/job:w/replica:0/task:0/device:gpu:0"
  std::string label;  // "gpu:0"
  std::string kind;   // "gpu"; "accelerator" if the file does not give it
  profile::ProcessId process = profile::kNone;
  profile::PhysicalId physical = profile::kNone;
  uint32_t clock = 0;
  bool accelerator = false;
};

class LaneUnits {
 public:
  explicit LaneUnits(const profile::GraphTables& graph);

  // All units in the order of their first lanes.
  const std::vector<LaneUnit>& all() const { return units_; }
  uint32_t of(profile::LaneId lane) const { return unit_of_lane_[lane]; }
  // Returns kNone if no lane has this device name.
  uint32_t of_device(profile::DeviceId device) const;
  bool has_accelerators() const { return has_accelerators_; }

 private:
  const profile::LaneTable& lanes_;
  std::vector<LaneUnit> units_;
  std::vector<uint32_t> unit_of_lane_;
  bool has_accelerators_ = false;
};

// Returns the display name of a process: its label, its name, "rank 3" or
// "process 2".
std::string ProcessName(const profile::LaneTable& lanes, profile::ProcessId id);
// The same, but a task of TensorFlow has its full name, as in findings.
std::string RankName(const profile::LaneTable& lanes, profile::ProcessId id);

// How many ranks of the job are not in the files; 0 if the files do not say it.
int64_t MissingRanks(const profile::LaneTable& lanes);
// "3 of the 4 ranks of the job are not in the files".
std::string MissingRanksText(int64_t missing, int64_t recorded);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_LANE_UNITS_H_
