// IdleParts: why a device was idle (account.h).
//
// An object is for one device. Objects of several devices may be used at the
// same time. Times are ticks of the profile.

#ifndef TFPROF_TIMELINE_ACCOUNT_IDLE_PARTS_H_
#define TFPROF_TIMELINE_ACCOUNT_IDLE_PARTS_H_

#include <map>
#include <memory>
#include <span>
#include <string>

#include "timeline/account/host_pieces.h"
#include "timeline/account/part_sums.h"
#include "timeline/activity.h"
#include "timeline/intervals.h"

namespace tfprof::timeline {

class IdleParts {
 public:
  // `threads` are those of the process of the device, with the pieces of its
  // idle time. `busy` is when any accelerator of the process works: in idle
  // time, it is another one. The references must outlive the object, and the
  // object must outlive the sums.
  IdleParts(Activities& activities, const DeviceActivity& device,
            std::span<const HostThread> threads, const Intervals& busy);
  ~IdleParts();

  // Adds idle time of an accelerator by cause, or the time of a host whose
  // calls nest by what its threads did.
  void Add(const Intervals& idle, PartSums& sums);

 private:
  class Causes;

  const std::unique_ptr<Causes> causes_;
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_ACCOUNT_IDLE_PARTS_H_
