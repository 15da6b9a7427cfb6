// DeviceTable: the devices of a profile, by name.
//
// The loader that adds a device sets its attributes. A device may have several
// of them or none: in the reference, TPU, XLA and "/host:cpu" devices are not
// canonical, so their times are facts but in no sum. Only
// loaders/tensorflow/device_names.h interprets the names of TensorFlow devices,
// which include the pseudo devices of a run metadata file (".../stream:all").

#ifndef TFPROF_PROFILE_TABLES_DEVICE_TABLE_H_
#define TFPROF_PROFILE_TABLES_DEVICE_TABLE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profile/tables/string_pool.h"

namespace tfprof::profile {

using DeviceId = uint32_t;

struct Device {
  // Nodes are scheduled on this device. Its times are CPU times, and its
  // records have the memory data.
  bool canonical = false;
  // The device has all kernels of an accelerator.
  bool accelerator_stream = false;
  bool on_gpu = false;
  bool on_cpu = false;

  friend bool operator==(const Device&, const Device&) = default;
};

class DeviceTable {
 public:
  // Returns the id of the device; ids count up from 0. Only the first call for
  // a name sets its attributes.
  DeviceId Intern(std::string_view name, const Device& device = {});
  // Returns kNone if there is no device with this name.
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

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_TABLES_DEVICE_TABLE_H_
