#include "inspect/devices/devices.h"

#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "accounting/counter_sums.h"
#include "accounting/node_stats.h"
#include "inspect/devices/device_labels.h"
#include "inspect/steps/account_table.h"
#include "inspect/steps/step_facts.h"
#include "inspect/steps/step_memory.h"
#include "inspect/time_cells.h"
#include "tables/counter_columns.h"
#include "tables/table_builder.h"
#include "timeline/account/account.h"
#include "timeline/activity.h"
#include "timeline/device_metrics.h"
#include "util/arithmetic.h"

namespace tfprof::inspect {
namespace {

// The sums of copies. Only copies with recorded bytes count.
struct Copied {
  int64_t bytes = 0;
  int64_t time = 0;  // the sum for these copies
  bool known = false;
};

Copied CopiedBy(const timeline::Activities& activities,
                const timeline::DeviceActivity& device) {
  Copied copied;
  for (const timeline::DeviceRun& run : device.runs) {
    if (run.kind != timeline::RunKind::kCopy) continue;
    const int64_t bytes = activities.TransferOf(run).bytes;
    if (bytes < 0) continue;
    copied.known = true;
    copied.bytes = util::SaturatingAdd(copied.bytes, bytes);
    copied.time = util::SaturatingAdd(copied.time, run.length());
  }
  return copied;
}

int64_t NumStreams(const profile::LaneTable& lanes,
                   const timeline::DeviceActivity& device) {
  std::set<int64_t> streams;
  std::set<profile::LaneId> seen;
  for (const timeline::DeviceRun& run : device.runs) {
    if (!seen.insert(run.lane).second) continue;
    const profile::Lane& lane = lanes[run.lane];
    streams.insert(lane.stream >= 0 ? lane.stream
                                    : -1 - static_cast<int64_t>(run.lane));
  }
  return static_cast<int64_t>(streams.size());
}

// The memory peaks of the devices, by unit.
std::vector<MemoryPeak> MemoryOfUnits(views::Views& views,
                                      const timeline::Activities& activities,
                                      const profile::Step* one) {
  std::vector<const profile::Step*> steps;
  for (const auto& step : views.profile().steps()) {
    if (one == nullptr || step.get() == one) steps.push_back(step.get());
  }
  std::vector<MemoryPeak> peaks(activities.units().size());
  for (const auto& of_step :
       MemoryPeaks(views.profile(), steps, views.work())) {
    for (profile::DeviceId d = 0; d < of_step.size(); ++d) {
      const uint32_t unit = activities.unit_of_device(d);
      if (unit == profile::kNone) continue;
      MemoryPeak& peak = peaks[unit];
      peak.allocator_bytes =
          std::max(peak.allocator_bytes, of_step[d].allocator_bytes);
      peak.node_bytes = std::max(peak.node_bytes, of_step[d].node_bytes);
    }
  }
  return peaks;
}

// The number of nodes whose device is each unit, or that ran on it.
std::vector<int64_t> NodesOfUnits(const timeline::Activities& activities,
                                  const timeline::StepActivity& activity) {
  const profile::Profile& profile = activities.profile();
  std::vector<int64_t> nodes(activities.units().size(), 0);
  const std::vector<profile::DeviceId>& placed = profile.nodes().device;
  for (const profile::DeviceId device : placed) {
    const uint32_t unit = device == profile::kNone
                              ? profile::kNone
                              : activities.unit_of_device(device);
    if (unit != profile::kNone) ++nodes[unit];
  }
  for (const timeline::DeviceActivity& device : activity.devices) {
    std::vector<bool> seen(placed.size());
    for (const timeline::DeviceRun& run : device.runs) {
      if (run.node == profile::kNone || placed[run.node] != profile::kNone ||
          seen[run.node]) {
        continue;
      }
      seen[run.node] = true;
      ++nodes[device.unit];
    }
  }
  return nodes;
}

// The counters of kernels, by the device that ran them.
class DeviceCounters {
 public:
  DeviceCounters(const timeline::Activities& activities,
                 const profile::Step* one)
      : profile_(activities.profile()),
        sums_(profile_, accounting::kAllSteps),
        of_unit_(activities.units().size(), sums_.NoRow()) {
    const profile::KernelCounters& counters = profile_.kernel_counters();
    for (size_t k = 0; k < counters.kernels.size(); ++k) {
      const profile::KernelCounters::Kernel& kernel = counters.kernels[k];
      if (kernel.lane == profile::kNone ||
          (one != nullptr && kernel.step != one->id)) {
        continue;
      }
      sums_.AddKernel(k, of_unit_[activities.unit_of(kernel.lane)]);
    }
  }

