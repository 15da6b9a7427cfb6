#include "loaders/xplane/planes/device_planes.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "fmt/format.h"
#include "util/text/ascii.h"

namespace tfprof::xplane {
namespace {

constexpr std::string_view kDevice = "/device:";
constexpr std::string_view kStream = "Stream #";
constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;

// Parses the number at the beginning of `text`; returns false if there is none.
bool Leading(std::string_view text, int64_t& number) {
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && at != text.data();
}

// Returns a rate from the file, or 0 if it makes no sense.
double Rate(double value) {
  return std::isfinite(value) && value > 0 ? value : 0;
}

}  // namespace

PlaneKind KindOfPlane(std::string_view name) {
  if (name.starts_with("/device:GPU:")) return PlaneKind::kGpu;
  if (name.starts_with("/device:TPU:")) return PlaneKind::kTpu;
  if (name.starts_with(kDevice)) return PlaneKind::kCustom;
  if (name == "/host:metadata") return PlaneKind::kMetadata;
  if (name == "Task Environment") return PlaneKind::kEnvironment;
  if (name == "/host:CUPTI" || name == "/host:ROCTRACER") {
    return PlaneKind::kDriver;
  }
  return PlaneKind::kHost;
}

std::string DeviceLabel(std::string_view plane_name) {
  if (plane_name.starts_with(kDevice)) plane_name.remove_prefix(kDevice.size());
  return util::LowerCase(plane_name);
}

LineUse UseOfLine(PlaneKind plane, std::string_view name) {
  switch (plane) {
    case PlaneKind::kHost:
      return name.starts_with("Host Threads/") ? LineUse::kLaunch
                                               : LineUse::kThread;
    case PlaneKind::kDriver:
      return LineUse::kLaunch;
    case PlaneKind::kCustom:
    case PlaneKind::kMetadata:
    case PlaneKind::kEnvironment:
      return LineUse::kFacts;
    case PlaneKind::kGpu:
    case PlaneKind::kTpu:
      break;
  }
  if (name == "Steps" || name == "Sparse Core Steps") return LineUse::kSteps;
  if (plane == PlaneKind::kGpu && name.starts_with(kStream)) {
    return LineUse::kStream;
  }
  static constexpr std::string_view kDerived[] = {
      "TensorFlow Ops", "TensorFlow Name Scope",
      "Framework Ops",  "Framework Name Scope",
      "Source code",    "Source",
      "XLA Name Scope", "XLA Source",
  };
  for (const std::string_view derived : kDerived) {
    if (name == derived) return LineUse::kDerived;
  }
  const bool ops = name == "XLA Ops" || name == "Sparse Core Ops";
  if (plane == PlaneKind::kGpu) {
    // The recorder makes these lines from the streams.
    return ops || name == "XLA Modules" ? LineUse::kDerived : LineUse::kFacts;
  }
  if (ops) return LineUse::kXlaOps;
  return name == "Async XLA Ops" ? LineUse::kAsync : LineUse::kFacts;
}

int64_t StreamNumber(std::string_view line_name) {
  int64_t number = 0;
  return line_name.starts_with(kStream) &&
                 Leading(line_name.substr(kStream.size()), number) &&
                 number >= 0
             ? number
             : profile::Lane::kUnnumberedStream;
}

int64_t ThreadNumber(std::string_view line_name, int64_t id) {
  const size_t slash = line_name.rfind('/');
  int64_t number = 0;
  return slash != line_name.npos && Leading(line_name.substr(slash + 1), number)
             ? number
             : id;
}

bool IsCopyName(std::string_view event_name) {
  return event_name.starts_with("Memcpy") || event_name.starts_with("Memset");
}

profile::CopyKind CopyKindOf(std::string_view event_name) {
  if (event_name.starts_with("MemcpyH2D")) return profile::CopyKind::kToDevice;
  if (event_name.starts_with("MemcpyD2H")) return profile::CopyKind::kToHost;
  if (event_name.starts_with("MemcpyD2D")) return profile::CopyKind::kOnDevice;
  if (event_name.starts_with("MemcpyP2P")) return profile::CopyKind::kToPeer;
  return profile::CopyKind::kUnknown;
}

void ReadCapabilities(const XPlane& plane, profile::PhysicalDevice& device) {
  const PlaneKind kind = KindOfPlane(plane.name);
  device.kind = kind == PlaneKind::kGpu   ? "gpu"
                : kind == PlaneKind::kTpu ? "tpu"
                                          : "cpu";
  std::string_view vendor;
  int64_t major = -1, minor = 0, cores = 0;
  plane.VisitStats(
      plane.stats, [&](std::string_view name, const PlaneStat& stat) {
        if (name == "device_type_string" || name == "gpu_device_name") {
          device.model = plane.stat_table.TextOf(stat);
        } else if (name == "peak_teraflops_per_second") {
          device.peak_flops_per_second = Rate(stat.number() * kTera);
        } else if (name == "peak_hbm_bw_gigabytes_per_second") {
          device.peak_bytes_per_second = Rate(stat.number() * kGiga);
        } else if (name == "memory_bandwidth") {
          device.peak_bytes_per_second = Rate(stat.number());
        } else if (name == "memory_size" && stat.is_integer()) {
          device.memory_bytes = std::max<int64_t>(0, stat.integer());
        } else if (name == "device_vendor") {
          vendor = plane.stat_table.TextOf(stat);
        } else if (name == "compute_cap_major" && stat.is_integer()) {
          major = stat.integer();
        } else if (name == "compute_cap_minor" && stat.is_integer()) {
          minor = stat.integer();
        } else if (name == "core_count" && stat.is_integer()) {
          cores = stat.integer();
        }
      });
  if (!device.model.empty() || kind != PlaneKind::kGpu) return;
  // The oldest recorders give no vendor, because there was only one.
  device.model = vendor.empty() ? "NVIDIA" : vendor;
  device.model += " GPU";
  if (major >= 0) {
    device.model += fmt::format(", compute capability {}.{}", major, minor);
  }
  if (cores > 0) device.model += fmt::format(", {} cores", cores);
}

}  // namespace tfprof::xplane
