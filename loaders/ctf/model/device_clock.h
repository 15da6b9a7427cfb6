// Bounds the difference between two clocks.
//
// A device records when a command was queued and when it ended, on its own
// clock. The host knows that the command was queued during the call that
// enqueued it, and that its callback came after its end. Many commands bound
// the shift (host time minus device time) to about the length of the shortest
// call, even if it is unknown which command belongs to which call: sorted, the
// k-th queued time lies between the k-th entry and the k-th exit. If some are
// missing, the result is the shift that most commands agree on, without a
// drift.
//
// Between hosts, an answer comes after its request on both clocks.
//
// Times are in nanoseconds.

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

// Returns the limits of the shift from commands whose calls are known.
ShiftLimits LimitsOfCalls(std::span<const int64_t> queued,
                          std::span<const HostCall> calls);

// `queued` and `ends` are device times of commands; `callbacks` are host times.
// All may be in any order. `told` are the limits from commands that name their
// call. They always hold; the other limits hold only if no command is missing.
ClockBounds BoundDeviceClock(std::vector<int64_t> queued,
                             std::vector<int64_t> ends,
                             std::vector<HostCall> calls,
                             std::vector<int64_t> callbacks,
                             const ShiftLimits& told = {});

// A request between clocks A and B: A sends, B receives and answers, A receives
// the answer.
struct RoundTrip {
  int64_t sent = 0, seen = 0, answered = 0, received = 0;
};

// Bounds how far B's clock is ahead of A's, from requests of A to B (`forth`)
// and of B to A (`back`). Subtract the result from a time of B.
ClockBounds BoundHosts(std::span<const RoundTrip> forth,
                       std::span<const RoundTrip> back);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_MODEL_DEVICE_CLOCK_H_
