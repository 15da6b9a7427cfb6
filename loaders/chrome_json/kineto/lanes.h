// KinetoPlaces: the process, the devices and the lanes of a Kineto file.
//
// Each file is one process with its rank and its host. The host is the device
// "cpu:0"; an accelerator is "gpu:N" with its number in the file, and is listed
// only if something ran on it. A host thread has a lane for operators, one for
// launches and one for asynchronous ranges. A stream has one lane for each kind
// of event on it.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_LANES_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_LANES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/chrome_json/kineto/envelope.h"
#include "loaders/chrome_json/kineto/events.h"
#include "profile/profile_builder.h"

namespace tfprof::kineto {

// Returns the rank in the name of a file ("rank-3.json", "worker0.pt.trace"),
// or -1.
int64_t RankOfPath(std::string_view path);

class KinetoPlaces {
 public:
  // Adds the process. `rank` is -1 if unknown; then `label` names it, if it is
  // not empty. `clock` is the lanes' clock.
  KinetoPlaces(const KinetoEvents& events, const KinetoEnvelope& envelope,
               int64_t rank, std::string_view label, uint32_t clock,
               profile::ProfileBuilder& builder);

  profile::ProcessId process() const { return process_; }
  // Adds the lane at the first call.
  profile::LaneId HostLane(uint32_t thread, profile::LaneKind kind);
  profile::LaneId DeviceLaneOf(uint32_t lane);

 private:
  // An accelerator, with its properties in the file.
  profile::PhysicalId NumberedDevice(int64_t number);
  profile::PhysicalId Device(std::string_view label, std::string_view kind);

  const KinetoEvents& events_;
  const KinetoEnvelope& envelope_;
  profile::ProfileBuilder& builder_;
  std::string prefix_;  // of device names: "rank 3 "
  profile::ProcessId process_ = 0;
  uint32_t clock_ = 0;
  absl::flat_hash_map<std::pair<uint32_t, int>, profile::LaneId> host_lanes_;
  std::vector<profile::LaneId> device_lanes_;
};

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_LANES_H_
