// CollectiveCall: what the record of a collective says about it.
//
// PyTorch writes the process group, the sequence number, the number of elements
// and their type; other recorders write the bytes, or nothing. What is not
// recorded is "" or -1. Reading it decodes the arguments of one record.

#ifndef TFPROF_TIMELINE_RANKS_COLLECTIVE_CALL_H_
#define TFPROF_TIMELINE_RANKS_COLLECTIVE_CALL_H_

#include <cstdint>
#include <string>

#include "timeline/activity.h"

namespace tfprof::timeline {

struct CollectiveCall {
  std::string communicator;  // the name of the process group
  std::string kind;          // "allreduce"
  int64_t sequence = -1;     // of the communicator
  int64_t bytes = -1;        // of the larger of input and output
  int64_t peer = -1;         // the other rank of a send or receive
};

// `run` is communication.
CollectiveCall CallOf(const Activities& activities, const DeviceRun& run);

// True if `run` sends to or receives from one rank, as stages of a pipeline do:
// a receive lasts until the sender is ready.
bool IsPeerTransfer(const Activities& activities, const DeviceRun& run);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_RANKS_COLLECTIVE_CALL_H_
