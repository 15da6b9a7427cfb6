// Activity: what each device did when, step by step.
//
//   Activities& activities = views.Kept<Activities>();
//   const auto activity = activities.Of(step);
//   for (const TaskActivity& task : activity->tasks)
//     for (const DeviceActivity& device : task.devices)
//       Micros(device.compute.busy);
//
// Every record of a step counts once; device_roles.h says which device names
// repeat the records of others. Records outside the reference's accounting,
// such as RecvTensor and MEMCPY…, count too. A record is communication by its
// op (_Recv, a collective, …) or its name (RecvTensor), a copy by its device,
// else compute.
//
// A step of a task spans from its first record to its last end. Several runs
// may be added to one step; each starts with a _SOURCE on its devices, and the
// time between two runs is not part of the step. A ProfileProto has no _SOURCE
// and no transfers, so all runs of a step count as one.
//
// Microseconds. Only records of a microsecond or more are included; shorter
// ones are counted. A step whose executions were dropped has none. Computing a
// step sorts its records: some 20 ms for 100,000. Steps are kept, up to 64 MiB
// of them, so that several checkers share them.

#ifndef TFPROF_TIMELINE_ACTIVITY_H_
#define TFPROF_TIMELINE_ACTIVITY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/profile.h"
#include "timeline/communication.h"
#include "timeline/device_roles.h"
#include "timeline/intervals.h"

namespace tfprof {

// One record. `record` is the number of the execution in the step.
struct Run {
  int64_t start = 0;
  int64_t end = 0;
  NodeId node = kNone;  // kNone: only the record has a name
  uint32_t record = 0;

  int64_t micros() const { return end - start; }
};

struct Track {
  std::vector<Run> runs;  // by start
  Intervals busy;         // when one of them ran

  size_t bytes() const {
    return runs.capacity() * sizeof(Run) + busy.capacity() * sizeof(Interval);
  }
};

struct DeviceActivity {
  uint32_t unit = 0;  // in DeviceRoles::units
  bool accelerator = false;
  Track compute;        // ops of a CPU, kernels of an accelerator
  Track communication;  // receiving, sending, collectives
  Track copies;         // of a GPU: between it and the host, or another
  Track launches;       // the host's work for ops of a GPU
  // Records that are shorter than a microsecond are in none of the tracks.
  int64_t instants = 0;

  // When the device itself did anything: all tracks but the launches.
  Intervals Busy() const;
};

struct TaskActivity {
  uint32_t task = 0;  // in DeviceRoles::tasks
  Intervals runs;     // one for each run in the step
  int64_t span = 0;   // of the runs, in all
  std::vector<DeviceActivity> devices;
};

struct StepActivity {
  const Step* step = nullptr;
  std::vector<TaskActivity> tasks;

  size_t bytes() const;
};

class Activities {
 public:
  explicit Activities(const Profile& profile);

  // `step` is one of the profile.
  std::shared_ptr<const StepActivity> Of(const Step& step);

  const Profile& profile() const { return profile_; }
  const DeviceRoles& roles() const { return roles_; }

  // The name of the node, or of the record if there is no node.
  std::string_view Name(const Step& step, const Run& run) const;
  // The type of the op. For a node that is in run metadata only, it is read
  // from the label of its record; without a label it is the node's name.
  std::string_view Op(const Step& step, const Run& run);
  // The name of the device in the record.
  std::string_view Device(const Step& step, const Run& run) const;
  // What it moved, by its record and its lane.
  Transfer TransferOf(const Step& step, const Run& run) const;

  // What counts as communication from now on; what was kept is dropped.
  void UseRules(std::shared_ptr<const CommunicationRules> rules);
  const CommunicationRules& rules() const { return *rules_; }

 private:
  std::shared_ptr<const StepActivity> Compute(const Step& step);
  std::string_view OpOf(NodeId node, RecordRef record);
  // Whether the op of the node is known, by its graph or by a label so far.
  bool HasOp(NodeId node) const;
  bool IsCommunication(NodeId node, RecordRef record);

  const Profile& profile_;
  const DeviceRoles roles_;
  std::shared_ptr<const CommunicationRules> rules_ =
      std::make_shared<const CommunicationRules>();
  // By node: 0 not known yet, 1 compute, 2 communication.
  std::vector<uint8_t> kind_;
  // Of nodes that are in run metadata only.
  absl::flat_hash_map<NodeId, std::string_view> op_of_label_;
  std::map<const Step*, std::shared_ptr<const StepActivity>> kept_;
  size_t kept_bytes_ = 0;
};

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_ACTIVITY_H_
