// Bounds of the difference between two clocks.
//
// A device tells when a command was queued and when it ended, on a clock of
// its own. The host knows that a command was queued within the call that
// enqueued it, and that its callback came after its end. With enough commands
// this bounds host time - device time to about the length of the shortest
// call, and without knowing which command belongs to which call: sorted, the
// k-th queued time lies between the k-th entry and the k-th exit. If some are
// missing, the shift that most commands agree on is taken; a drift is not
// found then.
//
// Between hosts, an answer comes after its request on both clocks.
//
// Times are nanoseconds.

#ifndef TFPROF_LOADERS_CTF_MODEL_DEVICE_CLOCK_H_
#define TFPROF_LOADERS_CTF_MODEL_DEVICE_CLOCK_H_

#include <cstdint>
#include <span>
#include <vector>

#include "loaders/ctf/model/clock_fit.h"

namespace tfprof::ctf {

struct HostCall {
  int64_t entry = 0, exit = 0;
};

// The limits of the shift that follow from commands whose calls are known.
ShiftLimits LimitsOfCalls(std::span<const int64_t> queued,
                          std::span<const HostCall> calls);

// `queued` and `ends` are device times of commands, `callbacks` host times. All
// may be in any order. `told` are the limits of commands that name their call;
// they hold for certain, others only where no command is missing.
ClockBounds BoundDeviceClock(std::vector<int64_t> queued,
                             std::vector<int64_t> ends,
                             std::vector<HostCall> calls,
                             std::vector<int64_t> callbacks,
                             const ShiftLimits& told = {});

// A request between clocks A and B: A sends, B sees and answers, A has it.
struct RoundTrip {
  int64_t sent = 0, seen = 0, answered = 0, received = 0;
};

// Bounds how far B's clock is ahead of A's, from requests of A to B (`forth`)
// and of B to A (`back`). The result is subtracted from a time of B.
ClockBounds BoundHosts(std::span<const RoundTrip> forth,
                       std::span<const RoundTrip> back);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_MODEL_DEVICE_CLOCK_H_
