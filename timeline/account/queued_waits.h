// QueuedWaits: for what launched work of a device waits.
//
// A device that has nothing to do although work was launched waits for a
// function of the host that the program put into a stream (cudaLaunchHostFunc),
// or for another device of its process, if that one works meanwhile. Otherwise
// the file does not say what it waits for.
//
// Times are ticks of the profile. An object is for one device, and its waits
// are asked for in their order, mostly.

#ifndef TFPROF_TIMELINE_ACCOUNT_QUEUED_WAITS_H_
#define TFPROF_TIMELINE_ACCOUNT_QUEUED_WAITS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "timeline/activity.h"
#include "timeline/intervals.h"

namespace tfprof::timeline {

// The calls that put a function of the host into a stream, by process.
class HostFunctions {
 public:
  struct Call {
    int64_t start = 0;
    std::string_view name;
  };

  explicit HostFunctions(const Activities& activities);

  // Sorted by start.
  std::span<const Call> OfProcess(profile::ProcessId process) const;

 private:
  std::map<profile::ProcessId, std::vector<Call>> calls_;
};

// Whether `name` is such a call.
bool IsHostFunction(std::string_view name);

// The name of a wait for another device ends with it: "gpu:1 of the same
// process".
inline constexpr std::string_view kOfSameProcess = " of the same process";

// Whether a detail of such waits names what is waited for; otherwise it is the
// operation that waits.
bool NamesWhatIsWaitedFor(std::string_view detail);

class QueuedWaits {
 public:
  // `functions` and the activity must outlive the object, and the object must
  // outlive the names it returns. `all` are the accelerators of its process.
  QueuedWaits(const Activities& activities, const DeviceActivity& device,
              std::span<const DeviceActivity* const> all,
              const HostFunctions& functions);

  // For what run number `run` of the device waited in `time`; "": unknown.
  std::string_view Of(const Interval& time, size_t run);
  // The other device that works for most of `time`; "": none.
  std::string_view OtherDevice(const Interval& time);

 private:
  struct Other {
    std::string name;
    const Intervals& busy;
    size_t near = 0;  // the interval that was found last
  };

  const DeviceActivity& device_;
  const std::span<const HostFunctions::Call> functions_;
  std::vector<Other> others_;
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_ACCOUNT_QUEUED_WAITS_H_