  void AddColumns(std::vector<tables::DataColumn>& columns) const {
    for (size_t c = 0; c < sums_.num_counters(); ++c) {
      columns.push_back(tables::CounterColumn(profile_, c, ""));
    }
  }
  void AddCells(size_t unit, std::vector<tables::DataCell>& cells) const {
    for (size_t c = 0; c < sums_.num_counters(); ++c) {
      cells.push_back(tables::CounterCell(sums_, of_unit_[unit], c));
    }
  }

 private:
  const profile::Profile& profile_;
  const accounting::CounterSums sums_;
  std::vector<accounting::CounterSums::Row> of_unit_;
};

using Causes = std::map<uint32_t, Avoidable>;  // by unit

// The largest avoidable part of the wall time of each device, in one step or in
// the sum of all listed ones.
Causes CausesOfUnits(views::Views& views, const profile::Step* one) {
  std::vector<const profile::Step*> steps;
  for (const auto& step : views.profile().steps()) {
    if (one == nullptr ? step->listed : step.get() == one) {
      steps.push_back(step.get());
    }
  }
  std::map<uint32_t, std::vector<const timeline::DeviceAccount*>> of_unit;
  for (const timeline::StepAccount* account :
       timeline::AccountsOf(views, steps)) {
    for (const timeline::DeviceAccount& device : account->devices) {
      of_unit[device.unit].push_back(&device);
    }
  }
  Causes causes;
  for (const auto& [unit, devices] : of_unit) {
    const timeline::StepAccount sum = {.step = nullptr,
                                       .devices = {timeline::Sum(devices)}};
    if (const std::optional<Avoidable> cause = LargestKnown(sum)) {
      causes.emplace(unit, *cause);
    }
  }
  return causes;
}

std::optional<Avoidable> CauseOf(const Causes& causes, uint32_t unit) {
  const auto at = causes.find(unit);
  return at == causes.end() ? std::nullopt : std::optional(at->second);
}

constexpr int kMore = 1;  // the name: dropped first in a narrow window
constexpr int kLess = 2;  // details
constexpr int kData = 3;  // for programs only

tables::DataColumn MakeColumn(std::string name, std::string title,
                              util::Unit unit, int rank = 0) {
  return {.name = std::move(name),
          .title = std::move(title),
          .unit = unit,
          .rank = rank,
          .data_only = rank >= kData};
}

// The optional columns of a table.
struct ShownColumns {
  bool accelerators = false;
  bool memory = false;
  bool names = false;  // some differ from the labels
  bool causes = false;
};

void AddAcceleratorColumns(std::vector<tables::DataColumn>& columns) {
  for (tables::DataColumn& c : std::vector<tables::DataColumn>{
           MakeColumn("compute_micros", "compute", util::Unit::kMicros),
           MakeColumn("communication_micros", "communication",
                      util::Unit::kMicros),
           MakeColumn("overlap_micros", "overlap", util::Unit::kMicros, kLess),
           MakeColumn("overlap_share", "overlapped", util::Unit::kShare, kLess),
           MakeColumn("exposed_communication_micros", "exposed",
                      util::Unit::kMicros, kLess),
           MakeColumn("copy_micros", "copies", util::Unit::kMicros),
           MakeColumn("copy_bytes", "copied", util::Unit::kBytes, kLess),
           MakeColumn("copy_bytes_per_second", "per second", util::Unit::kBytes,
                      kLess),
           MakeColumn("idle_micros", "gaps", util::Unit::kMicros),
           MakeColumn("host_bound_micros", "host-bound", util::Unit::kMicros),
           MakeColumn("waiting_micros", "waiting", util::Unit::kMicros),
           MakeColumn("other_idle_micros", "other gaps", util::Unit::kMicros,
                      kLess),
           MakeColumn("launches", "launches", util::Unit::kCount, kLess),
           MakeColumn("launch_latency_min_micros", "", util::Unit::kMicros,
                      kData),
           MakeColumn("launch_latency_median_micros", "latency",
                      util::Unit::kMicros, kLess),
           MakeColumn("launch_latency_max_micros", "", util::Unit::kMicros,
                      kData),
           MakeColumn("queue_max", "queue", util::Unit::kCount, kLess),
           MakeColumn("queue_mean", "", util::Unit::kNumber, kData),
           MakeColumn("unlaunched_executions", "", util::Unit::kCount, kData),
           MakeColumn("unlaunched_micros", "not launched here",
                      util::Unit::kMicros, kLess),
           MakeColumn("streams", "streams", util::Unit::kCount, kLess)}) {
    columns.push_back(std::move(c));
  }
}

std::vector<tables::DataColumn> DeviceColumns(const ShownColumns& shown) {
  std::vector<tables::DataColumn> columns = {
      MakeColumn("kind", "kind", util::Unit::kText),
      MakeColumn("executions", "executions", util::Unit::kCount),
      {"busy_micros", "busy", util::Unit::kMicros, /*heat=*/true},
      MakeColumn("busy_share", "busy/span", util::Unit::kShare)};
  if (shown.accelerators) AddAcceleratorColumns(columns);
  const int memory = shown.memory ? 0 : kData;
  for (tables::DataColumn& c : std::vector<tables::DataColumn>{
           MakeColumn("launch_micros", "launching", util::Unit::kMicros, kLess),
           MakeColumn("nodes", "nodes", util::Unit::kCount, kLess),
           MakeColumn("allocator_peak_bytes", "memory", util::Unit::kBytes,
                      memory),
           MakeColumn("node_peak_bytes", "largest node", util::Unit::kBytes,
                      memory),
           MakeColumn("span_micros", "span", util::Unit::kMicros),
           MakeColumn("avoidable_micros", "avoidable", util::Unit::kMicros,
                      shown.causes ? 0 : kData),
           MakeColumn("cause", "", util::Unit::kText, kData),
           MakeColumn("part", "which is", util::Unit::kText,
                      shown.causes ? kMore : kData),
           MakeColumn("model", "model", util::Unit::kText, kMore),
           MakeColumn("label", "device", util::Unit::kText),
           MakeColumn("name", "name", util::Unit::kText,
                      shown.names ? kMore : kData)}) {
    columns.push_back(std::move(c));
  }
  return columns;
}

// The cells of one device.
class Cells {
 public:
  Cells(const timeline::Activities& activities,
        const timeline::DeviceActivity& device)
      : activities_(activities),
        device_(device),
        unit_(activities.units()[device.unit]),
        ticks_(activities.profile().ticks_per_micro()),
        window_(timeline::Length(device.window)) {}

