#include "inspect/steps/steps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "inspect/devices/device_labels.h"
#include "inspect/steps/account_table.h"
#include "inspect/steps/step_memory.h"
#include "inspect/time_cells.h"
#include "tables/table_builder.h"
#include "timeline/account/account.h"
#include "timeline/account/step_wall.h"
#include "timeline/activity.h"
#include "util/arithmetic.h"

namespace tfprof::inspect {
namespace {

constexpr size_t kMaxBars = 60;

struct StepTimes {
  bool known = false;
  int64_t wall = 0;
  int64_t done = 0;          // until the devices are done
  int64_t accelerators = 0;  // when any of them worked for the step
  int64_t idle = 0;
  int64_t communication = 0;
  int64_t exposed = 0;
  std::vector<int64_t> busy;  // by unit
};

// How much of a time is in a set, for many times.
struct Work {
  explicit Work(timeline::Intervals of)
      : times(std::move(of)), overlap(times) {}
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  int64_t In(const timeline::Intervals& window) {
    return overlap.Length(window);
  }

  const timeline::Intervals times;
  timeline::Overlap overlap;
};

// When the devices worked, for whichever step.
struct AllWork {
  explicit AllWork(timeline::Activities& activities) {
    const auto everything = activities.Everything();
    const bool accelerators = everything->has_accelerators();
    std::map<uint32_t, timeline::UnionOfMany> all;
    for (const timeline::DeviceActivity& device : everything->devices) {
      of_unit.try_emplace(device.unit, device.busy);
      communication.try_emplace(device.unit, device.communication);
      exposed.try_emplace(device.unit, timeline::Subtract(device.communication,
                                                          device.compute));
      if (accelerators && !device.accelerator) continue;
      all[activities.units()[device.unit].clock].Add(device.busy);
    }
    for (auto& [clock, of] : all) {
      of_clock.try_emplace(clock, std::move(of).Take());
    }
  }

