// Bounds of the difference between two clocks.
//
// A device tells when a command was queued and when it ended, on a clock of
// its own. The host knows that a command was queued within the call that
// enqueued it, and that its callback came after its end. With enough commands
// this bounds host time - device time to about the length of the shortest
// call, and without knowing which command belongs to which call: sorted, the
// k-th queued time lies between the k-th entry and the k-th exit. If some are
// missing, the shift that most commands agree on is taken.
//
// Between hosts, an answer comes after its request on both clocks.
//
// Times are nanoseconds.

#ifndef TFPROF_LOADERS_CTF_DEVICE_CLOCK_H_
#define TFPROF_LOADERS_CTF_DEVICE_CLOCK_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tfprof::ctf {

struct ClockBounds {
  enum Rule : uint8_t { kNone, kCorrelation, kOrder, kVoting, kRequests };
  Rule rule = kNone;
  // Of what must be added to the other clock.
  int64_t low = 0, high = 0;
  int64_t votes = 0;  // of kVoting: pairs that agree

  bool known() const { return rule != kNone; }
  int64_t shift() const { return low + (high - low) / 2; }
};

// "order statistics".
std::string_view RuleName(ClockBounds::Rule rule);

struct HostCall {
  int64_t entry = 0, exit = 0;
};

// `queued` and `ends` are device times of commands, `callbacks` host times. All
// may be in any order.
ClockBounds BoundDeviceClock(std::vector<int64_t> queued,
                             std::vector<int64_t> ends,
                             std::vector<HostCall> calls,
                             std::vector<int64_t> callbacks);

// The same where the call of each command is known.
ClockBounds BoundByCorrelation(std::span<const int64_t> queued,
                               std::span<const HostCall> calls);

// A request between clocks A and B: A sends, B sees and answers, A has it.
struct RoundTrip {
  int64_t sent = 0, seen = 0, answered = 0, received = 0;
};

// Of how far B's clock is ahead of A's, from requests of A to B and from those
// of B to A.
ClockBounds BoundHosts(std::span<const RoundTrip> forth,
                       std::span<const RoundTrip> back);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_DEVICE_CLOCK_H_
