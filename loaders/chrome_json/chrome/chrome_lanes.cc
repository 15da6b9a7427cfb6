#include "loaders/chrome_json/chrome/chrome_lanes.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "loaders/tensorflow/device_names.h"
#include "util/text/ascii.h"
#include "util/text/decimal.h"

namespace tfprof::chrome_json {
namespace {

// Suffixes of the process names of TensorFlow 1.
constexpr std::string_view kCompute = " compute";
constexpr std::string_view kTensors = " tensors";

bool IsAccelerator(std::string_view device) {
  return device.find(':') != device.npos && !device.starts_with("cpu") &&
         !device.starts_with("host");
}

bool IsCopy(std::string_view name) {
  return name.find("memcpy") != name.npos || name.find("memset") != name.npos;
}

// Sets the role of a pseudo device of TensorFlow 1: "stream:13", "memcpy".
void SetPseudoRole(std::string_view pseudo, LaneRole& role) {
  role.kind = profile::LaneKind::kOther;
  if (pseudo == "stream:all") {
    role.without_streams = profile::LaneKind::kKernels;
  } else if (pseudo == "memcpy") {
    role.without_streams = profile::LaneKind::kCopies;
  } else if (pseudo.starts_with("stream:")) {
    pseudo.remove_prefix(7);
    const std::optional<int64_t> stream =
        util::ParseDecimal(pseudo.substr(0, pseudo.find_first_of("<(")));
    if (!stream) return;
    role.stream = *stream;
    role.kind = IsCopy(pseudo) ? profile::LaneKind::kCopies
                               : profile::LaneKind::kKernels;
  }
}

// Sets the role of an accelerator thread of TensorFlow 2 or JAX, whose name is
// in lower case.
void SetThreadRole(std::string_view thread, LaneRole& role) {
  role.kind = profile::LaneKind::kOther;
  if (thread.starts_with("stream #")) {
    thread.remove_prefix(8);
    role.stream = util::ParseDecimal(thread.substr(0, thread.find('(')))
                      .value_or(profile::Lane::kUnnumberedStream);
    role.kind = IsCopy(thread) ? profile::LaneKind::kCopies
                               : profile::LaneKind::kKernels;
  } else if (thread == "xla ops") {
    role.without_streams = profile::LaneKind::kKernels;
  }
}

}  // namespace

LaneRole RoleOfLane(std::string_view process, std::string_view thread) {
  LaneRole role;
  std::string name = util::LowerCase(process);
  if (!name.starts_with("/job:") && !name.starts_with("/device:") &&
      !name.starts_with("/host:") && !name.starts_with("/gpu:") &&
      !name.starts_with("/cpu:") && !name.starts_with("/task:")) {
    return role;
  }
  role.device_name = true;
  const bool is_tensors = name.ends_with(kTensors);
  const bool is_timeline = is_tensors || name.ends_with(kCompute);
  // Cuts suffixes, as in "/device:GPU:0 (pid 12)".
  name.resize(std::min(name.find(' '), name.size()));
  const tensorflow::DeviceNameParts parts = tensorflow::SplitDeviceName(name);
  if (!IsAccelerator(parts.local)) return role;
  role.device = parts.local;
  if (is_tensors) {
    role.kind = profile::LaneKind::kOther;
  } else if (!parts.pseudo.empty()) {
    SetPseudoRole(parts.pseudo, role);
  } else if (is_timeline) {
    role.kind = profile::LaneKind::kLaunches;
  } else {
    SetThreadRole(util::LowerCase(thread), role);
  }
  return role;
}

LaneRole RoleOfTimeline(profile::LaneKind kind, std::string_view thread) {
  LaneRole role = {.kind = kind};
  const size_t space = std::min(thread.find(' '), thread.size());
  if (kind == profile::LaneKind::kCompute ||
      kind == profile::LaneKind::kLaunches ||
      !IsAccelerator(thread.substr(0, space))) {
    return role;
  }
  role.device = thread.substr(0, space);
  thread.remove_prefix(space);
  constexpr std::string_view kStream = " stream";
  if (!thread.starts_with(kStream)) return role;
  thread.remove_prefix(kStream.size());
  if (thread.starts_with(' ')) thread.remove_prefix(1);
  role.stream = util::ParseDecimal(thread.substr(0, thread.find(' ')))
                    .value_or(profile::Lane::kUnnumberedStream);
  return role;
}

void ResolveRoles(std::span<LaneRole> roles) {
  std::set<std::string, std::less<>> with_streams;
  for (const LaneRole& role : roles) {
    if (role.stream != profile::Lane::kNoStream)
      with_streams.insert(role.device);
  }
  for (LaneRole& role : roles) {
    if (role.kind == profile::LaneKind::kOther &&
        !with_streams.contains(role.device)) {
      role.kind = role.without_streams;
    }
  }
}

std::string_view DeviceKind(std::string_view label) {
  return label.substr(0, label.find(':'));
}

}  // namespace tfprof::chrome_json
