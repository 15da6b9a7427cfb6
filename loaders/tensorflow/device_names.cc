#include "loaders/tensorflow/device_names.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "loaders/tensorflow/transfer_text.h"
#include "util/ascii.h"

namespace tfprof {
namespace {

// FullMatch of ".*/(device:gpu|gpu|device:cpu|cpu):\d+". By hand, because one
// file may name 100,000 devices; `.` does not match a newline.
bool IsCanonical(std::string_view name) {
  size_t digits = 0;
  while (digits < name.size() && IsDigit(name[name.size() - 1 - digits])) {
    ++digits;
  }
  if (digits == 0) return false;
  name.remove_suffix(digits);
  if (!name.ends_with("/device:gpu:") && !name.ends_with("/gpu:") &&
      !name.ends_with("/device:cpu:") && !name.ends_with("/cpu:")) {
    return false;
  }
  return name.find('\n') == std::string_view::npos;
}

Device Classify(std::string_view lower) {
  return {.canonical = IsCanonical(lower),
          .accelerator_stream = lower.find("stream:all") != lower.npos,
          .on_gpu = lower.find("gpu") != lower.npos,
          .on_cpu = lower.find("cpu") != lower.npos};
}

// The number of a stream from a text such as "14".
int64_t StreamNumber(std::string_view text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && parsed == end && number >= 0
             ? number
             : Lane::kUnnumberedStream;
}

bool ConsumePrefix(std::string_view& s, std::string_view prefix) {
  if (!s.starts_with(prefix)) return false;
  s.remove_prefix(prefix.size());
  return true;
}

// Sets what the records of a device are.
void SetKind(const DeviceNameParts& parts, const Device& device, Lane& lane) {
  if (parts.pseudo.empty()) {
    lane.kind = device.canonical && device.on_gpu ? LaneKind::kLaunches
                                                  : LaneKind::kCompute;
    return;
  }
  if (parts.pseudo.starts_with("memcpy")) {
    lane.kind = LaneKind::kCopies;
    lane.copies = CopyKindIn(parts.pseudo);
    return;
  }
  std::string_view stream = parts.pseudo;
  if (!ConsumePrefix(stream, "stream:") || stream.empty()) return;
  if (stream == "all") {
    lane.kind = LaneKind::kKernels;
    return;
  }
  const size_t contents = stream.find('<');
  if (contents == 0) return;
  lane.stream = StreamNumber(stream.substr(0, contents));
  if (contents == stream.npos) {
    lane.kind = LaneKind::kKernels;
  } else if (stream.substr(contents + 1).starts_with("memcpy")) {
    lane.kind = LaneKind::kCopies;
    lane.copies = CopyKindIn(parts.pseudo);
  }
}

// What the name of a task says: "/job:worker/replica:0/task:1" is the task
// "worker/1" of the job "worker".
void SetJob(Process& process) {
  std::string_view rest = process.name;
  std::string_view job, task;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('/'), rest.size());
    std::string_view part = rest.substr(0, end);
    if (ConsumePrefix(part, "job:")) {
      job = part;
    } else if (ConsumePrefix(part, "task:")) {
      task = part;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  process.label = job.empty() ? std::string_view(process.name) : job;
  if (!job.empty() && !task.empty()) {
    process.label += '/';
    process.label += task;
  }
  // A job that is not the first part of the name is no job.
  if (!std::string_view(process.name).starts_with("/job:")) return;
  process.job = job;
  process.parameter_server = job == "ps";
}

}  // namespace

DeviceNameParts SplitDeviceName(std::string_view name) {
  DeviceNameParts parts;
  size_t at = name.npos;
  for (const std::string_view pseudo :
       {"/stream:", ":stream:", "/memcpy", ":memcpy", "/sync"}) {
    at = std::min(at, name.find(pseudo));
  }
  parts.base = name.substr(0, at);
  if (at != name.npos) parts.pseudo = name.substr(at + 1);
  parts.local = parts.base;
  if (const size_t slash = parts.base.rfind('/'); slash != name.npos) {
    parts.task = parts.base.substr(0, slash);
    parts.local = parts.base.substr(slash + 1);
  }
  ConsumePrefix(parts.local, "device:");
  return parts;
}

Device ClassifyDevice(std::string_view name) {
  return Classify(LowerCase(name));
}

std::string HostDevice(std::string_view name) {
  const auto is_digit = [&](size_t i) {
    return i < name.size() && IsDigit(name[i]);
  };
  std::string host;
  while (!name.empty()) {
    if (name.starts_with("gpu:") && is_digit(4)) {
      size_t end = 5;
      while (is_digit(end)) ++end;
      host += "cpu:0";
      name.remove_prefix(end);
    } else {
      host += name.front();
      name.remove_prefix(1);
    }
  }
  return host;
}

LaneId DeviceLane(std::string_view name, GraphTables& graph) {
  const std::string lower = LowerCase(name);
  const DeviceId known = graph.devices.Find(lower);
  if (known != kNone) {
    const LaneId lane = graph.lanes.OfDevice(known);
    if (lane != kNone) return lane;
  }
  const Device attributes = Classify(lower);
  const DeviceNameParts parts = SplitDeviceName(lower);
  Lane lane;
  lane.device = graph.devices.Intern(lower, attributes);
  lane.process = graph.lanes.InternProcess(parts.task);
  Process& process = graph.lanes.mutable_process(lane.process);
  if (process.job.empty()) SetJob(process);
  lane.physical =
      graph.lanes.InternPhysical(lane.process, parts.local, parts.base);
  // Processes have their own clocks.
  lane.clock = lane.process;
  SetKind(parts, attributes, lane);
  return graph.lanes.Add(lane);
}

LaneId DeviceLaneOf(ProcessId process, std::string_view name,
                    GraphTables& graph) {
  const LaneId shared = DeviceLane(name, graph);
  if (process == kNone) return shared;
  Lane lane = graph.lanes[shared];
  const std::string job = graph.lanes.process(lane.process).job;
  if (!job.empty() && job != "localhost") return shared;
  // There are few lanes: some for each device of a process.
  for (LaneId id = 0; id < graph.lanes.size(); ++id) {
    const Lane& known = graph.lanes[id];
    if (known.process == process && known.device == lane.device) return id;
  }
  lane.process = process;
  // The processes of one machine have one clock.
  lane.clock = process;
  const std::string host = graph.lanes.process(process).host;
  for (ProcessId other = 0; other < process && !host.empty(); ++other) {
    if (graph.lanes.process(other).host == host) {
      lane.clock = other;
      break;
    }
  }
  if (lane.physical != kNone) {
    const PhysicalDevice physical = graph.lanes.physical(lane.physical);
    lane.physical =
        graph.lanes.InternPhysical(process, physical.label, physical.name);
  }
  return graph.lanes.Add(lane);
}

}  // namespace tfprof
