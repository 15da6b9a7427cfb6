#include "loaders/ctf/model/device_names.h"

#include <utility>

#include "fmt/format.h"
#include "util/text/ascii.h"

namespace tfprof::ctf {

std::string DeviceName(const TraceFacts& facts, const Activity& activity) {
  if (activity.device != profile::kNone) {
    return util::LowerCase(facts.names.Get(activity.device));
  }
  const std::string_view provider = activity.provider == profile::kNone
                                        ? std::string_view()
                                        : facts.names.Get(activity.provider);
  return provider == "openclTracer" || provider == "tfprof" ? "opencl:0"
                                                            : "gpu:0";
}

std::string DeviceLabel(std::string_view device) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"cuda:", "gpu:"}, {"rocm:", "gpu:"}, {"levelzero:", "xpu:"}};
  for (const auto& [vendor, name] : kNames) {
    if (device.starts_with(vendor)) {
      return fmt::format("{}{}", name, device.substr(vendor.size()));
    }
  }
  return std::string(device);
}

profile::CopyKind KindOfCopy(std::string_view name) {
  const auto has = [&](std::string_view way) {
    return name.find(way) != name.npos;
  };
  return has("HtoD") || has("HostToDevice")     ? profile::CopyKind::kToDevice
         : has("DtoH") || has("DeviceToHost")   ? profile::CopyKind::kToHost
         : has("DtoD") || has("DeviceToDevice") ? profile::CopyKind::kOnDevice
         : has("PtoP") || has("Peer")           ? profile::CopyKind::kToPeer
                                                : profile::CopyKind::kUnknown;
}

}  // namespace tfprof::ctf
