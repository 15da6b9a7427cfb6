// The account of a step: where the wall time of each device went, in parts that
// do not overlap and add up to it.
//
//   for (const DeviceAccount& device : AccountOf(views, step).devices)
//     for (const PartInfo& info : AllParts()) device[info.part].ticks …
//
// The wall time of a device is StepWindow() (step_wall.h). Each moment of it
// belongs to one part:
//
//   computation    something computes; if several runs overlap, the one that
//                  began first decides the class (work_classes.h)
//   communication  and nothing computes; the part in which a rank waits for a
//                  rank that began a collective later is kLateRank
//   copies         and nothing computes or communicates
//   idle           by cause: what the host did, or why launched work waited
//
// Work counts where it ran, whichever step launched it. Idle time of an
// accelerator is explained by the threads of its process:
//
//   * Once the run that ends the gap has been launched, the launch is slow to
//     arrive; if it was launched before the gap began, it waited for other work
//     (kQueue, queued_waits.h), or a short gap is the time that each kernel
//     needs to start (kKernelStarts). What the host does then
//     is no cause: a run depends only on what was launched before it.
//   * Before that, the innermost execution of the thread that launches it
//     counts, then other threads, in the order of their recorded time. Inside a
//     call that reads input, compiles, sets something up or profiles, all time
//     belongs to that call.
//   * A wait is never the cause if another thread did something. If the host
//     waited for this device when the gap began, the wait emptied the queue:
//     short work until the next launch counts as kSynchronization.
//   * Time in a Python function of the program itself belongs to the function
//     (kPython). Functions of libraries, operators and runtime calls between
//     launches are kLaunches: the device runs out of work because each launch
//     costs too much. A long operator is kHostWork.
//   * Otherwise the file does not say what happened (kNotRecorded). If the host
//     launched kernels and the file has none, this is all the time in which no
//     copy ran (kNoKernels).
//
// A process without accelerators has an account of its host: operations count
// by class, other calls by the same rules.
//
// Each part has its largest details: types of operations, functions, calls, or
// the rank that was late. Times are ticks of the profile
// (Profile::ticks_per_micro()). The algorithm takes O(n log n) time for n
// executions.

#ifndef TFPROF_TIMELINE_ACCOUNT_ACCOUNT_H_
#define TFPROF_TIMELINE_ACCOUNT_ACCOUNT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "timeline/intervals.h"
#include "views/views.h"

namespace tfprof::timeline {

enum class Part : uint8_t {
  kMatrixProducts,
  kAttention,
  kConvolutions,
  kNormalization,
  kReductions,
  kElementwise,
  kDeviceCopies,
  kOtherCompute,
  kCommunication,
  kLateRank,
  kCopies,
  kOffload,
  kInput,
  kPython,
  kHostWork,
  kLaunches,
  kKernelStarts,
  kSynchronization,
  kAllocation,
  kCompilation,
  kFirstUse,
  kQueue,
  kProfiler,
  kNotRecorded,
};
inline constexpr size_t kNumParts = static_cast<size_t>(Part::kNotRecorded) + 1;

enum class PartKind : uint8_t { kCompute, kCommunication, kCopies, kIdle };
// In data: "compute", "communication", "copies", "idle".
std::string_view PartKindName(PartKind kind);

struct PartInfo {
  Part part;
  PartKind kind;
  std::string_view id;     // in data: "late_rank"
  std::string_view title;  // for people: "waiting for a late rank"
  // What to do about it, an imperative sentence; "" for useful work. See also
  // RemedyOf().
  std::string_view remedy;
};

const PartInfo& InfoOf(Part part);
std::span<const PartInfo> AllParts();
// A part of a part: the time of one operation, function or call.
struct PartDetail {
  std::string name;
  int64_t ticks = 0;
  int64_t count = 0;  // the pieces of time
};

struct PartTime {
  int64_t ticks = 0;
  // The largest, at most kMaxDetails, by descending time.
  std::vector<PartDetail> details;
  // The time of further details.
  int64_t other = 0;
};
inline constexpr size_t kMaxDetails = 5;

// The name of the time in which kernels ran that the file does not have, among
// the details of kNotRecorded.
inline constexpr std::string_view kNoKernels = "kernels are not in the file";

struct DeviceAccount {
  uint32_t unit = 0;  // in Activities::units()
  bool accelerator = false;
  bool serves_parameters = false;  // of a parameter server
  int64_t wall = 0;
  std::array<PartTime, kNumParts> parts;

  const PartTime& operator[](Part part) const {
    return parts[static_cast<size_t>(part)];
  }
  PartTime& operator[](Part part) { return parts[static_cast<size_t>(part)]; }
  // The sum of all parts of a kind.
  int64_t Of(PartKind kind) const;
  int64_t idle() const { return Of(PartKind::kIdle); }
};

struct StepAccount {
  const profile::Step* step = nullptr;
  // Accelerators, then hosts of processes without accelerators, each in the
  // order of units. An accelerator without work in the step is idle; one that
  // works only outside of steps, while others work in them, is left out.
  std::vector<DeviceAccount> devices;

  const DeviceAccount* Find(uint32_t unit) const;
};

// The remedy of a part of an account, in the words of the program's framework:
// nobody is told to record what the profile has, or what its recorder cannot
// record.
std::string_view RemedyOf(Part part, const DeviceAccount& account,
                          const profile::Profile& profile);

// The remedy of an operation that should not run alone in each step, whatever
// part it is of: Python inside of a graph, a checkpoint, a summary. "": none.
std::string_view RemedyOfOp(std::string_view name);

// The accounts of all listed steps are computed together when the first one is
// asked for, so a step has the same account whoever asks. They are kept with
// the views until the rules for communication change, which ends the references
// and pointers.
const StepAccount& AccountOf(views::Views& views, const profile::Step& step);
std::vector<const StepAccount*> AccountsOf(
    views::Views& views, std::span<const profile::Step* const> steps);

// What takes longer in a step than in a usual one.
struct GrownPart {
  Part part = Part::kNotRecorded;
  uint32_t unit = 0;
  int64_t more = 0;    // at least 1
  std::string detail;  // the one that grew most; may be empty
};

// The part that grew most on a device; nullopt if none grew. If that is a wait
// for a late rank, it is what grew on that rank, if anything grew half as much.
std::optional<GrownPart> LargestGrowth(const StepAccount& account,
                                       const StepAccount& usual);

// The sum of accounts: of the devices of a step, or of a device over steps.
// `unit` is that of the first.
DeviceAccount Sum(std::span<const DeviceAccount* const> accounts);

// The account of a whole job: the sum over the accelerators that have wall
// time, or over the hosts if there are none.
struct JobAccount {
  DeviceAccount sum;
  size_t devices = 0;
};
JobAccount SumOf(const StepAccount& account);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_ACCOUNT_ACCOUNT_H_
