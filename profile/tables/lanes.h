// Lanes, on which executions are recorded, and the processes of the lanes.
//
// A lane is one line of a timeline: the ops of a CPU, the host's launches for a
// GPU, all kernels of a GPU, one of its streams, its copies, one thread. The
// loader of a format sets the properties of each lane; no other code derives
// them from names. A TensorFlow 1 profile has one lane for each device name.
//
// A process has one clock and one set of devices. It is a task of a job or a
// rank of a collective. Values that a file does not give are kNone, -1 or
// empty.
//
// These are tables of a profile; ids count up from 0 in the order of addition.

#ifndef TFPROF_PROFILE_TABLES_LANES_H_
#define TFPROF_PROFILE_TABLES_LANES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "profile/tables/device_table.h"
#include "profile/tables/string_pool.h"
#include "profile/transfer.h"

namespace tfprof::profile {

using ProcessId = uint32_t;
using LaneId = uint32_t;
using PhysicalId = uint32_t;

struct Process {
  int64_t rank = -1;        // in a distributed run
  int64_t job_ranks = -1;   // of that run, also those not recorded; -1: unknown
  std::string host;         // name of the machine
  int64_t process_id = -1;  // of the operating system
  std::string name;         // "/job:w/replica:0/task:0"
  std::string job;          // its group in a cluster: "worker"
  std::string label;        // short, for tables: "worker/1"
  // The process stores parameters for other processes and computes little.
  bool parameter_server = false;
};

// A physical device: a CPU or one GPU. A recorder may use several device names
// (DeviceTable) for it, each with its own lanes.
struct PhysicalDevice {
  ProcessId process = kNone;
  std::string label;  // short, unique in its process: "gpu:0"
  std::string name;   // in full: "/job:w/replica:0/task:0/device:gpu:0"
  // "cpu", "gpu", "tpu", "mtia" …; if empty, its lanes imply the kind.
  std::string kind = {};
  std::string model = {};  // "NVIDIA H100 80GB HBM3"
  // The peak rates that the file gives for the device; 0: not given.
  double peak_flops_per_second = 0;
  double peak_bytes_per_second = 0;
  int64_t memory_bytes = 0;
};

enum class LaneKind : uint8_t {
  kOther,          // none of the other kinds; may repeat other lanes
  kCompute,        // ops, run by the device itself
  kKernels,        // kernels of an accelerator
  kCopies,         // between memories of accelerators and the host
  kCommunication,  // between processes
  kAnnotation,     // ranges that a program or a framework named
  kLaunches,       // the host's work for ops of an accelerator
  kPython,         // calls of Python functions; they may overlap ranges
};

// Returns the name of a kind: "compute", "kernels" ….
std::string_view LaneKindName(LaneKind kind);

struct Lane {
  // Special values of `stream`: the lane is not a single stream, or the file
  // does not give the number of its stream.
  static constexpr int64_t kNoStream = -1;
  static constexpr int64_t kUnnumberedStream = -2;

  ProcessId process = kNone;
  StringId name = kNone;  // kNone: the name of the device
  LaneKind kind = LaneKind::kOther;
  DeviceId device = kNone;
  PhysicalId physical = kNone;  // kNone: `device` is the physical device
  int64_t thread = -1;
  int64_t stream = kNoStream;
  // Times of lanes with different clocks are not comparable.
  uint32_t clock = 0;
  // The direction of all copies, if the kind is kCopies and they have only one.
  CopyKind copies = CopyKind::kUnknown;
  // A lane that contains all executions of this one; kNone if there is none. A
  // lane with `repeats` set must not be counted again.
  LaneId repeats = kNone;
  // Executions may be nested, like the calls of a thread. If false, each is an
  // independent operation, even if two of them overlap.
  bool calls_nest = true;

  bool is_one_stream() const { return stream != kNoStream; }
};

class LaneTable {
 public:
  LaneId Add(const Lane& lane);
  const Lane& operator[](LaneId id) const { return lanes_[id]; }
  Lane& mutable_lane(LaneId id) { return lanes_[id]; }
  // Returns the first lane of the device, kNone if it has none.
  LaneId OfDevice(DeviceId device) const {
    return device < of_device_.size() ? of_device_[device] : kNone;
  }
  size_t size() const { return lanes_.size(); }

  // Returns the process with this name, which is added if it is new.
  ProcessId InternProcess(std::string_view name);
  // Adds a process, even if another one has the same name.
  ProcessId AddProcess(Process process);
  const Process& process(ProcessId id) const { return processes_[id]; }
  Process& mutable_process(ProcessId id) { return processes_[id]; }
  size_t num_processes() const { return processes_.size(); }

  // Returns the physical device with this label in the process. If it is new,
  // it is added with `name`.
  PhysicalId InternPhysical(ProcessId process, std::string_view label,
                            std::string_view name);
  const PhysicalDevice& physical(PhysicalId id) const { return physical_[id]; }
  PhysicalDevice& mutable_physical(PhysicalId id) { return physical_[id]; }
  size_t num_physical() const { return physical_.size(); }

  size_t bytes() const;

 private:
  std::vector<Lane> lanes_;
  std::vector<LaneId> of_device_;
  std::vector<Process> processes_;
  absl::flat_hash_map<std::string, ProcessId> process_of_name_;
  std::vector<PhysicalDevice> physical_;
  absl::flat_hash_map<std::pair<ProcessId, std::string>, PhysicalId>
      physical_of_label_;
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_TABLES_LANES_H_
