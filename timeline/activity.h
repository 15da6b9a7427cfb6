// Activity: what each device did, and when. There is this one for all formats.
//
//   Activities& activities = views.Kept<Activities>();
//   const auto activity = activities.Of(step);   // or Everything()
//   for (const DeviceActivity& device : activity->devices)
//     Length(device.busy);
//
// It is computed from lanes, executions, links and steps of a profile, and from
// nothing else. A lane that repeats another one (Lane::repeats) counts nothing,
// annotations are no work, and neither is a call that is a whole step of the
// file (PyTorch's ProfilerStep).
//
// A *run* is an execution that does work by itself: a kernel, a copy or set of
// memory, a transfer, an op of a host whose ops do not call each other
// (Lane::calls_nest). It communicates if its lane says so, or if its op or the
// name of its record does (communication.h); it copies if its lane says so; all
// else is computation. Of a host whose calls are inside each other, only the
// time is known in which any of its threads ran an op or a launch: that is its
// computation, and it has no runs. The host's work for the ops of an
// accelerator is `launching` and no work of the accelerator.
//
// Times are ticks of the profile (Profile::ticks_per_micro()): exact, whatever
// the unit of the file is. Runs of a device may overlap, so all times are
// unions. Executions without a length count, but are in no interval. Starts and
// ends saturate; a negative length is 0.
//
// A run has a launch if a link of the profile says which call of the host
// started it. Runs without a launch were started before the recording began, or
// the file does not say it. One launch may have many runs.
//
// Computing everything sorts the runs: some 2 s for 10 million. The result of
// Everything() is kept, and has no runs of hosts; those of single steps are
// kept up to 64 MiB, so that several checkers share them.

#ifndef TFPROF_TIMELINE_ACTIVITY_H_
#define TFPROF_TIMELINE_ACTIVITY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/profile.h"
#include "timeline/communication.h"
#include "timeline/intervals.h"
#include "timeline/lane_units.h"

namespace tfprof {

enum class RunKind : uint8_t { kCompute, kCommunication, kCopy };

struct DeviceRun {
  int64_t start = 0;
  int64_t end = 0;
  uint32_t step = 0;    // in Profile::steps()
  uint32_t record = 0;  // in that step
  NodeId node = kNone;  // the op that it belongs to; kNone: none
  LaneId lane = kNone;
  uint32_t launch = kNone;  // in DeviceActivity::launches
  RunKind kind = RunKind::kCompute;

  int64_t length() const { return end - start; }
};

// A call of the host that started runs of a device.
struct DeviceLaunch {
  int64_t start = 0;
  int64_t end = 0;
  uint32_t step = 0;  // as in Run
  uint32_t record = 0;
  uint32_t first_run = 0;  // the first of its runs by start
  uint32_t num_runs = 0;
};

struct DeviceActivity {
  uint32_t unit = 0;         // in Activities::units()
  bool accelerator = false;  // LaneUnit::accelerator
  // Its runs, also those that are not listed; without runs, its calls.
  int64_t executions = 0;
  std::vector<DeviceRun> runs;         // by start
  std::vector<DeviceLaunch> launches;  // in any order
  Intervals compute;
  Intervals communication;
  Intervals copies;  // and sets
  Intervals busy;    // the union of the three
  // When the host launched: for this accelerator, or, of a host, for any.
  Intervals launching;
  // From the first start to the last end of its work, or of its launching if
  // there is nothing else.
  Interval span;
  // The part of the span that was recorded (ClockActivity).
  Intervals window;
};

// The time that was recorded on one clock: for each step from the first start
// to the last end of what ran. Several runs of a program may be one step; each
// begins with a _SOURCE of TensorFlow 1, and the time between two of them is
// not part of the step.
struct ClockActivity {
  uint32_t clock = 0;
  Intervals runs;
  int64_t length = 0;  // of the runs, in all
  Interval span;       // from the start of the first run to the last end
};

struct StepActivity {
  // Those that did something, the accelerators first, in the order of units.
  std::vector<DeviceActivity> devices;
  std::vector<ClockActivity> clocks;

