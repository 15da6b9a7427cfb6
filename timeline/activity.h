// Activity: the work of each device over time. All formats use this code.
//
//   Activities& activities = views.Kept<Activities>();
//   const auto activity = activities.Of(step);   // or Everything()
//   for (const DeviceActivity& device : activity->devices)
//     Length(device.busy);
//
// It is computed only from the lanes, executions, links and steps of a profile.
// Lanes that repeat other lanes (Lane::repeats), annotations, and calls that
// are a whole step of the file (PyTorch's ProfilerStep) do not count as work.
//
// A *run* is an execution that does work by itself: a kernel, a copy or memory
// set, a transfer, or an op of a host whose ops do not call each other
// (Lane::calls_nest). A run is communication if its lane is a communication
// lane, or if its op or the name of its record matches (communication.h); it is
// a copy if its lane is a copy lane, or if it only waits for an asynchronous
// copy (work_classes.h); all other runs are computation. A host
// with nested calls has no runs: its computation is the time in which any of
// its threads ran an op or a launch. The host's work for the ops of an
// accelerator is `launching`; it does not count as work of the accelerator. A
// host is also busy with that, and inside of recorded Python functions.
//
// Times are exact, in ticks of the profile (Profile::ticks_per_micro()),
// whatever the unit of the file is. Runs of a device may overlap, so all times
// are unions. A run that contains others on its lane, such as a loop of XLA, is
// work of its kind only in its own time (own_time.h). Executions without a
// length count as runs, but are in no interval. Starts and ends saturate; a
// negative length is 0.
//
// A run has a launch if a link of the profile connects it to the call of the
// host that started it. A run without a launch was started before the recording
// began, or the file does not record its launch. One launch may have many runs.
//
// Everything() sorts all runs, the devices side by side. Its result is cached
// and has no runs of hosts. Results for single steps are cached up to 64 MiB,
// so that several checkers share them.

#ifndef TFPROF_TIMELINE_ACTIVITY_H_
#define TFPROF_TIMELINE_ACTIVITY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/profile.h"
#include "profile/uninitialized.h"
#include "timeline/intervals.h"
#include "timeline/lane_units.h"
#include "timeline/ranks/communication.h"
#include "util/run/task_options.h"

namespace tfprof::timeline {

enum class RunKind : uint8_t { kCompute, kCommunication, kCopy };

struct DeviceRun {
  int64_t start = 0;
  int64_t end = 0;
  uint32_t step = 0;                      // index in Profile::steps()
  uint32_t record = 0;                    // index in that step
  profile::NodeId node = profile::kNone;  // the op of the run, or kNone
  profile::LaneId lane = profile::kNone;
  uint32_t launch = profile::kNone;  // index in DeviceActivity::launches
  RunKind kind = RunKind::kCompute;

  int64_t length() const { return end - start; }
};

// A call of the host that started runs of a device.
struct DeviceLaunch {
  int64_t start = 0;
  int64_t end = 0;
  uint32_t step = 0;  // index in Profile::steps()
  uint32_t record = 0;
  uint32_t first_run = 0;  // its run that started first
  uint32_t num_runs = 0;
};

// What the runs of a device are called. Many runs share a few names.
struct RunNames {
  struct Name {
    std::string_view op;    // Activities::Op()
    std::string_view name;  // Activities::Name()
  };
  std::vector<Name> names;
  std::vector<uint32_t> of_run;  // in `names`, by run
};

struct DeviceActivity {
  uint32_t unit = 0;         // index in Activities::units()
  bool accelerator = false;  // LaneUnit::accelerator
  // The number of runs, including those that are not listed; for a device
  // without runs, the number of calls.
  int64_t executions = 0;
  profile::UninitializedVector<DeviceRun> runs;  // sorted by start
  // The lanes on which runs contain others (own_time.h). If there are some, the
  // intervals of a kind are the own times of its runs.
  std::vector<profile::LaneId> nesting;
  std::vector<DeviceLaunch> launches;  // in any order
  Intervals compute;
  Intervals communication;
  Intervals copies;  // copies and memory sets
  // The union of the three. A host is also busy while one of its threads is in
  // a Python function, or starts work of an accelerator of its process.
  Intervals busy;
  // The time in which the host launched work: for this accelerator, or, if this
  // is a host, for any accelerator.
  Intervals launching;
  // From the first start to the last end of the work, or of the launching if
  // there is no work.
  Interval span;
  // The recorded part of the span (ClockActivity).
  Intervals window;
};

// The recorded time of one clock: for each step, from the first start to the
// last end of its executions. Several runs of a program may be in one step.
// Each run begins with a _SOURCE of TensorFlow 1, and the time between two runs
// is not part of the step.
struct ClockActivity {
  uint32_t clock = 0;
  Intervals runs;
  int64_t length = 0;  // sum of the lengths of all runs
  Interval span;       // from the first start to the last end
};

// Finds the device of a unit, or nullptr, where accelerators are before hosts
// and each kind is in the order of units.
template <typename Device>
const Device* FindUnit(const std::vector<Device>& devices, uint32_t unit) {
  const auto hosts = std::ranges::partition_point(
      devices, [](const Device& device) { return device.accelerator; });
  for (const auto& [begin, end] :
       {std::pair(devices.begin(), hosts), std::pair(hosts, devices.end())}) {
    const auto found =
        std::ranges::lower_bound(begin, end, unit, {}, &Device::unit);
    if (found != end && found->unit == unit) return &*found;
  }
  return nullptr;
}

struct StepActivity {
  // The devices with work: first accelerators, then hosts, in the order of
  // units.
  std::vector<DeviceActivity> devices;
  std::vector<ClockActivity> clocks;

