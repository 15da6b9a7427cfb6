// DeviceRoles: which physical device a device name of a profile belongs to,
// and what the records under that name are.
//
// A recorder may spread one GPU over several device names: one for the host's
// launches, one for all kernels, one for each stream with its share of the same
// kernels. A sum over names would count a kernel twice or three times. The
// lanes of a profile (profile/lanes.h) say what each name is.
//
// TensorFlow's tracer does not say which process the streams belong to. They go
// to the process that has such a device, or to the only process there is. Where
// several have one, they stay in a process of their own, without a name.
//
// A task is a process: the devices of one have one clock.

#ifndef TFPROF_TIMELINE_DEVICE_ROLES_H_
#define TFPROF_TIMELINE_DEVICE_ROLES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "profile/device_table.h"
#include "profile/profile.h"

namespace tfprof {

class DeviceRoles {
 public:
  enum class Role : uint8_t {
    kHostOps,        // of a CPU
    kLaunches,       // the host's work for a GPU
    kKernels,        // all of a GPU
    kStreamKernels,  // of one stream
    kCopies,         // all of a GPU
    kStreamCopies,   // of one stream
    kOther,          // a device that TensorFlow's profiler does not know (TPU)
    kNothing,
  };
  // A physical device.
  struct Unit {
    std::string name;   // "/job:w/replica:0/task:0/device:gpu:0"
    std::string label;  // "gpu:0"
    uint32_t task = 0;
    bool accelerator = false;
    bool on_gpu = false;
    bool on_cpu = false;
  };

  explicit DeviceRoles(const GraphTables& graph);

  Role role(DeviceId device) const { return roles_[device]; }
  // Of the device in units().
  uint32_t unit(DeviceId device) const { return unit_of_[device]; }
  const std::vector<Unit>& units() const { return units_; }
  const std::vector<Process>& tasks() const { return tasks_; }

 private:
  std::vector<Role> roles_;
  std::vector<uint32_t> unit_of_;
  std::vector<Unit> units_;
  std::vector<Process> tasks_;
};

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_DEVICE_ROLES_H_
