// Finds the op that launched each kernel, and the rule that found it.
//
// The rules, from the most to the least certain:
//   annotation     the kernel's own event names the op
//   correlation    the command has its launching thread and the time of its
//                  call: the innermost op that is open there
//   queued time    the device time at which the kernel was queued lies inside
//                  exactly one enqueue call
//   elimination    it lies inside several calls, and all but one of them belong
//                  to other kernels; only if no kernel and no call is lost
//   same op        it lies inside several calls, all of the same op
//   queue order    the k-th kernel of a queue belongs to its k-th launch, if
//                  there are as many of both and their names, if any, agree
//   ambiguous      none of these rules
//
// Times of activities with an unknown clock become host times here, by the
// bounds of each process (device_clock.h).

#ifndef TFPROF_LOADERS_CTF_MODEL_ATTRIBUTION_H_
#define TFPROF_LOADERS_CTF_MODEL_ATTRIBUTION_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "loaders/ctf/events/trace_facts.h"
#include "loaders/ctf/model/device_clock.h"

namespace tfprof::ctf {

enum class LinkRule : uint8_t {
  kAnnotation,
  kCorrelation,
  kQueuedTime,
  kElimination,
  kSameOp,
  kQueueOrder,
  kOutsideOps,  // the launch is known, but no op was open
  kAmbiguous,
};
inline constexpr int kNumLinkRules = 8;

// Returns the name of a rule: "queued time".
std::string_view RuleName(LinkRule rule);

struct KernelLink {
  LinkRule rule = LinkRule::kAmbiguous;
  uint32_t op = profile::kNone;             // index in TraceFacts::ops
  profile::StringId name = profile::kNone;  // of the op; kNone: none
  int64_t launch = Activity::kNoTime;
};

struct DeviceClockOf {
  uint32_t process = 0;
  profile::StringId device = profile::kNone;  // kNone: devices without a name
  ClockBounds bounds;
  uint64_t commands = 0;
};

struct Attribution {
  std::vector<KernelLink> links;  // by TraceFacts::activities
  std::vector<DeviceClockOf> clocks;
  std::array<uint64_t, kNumLinkRules> kernels_by_rule = {};
  uint64_t kernels_before_launch = 0;  // kernels that violate causality
};

// Moves activities with unknown clocks to host time if possible, and sets their
// clock to kNanos; the others keep kUnknown. Commands from tfprof's own events
// complete the activities that they describe, or are added.
Attribution Attribute(TraceFacts& facts);

// Finds the innermost op that is open at a time, by thread.
class OpenOps {
 public:
  explicit OpenOps(const TraceFacts& facts);
  // Returns an index in TraceFacts::ops, or kNone if no op is open.
  uint32_t At(ThreadId thread, int64_t time) const;

 private:
  struct Entry {
    int64_t begin, end;
    uint32_t op;
    uint32_t parent;  // in the same list; kNone: none
  };
  std::vector<std::vector<Entry>> threads_;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_MODEL_ATTRIBUTION_H_
