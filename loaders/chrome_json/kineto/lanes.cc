#include "loaders/chrome_json/kineto/lanes.h"

#include <fmt/format.h>

#include <string_view>

#include "util/text/decimal.h"

namespace tfprof::kineto {
namespace {

// Returns the end of a lane name: "stream 7", "stream 7 copies".
std::string_view SuffixOf(profile::LaneKind kind) {
  switch (kind) {
    case profile::LaneKind::kCopies:
      return " copies";
    case profile::LaneKind::kCommunication:
      return " communication";
    case profile::LaneKind::kAnnotation:
      return " ranges";
    case profile::LaneKind::kLaunches:
      return " launches";
    case profile::LaneKind::kPython:
      return " Python";
    case profile::LaneKind::kOther:
      return " waits";
    case profile::LaneKind::kKernels:
    case profile::LaneKind::kCompute:
      break;
  }
  return "";
}

}  // namespace

int64_t RankOfPath(std::string_view path) {
  path.remove_prefix(path.find_last_of('/') + 1);
  for (const std::string_view word : {"rank", "worker"}) {
    const size_t at = path.rfind(word);
    if (at == path.npos) continue;
    size_t begin = at + word.size();
    while (begin < path.size() &&
           (path[begin] == '-' || path[begin] == '_' || path[begin] == '.')) {
      ++begin;
    }
    size_t end = begin;
    while (end < path.size() && path[end] >= '0' && path[end] <= '9') ++end;
    if (end == begin) continue;
    return util::ParseDecimal(path.substr(begin, end - begin)).value_or(-1);
  }
  return -1;
}

KinetoPlaces::KinetoPlaces(const KinetoEvents& events,
                           const KinetoEnvelope& envelope, int64_t rank,
                           std::string_view label, uint32_t clock,
                           profile::ProfileBuilder& builder)
    : events_(events),
      envelope_(envelope),
      builder_(builder),
      clock_(clock),
      device_lanes_(events.device_lanes.size(), profile::kNone) {
  profile::Process process;
  process.rank = rank;
  process.job_ranks = envelope.world_size;
  process.host = envelope.host;
  if (!events.host.empty()) {
    const HostThread& thread = events.threads[events.host.front().thread];
    process.process_id = util::ParseDecimal(thread.pid).value_or(-1);
  }
  process.label = rank >= 0 ? fmt::format("rank {}", rank) : std::string(label);
  if (!process.label.empty()) {
    prefix_ = process.label;
    prefix_ += ' ';
  }
  process.name = process.label;
  process_ = builder.mutable_graph().lanes.AddProcess(std::move(process));
  // A rank of several has one of the devices. A process alone may use all, so
  // those without work are listed too.
  if (envelope.world_size > 1 || events.device_lanes.empty()) return;
  for (const KinetoDevice& device : envelope.devices) {
    if (device.id >= 0) NumberedDevice(device.id);
  }
}

profile::PhysicalId KinetoPlaces::NumberedDevice(int64_t number) {
  const profile::PhysicalId id = Device(
      fmt::format("{}:{}", events_.accelerator, number), events_.accelerator);
  const KinetoDevice properties = FindKinetoDevice(envelope_, number);
  profile::PhysicalDevice& row =
      builder_.mutable_graph().lanes.mutable_physical(id);
  row.model = properties.name;
  row.memory_bytes = properties.memory_bytes;
  return id;
}

profile::PhysicalId KinetoPlaces::Device(std::string_view label,
                                         std::string_view kind) {
  profile::LaneTable& lanes = builder_.mutable_graph().lanes;
  std::string name = prefix_;
  name += label;
  const profile::PhysicalId id = lanes.InternPhysical(process_, label, name);
  lanes.mutable_physical(id).kind = kind;
  return id;
}

profile::LaneId KinetoPlaces::HostLane(uint32_t thread,
                                       profile::LaneKind kind) {
  const auto [it, added] =
      host_lanes_.try_emplace({thread, static_cast<int>(kind)}, profile::kNone);
  if (!added) return it->second;
  const HostThread& host = events_.threads[thread];
  profile::GraphTables& graph = builder_.mutable_graph();
  std::string name = host.name == profile::kNone
                         ? fmt::format("thread {}", host.tid)
                         : std::string(graph.strings.Get(host.name));
  name += SuffixOf(kind);
  const profile::Lane lane = {
      .process = process_,
      .name = graph.strings.Intern(name),
      .kind = kind,
      .physical = Device("cpu:0", "cpu"),
      .thread = util::ParseDecimal(host.tid).value_or(-1),
      .clock = clock_,
      // Ranges of the host are asynchronous.
      .calls_nest = kind != profile::LaneKind::kAnnotation};
  return it->second = graph.lanes.Add(lane);
}

profile::LaneId KinetoPlaces::DeviceLaneOf(uint32_t number) {
  profile::LaneId& known = device_lanes_[number];
  if (known != profile::kNone) return known;
  const DeviceLane& device = events_.device_lanes[number];
  const profile::PhysicalId physical = NumberedDevice(device.device);
  profile::GraphTables& graph = builder_.mutable_graph();
  const bool numbered = device.stream >= 0;
  std::string name = numbered ? fmt::format("stream {}", device.stream)
                              : std::string("stream");
  name += SuffixOf(device.kind);
  return known = graph.lanes.Add(
             {.process = process_,
              .name = graph.strings.Intern(name),
              .kind = device.kind,
              .physical = physical,
              .stream =
                  numbered ? device.stream : profile::Lane::kUnnumberedStream,
              .clock = clock_});
}

}  // namespace tfprof::kineto
