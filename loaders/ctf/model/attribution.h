// Which op launched each kernel, with the rule that says so.
//
// The rules, the surest first:
//   annotation     the trace names the op in the kernel's own event
//   correlation    the command tells its launching thread and the time of its
//                  call: the innermost op that is open there
//   queued time    the time at which the device says that the kernel was
//                  queued lies inside exactly one enqueue call
//   elimination    it lies inside several calls, of which all but one belong
//                  to other kernels; only where no kernel and no call is lost
//   same op        it lies inside several calls, all of the same op
//   queue order    the k-th kernel of a queue is its k-th launch, if there are
//                  as many of both, and names agree where launches have them
//   ambiguous      none of them
//
// Times of activities of an unknown clock become host times here, by bounds of
// each process (device_clock.h).

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
  kOutsideOps,  // the launch is known, and no op was open
  kAmbiguous,
};
inline constexpr int kNumLinkRules = 8;

// "queued time".
std::string_view RuleName(LinkRule rule);

struct KernelLink {
  LinkRule rule = LinkRule::kAmbiguous;
  uint32_t op = kNone;    // index in TraceFacts::ops
  StringId name = kNone;  // of the op; kNone: none
  int64_t launch = Activity::kNoTime;
};

struct DeviceClockOf {
  uint32_t process = 0;
  StringId device = kNone;  // kNone: all that do not tell theirs
  ClockBounds bounds;
  uint64_t commands = 0;
};

struct Attribution {
  std::vector<KernelLink> links;  // by TraceFacts::activities
  std::vector<DeviceClockOf> clocks;
  std::array<uint64_t, kNumLinkRules> kernels_by_rule = {};
  uint64_t kernels_before_launch = 0;  // violations of causality
};

// Moves activities of unknown clocks to host time, where it can be found, and
// sets their clock to kNanos; others keep kUnknown. Commands of tfprof's own
// events complete the activities that they describe, or are added.
Attribution Attribute(TraceFacts& facts);

// The innermost op that is open at a time, by thread.
class OpenOps {
 public:
  explicit OpenOps(const TraceFacts& facts);
  // The index in TraceFacts::ops; kNone: no op is open.
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