  // Returns nullptr if the device had no work.
  const DeviceActivity* Find(uint32_t unit) const;
  // Returns nullptr if nothing ran on the clock.
  const ClockActivity* OfClock(uint32_t clock) const;
  // Returns true if an accelerator had a run.
  bool has_accelerators() const;
  size_t bytes() const;
};

class Activities {
 public:
  explicit Activities(const profile::Profile& profile,
                      const util::TaskOptions& work = {});

  const profile::Profile& profile() const { return profile_; }
  const std::vector<LaneUnit>& units() const { return units_.all(); }
  bool has_accelerators() const { return units_.has_accelerators(); }
  uint32_t unit_of(profile::LaneId lane) const { return units_.of(lane); }
  uint32_t unit_of_device(profile::DeviceId device) const {
    return units_.of_device(device);
  }

  // Returns the activity of all steps, including executions outside of steps.
  std::shared_ptr<const StepActivity> Everything();
  // Returns the names of runs. Reading the name of a run from its record costs
  // more than most that is done with it.
  RunNames NamesOf(std::span<const DeviceRun> runs);
  // Returns those of all runs of Everything(), by device.
  std::shared_ptr<const std::vector<RunNames>> NamesOfRuns();
  // `step` must be a step of the profile.
  std::shared_ptr<const StepActivity> Of(const profile::Step& step);

  // The threads and the cancellation for all computations. After a cancellation
  // results are partial.
  const util::TaskOptions& work() const { return work_; }

  // Returns the time of an execution in ticks of the profile.
  Interval TimeOf(const profile::Step& step, size_t record) const;

  // An execution that counts as work.
  struct ActiveSpan {
    uint32_t unit = profile::kNone;
    profile::LaneId lane = profile::kNone;
    bool is_run = false;     // false: a call, which may be nested
    bool is_launch = false;  // on a lane for launches
    Interval time;
  };
  // Returns nullopt if the execution has no start, is on a lane that repeats
  // another one, is an annotation, or is a whole step.
  std::optional<ActiveSpan> SpanAt(const profile::Step& step,
                                   size_t record) const;

  // Returns true if the file has a step with exactly this time.
  bool IsWholeStep(const Interval& time) const;

  // Returns true if the file has the time of some step in this process.
  bool HasSteps(profile::ProcessId process) const {
    return with_steps_.contains(process);
  }
  // Returns a row of Profile::step_intervals() in ticks of the profile.
  Interval StepTime(size_t row) const;
  // Returns the same until the devices of the process are done with the step
  // (step_until_done.cc).
  Interval StepUntilDone(size_t row);

  // Returns the kind of an execution on a lane; `node` may be kNone.
  RunKind KindOf(const profile::Step& step, size_t record, profile::NodeId node,
                 profile::LaneId lane);