  void AddTimes(std::vector<tables::DataCell>& cells) const {
    const int64_t busy = timeline::Length(device_.busy);
    cells = {tables::TextCell(unit_.kind), device_.executions, Time(busy),
             tables::ShareCell(busy, window_)};
  }

  // Adds the cells that only accelerators have.
  void AddAccelerator(std::vector<tables::DataCell>& cells) const {
    const int64_t communication = timeline::Length(device_.communication);
    const int64_t overlap = timeline::Length(
        timeline::Intersect(device_.communication, device_.compute));
    const Copied copied = CopiedBy(activities_, device_);
    const timeline::IdleTime idle = timeline::IdleTimeOf(device_);
    const timeline::LaunchLatency latency = timeline::LaunchLatencyOf(device_);
    const timeline::QueueLength queue = timeline::QueueLengthOf(device_);
    const timeline::Unlaunched unlaunched = timeline::UnlaunchedOf(device_);
    const bool launched = latency.launches > 0;
    for (tables::DataCell& cell : std::vector<tables::DataCell>{
             Time(timeline::Length(device_.compute)),
             Time(communication),
             Time(overlap),
             tables::ShareCell(overlap, communication),
             Time(communication - overlap),
             Time(timeline::Length(device_.copies)),
             tables::IntCell(copied.bytes, copied.known),
             Rate(copied),
             Time(timeline::Length(idle.all)),
             Time(timeline::Length(idle.host_bound)),
             Time(timeline::Length(idle.waiting)),
             Time(timeline::Length(idle.other)),
             latency.launches,
             Time(latency.min, launched),
             Time(latency.median, launched),
             Time(latency.max, launched),
             tables::IntCell(queue.max, launched),
             launched ? tables::DataCell(queue.mean) : tables::DataCell(),
             unlaunched.runs,
             Time(unlaunched.time),
             NumStreams(activities_.profile().lanes(), device_)}) {
      cells.push_back(std::move(cell));
    }
  }

