// DeviceTable: the devices of a profile, by name.
//
// What a device is the loader says that met it, once, as attributes. A device
// may have several of them or none: to the reference, TPU, XLA and "/host:cpu"
// are not canonical, so their times are facts but in no sum. TensorFlow's names
// are read by loaders/tensorflow/device_names.h, which also adds the pseudo
// devices of a run metadata file (".../stream:all").

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
  // Where nodes are scheduled. Its times are CPU times, its records carry the
  // memory.
  bool canonical = false;
  // Holds all kernels of an accelerator.
  bool accelerator_stream = false;
  bool on_gpu = false;
  bool on_cpu = false;

  friend bool operator==(const Device&, const Device&) = default;
};

class DeviceTable {
 public:
  // Ids count up from 0 by first sight, which also gives the attributes.
  DeviceId Intern(std::string_view name, const Device& device = {});
  // kNone: none of this name.
  DeviceId Find(std::string_view name) const { return names_.Find(name); }
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
