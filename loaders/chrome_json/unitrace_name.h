// The names that Intel's unitrace gives to what runs on a device: the name of
// the kernel or of the call that copies, and how it ran, in brackets.

#ifndef TFPROF_LOADERS_CHROME_JSON_UNITRACE_NAME_H_
#define TFPROF_LOADERS_CHROME_JSON_UNITRACE_NAME_H_

#include <cstdint>
#include <string_view>

#include "profile/transfer.h"

namespace tfprof::chrome_json {

// The category of these events.
inline constexpr std::string_view kUnitraceWork = "gpu_op";

struct UnitraceName {
  enum class Kind : uint8_t { kKernel, kCopy, kSet, kSync };
  std::string_view name;  // "gemm"
  std::string_view how;   // "SIMD32 {108; 1; 1} {256; 1; 1}", "8388608 bytes"
  Kind kind = Kind::kKernel;
  profile::CopyKind copy = profile::CopyKind::kUnknown;
  int64_t bytes = -1;  // of a copy
};

UnitraceName ReadUnitraceName(std::string_view text);

// Returns whether this is a call of the interface of a device, of Level Zero,
// OpenCL or Unified Runtime, such as "zeCommandListAppendLaunchKernel".
bool IsDeviceCall(std::string_view name);

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_UNITRACE_NAME_H_
