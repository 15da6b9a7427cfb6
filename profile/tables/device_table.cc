#include "profile/tables/device_table.h"

namespace tfprof::profile {

DeviceId DeviceTable::Intern(std::string_view name, const Device& device) {
  const DeviceId id = names_.Intern(name);
  if (id == devices_.size()) devices_.push_back(device);
  return id;
}

}  // namespace tfprof::profile
