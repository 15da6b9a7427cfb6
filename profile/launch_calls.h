// Which calls of a runtime start kernels.

#ifndef TFPROF_PROFILE_LAUNCH_CALLS_H_
#define TFPROF_PROFILE_LAUNCH_CALLS_H_

#include <algorithm>
#include <string_view>

namespace tfprof::profile {

// Returns whether a call starts a kernel, or a graph of them.
inline bool IsKernelLaunch(std::string_view call) {
  constexpr std::string_view kPrefixes[] = {
      "cudaLaunchKernel",   "cudaLaunchCooperativeKernel",
      "cuLaunch",           "cudaGraphLaunch",
      "cuGraphLaunch",      "hipLaunchKernel",
      "hipExtLaunch",       "hipModuleLaunch",
      "hipExtModuleLaunch", "hipLaunchCooperative",
      "hipGraphLaunch"};
  return std::ranges::any_of(kPrefixes, [call](std::string_view prefix) {
    return call.starts_with(prefix) && !call.starts_with("cuLaunchHost");
  });
}

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_LAUNCH_CALLS_H_
