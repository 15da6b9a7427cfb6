#include "loaders/chrome_json/ort/ort_devices.h"

#include <algorithm>
#include <iterator>

#include "util/text/ascii.h"

namespace tfprof::chrome_json {
namespace {

constexpr std::string_view kSuffix = "ExecutionProvider";
constexpr std::string_view kCpu[] = {"",        "CPU", "Dnnl",
                                     "XNNPACK", "ACL", "ArmNN"};
constexpr std::string_view kGpu[] = {
    "CUDA", "NvTensorRTRTX", "Tensorrt", "ROCM",  "MIGraphX",
    "Dml",  "WebGpu",        "JS",       "WebNN", "Vulkan"};

template <size_t N>
bool IsIn(std::string_view name, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

OrtDevice DeviceOfProvider(std::string_view provider) {
  if (provider.ends_with(kSuffix)) provider.remove_suffix(kSuffix.size());
  std::string kind = IsIn(provider, kCpu)   ? "cpu"
                     : IsIn(provider, kGpu) ? "gpu"
                                            : util::LowerCase(provider);
  std::string label = kind;
  label.append(":0");
  return {std::move(kind), std::move(label)};
}

}  // namespace tfprof::chrome_json