  void AddRest(int64_t nodes, const MemoryPeak& memory,
               const std::optional<Avoidable>& cause, const std::string& label,
               std::vector<tables::DataCell>& cells) const {
    // The thread of a host counts as no op.
    const bool counts_nodes = device_.accelerator || nodes > 0;
    for (tables::DataCell& cell : std::vector<tables::DataCell>{
             Time(timeline::Length(device_.launching),
                  !device_.launching.empty()),
             tables::IntCell(nodes, counts_nodes),
             tables::IntCell(memory.allocator_bytes,
                             memory.allocator_bytes != 0),
             tables::IntCell(memory.node_bytes, memory.node_bytes != 0),
             Time(window_), cause ? Time(cause->ticks) : tables::DataCell(),
             cause ? tables::TextCell(timeline::InfoOf(cause->part).id)
                   : tables::DataCell(),
             cause ? tables::TextCell(timeline::InfoOf(cause->part).title)
                   : tables::DataCell(),
             Model(), tables::TextCell(label), tables::TextCell(unit_.name)}) {
      cells.push_back(std::move(cell));
    }
  }

 private:
  tables::DataCell Time(int64_t ticks, bool known = true) const {
    return TicksCell(ticks, ticks_, known);
  }
  tables::DataCell Rate(const Copied& copied) const {
    if (!copied.known || copied.time <= 0) return {};
    constexpr double kMicrosPerSecond = 1e6;
    return static_cast<double>(copied.bytes) /
           TicksAsMicros(copied.time, ticks_) * kMicrosPerSecond;
  }
  tables::DataCell Model() const {
    if (unit_.physical == profile::kNone) return {};
    const std::string& model =
        activities_.profile().lanes().physical(unit_.physical).model;
    return model.empty() ? tables::DataCell() : tables::TextCell(model);
  }

  const timeline::Activities& activities_;
  const timeline::DeviceActivity& device_;
  const timeline::LaneUnit& unit_;
  const int64_t ticks_;
  const int64_t window_;
};

}  // namespace

tables::DataTable DevicesTable(views::Views& views, int64_t step) {
  timeline::Activities& activities = views.Kept<timeline::Activities>();
  const profile::Step* one =
      step < 0 ? nullptr : views.profile().FindStep(step);
  const std::shared_ptr<const timeline::StepActivity> activity =
      one == nullptr ? activities.Everything() : activities.Of(*one);
  const std::vector<MemoryPeak> memory = MemoryOfUnits(views, activities, one);
  const std::vector<int64_t> nodes = NodesOfUnits(activities, *activity);
  std::vector<const timeline::DeviceActivity*> devices;
  std::vector<uint32_t> units;
  for (const timeline::DeviceActivity& device : activity->devices) {
    devices.push_back(&device);
    units.push_back(device.unit);
  }
  // The graph may place nodes on devices that did nothing.
  std::list<timeline::DeviceActivity> unused;
  for (uint32_t u = 0; u < nodes.size(); ++u) {
    if (nodes[u] == 0 || activity->Find(u) != nullptr) continue;
    timeline::DeviceActivity& device = unused.emplace_back();
    device.unit = u;
    device.accelerator = activities.units()[u].accelerator;
    devices.push_back(&device);
    units.push_back(u);
  }
  const std::vector<std::string> labels = DeviceLabels(activities, units);
  const Causes causes = CausesOfUnits(views, one);
  ShownColumns shown;
  shown.causes = !causes.empty();
  for (size_t i = 0; i < units.size(); ++i) {
    shown.accelerators |= devices[i]->accelerator;
    shown.memory |= memory[units[i]].allocator_bytes != 0 ||
                    memory[units[i]].node_bytes != 0;
    shown.names |= labels[i] != activities.units()[units[i]].name;
  }
  std::vector<tables::DataColumn> columns = DeviceColumns(shown);
  const size_t num_columns = columns.size();
  constexpr size_t kAfterAccelerators = 11;
  const DeviceCounters counters(activities, one);
  counters.AddColumns(columns);
  tables::TableBuilder table("devices", std::move(columns));
  AddStepFacts("sums of", step < 0 ? accounting::kAllSteps : step,
               step < 0 ? "everything in the file"
                        : "work that was launched in " + StepText(step),
               table.facts());
  for (size_t i = 0; i < units.size(); ++i) {
    const timeline::DeviceActivity& device = *devices[i];
    const Cells of(activities, device);
    std::vector<tables::DataCell> cells;
    of.AddTimes(cells);
    if (device.accelerator) of.AddAccelerator(cells);
    cells.resize(num_columns - kAfterAccelerators);
    of.AddRest(nodes[units[i]], memory[units[i]], CauseOf(causes, units[i]),
               labels[i], cells);
    counters.AddCells(units[i], cells);
    table.AddRow(std::move(cells));
  }
  return std::move(table).Build();
}

}  // namespace tfprof::inspect
