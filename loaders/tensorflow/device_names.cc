#include "loaders/tensorflow/device_names.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "loaders/tensorflow/transfer_text.h"
#include "util/text/ascii.h"

namespace tfprof::tensorflow {
namespace {

// TensorFlow 1.15 writes the operations of each CPU again under this name, next
// to what happens inside of its iterators.
constexpr std::string_view kSecondView = "host:cpu";

// Matches ".*/(device:gpu|gpu|device:cpu|cpu):\d+" as a whole. Written by hand,
// because one file may name 100,000 devices. `.` does not match a newline.
bool IsCanonical(std::string_view name) {
  size_t digits = 0;
  while (digits < name.size() &&
         util::IsDigit(name[name.size() - 1 - digits])) {
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

profile::Device Classify(std::string_view lower) {
  return {.canonical = IsCanonical(lower),
          .accelerator_stream = lower.find("stream:all") != lower.npos,
          .on_gpu = lower.find("gpu") != lower.npos,
          .on_cpu = lower.find("cpu") != lower.npos};
}

// Returns the number of a stream from a text such as "14".
int64_t StreamNumber(std::string_view text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && parsed == end && number >= 0
             ? number
             : profile::Lane::kUnnumberedStream;
}

bool ConsumePrefix(std::string_view& s, std::string_view prefix) {
  if (!s.starts_with(prefix)) return false;
  s.remove_prefix(prefix.size());
  return true;
}

// Sets the kind of a device's lane. Ops do not call each other.
void SetKind(const DeviceNameParts& parts, const profile::Device& device,
             profile::Lane& lane) {
  lane.calls_nest = false;
  if (parts.pseudo.empty()) {
    lane.kind = device.canonical && device.on_gpu ? profile::LaneKind::kLaunches
                                                  : profile::LaneKind::kCompute;
    return;
  }
  if (parts.pseudo.starts_with("memcpy")) {
    lane.kind = profile::LaneKind::kCopies;
    lane.copies = CopyKindIn(parts.pseudo);
    return;
  }
  std::string_view stream = parts.pseudo;
  if (!ConsumePrefix(stream, "stream:") || stream.empty()) return;
  if (stream == "all") {
    lane.kind = profile::LaneKind::kKernels;
    return;
  }
  const size_t contents = stream.find('<');
  if (contents == 0) return;
  lane.stream = StreamNumber(stream.substr(0, contents));
  if (contents == stream.npos) {
    lane.kind = profile::LaneKind::kKernels;
  } else if (stream.substr(contents + 1).starts_with("memcpy")) {
    lane.kind = profile::LaneKind::kCopies;
    lane.copies = CopyKindIn(parts.pseudo);
  }
}

// Returns the kind of a device from its local name ("tpu:0"). Devices with
// other names in TensorFlow ("xla_gpu:0") have the kind of their hardware.
std::string KindOf(std::string_view local, const profile::Device& device) {
  if (device.on_gpu) return "gpu";
  if (device.on_cpu) return "cpu";
  return local.starts_with("tpu:") ? "tpu" : "other";
}

// Sets job and task from the name of a task: "/job:worker/replica:0/task:1" is
// the task "worker/1" of the job "worker".
void SetJob(profile::Process& process) {
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
  // The name is only a job if it begins with it.
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

profile::Device ClassifyDevice(std::string_view name) {
  return Classify(util::LowerCase(name));
}

std::string HostDevice(std::string_view name) {
  const auto is_digit = [&](size_t i) {
    return i < name.size() && util::IsDigit(name[i]);
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

profile::LaneId DeviceLane(std::string_view name, profile::GraphTables& graph) {
  const std::string lower = util::LowerCase(name);
  const profile::DeviceId known = graph.devices.Find(lower);
  if (known != profile::kNone) {
    const profile::LaneId lane = graph.lanes.OfDevice(known);
    if (lane != profile::kNone) return lane;
  }
  const profile::Device attributes = Classify(lower);
  const DeviceNameParts parts = SplitDeviceName(lower);
  profile::Lane lane;
  lane.device = graph.devices.Intern(lower, attributes);
  lane.process = graph.lanes.InternProcess(parts.task);
  profile::Process& process = graph.lanes.mutable_process(lane.process);
  if (process.job.empty()) SetJob(process);
  lane.physical =
      graph.lanes.InternPhysical(lane.process, parts.local, parts.base);
  profile::PhysicalDevice& physical =
      graph.lanes.mutable_physical(lane.physical);
  if (physical.kind.empty()) physical.kind = KindOf(parts.local, attributes);
  // Each process has its own clock.
  lane.clock = lane.process;
  SetKind(parts, attributes, lane);
  return graph.lanes.Add(lane);
}

profile::LaneId DeviceLaneOf(profile::ProcessId process, std::string_view name,
                             profile::GraphTables& graph) {
  const profile::LaneId shared = DeviceLane(name, graph);
  if (process == profile::kNone) return shared;
  profile::Lane lane = graph.lanes[shared];
  const std::string job = graph.lanes.process(lane.process).job;
  if (!job.empty() && job != "localhost") return shared;
  // There are few lanes: some for each device of a process.
  for (profile::LaneId id = 0; id < graph.lanes.size(); ++id) {
    const profile::Lane& known = graph.lanes[id];
    if (known.process == process && known.device == lane.device) return id;
  }
  lane.process = process;
  // The processes of one machine share a clock.
  lane.clock = process;
  const std::string host = graph.lanes.process(process).host;
  for (profile::ProcessId other = 0; other < process && !host.empty();
       ++other) {
    if (graph.lanes.process(other).host == host) {
      lane.clock = other;
      break;
    }
  }
  if (lane.physical != profile::kNone) {
    const profile::PhysicalDevice physical =
        graph.lanes.physical(lane.physical);
    lane.physical =
        graph.lanes.InternPhysical(process, physical.label, physical.name);
    graph.lanes.mutable_physical(lane.physical).kind = physical.kind;
  }
  return graph.lanes.Add(lane);
}

profile::LaneId TransferLane(profile::LaneId id, profile::LaneKind kind,
                             profile::GraphTables& graph) {
  profile::Lane lane = graph.lanes[id];
  if (lane.kind == kind) return id;
  // There are few lanes: some for each device.
  for (profile::LaneId other = 0; other < graph.lanes.size(); ++other) {
    const profile::Lane& known = graph.lanes[other];
    if (known.device == lane.device && known.process == lane.process &&
        known.kind == kind) {
      return other;
    }
  }
  lane.kind = kind;
  lane.copies = profile::CopyKind::kUnknown;
  return graph.lanes.Add(lane);
}

profile::LaneId LaneOfOutside(std::string_view record, profile::LaneId lane,
                              profile::GraphTables& graph) {
  if (record.find("MEMCPY") != record.npos) {
    return TransferLane(lane, profile::LaneKind::kCopies, graph);
  }
  return record == "RecvTensor"
             ? TransferLane(lane, profile::LaneKind::kCommunication, graph)
             : lane;
}

namespace {

// Returns whether nothing is known about a process.
bool IsUnknown(const profile::Process& process) {
  return process.name.empty() && process.rank < 0 && process.process_id < 0;
}

// Returns whether the host writes the records of such a lane.
bool IsScheduled(profile::LaneKind kind) {
  return kind == profile::LaneKind::kCompute ||
         kind == profile::LaneKind::kLaunches;
}

// Moves lanes whose names have no task to the task that they belong to.
void FindOwners(profile::LaneTable& lanes) {
  profile::ProcessId unknown = profile::kNone;
  std::set<profile::ProcessId> tasks;
  for (profile::LaneId id = 0; id < lanes.size(); ++id) {
    const profile::Lane& lane = lanes[id];
    if (lane.device == profile::kNone || lane.process == profile::kNone)
      continue;
    if (IsUnknown(lanes.process(lane.process))) {
      unknown = lane.process;
    } else {
      tasks.insert(lane.process);
    }
  }
  if (unknown == profile::kNone || tasks.empty()) return;
  // Keyed by the short name of the device; kNone: several tasks have one.
  std::map<std::string_view, profile::PhysicalId> owners;
  std::set<profile::PhysicalId> scheduled;
  for (profile::LaneId id = 0; id < lanes.size(); ++id) {
    const profile::Lane& lane = lanes[id];
    if (lane.device == profile::kNone || !IsScheduled(lane.kind)) continue;
    scheduled.insert(lane.physical);
    if (lane.process == unknown) continue;
    const auto [it, is_new] =
        owners.try_emplace(lanes.physical(lane.physical).label, lane.physical);
    if (!is_new && it->second != lane.physical) it->second = profile::kNone;
  }
  for (profile::LaneId id = 0; id < lanes.size(); ++id) {
    profile::Lane& lane = lanes.mutable_lane(id);
    if (lane.device == profile::kNone || lane.process != unknown ||
        scheduled.contains(lane.physical)) {
      continue;
    }
    const profile::PhysicalDevice& physical = lanes.physical(lane.physical);
    const auto owner = owners.find(physical.label);
    if (owner != owners.end()) {
      if (owner->second == profile::kNone) continue;
      lane.physical = owner->second;
      lane.process = lanes.physical(owner->second).process;
    } else if (tasks.size() == 1) {
      const std::string label = physical.label, kind = physical.kind;
      const std::string name = physical.name;
      lane.process = *tasks.begin();
      lane.physical = lanes.InternPhysical(lane.process, label, name);
      lanes.mutable_physical(lane.physical).kind = kind;
    } else {
      continue;
    }
    lane.clock = lane.process;
  }
}

// The lanes of a GPU with one kind of work.
struct SameWork {
  std::vector<profile::LaneId> all;      // they have the records of all streams
  std::vector<profile::LaneId> streams;  // each has the records of one stream
};

int64_t Records(const std::vector<profile::LaneId>& lanes,
                const std::vector<int64_t>& sizes) {
  int64_t sum = 0;
  for (const profile::LaneId lane : lanes) sum += sizes[lane];
  return sum;
}

void FindRepeated(std::span<const std::shared_ptr<const profile::Step>> steps,
                  profile::LaneTable& lanes) {
  std::map<std::pair<profile::PhysicalId, profile::LaneKind>, SameWork> work;
  for (profile::LaneId id = 0; id < lanes.size(); ++id) {
    profile::Lane& lane = lanes.mutable_lane(id);
    if (lane.device == profile::kNone ||
        (lane.kind != profile::LaneKind::kKernels &&
         lane.kind != profile::LaneKind::kCopies)) {
      continue;
    }
    lane.repeats = profile::kNone;
    // If a device has kernels too, its lane of copies has only a part of the
    // copies.
    const bool is_part = lane.is_one_stream() ||
                         lanes[lanes.OfDevice(lane.device)].kind != lane.kind;
    SameWork& same = work[{lane.physical, lane.kind}];
    (is_part ? same.streams : same.all).push_back(id);
  }
  std::erase_if(work, [](const auto& same) {
    return same.second.all.empty() || same.second.streams.empty();
  });
  if (work.empty()) return;
  std::map<std::pair<profile::PhysicalId, profile::LaneKind>, bool>
      streams_have_all;
  std::map<std::pair<profile::PhysicalId, profile::LaneKind>, bool> seen_all;
  for (const auto& step : steps) {
    std::vector<int64_t> sizes(lanes.size(), 0);
    for (size_t e = 0; e < step->num_records(); ++e) {
      const profile::LaneId lane = step->LaneOf(e);
      if (lane != profile::kNone) ++sizes[lane];
    }
    for (const auto& [key, same] : work) {
      const int64_t all = Records(same.all, sizes);
      seen_all[key] |= all > 0;
      const auto it = streams_have_all.try_emplace(key, true).first;
      it->second &= Records(same.streams, sizes) >= all;
    }
  }
  for (const auto& [key, same] : work) {
    if (!seen_all[key]) continue;
    const bool streams = streams_have_all[key];
    for (const profile::LaneId lane : streams ? same.all : same.streams) {
      lanes.mutable_lane(lane).repeats =
          streams ? same.streams[0] : same.all[0];
    }
  }
}

// Marks the lanes of the second views of CPUs, "/host:CPU". Each becomes one of
// the CPU itself, unless several tasks write to it.
void FindSecondViews(profile::LaneTable& lanes) {
  profile::LaneId any_cpu = profile::kNone;
  std::map<profile::ProcessId, profile::LaneId> cpus;
  const auto label = [&](const profile::Lane& lane) -> std::string_view {
    return lane.physical == profile::kNone
               ? std::string_view()
               : lanes.physical(lane.physical).label;
  };
  for (profile::LaneId id = 0; id < lanes.size(); ++id) {
    if (lanes[id].device == profile::kNone || label(lanes[id]) != "cpu:0" ||
        lanes[id].kind != profile::LaneKind::kCompute) {
      continue;
    }
    cpus.try_emplace(lanes[id].process, id);
    any_cpu = std::min(any_cpu, id);
  }
  if (any_cpu == profile::kNone) return;
  for (profile::LaneId id = 0; id < lanes.size(); ++id) {
    profile::Lane& lane = lanes.mutable_lane(id);
    if (lane.device == profile::kNone || label(lane) != kSecondView) continue;
    const auto cpu = cpus.find(lane.process);
    const bool is_known = cpu != cpus.end() || cpus.size() == 1;
    lane.repeats = cpu != cpus.end() ? cpu->second : any_cpu;
    if (!is_known) continue;
    const profile::Lane& of = lanes[lane.repeats];
    lane.process = of.process;
    lane.physical = of.physical;
    lane.clock = of.clock;
  }
}

}  // namespace

void FinishDeviceLanes(
    std::span<const std::shared_ptr<const profile::Step>> steps,
    profile::GraphTables& graph) {
  FindOwners(graph.lanes);
  FindRepeated(steps, graph.lanes);
  FindSecondViews(graph.lanes);
}

}  // namespace tfprof::tensorflow
