// DeviceRoles: which physical device a device name of a profile belongs to,
// and what the records under that name are.
//
// RunMetadata spreads one GPU over many names. Records of
//
//   /job:w/replica:0/task:0/device:gpu:0   are of the host: it starts an op
//   /device:gpu:0/stream:all               are its kernels
//   /device:gpu:0/stream:14                are one stream's share of the same;
//                                          TensorFlow 1 has copies in it too
//   /device:gpu:0/stream:14<memcpyh2d>     are one stream's copies
//   /device:gpu:0/memcpy                   are its copies, all of them
//   /device:gpu:0/sync, …/stream:15<…>     are neither
//
// so a sum over names counts a kernel twice or three times. The tracer writes
// no job and task before the names of streams: they go to the task that has
// such a GPU, or to the only task there is. Where several have one, nobody can
// tell whose kernels they are, and they stay a task of their own, "".
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
  struct Unit {
    std::string name;  // "/job:w/replica:0/task:0/device:gpu:0"
    uint32_t task = 0;
    bool accelerator = false;
  };

  explicit DeviceRoles(const GraphTables& graph);

  Role role(DeviceId device) const { return roles_[device]; }
  // Of the device in units().
  uint32_t unit(DeviceId device) const { return unit_of_[device]; }
  const std::vector<Unit>& units() const { return units_; }
  // "/job:w/replica:0/task:0", or "".
  const std::vector<std::string>& tasks() const { return tasks_; }

 private:
  std::vector<Role> roles_;
  std::vector<uint32_t> unit_of_;
  std::vector<Unit> units_;
  std::vector<std::string> tasks_;
};

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_DEVICE_ROLES_H_
