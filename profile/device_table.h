// DeviceTable: the devices of a profile and what their names say.
//
// Names are lower case ("/job:w/replica:0/task:0/device:gpu:0"). A run
// metadata file also lists pseudo devices: ".../stream:all" holds the kernels
// of a GPU, ".../stream:16" one stream's share of the same, ".../memcpy" its
// copies. The four predicates are the reference's, literally: a device may
// satisfy several or none (TPU, XLA and "/host:cpu" are not canonical, so
// their times are facts but in no sum).

#ifndef TFPROF_PROFILE_DEVICE_TABLE_H_
#define TFPROF_PROFILE_DEVICE_TABLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/string_pool.h"

namespace tfprof {

using DeviceId = uint32_t;

struct Device {
  // Where nodes are scheduled: ends in [device:]{cpu,gpu}:<n>. Its times are
  // CPU times, its records carry the memory.
  bool canonical = false;
  bool accelerator_stream = false;  // contains "stream:all"
  bool on_gpu = false;              // contains "gpu"
  bool on_cpu = false;              // contains "cpu"
};

// What `name` (any case) says.
Device ClassifyDevice(std::string_view name);

// The CPU that feeds a device: every "gpu:<n>" replaced by "cpu:0".
std::string HostDevice(std::string_view name);

// ASCII only, whatever the locale: device names are.
std::string LowerCase(std::string_view s);

class DeviceTable {
 public:
  // `name` in any case; ids count up from 0 by first sight.
  DeviceId Intern(std::string_view name);
  std::string_view name(DeviceId id) const { return names_.Get(id); }
  const Device& operator[](DeviceId id) const { return devices_[id]; }
  size_t size() const { return devices_.size(); }
  size_t bytes() const {
    return names_.bytes() + devices_.capacity() * sizeof(Device);
  }

 private:
  StringPool names_;
  std::vector<Device> devices_;
};

}  // namespace tfprof

#endif  // TFPROF_PROFILE_DEVICE_TABLE_H_
