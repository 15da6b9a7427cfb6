#include "flops/device_peaks.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "util/text/ascii.h"

namespace tfprof::flops {
namespace {

// Numbers from public data sheets. Longer names come before names that they
// contain.
constexpr ModelPeaks kModels[] = {
    {"h100 pcie", "NVIDIA H100 PCIe", 756, 51, 2000},
    {"h100 nvl", "NVIDIA H100 NVL", 835, 60, 3900},
    {"gh200", "NVIDIA GH200", 989.5, 67, 4000},
    {"h200", "NVIDIA H200 SXM", 989.5, 67, 4800},
    {"h100", "NVIDIA H100 SXM", 989.5, 67, 3350},
    {"b200", "NVIDIA B200", 2250, 75, 8000},
    {"a100-sxm4-40gb", "NVIDIA A100 SXM 40 GB", 312, 19.5, 1555},
    {"a100-pcie-40gb", "NVIDIA A100 PCIe 40 GB", 312, 19.5, 1555},
    {"a100 80gb pcie", "NVIDIA A100 PCIe 80 GB", 312, 19.5, 1935},
    {"a100-sxm4-80gb", "NVIDIA A100 SXM 80 GB", 312, 19.5, 2039},
    {"a100", "NVIDIA A100", 312, 19.5, 1555},
    {"v100-pcie", "NVIDIA V100 PCIe", 112, 14, 900},
    {"v100", "NVIDIA V100 SXM2", 125, 15.7, 900},
    {"nvidia l4", "NVIDIA L4", 121, 30.3, 300},
    {"tesla t4", "NVIDIA T4", 65, 8.1, 320},
    {"nvidia t4", "NVIDIA T4", 65, 8.1, 320},
    {"rtx 2080 ti", "GeForce RTX 2080 Ti", 53.8, 13.4, 616},
    {"rtx 3090", "GeForce RTX 3090", 71, 35.6, 936},
    {"rtx 4090", "GeForce RTX 4090", 165.2, 82.6, 1008},
    {"mi355x", "AMD Instinct MI355X", 2500, 157.3, 8000},
    {"mi300x", "AMD Instinct MI300X", 1307.4, 163.4, 5300},
    // Numbers of one of the two dies, which programs see as a device each.
    {"mi250x", "AMD Instinct MI250X, one die", 191.5, 23.9, 1638},
    {"mi250", "AMD Instinct MI250, one die", 181, 22.6, 1638},
    {"tpu v6", "TPU v6e", 918, 0, 1640},
    {"tpu v5p", "TPU v5p", 459, 0, 2765},
    {"tpu v5 lite", "TPU v5e", 197, 0, 819},
    {"tpu v5e", "TPU v5e", 197, 0, 819},
    {"tpu v5", "TPU v5p", 459, 0, 2765},
    {"tpu v4", "TPU v4", 275, 0, 1200},
    {"tpu v3", "TPU v3", 123, 0, 900},
    {"tpu v2", "TPU v2", 45, 0, 700},
};

// The rows of devices with TF32.
constexpr std::string_view kTf32Models[] = {"h100",     "h200",    "gh200",
                                            "b200",     "a100",    "nvidia l4",
                                            "rtx 3090", "rtx 4090"};

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;

}  // namespace

std::span<const ModelPeaks> ModelPeaksTable() { return kModels; }

std::optional<DevicePeaks> PeaksOfModel(std::string_view model) {
  const std::string name = util::LowerCase(model);
  for (const ModelPeaks& row : kModels) {
    if (name.find(row.part) == name.npos) continue;
    DevicePeaks peaks;
    peaks.flops_per_second = row.tera_flops * kTera;
    peaks.fp32_flops_per_second = row.tera_fp32 * kTera;
    peaks.bytes_per_second = row.giga_bytes * kGiga;
    return peaks;
  }
  return std::nullopt;
}

std::optional<bool> HasTf32(const profile::PhysicalDevice& device) {
  constexpr std::string_view kCapability = "compute capability ";
  constexpr int kAmpere = 8;
  const std::string name = util::LowerCase(device.model);
  const size_t at = name.find(kCapability);
  if (at != name.npos) {
    return std::atoi(name.c_str() + at + kCapability.size()) >= kAmpere;
  }
  for (const std::string_view part : kTf32Models) {
    if (name.find(part) != name.npos) return true;
  }
  if (PeaksOfModel(device.model)) return false;
  return std::nullopt;
}

DevicePeaks PeaksAt(const DevicePeaks& peaks, bool all_fp32,
                    double flops_per_second) {
  DevicePeaks limits = peaks;
  if (!all_fp32 || peaks.fp32_flops_per_second <= 0) return limits;
  constexpr double kTf32 = 0.5;  // of the 16-bit operations, on all data sheets
  limits.flops_per_second =
      flops_per_second <= peaks.fp32_flops_per_second
          ? peaks.fp32_flops_per_second
          : std::max(flops_per_second, kTf32 * peaks.flops_per_second);
  return limits;
}

std::optional<DevicePeaks> PeaksOf(const profile::PhysicalDevice& device) {
  std::optional<DevicePeaks> peaks = PeaksOfModel(device.model);
  const bool has_flops = device.peak_flops_per_second > 0;
  const bool has_bytes = device.peak_bytes_per_second > 0;
  if (!has_flops && !has_bytes) return peaks;
  if (!peaks) peaks.emplace();
  if (has_flops) {
    peaks->flops_per_second = device.peak_flops_per_second;
    peaks->source = PeaksSource::kFile;
  }
  if (has_bytes) peaks->bytes_per_second = device.peak_bytes_per_second;
  return peaks;
}

namespace {

// Removes the unit behind a number; returns what its prefix stands for.
double TakeUnit(std::string_view& word) {
  if (word.ends_with("/s")) word.remove_suffix(2);
  for (const std::string_view unit :
       {"FLOPS", "FLOP", "flops", "F", "B", "OPS"}) {
    if (!word.ends_with(unit)) continue;
    word.remove_suffix(unit.size());
    break;
  }
  constexpr std::string_view kPrefixes = "KMGTP";
  const size_t prefix =
      word.empty() ? kPrefixes.npos : kPrefixes.find(word.back());
  if (prefix == kPrefixes.npos) return 1;
  word.remove_suffix(1);
  return std::pow(1000.0, static_cast<double>(prefix + 1));
}

}  // namespace

std::optional<DevicePeaks> ParseDevicePeaks(std::string_view text) {
  const size_t comma = text.find(',');
  if (comma == text.npos) return std::nullopt;
  const auto parse = [](std::string_view word, double& value) {
    const double factor = TakeUnit(word);
    if (!absl::SimpleAtod(absl::string_view(word.data(), word.size()),
                          &value)) {
      return false;
    }
    value *= factor;
    return std::isfinite(value) && value > 0;
  };
  DevicePeaks peaks;
  peaks.source = PeaksSource::kUser;
  if (!parse(text.substr(0, comma), peaks.flops_per_second) ||
      !parse(text.substr(comma + 1), peaks.bytes_per_second)) {
    return std::nullopt;
  }
  return peaks;
}

}  // namespace tfprof::flops
