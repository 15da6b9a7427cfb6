#include "inspect/devices.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/counter_sums.h"
#include "inspect/device_labels.h"
#include "inspect/step_facts.h"
#include "inspect/step_memory.h"
#include "inspect/trace_devices.h"
#include "tables/counter_columns.h"
#include "tables/table_builder.h"
#include "timeline/activity.h"
#include "timeline/trace_activity.h"
#include "util/arithmetic.h"

namespace tfprof {
namespace {

struct UnitSums {
  int64_t nodes = 0;
  int64_t executions = 0;
  int64_t busy = 0;
  int64_t launches = 0;
  int64_t span = 0;
  MemoryPeak memory;
};

std::string_view KindOf(const DeviceRoles::Unit& unit) {
  return unit.on_gpu        ? "gpu"
         : unit.accelerator ? "accelerator"
         : unit.on_cpu      ? "cpu"
                            : "other";
}

// The counters of kernels, by the device that ran them.
class DeviceCounters {
 public:
  DeviceCounters(const Profile& profile, const DeviceRoles& roles, int64_t step)
      : profile_(profile),
        sums_(profile, kAllSteps),
        of_unit_(roles.units().size(), sums_.NoRow()) {
    const KernelCounters& counters = profile.kernel_counters();
    for (size_t k = 0; k < counters.kernels.size(); ++k) {
      const KernelCounters::Kernel& kernel = counters.kernels[k];
      const DeviceId device = profile.device_of(kernel.lane);
      if (device == kNone || (step >= 0 && kernel.step != step)) continue;
      sums_.AddKernel(k, of_unit_[roles.unit(device)]);
    }
  }

  void AddColumns(std::vector<DataColumn>& columns) const {
    for (size_t c = 0; c < sums_.num_counters(); ++c) {
      columns.push_back(CounterColumn(profile_, c, ""));
    }
  }
  void AddCells(size_t unit, std::vector<DataCell>& cells) const {
    for (size_t c = 0; c < sums_.num_counters(); ++c) {
      cells.push_back(CounterCell(sums_, of_unit_[unit], c));
    }
  }

 private:
  const Profile& profile_;
  const CounterSums sums_;
  std::vector<CounterSums::Row> of_unit_;  // by unit
};

}  // namespace

DataTable DevicesTable(Views& views, int64_t step) {
  const Profile& profile = views.profile();
  if (IsTrace(profile)) return TraceDevicesTable(views, step);
  Activities& activities = views.Kept<Activities>();
  const DeviceRoles& roles = activities.roles();
  std::vector<UnitSums> sums(roles.units().size());
  for (const DeviceId device : profile.nodes().device) {
    if (device != kNone) ++sums[roles.unit(device)].nodes;
  }
  std::vector<const Step*> steps;
  for (const auto& s : profile.steps()) {
    if (step < 0 || s->id == step) steps.push_back(s.get());
  }
  const auto memory = MemoryPeaks(profile, steps, views.work());
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto activity = activities.Of(*steps[i]);
    for (const TaskActivity& task : activity->tasks) {
      for (const DeviceActivity& device : task.devices) {
        UnitSums& sum = sums[device.unit];
        sum.busy = WrapAdd(sum.busy, Micros(device.Busy()));
        sum.launches = WrapAdd(sum.launches, Micros(device.launches.busy));
        sum.span = WrapAdd(sum.span, task.span);
        sum.executions += device.instants;
        for (const Track* track : {&device.compute, &device.communication,
                                   &device.copies, &device.launches}) {
          sum.executions += static_cast<int64_t>(track->runs.size());
        }
      }
    }
    for (DeviceId d = 0; d < memory[i].size(); ++d) {
      MemoryPeak& peak = sums[roles.unit(d)].memory;
      peak.allocator_bytes =
          std::max(peak.allocator_bytes, memory[i][d].allocator_bytes);
      peak.node_bytes = std::max(peak.node_bytes, memory[i][d].node_bytes);
    }
  }

  std::vector<DataColumn> columns = {
      {"kind", "kind", Unit::kText},
      {"nodes", "nodes", Unit::kCount},
      {"executions", "executions", Unit::kCount},
      {"busy_micros", "busy", Unit::kMicros, /*heat=*/true},
      {"busy_share", "busy/span", Unit::kShare},
      {"launch_micros", "launches", Unit::kMicros},
      {"allocator_peak_bytes", "memory", Unit::kBytes},
      {"node_peak_bytes", "largest node", Unit::kBytes},
      {"label", "device", Unit::kText},
      // In full; a narrow window has no room for it.
      {.name = "name", .title = "name", .rank = 1}};
  const DeviceCounters counters(profile, roles, step);
  counters.AddColumns(columns);
  TableBuilder table("devices", std::move(columns));
  AddStepFacts("Sums", step, step < 0 ? "of all steps" : "of " + StepText(step),
               table.facts());
  // Skip a device without any counted record.
  std::vector<size_t> units;
  for (size_t u = 0; u < sums.size(); ++u) {
    if (sums[u].nodes != 0 || sums[u].executions != 0) units.push_back(u);
  }
  const std::vector<std::string> labels = DeviceLabels(roles, units);
  for (size_t i = 0; i < units.size(); ++i) {
    const UnitSums& sum = sums[units[i]];
    const DeviceRoles::Unit& unit = roles.units()[units[i]];
    std::vector<DataCell> cells = {
        TextCell(KindOf(unit)),
        sum.nodes,
        sum.executions,
        sum.busy,
        ShareCell(sum.busy, sum.span),
        IntCell(sum.launches, unit.accelerator),
        IntCell(sum.memory.allocator_bytes, sum.memory.allocator_bytes != 0),
        sum.memory.node_bytes,
        TextCell(labels[i]),
        TextCell(unit.name)};
    counters.AddCells(units[i], cells);
    table.AddRow(std::move(cells));
  }
  return std::move(table).Build();
}

}  // namespace tfprof
