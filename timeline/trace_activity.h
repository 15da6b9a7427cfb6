// TraceActivity: what the devices of a trace did, kernel by kernel.
//
//   TraceActivities& traces = views.Kept<TraceActivities>();
//   const auto activity = traces.Everything();
//   for (const AcceleratorActivity& device : activity->accelerators)
//     Length(device.busy);
//
// A trace is a profile whose lanes belong to physical devices (PyTorch, XPlane
// and others); the device names of TensorFlow 1 are in activity.h. A device is
// an accelerator if it has a lane of kernels, copies or communication, or if
// its kind says so. What ran on these lanes is a run: a kernel, a copy or set
// of memory, a collective. Runs of one stream may overlap, and streams do, so
// all times are unions.
//
// Times are ticks of the profile (Profile::ticks_per_micro()): exact, whatever
// the unit of the file is. Runs without a length are counted, but are in no
// interval. Starts saturate; a run that would end after the largest int64_t
// ends there.
//
// A run has a launch if a link of the profile says which call of the host
// started it. Runs without a launch were started before the recording began, or
// the file does not say it. One launch may have many runs.
//
// Computing everything sorts the runs: some 2 s for 10 million. The result of
// Everything() is kept; those of single steps are kept up to 64 MiB.

#ifndef TFPROF_TIMELINE_TRACE_ACTIVITY_H_
#define TFPROF_TIMELINE_TRACE_ACTIVITY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "timeline/communication.h"
#include "timeline/intervals.h"

namespace tfprof {

// Whether executions are on lanes of physical devices.
bool IsTrace(const Profile& profile);

// A physical device, or all lanes of a process that have none.
struct TraceUnit {
  std::string name;   // "rank 3 gpu:0"
  std::string label;  // "gpu:0"
  std::string kind;   // "gpu"; "accelerator" where the file does not say it
  ProcessId process = kNone;
  PhysicalId physical = kNone;
  bool accelerator = false;
};

enum class TraceRunKind : uint8_t { kCompute, kCommunication, kCopy };

// One kernel, copy, set or collective.
struct TraceRun {
  int64_t start = 0;
  int64_t end = 0;
  uint32_t step = 0;    // in Profile::steps()
  uint32_t record = 0;  // in that step
  NodeId node = kNone;  // the op that it belongs to; kNone: none
  LaneId lane = kNone;
  uint32_t launch = kNone;  // in AcceleratorActivity::launches
  TraceRunKind kind = TraceRunKind::kCompute;

  int64_t length() const { return end - start; }
};

// A call of the host that started runs of a device.
struct TraceLaunch {
  int64_t start = 0;
  int64_t end = 0;
  uint32_t step = 0;  // as in TraceRun
  uint32_t record = 0;
  uint32_t first_run = 0;  // the first of its runs by start
  uint32_t num_runs = 0;
};

struct AcceleratorActivity {
  uint32_t unit = 0;
  std::vector<TraceRun> runs;         // by start
  std::vector<TraceLaunch> launches;  // in any order
  Intervals compute;
  Intervals communication;
  Intervals copies;  // and sets
  Intervals busy;    // the union of the three
  // From the first start to the last end of all runs.
  Interval span;
};

// Threads of the host, as one. An execution that is a whole step of the file
// (PyTorch's ProfilerStep) is none: it says nothing about work.
struct HostActivity {
  uint32_t unit = 0;
  int64_t executions = 0;
  Intervals busy;      // when an op or a launch ran on any thread
  Intervals launches;  // when a launch did
  Interval span;
};

struct TraceActivity {
  // Those that did something, in the order of the units.
  std::vector<AcceleratorActivity> accelerators;
  std::vector<HostActivity> hosts;
  size_t bytes() const;
};

class TraceActivities {
 public:
  explicit TraceActivities(const Profile& profile);

  const Profile& profile() const { return profile_; }
  const std::vector<TraceUnit>& units() const { return units_; }
  bool has_accelerators() const { return has_accelerators_; }
  // kNone: the lane belongs to a device name of TensorFlow 1.
  uint32_t unit_of(LaneId lane) const { return unit_of_lane_[lane]; }

  // Of all steps, and of what is in no step.
  std::shared_ptr<const TraceActivity> Everything();
  // `step` is one of the profile.
  std::shared_ptr<const TraceActivity> Of(const Step& step);

  // The time of an execution in ticks of the profile.
  Interval TimeOf(const Step& step, size_t record) const;

  // What counts as work: a run of an accelerator, or an execution of a host.
  struct Work {
    uint32_t unit = kNone;
    LaneId lane = kNone;
    bool on_accelerator = false;
    Interval time;
  };
  // nullopt: an execution without a start, an annotation, a whole step.
  std::optional<Work> WorkAt(const Step& step, size_t record) const;

  // Whether the file has a step of just this time.
  bool IsWholeStep(const Interval& time) const;

  // A row of Profile::step_intervals(), in ticks of the profile.
  Interval StepTime(size_t row) const;

  // The op of a run; of a run without one, its own name.
  std::string_view Op(const TraceRun& run) const;
  // What the record of the run calls itself: the name of the kernel.
  std::string_view Name(const TraceRun& run) const;
  RecordRef RecordOf(const TraceRun& run) const;
  // What a copy moved, by its record and its lane.
  Transfer TransferOf(const TraceRun& run) const;

  // What counts as communication from now on; what was kept is dropped.
  void UseRules(std::shared_ptr<const CommunicationRules> rules);
  const CommunicationRules& rules() const { return *rules_; }

 private:
  class Collector;

  void AddUnits();
  // The place of a step in Profile::steps(); kNone: it is not there.
  uint32_t StepIndex(int64_t id) const;
  void FindLaunches();
  std::shared_ptr<const TraceActivity> Compute(size_t first_step,
                                               size_t end_step);

  const Profile& profile_;
  std::shared_ptr<const CommunicationRules> rules_ =
      std::make_shared<const CommunicationRules>();
  std::vector<TraceUnit> units_;
  std::vector<uint32_t> unit_of_lane_;
  Intervals steps_;  // of the file, by start; they may overlap
  bool has_accelerators_ = false;
  bool found_launches_ = false;
  // By step and record: the link that launched it; kNone: none. A step without
  // any has no column.
  std::vector<std::vector<uint32_t>> launch_link_;
  std::shared_ptr<const TraceActivity> everything_;
  std::map<const Step*, std::shared_ptr<const TraceActivity>> kept_;
  size_t kept_bytes_ = 0;
};

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_TRACE_ACTIVITY_H_
