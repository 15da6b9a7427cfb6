#include "loaders/chrome_json/kineto/category.h"

#include <utility>

namespace tfprof::kineto {
namespace {

using Category = KinetoCategory;

// The most frequent come first. Torch 1.8 and 1.9 write capitalised names.
constexpr std::pair<std::string_view, Category> kCategories[] = {
    {"python_function", Category::kPython},
    {"cpu_op", Category::kOp},
    {"cuda_runtime", Category::kLaunch},
    {"kernel", Category::kKernel},
    {"cuda_driver", Category::kLaunch},
    {"gpu_memcpy", Category::kCopy},
    {"gpu_memset", Category::kSet},
    {"user_annotation", Category::kRange},
    {"gpu_user_annotation", Category::kDeviceRange},
    {"Operator", Category::kOp},
    {"Runtime", Category::kLaunch},
    {"Kernel", Category::kKernel},
    {"Memcpy", Category::kCopy},
    {"Memset", Category::kSet},
    {"cuda_sync", Category::kSync},
    {"cuda_event", Category::kSync},
    {"overhead", Category::kOverhead},
    {"Trace", Category::kSpan},
    {"mtia_ccp_events", Category::kKernel},
    {"mtia_runtime", Category::kLaunch},
    {"xpu_runtime", Category::kLaunch},
    {"xpu_driver", Category::kLaunch},
    {"xpu_sync", Category::kSync},
    {"hip_runtime", Category::kLaunch},
    {"hpu_op", Category::kKernel},
    {"glow_runtime", Category::kLaunch},
    {"privateuse1_runtime", Category::kLaunch},
    {"privateuse1_driver", Category::kLaunch},
    {"cuda_profiler_range", Category::kCounters},
    {"gpu_op", Category::kKernel},  // of unitrace, which adds what it is
};

}  // namespace

KinetoCategory KinetoCategoryOf(std::string_view category) {
  for (const auto& [name, result] : kCategories) {
    if (name == category) return result;
  }
  return KinetoCategory::kUnknown;
}

bool IsForwardBackward(std::string_view category) {
  return category == "fwdbwd" || category == "forward_backward";
}

bool ReadsArgument(std::string_view name) {
  switch (name.size()) {
    case 4:
      return name == "name";
    case 5:
      return name == "Bytes";
    case 6:
      return name == "device" || name == "stream" || name == "kernel";
    case 8:
      return name == "CallFrom";
    case 9:
      return name == "Device Id";
    case 10:
      return name == "Input Dims" || name == "Call stack";
    case 11:
      return name == "correlation" || name == "Device Type";
    case 13:
      return name == "Fwd thread id";
    case 14:
      return name == "Total Reserved";
    case 15:
      return name == "Sequence number" || name == "Total Allocated";
    case 16:
      return name == "Module Hierarchy";
    default:
      return false;
  }
}

std::string_view WithoutCallNumber(std::string_view name) {
  constexpr std::string_view kPrefix = "sglang_profiler::";
  if (!name.starts_with(kPrefix)) return name;
  const size_t digits = name.find_last_not_of("0123456789") + 1;
  // At least one character stays behind the prefix.
  const bool numbered = digits < name.size() && name[digits - 1] == '_' &&
                        digits - 1 > kPrefix.size();
  return numbered ? name.substr(0, digits - 1) : name;
}

}  // namespace tfprof::kineto
