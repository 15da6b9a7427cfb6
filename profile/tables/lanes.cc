#include "profile/tables/lanes.h"

#include <utility>

namespace tfprof::profile {

std::string_view LaneKindName(LaneKind kind) {
  switch (kind) {
    case LaneKind::kOther:
      return "other";
    case LaneKind::kCompute:
      return "compute";
    case LaneKind::kKernels:
      return "kernels";
    case LaneKind::kCopies:
      return "copies";
    case LaneKind::kCommunication:
      return "communication";
    case LaneKind::kAnnotation:
      return "annotation";
    case LaneKind::kLaunches:
      return "launches";
    case LaneKind::kPython:
      return "python";
  }
  return "";
}

LaneId LaneTable::Add(const Lane& lane) {
  const auto id = static_cast<LaneId>(lanes_.size());
  lanes_.push_back(lane);
  if (lane.device != kNone) {
    if (lane.device >= of_device_.size()) {
      of_device_.resize(lane.device + 1, kNone);
    }
    LaneId& first = of_device_[lane.device];
    if (first == kNone) first = id;
  }
  return id;
}

ProcessId LaneTable::InternProcess(std::string_view name) {
  const auto [it, is_new] = process_of_name_.try_emplace(
      std::string(name), static_cast<ProcessId>(processes_.size()));
  if (is_new) processes_.emplace_back().name = name;
  return it->second;
}

ProcessId LaneTable::AddProcess(Process process) {
  const auto id = static_cast<ProcessId>(processes_.size());
  process_of_name_.try_emplace(process.name, id);
  processes_.push_back(std::move(process));
  return id;
}

PhysicalId LaneTable::InternPhysical(ProcessId process, std::string_view label,
                                     std::string_view name) {
  const auto [it, is_new] =
      physical_of_label_.try_emplace(std::pair(process, std::string(label)),
                                     static_cast<PhysicalId>(physical_.size()));
  if (is_new) {
    physical_.push_back({process, std::string(label), std::string(name)});
  }
  return it->second;
}

size_t LaneTable::bytes() const {
  size_t bytes = lanes_.capacity() * sizeof(Lane) +
                 of_device_.capacity() * sizeof(LaneId) +
                 processes_.capacity() * sizeof(Process) +
                 process_of_name_.capacity() *
                     sizeof(decltype(process_of_name_)::value_type) +
                 physical_.capacity() * sizeof(PhysicalDevice) +
                 physical_of_label_.capacity() *
                     sizeof(decltype(physical_of_label_)::value_type);
  for (const Process& p : processes_) {
    bytes += p.host.capacity() + 2 * p.name.capacity() + p.job.capacity() +
             p.label.capacity();
  }
  for (const PhysicalDevice& d : physical_) {
    bytes += 2 * d.label.capacity() + d.name.capacity();
  }
  return bytes;
}

}  // namespace tfprof::profile