  std::map<uint32_t, Work> of_unit, communication, exposed;
  // When any accelerator worked, or any host if there is no accelerator.
  std::map<uint32_t, Work> of_clock;
};

// Busy and idle are parts of the time until the devices are done: work counts
// where it ran, as in the split of a step.
StepTimes TimesOf(views::Views& views, AllWork& work,
                  const profile::Step& step) {
  timeline::Activities& activities = views.Kept<timeline::Activities>();
  StepTimes times;
  times.busy.assign(activities.units().size(), 0);
  const auto activity = activities.Of(step);
  std::map<uint32_t, timeline::UnionOfMany> accelerators;  // by clock
  const timeline::StepWall wall = timeline::WallOf(views, step);
  times.known = wall.known;
  times.wall = wall.ticks;
  times.done = wall.done;
  times.idle = wall.done;
  auto recorded = timeline::RecordedStep(activities, step.id);
  if (recorded && wall.done > wall.ticks) {
    recorded = timeline::StepSpan(activities, step);
  }
  int64_t longest = -1;
  for (const timeline::DeviceActivity& device : activity->devices) {
    const uint32_t clock = activities.units()[device.unit].clock;
    if (device.accelerator) accelerators[clock].Add(device.busy);
    const timeline::Intervals window =
        timeline::StepWindow(activities, step, device.unit);
    const auto of_unit = work.of_unit.find(device.unit);
    if (of_unit != work.of_unit.end()) {
      times.busy[device.unit] = of_unit->second.In(window);
      times.communication += work.communication.at(device.unit).In(window);
      times.exposed += work.exposed.at(device.unit).In(window);
    }
    // The step takes as long as in its slowest process.
    const timeline::Intervals slowest =
        recorded ? timeline::Intervals{*recorded} : window;
    const int64_t length = timeline::Length(slowest);
    if (length <= longest) continue;
    longest = length;
    const auto busy = work.of_clock.find(clock);
    times.idle = busy == work.of_clock.end()
                     ? length
                     : length - busy->second.In(slowest);
  }
  for (auto& [clock, all] : accelerators) {
    times.accelerators =
        std::max(times.accelerators, timeline::Length(std::move(all).Take()));
  }
  return times;
}

// The row of a process that computes, among the rows of a step that are not
// empty.
size_t ComputingRow(const profile::Profile& profile, size_t begin, size_t end) {
  const profile::LaneTable& lanes = profile.lanes();
  for (size_t row = begin; row < end; ++row) {
    const profile::StepInterval interval = profile.step_intervals()[row];
    if (!lanes.process(interval.process).parameter_server) return row;
  }
  return begin;
}

// The phase of each step; nullptr for a step without one. If several processes
// have it, the first one counts.
std::vector<const profile::StepPhase*> PhasesOf(
    const profile::Profile& profile,
    std::span<const profile::Step* const> steps) {
  const profile::StepPhases& phases = profile.step_phases();
  std::vector<const profile::StepPhase*> found;
  auto phase = phases.begin();
  for (const profile::Step* step : steps) {
    while (phase != phases.end() && phase->step < step->id) ++phase;
    const bool has = phase != phases.end() && phase->step == step->id;
    found.push_back(has ? &*phase : nullptr);
  }
  return found;
}

// The names of the steps in the input, with the process that ran each if there
// are several: "run 3, count 57, rank 1". "" for a step without a name.
std::vector<std::string> NamesOf(const profile::Profile& profile,
                                 std::span<const profile::Step* const> steps) {
  const profile::StepIntervals& intervals = profile.step_intervals();
  std::vector<std::string> names;
  std::vector<profile::ProcessId> processes;
  for (const profile::Step* step : steps) {
    std::string& name = names.emplace_back();
    processes.push_back(profile::kNone);
    const auto [begin, end] = intervals.RowsOf(step->id);
    if (begin == end || intervals[begin].name == profile::kNone) continue;
    name = profile.strings().Get(intervals[begin].name);
    processes.back() = intervals[ComputingRow(profile, begin, end)].process;
  }
  const std::set<profile::ProcessId> all(processes.begin(), processes.end());
  for (size_t i = 0; i < names.size() && all.size() > 1; ++i) {
    if (processes[i] == profile::kNone) continue;
    const std::string& label = profile.lanes().process(processes[i]).label;
    if (!label.empty()) names[i].append(", ").append(label);
  }
  return names;
}

}  // namespace

std::string BusyColumn(std::string_view label, std::set<std::string>* taken) {
  std::string name = "busy_micros_";
  for (const char c : label) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      name += c;
    } else if (c >= 'A' && c <= 'Z') {
      name += static_cast<char>(c - 'A' + 'a');
    } else if (name.back() != '_') {
      name += '_';
    }
  }
  std::string unique = name;
  for (int n = 2; !taken->insert(unique).second; ++n) {
    unique = fmt::format("{}_{}", name, n);
  }
  return unique;
}

std::string SparkLine(std::span<const int64_t> values, size_t max_bars) {
  constexpr std::string_view kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr int64_t kSteps = std::size(kBars);
  const size_t bars = std::min(values.size(), max_bars);
  int64_t most = 0;
  for (const int64_t value : values) most = std::max(most, value);
  std::string line;
  for (size_t bar = 0; bar < bars; ++bar) {
    const size_t begin = values.size() * bar / bars;
    const size_t end = values.size() * (bar + 1) / bars;
    int64_t value = 0;
    for (size_t i = begin; i < end; ++i) value = std::max(value, values[i]);
    // Uses doubles, because eight times a span may overflow.
    const double height =
        most == 0 ? 0 : static_cast<double>(value) / static_cast<double>(most);
    const auto level = static_cast<int64_t>(height * kSteps);
    line += kBars[std::clamp<int64_t>(level, 0, kSteps - 1)];
  }
  return line;
}

