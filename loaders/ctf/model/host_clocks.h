// Computes how far the clocks of hosts are ahead of each other, in nanoseconds,
// from tensors that were sent between them.

#ifndef TFPROF_LOADERS_CTF_MODEL_HOST_CLOCKS_H_
#define TFPROF_LOADERS_CTF_MODEL_HOST_CLOCKS_H_

#include <cstdint>
#include <vector>

#include "loaders/ctf/events/trace_facts.h"
#include "loaders/ctf/model/device_clock.h"

namespace tfprof::ctf {

struct HostClock {
  profile::StringId host = profile::kNone;
  profile::StringId reference = profile::kNone;  // the host it is compared with
  ClockBounds bounds;                            // how far `host` is ahead
  uint64_t requests = 0;
  // Requests that, by the recorded clocks, are received before they are sent,
  // or answered before the answer is sent.
  uint64_t violations = 0;
};

// Returns all hosts except the first one. A host has no bounds if there were
// not enough transfers in both directions.
std::vector<HostClock> CompareHosts(const TraceFacts& facts);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_MODEL_HOST_CLOCKS_H_
