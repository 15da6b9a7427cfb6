// IdleParts: why a device was idle (account.h).
//
// An object is for one device. Objects of several devices may be used at the
// same time. Times are ticks of the profile.

#ifndef TFPROF_TIMELINE_ACCOUNT_IDLE_PARTS_H_
#define TFPROF_TIMELINE_ACCOUNT_IDLE_PARTS_H_

#include <map>
#include <memory>
#include <string>

#include "timeline/account/host_pieces.h"
#include "timeline/account/merged_threads.h"
#include "timeline/account/part_sums.h"
#include "timeline/account/queued_waits.h"
#include "timeline/account/run_parts.h"
#include "timeline/activity.h"
#include "timeline/intervals.h"

namespace tfprof::timeline {

class IdleParts {
 public:
  // `threads` are those of the process of the device, with the pieces of its
  // idle time, merged with IsWait(). `busy` is when any accelerator of the
  // process works: in idle time, it is another one. `queued` knows for what
  // launched work waits, and `runs` the late ranks. The references must outlive
  // the object, and the object must outlive the sums.
  IdleParts(Activities& activities, const DeviceActivity& device,
            const MergedThreads& threads, const Intervals& busy,
            QueuedWaits& queued, RunParts& runs);
  ~IdleParts();

  // Whether a piece only waits. For a host that is the device, `is_host`,
  // communication is work.
  static bool IsWait(const Activities& activities, bool is_host,
                     const HostPiece& piece);

  // Adds idle time of an accelerator by cause, or the time of a host whose
  // calls nest by what its threads did.
  void Add(const Intervals& idle, PartSums& sums);

 private:
  class Causes;

  const std::unique_ptr<Causes> causes_;
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_ACCOUNT_IDLE_PARTS_H_
