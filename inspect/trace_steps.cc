#include "inspect/trace_steps.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inspect/steps.h"
#include "inspect/trace_cells.h"
#include "tables/table_builder.h"
#include "timeline/step_wall.h"
#include "timeline/trace_activity.h"
#include "util/arithmetic.h"

namespace tfprof {
namespace {

constexpr size_t kMaxBars = 60;

struct StepTimes {
  bool known = false;
  Interval span;
  int64_t idle = 0;
  int64_t communication = 0;
  int64_t exposed = 0;
  std::vector<int64_t> busy;  // by unit
};

// When any accelerator worked, or, without accelerators, any host.
Intervals WorkingTime(const TraceActivity& activity) {
  UnionOfMany all;
  for (const AcceleratorActivity& device : activity.accelerators) {
    all.Add(device.busy);
  }
  if (activity.accelerators.empty()) {
    for (const HostActivity& host : activity.hosts) all.Add(host.busy);
  }
  return std::move(all).Take();
}

StepTimes TimesOf(TraceActivities& traces, const Overlap& working,
                  const Step& step) {
  StepTimes times;
  times.busy.assign(traces.units().size(), 0);
  const auto activity = traces.Of(step);
  for (const AcceleratorActivity& device : activity->accelerators) {
    times.busy[device.unit] = Length(device.busy);
    times.communication += Length(device.communication);
    times.exposed += Length(Subtract(device.communication, device.compute));
  }
  for (const HostActivity& host : activity->hosts) {
    times.busy[host.unit] = Length(host.busy);
  }
  const std::optional<Interval> span = TraceStepSpan(traces, step);
  if (!span) return times;
  times.known = true;
  times.span = *span;
  times.idle = span->length() - working.Length(span->start, span->end);
  return times;
}

}  // namespace

DataTable TraceStepsTable(Views& views, int64_t step, size_t max_devices) {
  const Profile& profile = views.profile();
  TraceActivities& traces = views.Kept<TraceActivities>();
  const std::vector<TraceUnit>& all_units = traces.units();
  const int64_t ticks = profile.ticks_per_micro();

  std::vector<const Step*> steps;
  for (const auto& s : profile.steps()) {
    if (s->listed && (step < 0 || s->id == step)) steps.push_back(s.get());
  }
  const Intervals working = WorkingTime(*traces.Everything());
  const Overlap overlap(working);
  std::vector<StepTimes> times;
  std::vector<int64_t> busy(all_units.size(), 0), spans;
  bool has_communication = false;
  for (const Step* s : steps) {
    times.push_back(TimesOf(traces, overlap, *s));
    for (size_t u = 0; u < busy.size(); ++u) {
      busy[u] = WrapAdd(busy[u], times.back().busy[u]);
    }
    has_communication |= times.back().communication > 0;
    spans.push_back(times.back().span.length());
  }
  std::vector<size_t> units;
  for (size_t u = 0; u < busy.size(); ++u) {
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
  std::set<std::string> taken;
  for (const size_t u : units) {
    columns.push_back({.name = BusyColumn(all_units[u].name, &taken),
                       .title = all_units[u].name,
                       .unit = Unit::kMicros,
                       .of = all_units[u].name});
  }
  if (has_communication) {
    columns.push_back({"communication_micros", "communication", Unit::kMicros});
    columns.push_back(
        {"exposed_communication_micros", "exposed", Unit::kMicros});
  }
  columns.push_back({"executions", "executions", Unit::kCount});
  TableBuilder table("steps", std::move(columns));
  if (steps.size() > 1) {
    table.AddFact({.name = "", .title = "wall", .drawn = true},
                  TextCell(SparkLine(spans, kMaxBars)));
  }
  if (num_busy > units.size()) {
    table.AddFact({"more_devices", "more devices", Unit::kCount},
                  static_cast<int64_t>(num_busy - units.size()));
  }
  for (size_t i = 0; i < steps.size(); ++i) {
    const StepTimes& of_step = times[i];
    const bool known = of_step.known;
    std::vector<DataCell> cells = {
        steps[i]->id, TicksCell(of_step.span.length(), ticks, known),
        TicksCell(of_step.idle, ticks, known),
        ShareCell(of_step.idle, of_step.span.length())};
    for (const size_t u : units) {
      cells.push_back(TicksCell(of_step.busy[u], ticks, known));
    }
    if (has_communication) {
      cells.push_back(TicksCell(of_step.communication, ticks, known));
      cells.push_back(TicksCell(of_step.exposed, ticks, known));
    }
    cells.push_back(IntCell(static_cast<int64_t>(steps[i]->num_records()),
                            !steps[i]->aggregated));
    table.AddRow(std::move(cells));
  }
  return std::move(table).Build();
}

}  // namespace tfprof