namespace {

// The units that get a column: the busiest ones, in their original order.
std::vector<uint32_t> ShownUnits(const std::vector<int64_t>& busy,
                                 size_t max_devices, size_t* num_busy) {
  std::vector<uint32_t> units;
  for (uint32_t u = 0; u < busy.size(); ++u) {
    if (busy[u] > 0) units.push_back(u);
  }
  *num_busy = units.size();
  if (max_devices > 0 && units.size() > max_devices) {
    std::stable_sort(units.begin(), units.end(),
                     [&](uint32_t a, uint32_t b) { return busy[a] > busy[b]; });
    units.resize(max_devices);
    std::sort(units.begin(), units.end());
  }
  return units;
}

// The optional columns of a table.
struct ShownSteps {
  std::vector<uint32_t> units;
  bool done = false;
  bool causes = false;
  bool communication = false;
  bool memory = false;
  bool names = false;
  bool phases = false;
};

std::vector<tables::DataColumn> StepTableColumns(
    const timeline::Activities& activities, const ShownSteps& shown) {
  std::vector<tables::DataColumn> columns = {
      {"step", "step", util::Unit::kNumber},
      {"span_micros", "wall", util::Unit::kMicros, /*heat=*/true}};
  if (shown.done) {
    columns.push_back({"done_micros", "until done", util::Unit::kMicros});
  }
  columns.push_back({"idle_micros", "all idle", util::Unit::kMicros});
  columns.push_back({"idle_share", "share", util::Unit::kShare});
  const auto shown_accelerators = std::count_if(
      shown.units.begin(), shown.units.end(),
      [&](uint32_t unit) { return activities.units()[unit].accelerator; });
  if (shown.phases) {
    columns.push_back({"phase", "phase", util::Unit::kText});
    columns.push_back({"requests", "requests", util::Unit::kCount});
    columns.push_back({"tokens", "tokens", util::Unit::kCount});
    // The same as span_micros, which people see.
    columns.push_back({.name = "wall_micros",
                       .unit = util::Unit::kMicros,
                       .data_only = true});
    columns.push_back({.name = "busy_micros",
                       .title = "accelerators",
                       .unit = util::Unit::kMicros,
                       .data_only = shown_accelerators < 2});
  }
  const std::vector<std::string> labels = DeviceLabels(activities, shown.units);
  std::set<std::string> taken;
  for (size_t i = 0; i < shown.units.size(); ++i) {
    columns.push_back({.name = BusyColumn(labels[i], &taken),
                       .title = labels[i],
                       .unit = util::Unit::kMicros,
                       .of = activities.units()[shown.units[i]].name});
  }
  if (shown.causes) {
    columns.push_back({"avoidable_micros", "avoidable", util::Unit::kMicros});
    columns.push_back({.name = "cause", .title = "cause", .data_only = true});
    columns.push_back({"part", "which is", util::Unit::kText});
  }
  if (shown.communication) {
    columns.push_back(
        {"communication_micros", "communication", util::Unit::kMicros});
    columns.push_back(
        {"exposed_communication_micros", "exposed", util::Unit::kMicros});
  }
  columns.push_back({"executions", "executions", util::Unit::kCount});
  columns.push_back({.name = "allocator_peak_bytes",
                     .title = "memory",
                     .unit = util::Unit::kBytes,
                     .data_only = !shown.memory});
  columns.push_back({.name = "node_peak_bytes",
                     .title = "largest node",
                     .unit = util::Unit::kBytes,
                     .data_only = !shown.memory});
  if (shown.names) columns.push_back({"name", "name", util::Unit::kText});
  return columns;
}

// The largest avoidable part of each step (account_table.h), if it is known.
std::vector<std::optional<Avoidable>> CausesOf(
    views::Views& views, const std::vector<const profile::Step*>& steps) {
  std::vector<std::optional<Avoidable>> causes;
  for (const timeline::StepAccount* account :
       timeline::AccountsOf(views, steps)) {
    causes.push_back(LargestKnown(*account));
  }
  return causes;
}

// The memory of the device that uses the most, for each step.
std::vector<MemoryPeak> LargestPeaks(
    views::Views& views, const std::vector<const profile::Step*>& steps) {
  std::vector<MemoryPeak> largest;
  for (const auto& of_step :
       MemoryPeaks(views.profile(), steps, views.work())) {
    MemoryPeak& peak = largest.emplace_back();
    for (const MemoryPeak& of_device : of_step) {
      peak.allocator_bytes =
          std::max(peak.allocator_bytes, of_device.allocator_bytes);
      peak.node_bytes = std::max(peak.node_bytes, of_device.node_bytes);
    }
  }
  return largest;
}

}  // namespace

