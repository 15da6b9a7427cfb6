#include "exporters/formats/exec_maps.h"

#include <bit>
#include <cstddef>

#include "util/arithmetic.h"

namespace tfprof::exporters {

ExecMap MapOfRun(const TimedDevice& device) {
  if (device.stream) return ExecMap::kAccelerator;
  return device.canonical ? ExecMap::kCpu : ExecMap::kNone;
}

std::vector<ExecMap> MapsOfProfile(std::span<const TimedDevice> devices,
                                   int64_t accelerator_time) {
  // One bit for each device: 1 for accelerator_execs. Files have one or two
  // devices for a node; with many, only the usual choice is tried.
  constexpr size_t kMaxTried = 12;
  const auto sum_of = [&](uint64_t chosen) {
    int64_t sum = 0;
    for (size_t i = 0; i < devices.size(); ++i) {
      if (i < 64 ? chosen >> i & 1 : devices[i].stream) {
        sum = util::WrapAdd(sum, devices[i].time);
      }
    }
    return sum;
  };
  uint64_t usual = 0;
  for (size_t i = 0; i < devices.size() && i < 64; ++i) {
    usual |= uint64_t{devices[i].stream} << i;
  }
  uint64_t best = usual;
  if (sum_of(usual) != accelerator_time && devices.size() <= kMaxTried) {
    int best_distance = 64;
    for (uint64_t chosen = 0; chosen < uint64_t{1} << devices.size();
         ++chosen) {
      const int distance = std::popcount(chosen ^ usual);
      if (distance >= best_distance || sum_of(chosen) != accelerator_time) {
        continue;
      }
      best = chosen;
      best_distance = distance;
    }
  }
  std::vector<ExecMap> maps;
  for (size_t i = 0; i < devices.size(); ++i) {
    const bool accelerator = i < 64 ? best >> i & 1 : devices[i].stream;
    maps.push_back(accelerator ? ExecMap::kAccelerator : ExecMap::kCpu);
  }
  return maps;
}

}  // namespace tfprof::exporters