  // nullptr: it did nothing.
  const DeviceActivity* Find(uint32_t unit) const;
  // nullptr: nothing ran on it.
  const ClockActivity* OfClock(uint32_t clock) const;
  // Whether an accelerator had a run.
  bool has_accelerators() const;
  size_t bytes() const;
};

class Activities {
 public:
  explicit Activities(const Profile& profile);

  const Profile& profile() const { return profile_; }
  const std::vector<LaneUnit>& units() const { return units_.all(); }
  bool has_accelerators() const { return units_.has_accelerators(); }
  uint32_t unit_of(LaneId lane) const { return units_.of(lane); }
  uint32_t unit_of_device(DeviceId device) const {
    return units_.of_device(device);
  }

  // Of all steps, and of what is in no step.
  std::shared_ptr<const StepActivity> Everything();
  // `step` is one of the profile.
  std::shared_ptr<const StepActivity> Of(const Step& step);

  // The time of an execution in ticks of the profile.
  Interval TimeOf(const Step& step, size_t record) const;

  // What counts as work.
  struct Work {
    uint32_t unit = kNone;
    LaneId lane = kNone;
    bool is_run = false;     // false: a call, which may be inside others
    bool is_launch = false;  // on a lane of launches
    Interval time;
  };
  // nullopt: an execution without a start, on a lane that repeats another one,
  // an annotation, a whole step.
  std::optional<Work> WorkAt(const Step& step, size_t record) const;

  // Whether the file has a step of just this time.
  bool IsWholeStep(const Interval& time) const;

  // A row of Profile::step_intervals(), in ticks of the profile.
  Interval StepTime(size_t row) const;

  // The kind of what an execution of a node, or of none, did on a lane.
  RunKind KindOf(const Step& step, size_t record, NodeId node, LaneId lane);

  // The type of the op, from the label of the record if no graph says it; of a
  // run without a node, its own name.
  std::string_view Op(const DeviceRun& run);
  // What the record of the run calls itself: the name of the kernel, or of the
  // op with its type.
  std::string_view Name(const DeviceRun& run) const;
  // The name of the node, or of the record if there is no node.
  std::string_view NodeName(const DeviceRun& run) const;
  RecordRef RecordOf(const DeviceRun& run) const;
  // What a copy or transfer moved, by its record and its lane.
  Transfer TransferOf(const DeviceRun& run) const;
  // The name of the device in the record; of other formats that of the unit.
  std::string_view DeviceName(const DeviceRun& run) const;

  // What counts as communication from now on; what was kept is dropped.
  void UseRules(std::shared_ptr<const CommunicationRules> rules);
  const CommunicationRules& rules() const { return *rules_; }

  // The place of a step in Profile::steps().
  uint32_t PlaceOf(const Step& step) const { return StepIndex(step.id); }

 private:
  class Collector;
  enum class Known : uint8_t { kNot, kYes, kNo };

  // The place of a step in Profile::steps(); kNone: it is not there.
  uint32_t StepIndex(int64_t id) const;
  void FindLaunches();
  std::shared_ptr<const StepActivity> Compute(size_t first_step,
                                              size_t end_step, bool with_hosts);
  std::string_view OpOf(NodeId node, RecordRef record, bool has_label);
  bool Communicates(NodeId node, RecordRef record, bool has_label);
  bool NameCommunicates(StringId name);

  const Profile& profile_;
  const LaneUnits units_;
  std::shared_ptr<const CommunicationRules> rules_ =
      std::make_shared<const CommunicationRules>();
  Intervals steps_;  // of the file, by start; they may overlap
  std::vector<Known> node_communicates_;
  absl::flat_hash_map<StringId, bool> name_communicates_;
  // Of nodes that are in run metadata only.
  absl::flat_hash_map<NodeId, std::string_view> op_of_label_;
  bool found_launches_ = false;
  // By step and record: the link that launched it; kNone: none. A step without
  // any has no column.
  std::vector<std::vector<uint32_t>> launch_link_;
  std::shared_ptr<const StepActivity> everything_;
  std::map<const Step*, std::shared_ptr<const StepActivity>> kept_;
  size_t kept_bytes_ = 0;
};

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_ACTIVITY_H_
