// How far the clocks of hosts are ahead of each other, from tensors that went
// between them.

#ifndef TFPROF_LOADERS_CTF_MODEL_HOST_CLOCKS_H_
#define TFPROF_LOADERS_CTF_MODEL_HOST_CLOCKS_H_

#include <cstdint>
#include <vector>

#include "loaders/ctf/events/trace_facts.h"
#include "loaders/ctf/model/device_clock.h"

namespace tfprof::ctf {

struct HostClock {
  StringId host = kNone;
  StringId reference = kNone;  // the host that it is compared with
  ClockBounds bounds;          // how far `host` is ahead
  uint64_t requests = 0;
  // Requests that are seen before they are sent, or have an answer before it
  // is made, as the clocks were recorded.
  uint64_t violations = 0;
};

// Each host but the first one; without bounds where not enough went both ways.
std::vector<HostClock> CompareHosts(const TraceFacts& facts);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_MODEL_HOST_CLOCKS_H_