tables::DataTable StepsTable(views::Views& views, int64_t step,
                             size_t max_devices) {
  const profile::Profile& profile = views.profile();
  timeline::Activities& activities = views.Kept<timeline::Activities>();
  const int64_t ticks = profile.ticks_per_micro();
  std::vector<const profile::Step*> steps;
  for (const auto& s : profile.steps()) {
    if (s->listed && (step < 0 || s->id == step)) steps.push_back(s.get());
  }
  AllWork work(activities);
  std::vector<StepTimes> times;
  std::vector<int64_t> busy(activities.units().size(), 0), walls;
  ShownSteps shown;
  for (const profile::Step* s : steps) {
    const StepTimes& of = times.emplace_back(TimesOf(views, work, *s));
    shown.done |= of.known && of.done > of.wall;
    for (size_t u = 0; u < busy.size(); ++u) {
      busy[u] = util::WrapAdd(busy[u], of.busy[u]);
    }
    shown.communication |= of.communication > 0;
    walls.push_back(of.wall);
  }
  size_t num_busy = 0;
  shown.units = ShownUnits(busy, max_devices, &num_busy);
  const std::vector<MemoryPeak> memory = LargestPeaks(views, steps);
  for (const MemoryPeak& peak : memory) {
    shown.memory |= peak.allocator_bytes != 0 || peak.node_bytes != 0;
  }
  const std::vector<std::optional<Avoidable>> causes = CausesOf(views, steps);
  shown.causes = std::any_of(causes.begin(), causes.end(),
                             [](const auto& cause) { return cause; });
  const std::vector<std::string> names = NamesOf(profile, steps);
  shown.names = std::any_of(names.begin(), names.end(),
                            [](const std::string& n) { return !n.empty(); });
  const std::vector<const profile::StepPhase*> phases =
      PhasesOf(profile, steps);
  shown.phases = std::any_of(phases.begin(), phases.end(),
                             [](const auto* phase) { return phase; });
  tables::TableBuilder table("steps", StepTableColumns(activities, shown));
  if (steps.size() > 1) {
    table.AddFact({.name = "", .title = "wall", .drawn = true},
                  tables::TextCell(SparkLine(walls, kMaxBars)));
  }
  if (num_busy > shown.units.size()) {
    table.AddFact({"more_devices", "more devices", util::Unit::kCount},
                  static_cast<int64_t>(num_busy - shown.units.size()));
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    const StepTimes& of_step = times[i];
    const auto time = [&](int64_t value) {
      return TicksCell(value, ticks, of_step.known);
    };
    std::vector<tables::DataCell> cells = {steps[i]->id, time(of_step.wall)};
    if (shown.done) cells.push_back(time(of_step.done));
    cells.push_back(time(of_step.idle));
    cells.push_back(tables::ShareCell(of_step.idle, of_step.done));
    if (shown.phases) {
      const profile::StepPhase none;
      const profile::StepPhase& phase = phases[i] ? *phases[i] : none;
      const std::string_view name = profile::PhaseName(phase.phase);
      cells.push_back(name.empty() ? tables::DataCell()
                                   : tables::TextCell(name));
      cells.push_back(tables::IntCell(phase.requests, phase.requests >= 0));
      cells.push_back(tables::IntCell(phase.tokens, phase.tokens >= 0));
      cells.push_back(time(of_step.wall));
      cells.push_back(time(of_step.accelerators));
    }
    for (const uint32_t u : shown.units) cells.push_back(time(of_step.busy[u]));
    if (shown.causes) {
      const std::optional<Avoidable>& cause = causes[i];
      cells.push_back(
          TicksCell(cause ? cause->ticks : 0, ticks, cause.has_value()));
      for (const auto text :
           {&timeline::PartInfo::id, &timeline::PartInfo::title}) {
        cells.push_back(
            cause ? tables::TextCell(timeline::InfoOf(cause->part).*text)
                  : tables::DataCell());
      }
    }
    if (shown.communication) {
      cells.push_back(time(of_step.communication));
      cells.push_back(time(of_step.exposed));
    }
    const MemoryPeak& peak = memory[i];
    cells.push_back(tables::IntCell(
        static_cast<int64_t>(steps[i]->num_records()), !steps[i]->aggregated));
    cells.push_back(
        tables::IntCell(peak.allocator_bytes, peak.allocator_bytes != 0));
    cells.push_back(tables::IntCell(peak.node_bytes, peak.node_bytes != 0));
    if (shown.names) cells.push_back(tables::TextCell(names[i]));
    table.AddRow(std::move(cells));
  }
  return std::move(table).Build();
}

}  // namespace tfprof::inspect
