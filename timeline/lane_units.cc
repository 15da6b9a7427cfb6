#include "timeline/lane_units.h"

#include <algorithm>

#include "fmt/format.h"

namespace tfprof::timeline {
namespace {

LaneUnit MakeUnit(const profile::LaneTable& lanes, const profile::Lane& lane) {
  LaneUnit unit;
  unit.process = lane.process;
  unit.physical = lane.physical;
  unit.clock = lane.clock;
  if (lane.physical == profile::kNone) {
    unit.name = ProcessName(lanes, lane.process);
    unit.label = unit.name;
    return unit;
  }
  const profile::PhysicalDevice& physical = lanes.physical(lane.physical);
  unit.name = physical.name;
  unit.label = physical.label;
  unit.kind = physical.kind;
  unit.process = physical.process;
  unit.accelerator =
      !unit.kind.empty() && unit.kind != "cpu" && unit.kind != "other";
  return unit;
}

// A host may have communication lanes too.
bool MakesAccelerator(profile::LaneKind kind, const LaneUnit& unit) {
  return kind == profile::LaneKind::kKernels ||
         kind == profile::LaneKind::kCopies ||
         (kind == profile::LaneKind::kCommunication && unit.kind != "cpu");
}

}  // namespace

std::string ProcessName(const profile::LaneTable& lanes,
                        profile::ProcessId id) {
  if (id >= lanes.num_processes()) return "(no process)";
  const profile::Process& process = lanes.process(id);
  if (!process.label.empty()) return process.label;
  if (!process.name.empty()) return process.name;
  if (process.rank >= 0) return fmt::format("rank {}", process.rank);
  return fmt::format("process {}", id);
}

std::string RankName(const profile::LaneTable& lanes, profile::ProcessId id) {
  if (id < lanes.num_processes() && !lanes.process(id).job.empty()) {
    return lanes.process(id).name;
  }
  return ProcessName(lanes, id);
}

LaneUnits::LaneUnits(const profile::GraphTables& graph) : lanes_(graph.lanes) {
  std::vector<uint32_t> unit_of_physical(lanes_.num_physical(), profile::kNone);
  std::vector<uint32_t> unit_of_process(lanes_.num_processes() + 1,
                                        profile::kNone);
  unit_of_lane_.assign(lanes_.size(), profile::kNone);
  for (profile::LaneId id = 0; id < lanes_.size(); ++id) {
    const profile::Lane& lane = lanes_[id];
    uint32_t& unit = lane.physical != profile::kNone
                         ? unit_of_physical[lane.physical]
                         : unit_of_process[std::min<size_t>(
                               lane.process, lanes_.num_processes())];
    if (unit == profile::kNone) {
      unit = static_cast<uint32_t>(units_.size());
      units_.push_back(MakeUnit(lanes_, lane));
    }
    unit_of_lane_[id] = unit;
    units_[unit].accelerator |= MakesAccelerator(lane.kind, units_[unit]);
  }
  for (LaneUnit& unit : units_) {
    has_accelerators_ |= unit.accelerator;
    if (unit.kind.empty()) unit.kind = unit.accelerator ? "accelerator" : "cpu";
    if (unit.accelerator && (unit.kind == "cpu" || unit.kind == "other")) {
      unit.kind = "accelerator";
    }
  }
}

uint32_t LaneUnits::of_device(profile::DeviceId device) const {
  const profile::LaneId lane = lanes_.OfDevice(device);
  return lane == profile::kNone ? profile::kNone : unit_of_lane_[lane];
}

int64_t MissingRanks(const profile::LaneTable& lanes) {
  int64_t job_ranks = 0;
  for (profile::ProcessId p = 0; p < lanes.num_processes(); ++p) {
    job_ranks = std::max(job_ranks, lanes.process(p).job_ranks);
  }
  return std::max<int64_t>(0, job_ranks - lanes.num_processes());
}

std::string MissingRanksText(int64_t missing, int64_t recorded) {
  return fmt::format("{} of the {} ranks of the job {} not in the files",
                     missing, missing + recorded, missing == 1 ? "is" : "are");
}

}  // namespace tfprof::timeline