  // Returns the op type of a run, from the label of the record if there is no
  // graph. For a run without a node, returns its name.
  std::string_view Op(const DeviceRun& run);
  // Returns the type of the operation of a run: Op(), or a guess from the name
  // if the file does not have it.
  std::string_view TypeOf(const DeviceRun& run);
  // The same for all runs of a node. Call Everything() before, which reads the
  // labels.
  std::string_view TypeOfNode(profile::NodeId node) const;
  // The same for the op of a node, or any other name.
  std::string_view TypeOfNamed(profile::StringId name) const;
  // The same for people. PyTorch has one op for all collectives, so these have
  // the name of the kernel without its arguments.
  std::string_view Title(const DeviceRun& run);
  // Returns the name in the run's record: the kernel, or the op with its type.
  std::string_view Name(const DeviceRun& run) const;
  // Returns the name of the node, or of the record if there is no node.
  std::string_view NodeName(const DeviceRun& run) const;
  profile::RecordRef RecordOf(const DeviceRun& run) const;
  // Returns the data that a copy or transfer moved, from its record and lane.
  profile::Transfer TransferOf(const DeviceRun& run) const;
  // Returns the device name in the record, or the unit's name in other formats.
  std::string_view DeviceName(const DeviceRun& run) const;

  // Sets the rules for communication, and drops cached results.
  void UseRules(std::shared_ptr<const CommunicationRules> rules);
  const std::shared_ptr<const CommunicationRules>& rules() const {
    return rules_;
  }

  // Returns the index of a step in Profile::steps().
  uint32_t PlaceOf(const profile::Step& step) const {
    return StepIndex(step.id);
  }

 private:
  class Collector;
  struct StepRow {
    Interval time;
    size_t row = 0;
  };
  enum class Known : uint8_t { kNot, kCommunication, kCopy, kCompute };
  // What the executions on a lane are.
  struct LaneWork {
    uint32_t unit = profile::kNone;
    bool is_work = false;  // false: repeats, annotations, frames
    bool is_run = false;
    bool is_launch = false;
  };

  LaneWork WorkOnLane(profile::LaneId id) const;
  // Returns the index of a step in Profile::steps(), kNone if it is not there.
  uint32_t StepIndex(int64_t id) const;
  // Returns the last end of the work of the accelerators of a process in a
  // step, 0 if there is none.
  int64_t EndOfWork(const profile::Step& step, profile::ProcessId process);
  void FindLaunches();
  std::shared_ptr<const StepActivity> Compute(size_t first_step,
                                              size_t end_step, bool with_hosts);
  std::string_view OpOf(profile::NodeId node, profile::RecordRef record,
                        bool has_label);
  RunKind KindOfNode(profile::NodeId node, profile::RecordRef record,
                     bool has_label);
  bool NameCommunicates(profile::StringId name);
  // Returns the node of a record that is in no group because its node belongs
  // to another device: tasks may have operations with the same names. kNone:
  // the record is none of an operation.
  profile::NodeId NodeOfOutside(const profile::Step& step, size_t record,
                                profile::LaneId lane) const;
  // Returns the node of a run, also if its record is in no group.
  profile::NodeId NodeOf(const DeviceRun& run) const;
  // Returns the type of a node whose op, by its records, is `op`.
  std::string_view TypeFrom(profile::NodeId node, std::string_view op) const;
  // Returns whether the op of a node may be only in the labels of its records.
  bool OpMayBeInLabel(profile::NodeId node) const;
  // Returns whether such an op was found.
  bool HasOpOfLabel(profile::NodeId node);

  const profile::Profile& profile_;
  const util::TaskOptions work_;
  const LaneUnits units_;
  std::vector<LaneWork> lane_work_;  // by lane
  std::shared_ptr<const CommunicationRules> rules_ =
      std::make_shared<const CommunicationRules>();
  Intervals steps_;          // steps of the file, by start; may overlap
  Intervals time_in_steps_;  // their union
  std::set<profile::ProcessId> with_steps_;
  // The same for each process, made when they are needed.
  std::map<profile::ProcessId, std::vector<StepRow>> steps_of_process_;
  std::map<std::pair<const profile::Step*, profile::ProcessId>, int64_t>
      end_of_work_;
  std::vector<Known> node_kind_;
  std::vector<Known> name_kind_;  // by StringId
  // The ops of nodes that are only in run metadata.
  absl::flat_hash_map<profile::NodeId, std::string_view> op_of_label_;
  // Op() may be called by several threads.
  mutable std::mutex op_of_label_mutex_;
  bool found_launches_ = false;
  // The link that launched each run, by step and record; kNone if there is
  // none. The column of a step without launches is empty.
  std::vector<std::vector<uint32_t>> launch_link_;
  // The number of the launching call of each link; links of one call are next
  // to each other.
  std::vector<uint32_t> call_of_link_;
  std::shared_ptr<const StepActivity> everything_;
  std::shared_ptr<const std::vector<RunNames>> names_of_runs_;
  std::map<const profile::Step*, std::shared_ptr<const StepActivity>> kept_;
  size_t kept_bytes_ = 0;
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_ACTIVITY_H_
