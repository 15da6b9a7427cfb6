#include "inspect/rows/rows.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "inspect/devices/device_labels.h"
#include "inspect/rows/row_table.h"
#include "profile/steps/time_column.h"
#include "timeline/account/account.h"
#include "timeline/account/step_wall.h"
#include "timeline/activity.h"
#include "timeline/intervals.h"
#include "timeline/own_time.h"

namespace tfprof::inspect {
namespace {

constexpr std::array<std::string_view, 10> kRowTables = {
    "steps",       "account", "ops",    "scopes",     "code",
    "collectives", "phases",  "memory", "executions", "links"};

struct StepRow {
  int64_t step = 0;
  uint32_t label = 0;  // index in the labels
  bool accelerator = false;
  bool has_start = false;
  int64_t start = 0;
  int64_t wall = 0;
  int64_t compute = 0;
  int64_t communication = 0;  // also what computation hides
  int64_t exposed = 0;
  int64_t copies = 0;
  int64_t idle = 0;
  int64_t executions = 0;
};

struct AccountRow {
  int64_t step = 0;
  uint32_t label = 0;
  timeline::Part part = timeline::Part::kNotRecorded;
  int64_t ticks = 0;
};

// Adds the tables "steps" and "account", whose rows are of the same devices.
void AddSteps(views::Views& views, const StepWork& work, bool with_steps,
              bool with_account, tables::DataDocument& document) {
  timeline::Activities& activities = views.Kept<timeline::Activities>();
  std::vector<uint32_t> units(activities.units().size());
  for (uint32_t u = 0; u < units.size(); ++u) units[u] = u;
  const auto labels = std::make_shared<const std::vector<std::string>>(
      DeviceLabels(activities, units));
  // Communication counts where it ran, like the parts of the wall time.
  const auto everything = activities.Everything();
  std::map<uint32_t, timeline::Overlap> communication;
  for (const timeline::DeviceActivity& device : everything->devices) {
    if (device.communication.empty()) continue;
    communication.try_emplace(device.unit, device.communication);
  }
  std::vector<StepRow> of_steps;
  std::vector<AccountRow> parts;
  for (const StepWork::Of& of_step : work.steps) {
    const profile::Step& step = *of_step.step;
    const auto span = timeline::StepSpan(activities, step);
    for (const timeline::DeviceAccount& device :
         timeline::AccountOf(views, step).devices) {
      if (device.wall == 0) continue;
      const StepWork::Device* worked = of_step.Find(device.unit);
      const auto found = communication.find(device.unit);
      const int64_t communicated =
          found == communication.end()
              ? 0
              : found->second.Length(
                    timeline::StepWindow(activities, step, device.unit));
      using Kind = timeline::PartKind;
      of_steps.push_back({.step = step.id,
                          .label = device.unit,
                          .accelerator = device.accelerator,
                          .has_start = span.has_value(),
                          .start = span ? span->start : 0,
                          .wall = device.wall,
                          .compute = device.Of(Kind::kCompute),
                          .communication = communicated,
                          .exposed = device.Of(Kind::kCommunication),
                          .copies = device.Of(Kind::kCopies),
                          .idle = device.idle(),
                          .executions = worked ? worked->executions : 0});
      for (const timeline::PartInfo& info : timeline::AllParts()) {
        const int64_t ticks = device[info.part].ticks;
        if (ticks != 0)
          parts.push_back({step.id, device.unit, info.part, ticks});
      }
    }
  }
  const int64_t ticks = views.profile().ticks_per_micro();
  if (with_steps) {
    document.parts.push_back(
        {"Steps",
         TableOf("steps",
                 {NumberColumn("step"), WordColumn("device"),
                  CountColumn("accelerator"), NumberColumn("start_nanos"),
                  NumberColumn("wall_nanos"), NumberColumn("busy_nanos"),
                  NumberColumn("compute_nanos"),
                  NumberColumn("communication_nanos"),
                  NumberColumn("exposed_communication_nanos"),
                  NumberColumn("copies_nanos"), NumberColumn("idle_nanos"),
                  CountColumn("executions")},
                 std::move(of_steps),
                 [labels, ticks](const StepRow& row, RowCells cells) {
                   const auto nanos = [&](int64_t value) {
                     return profile::TicksToNanos(value, ticks);
                   };
                   cells.Number(row.step)
                       .Text((*labels)[row.label])
                       .Number(int64_t{row.accelerator})
                       .Number(nanos(row.start), row.has_start);
                   for (const int64_t time :
                        {row.wall, row.wall - row.idle, row.compute,
                         row.communication, row.exposed, row.copies,
                         row.idle}) {
                     cells.Number(nanos(time));
                   }
                   cells.Number(row.executions);
                 })});
  }
  if (!with_account) return;
  document.parts.push_back(
      {"Account",
       TableOf("account",
               {NumberColumn("step"), WordColumn("device"), WordColumn("part"),
                WordColumn("kind"), NumberColumn("nanos")},
               std::move(parts),
               [labels, ticks](const AccountRow& row, RowCells cells) {
                 const timeline::PartInfo& info = timeline::InfoOf(row.part);
                 cells.Number(row.step)
                     .Text((*labels)[row.label])
                     .Text(info.id)
                     .Text(timeline::PartKindName(info.kind))
                     .Number(profile::TicksToNanos(row.ticks, ticks));
               })});
}

void AddCollectives(const profile::Step& step, uint32_t unit,
                    std::span<const timeline::DeviceRun> runs, StepWork& work) {
  for (const timeline::DeviceRun& run : runs) {
    if (run.kind != timeline::RunKind::kCommunication) continue;
    work.collectives.push_back({.step = step.id, .unit = unit, .run = run});
  }
}

// Whether all runs are of accelerators, and no host has an account. Then
// Everything() lists all that the rows need.
bool OnlyAcceleratorsCount(timeline::Activities& activities) {
  const profile::LaneTable& lanes = activities.profile().lanes();
  for (profile::LaneId id = 0; id < lanes.size(); ++id) {
    const profile::LaneKind kind = lanes[id].kind;
    const bool has_runs = kind == profile::LaneKind::kCommunication ||
                          ((kind == profile::LaneKind::kCompute ||
                            kind == profile::LaneKind::kLaunches) &&
                           !lanes[id].calls_nest);
    if (has_runs && !activities.units()[activities.unit_of(id)].accelerator) {
      return false;
    }
  }
  std::set<profile::ProcessId> with_accelerators;
  const auto everything = activities.Everything();
  for (const timeline::DeviceActivity& device : everything->devices) {
    const profile::ProcessId process = activities.units()[device.unit].process;
    // Accelerators come first.
    if (device.accelerator && device.executions > 0) {
      with_accelerators.insert(process);
    } else if (!device.accelerator && !with_accelerators.contains(process)) {
      return false;
    }
  }
  return true;
}

// Adds the runs of all steps without a look at the executions of each step,
// which would be read again.
void AddListedRuns(timeline::Activities& activities, StepWork& work) {
  const auto everything = activities.Everything();
  size_t collectives = 0;
  // The runs of devices whose steps overlap, by step.
  std::map<uint32_t, std::vector<timeline::DeviceRun>> by_step;
  for (const timeline::DeviceActivity& device : everything->devices) {
    collectives += static_cast<size_t>(
        std::ranges::count(device.runs, timeline::RunKind::kCommunication,
                           &timeline::DeviceRun::kind));
    if (std::ranges::is_sorted(device.runs, {}, &timeline::DeviceRun::step)) {
      continue;
    }
    std::vector<timeline::DeviceRun>& runs = by_step[device.unit];
    runs.assign(device.runs.begin(), device.runs.end());
    std::ranges::stable_sort(runs, {}, &timeline::DeviceRun::step);
  }
  work.collectives.reserve(collectives);
  for (StepWork::Of& of : work.steps) {
    const uint32_t place = activities.PlaceOf(*of.step);
    for (const timeline::DeviceActivity& device : everything->devices) {
      const auto sorted = by_step.find(device.unit);
      const std::span<const timeline::DeviceRun> all =
          sorted == by_step.end() ? std::span(device.runs)
                                  : std::span(sorted->second);
      const auto found =
          std::ranges::equal_range(all, place, {}, &timeline::DeviceRun::step);
      const std::span<const timeline::DeviceRun> runs(found.begin(),
                                                      found.end());
      if (runs.empty()) continue;
      AddCollectives(*of.step, device.unit, runs, work);
      of.devices.push_back({.unit = device.unit,
                            .executions = static_cast<int64_t>(runs.size())});
    }
  }
}

}  // namespace

std::span<const std::string_view> RowTables() { return kRowTables; }

std::vector<const profile::Step*> WantedSteps(const profile::Profile& profile,
                                              int64_t step) {
  std::vector<const profile::Step*> steps;
  for (const auto& s : profile.steps()) {
    if (s->listed && (step < 0 || s->id == step)) steps.push_back(s.get());
  }
  return steps;
}

const StepWork::Device* StepWork::Of::Find(uint32_t unit) const {
  const auto found = std::ranges::find(devices, unit, &Device::unit);
  return found == devices.end() ? nullptr : &*found;
}

StepWork WorkOf(views::Views& views, int64_t step) {
  timeline::Activities& activities = views.Kept<timeline::Activities>();
  StepWork work;
  for (const profile::Step* wanted : WantedSteps(views.profile(), step)) {
    work.steps.push_back({.step = wanted, .devices = {}});
  }
  if (step < 0 && OnlyAcceleratorsCount(activities)) {
    AddListedRuns(activities, work);
    return work;
  }
  for (StepWork::Of& of : work.steps) {
    const auto activity = activities.Of(*of.step);
    for (const timeline::DeviceActivity& device : activity->devices) {
      of.devices.push_back({device.unit, device.executions});
      AddCollectives(*of.step, device.unit, device.runs, work);
    }
  }
  return work;
}

tables::DataDocument RowsDocument(views::Views& views,
                                  const RowOptions& options) {
  tables::DataDocument document{.kind = "rows"};
  const auto wants = [&](std::string_view table) {
    return options.tables.empty() || options.tables.contains(table);
  };
  const auto add = [&](std::string_view name, std::string title, auto make) {
    if (wants(name)) document.parts.push_back({std::move(title), make()});
  };
  const int64_t step = options.view.step;
  const bool with_steps = wants("steps"), with_account = wants("account");
  StepWork work;
  if (with_steps || with_account || wants("ops") || wants("collectives")) {
    work = WorkOf(views, step);
  }
  if (with_steps || with_account) {
    AddSteps(views, work, with_steps, with_account, document);
  }
  add("ops", "Operations",
      [&] { return OpRowsTable(views, options.view, work); });
  add("scopes", "Scopes",
      [&] { return ScopeRowsTable(views, options.view, options.depth); });
  add("code", "Code",
      [&] { return CodeRowsTable(views, options.view, options.depth); });
  add("collectives", "Collectives",
      [&] { return CollectiveRowsTable(views, step, std::move(work)); });
  add("phases", "Phases", [&] { return PhaseRowsTable(views, step); });
  add("memory", "Memory", [&] { return MemoryRowsTable(views, step); });
  if (options.tables.contains("executions")) {
    ExecutionSums sums;
    add("executions", "Executions",
        [&] { return ExecutionRowsTable(views, step, sums); });
    for (const auto& [name, value] :
         {std::pair("executions_without_self", sums.without_self),
          std::pair("nanos_without_self", sums.nanos_without_self),
          std::pair("steps_without_executions", sums.aggregated_steps)}) {
      document.facts.emplace_back(NumberColumn(name), value);
    }
  }
  if (options.tables.contains("links")) {
    add("links", "Links", [&] { return LinkRowsTable(views, step); });
  }
  return document;
}

}  // namespace tfprof::inspect
