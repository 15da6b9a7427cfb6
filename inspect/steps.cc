#include "inspect/steps.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "inspect/device_labels.h"
#include "inspect/step_memory.h"
#include "inspect/trace_steps.h"
#include "tables/table_builder.h"
#include "timeline/activity.h"
#include "timeline/trace_activity.h"
#include "util/arithmetic.h"

namespace tfprof {
namespace {

constexpr size_t kMaxBars = 60;

struct StepTimes {
  bool known = false;
  int64_t span = 0;
  int64_t idle = 0;
  std::vector<int64_t> busy;  // by unit
  Intervals any;              // when anything ran in the task of the span
};

StepTimes TimesOf(const StepActivity& activity, size_t num_units) {
  StepTimes times;
  times.busy.assign(num_units, 0);
  for (const TaskActivity& task : activity.tasks) {
    Intervals any;
    for (const DeviceActivity& device : task.devices) {
      const Intervals busy = device.Busy();
      times.busy[device.unit] = Micros(busy);
      any = Union(any, Union(busy, device.launches.busy));
    }
    if (times.known && task.span <= times.span) continue;
    times.known = true;
    times.span = task.span;
    times.idle = task.span - Micros(Intersect(task.runs, any));
    times.any = std::move(any);
  }
  return times;
}

// The row of a process that computes, among those of a step that are not
// empty.
size_t ComputingRow(const Profile& profile, size_t begin, size_t end) {
  const LaneTable& lanes = profile.lanes();
  for (size_t row = begin; row < end; ++row) {
    const StepInterval interval = profile.step_intervals()[row];
    if (!lanes.process(interval.process).parameter_server) return row;
  }
  return begin;
}

// What the input calls each step, with the process that ran it if there are
// several: "run 3, count 57, rank 1". "": it does not say it.
std::vector<std::string> NamesOf(const Profile& profile,
                                 std::span<const Step* const> steps) {
  const StepIntervals& intervals = profile.step_intervals();
  std::vector<std::string> names;
  std::vector<ProcessId> processes;
  for (const Step* step : steps) {
    std::string& name = names.emplace_back();
    processes.push_back(kNone);
    const auto [begin, end] = intervals.RowsOf(step->id);
    if (begin == end || intervals[begin].name == kNone) continue;
    name = profile.strings().Get(intervals[begin].name);
    processes.back() = intervals[ComputingRow(profile, begin, end)].process;
  }
  const std::set<ProcessId> all(processes.begin(), processes.end());
  for (size_t i = 0; i < names.size() && all.size() > 1; ++i) {
    if (processes[i] == kNone) continue;
    const std::string& label = profile.lanes().process(processes[i]).label;
    if (!label.empty()) names[i].append(", ").append(label);
  }
  return names;
}

// Takes the times of the step from the input instead of from its records.
void SetInterval(const Interval& interval, StepTimes& times) {
  times.known = true;
  times.span = interval.micros();
  times.idle = times.span -
               (times.span > 0 ? Micros(Intersect({interval}, times.any)) : 0);
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
    // In doubles, because eight times a span may not fit.
    const double height =
        most == 0 ? 0 : static_cast<double>(value) / static_cast<double>(most);
    const auto level = static_cast<int64_t>(height * kSteps);
    line += kBars[std::clamp<int64_t>(level, 0, kSteps - 1)];
  }
  return line;
}

DataTable StepsTable(Views& views, int64_t step, size_t max_devices) {
  const Profile& profile = views.profile();
  if (IsTrace(profile)) return TraceStepsTable(views, step, max_devices);
  Activities& activities = views.Kept<Activities>();
  const DeviceRoles& roles = activities.roles();
  const size_t num_units = roles.units().size();

  std::vector<const Step*> steps;
  for (const auto& s : profile.steps()) {
    if (s->listed && (step < 0 || s->id == step)) steps.push_back(s.get());
  }
  std::vector<StepTimes> times;
  std::vector<int64_t> busy(num_units, 0), spans;
  for (const Step* s : steps) {
    times.push_back(TimesOf(*activities.Of(*s), num_units));
    const auto interval = RecordedTaskStep(profile, s->id);
    if (interval) SetInterval(*interval, times.back());
    for (size_t u = 0; u < num_units; ++u) {
      busy[u] = WrapAdd(busy[u], times.back().busy[u]);
    }
    spans.push_back(times.back().span);
  }
  std::vector<size_t> units;
  for (size_t u = 0; u < num_units; ++u) {
    if (busy[u] > 0) units.push_back(u);
  }
  const size_t num_busy = units.size();
  if (max_devices > 0 && units.size() > max_devices) {
    std::stable_sort(units.begin(), units.end(),
                     [&](size_t a, size_t b) { return busy[a] > busy[b]; });
    units.resize(max_devices);
    std::sort(units.begin(), units.end());
  }

  std::vector<DataColumn> columns = {
      {"step", "step", Unit::kNumber},
      {"span_micros", "wall", Unit::kMicros, /*heat=*/true},
      {"idle_micros", "all idle", Unit::kMicros},
      {"idle_share", "share", Unit::kShare}};
  const std::vector<std::string> labels = DeviceLabels(roles, units);
  std::set<std::string> taken;
  for (size_t i = 0; i < units.size(); ++i) {
    columns.push_back({.name = BusyColumn(labels[i], &taken),
                       .title = labels[i],
                       .unit = Unit::kMicros,
                       .of = std::string(roles.units()[units[i]].name)});
  }
  columns.push_back({"executions", "executions", Unit::kCount});
  columns.push_back({"allocator_peak_bytes", "memory", Unit::kBytes});
  columns.push_back({"node_peak_bytes", "largest node", Unit::kBytes});
  const std::vector<std::string> names = NamesOf(profile, steps);
  const bool any_named =
      std::any_of(names.begin(), names.end(),
                  [](const std::string& name) { return !name.empty(); });
  if (any_named) columns.push_back({"name", "name", Unit::kText});
  TableBuilder table("steps", std::move(columns));
  if (steps.size() > 1) {
    table.AddFact({.name = "", .title = "wall", .drawn = true},
                  TextCell(SparkLine(spans, kMaxBars)));
  }
  if (num_busy > units.size()) {
    table.AddFact({"more_devices", "more devices", Unit::kCount},
                  static_cast<int64_t>(num_busy - units.size()));
  }

  const auto memory = MemoryPeaks(profile, steps, views.work());
  for (size_t i = 0; i < steps.size(); ++i) {
    const StepTimes& of_step = times[i];
    const auto known = [&](int64_t micros) {
      return IntCell(micros, of_step.known);
    };
    std::vector<DataCell> cells = {steps[i]->id, known(of_step.span),
                                   known(of_step.idle),
                                   ShareCell(of_step.idle, of_step.span)};
    for (const size_t u : units) cells.push_back(known(of_step.busy[u]));
    MemoryPeak peak;
    for (const MemoryPeak& of_device : memory[i]) {
      peak.allocator_bytes =
          std::max(peak.allocator_bytes, of_device.allocator_bytes);
      peak.node_bytes = std::max(peak.node_bytes, of_device.node_bytes);
    }
    cells.push_back(IntCell(static_cast<int64_t>(steps[i]->num_records()),
                            !steps[i]->aggregated));
    cells.push_back(IntCell(peak.allocator_bytes, peak.allocator_bytes != 0));
    cells.push_back(IntCell(peak.node_bytes));
    if (any_named) cells.push_back(TextCell(names[i]));
    table.AddRow(std::move(cells));
  }
  return std::move(table).Build();
}

}  // namespace tfprof
