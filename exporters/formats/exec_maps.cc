#include "exporters/formats/exec_maps.h"

#include <bit>
#include <cstddef>

#include "util/arithmetic.h"

namespace tfprof::exporters {

ExecMap MapOfRun(const TimedDevice& device) {
  if (device.stream) return ExecMap::kAccelerator;
  return device.canonical ? ExecMap::kCpu : ExecMap::kOther;
}

namespace {

// Whether the devices whose times TensorFlow does not count are what makes the
// sum of all devices larger than what the profile counts.
bool HasOthers(std::span<const TimedDevice> devices, int64_t counted) {
  int64_t all = 0, others = 0;
  for (const TimedDevice& device : devices) {
    all = util::WrapAdd(all, device.time);
    if (MapOfRun(device) != ExecMap::kOther) continue;
    others = util::WrapAdd(others, device.time);
  }
  return all != counted && util::WrapSub(all, others) == counted;
}

}  // namespace

std::vector<ExecMap> MapsOfProfile(std::span<const TimedDevice> devices,
                                   int64_t accelerator_time, int64_t cpu_time) {
  if (HasOthers(devices, util::WrapAdd(accelerator_time, cpu_time))) {
    std::vector<ExecMap> maps;
    for (const TimedDevice& device : devices) maps.push_back(MapOfRun(device));
    return maps;
  }
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
