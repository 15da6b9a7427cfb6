// The tables of collectives, phases and memory (rows.h).

#include <algorithm>
#include <memory>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "inspect/devices/device_labels.h"
#include "inspect/rows/row_table.h"
#include "inspect/steps/step_memory.h"
#include "profile/steps/time_column.h"
#include "timeline/account/step_wall.h"
#include "timeline/activity.h"
#include "timeline/ranks/collective_call.h"
#include "util/arithmetic.h"

namespace tfprof::inspect {
namespace {

// A value that is not negative, if it is known.
tables::DataCell Known(int64_t value) {
  return tables::IntCell(value, value >= 0);
}

struct CollectiveRow {
  int64_t step = -1;
  uint32_t unit = profile::kNone;
  int64_t rank = -1;
  timeline::CollectiveCall call;
  bool has_time = false;
  int64_t start = 0;
  int64_t end = 0;
  std::string state;  // of a flight recorder
};

void AddFlightRecords(const profile::CollectiveRecords& records,
                      std::vector<CollectiveRow>& rows) {
  for (const profile::CollectiveRecords::Call& call : records.calls) {
    rows.push_back({.rank = records.dumps[call.dump].rank,
                    .call = {.communicator = records.Get(call.group),
                             .kind = records.Get(call.operation),
                             .sequence = call.sequence},
                    .state = records.Get(call.state)});
  }
}

// A step of an inference engine, or an operation of a pipeline.
struct PhaseRow {
  profile::PipelineOp op;
  bool is_pipeline = false;
  std::string_view phase;
  int64_t requests = -1;
  int64_t tokens = -1;
};

// The peak of a device, or of a counter in bytes.
struct MemoryRow {
  int64_t step = 0;
  std::string_view device;
  std::string_view counter;
  MemoryPeak peak;
  int64_t counter_bytes = 0;
  int64_t capacity = 0;
};

// "gpu:0 allocated" is of the device gpu:0 of its process, if it has one.
const profile::PhysicalDevice* DeviceOf(const profile::Profile& profile,
                                        const profile::Counter& counter) {
  const auto& lanes = profile.lanes();
  const std::string_view name = profile.strings().Get(counter.name);
  for (profile::PhysicalId id = 0; id < lanes.num_physical(); ++id) {
    const profile::PhysicalDevice& device = lanes.physical(id);
    if (device.process == counter.process && !device.label.empty() &&
        name.starts_with(device.label) && name.size() > device.label.size() &&
        name[device.label.size()] == ' ') {
      return &device;
    }
  }
  return nullptr;
}

// Adds the highest level of each counter in bytes in each step, also if it was
// reached before the step and lasts.
void AddCounterPeaks(views::Views& views,
                     const std::vector<const profile::Step*>& steps,
                     std::vector<MemoryRow>& rows) {
  const profile::Profile& profile = views.profile();
  std::vector<double> levels;
  for (const profile::Counter& counter : profile.counters()) {
    if (!PeakOf(profile, counter)) continue;
    levels.resize(counter.size());
    double level = 0;
    for (size_t i = 0; i < counter.size(); ++i) {
      levels[i] = level = LevelAfter(counter, i, level);
    }
    const profile::PhysicalDevice* device = DeviceOf(profile, counter);
    timeline::Activities& activities = views.Kept<timeline::Activities>();
    const int64_t ticks = profile.ticks_per_micro();
    for (const profile::Step* step : steps) {
      const auto span = timeline::StepSpan(activities, *step);
      if (!span) continue;
      const int64_t end = profile::TicksToNanos(span->end, ticks);
      size_t i = *std::ranges::lower_bound(
          std::views::iota(size_t{0}, counter.size()),
          profile::TicksToNanos(span->start, ticks), {},
          [&](size_t sample) { return counter.time[sample]; });
      double highest = i > 0 ? levels[i - 1] : 0;
      for (; i < counter.size() && counter.time[i] < end; ++i) {
        highest = std::max(highest, levels[i]);
      }
      if (highest < 1) continue;
      rows.push_back({.step = step->id,
                      .device = device ? std::string_view(device->label)
                                       : std::string_view(),
                      .counter = profile.strings().Get(counter.name),
                      .counter_bytes = static_cast<int64_t>(highest),
                      .capacity = device ? device->memory_bytes : 0});
    }
  }
}

}  // namespace

tables::DataTable CollectiveRowsTable(views::Views& views, int64_t step) {
  timeline::Activities& activities = views.Kept<timeline::Activities>();
  const profile::Profile& profile = views.profile();
  std::vector<CollectiveRow> rows;
  for (const profile::Step* s : WantedSteps(profile, step)) {
    const auto activity = activities.Of(*s);
    for (const timeline::DeviceActivity& device : activity->devices) {
      const profile::ProcessId process =
          activities.units()[device.unit].process;
      const int64_t rank = process == profile::kNone
                               ? -1
                               : profile.lanes().process(process).rank;
      for (const timeline::DeviceRun& run : device.runs) {
        if (run.kind != timeline::RunKind::kCommunication) continue;
        CollectiveRow& row =
            rows.emplace_back(CollectiveRow{.step = s->id,
                                            .unit = device.unit,
                                            .rank = rank,
                                            .has_time = true,
                                            .start = run.start,
                                            .end = run.end});
        row.call = timeline::CallOf(activities, run);
        if (row.call.kind.empty()) row.call.kind = activities.Op(run);
      }
    }
  }
  if (step < 0) AddFlightRecords(profile.collective_records(), rows);
  std::vector<uint32_t> units(activities.units().size());
  for (uint32_t u = 0; u < units.size(); ++u) units[u] = u;
  const int64_t ticks = profile.ticks_per_micro();
  return TableOf(
      "collectives",
      {NumberColumn("step"), WordColumn("device"), NumberColumn("rank"),
       WordColumn("communicator"), NumberColumn("sequence"), WordColumn("kind"),
       BytesColumn("bytes"), NumberColumn("start_nanos"),
       NumberColumn("end_nanos"), WordColumn("state")},
      std::move(rows),
      [labels = DeviceLabels(activities, units), ticks](
          const CollectiveRow& row, std::vector<tables::DataCell>& cells) {
        cells = {Known(row.step),
                 row.unit == profile::kNone
                     ? tables::DataCell()
                     : tables::TextCell(labels[row.unit]),
                 Known(row.rank),
                 WordIfAny(row.call.communicator),
                 Known(row.call.sequence),
                 WordIfAny(row.call.kind),
                 Known(row.call.bytes),
                 tables::IntCell(profile::TicksToNanos(row.start, ticks),
                                 row.has_time),
                 tables::IntCell(profile::TicksToNanos(row.end, ticks),
                                 row.has_time),
                 WordIfAny(row.state)};
      });
}

tables::DataTable PhaseRowsTable(views::Views& views, int64_t step) {
  const profile::Profile& profile = views.profile();
  std::vector<PhaseRow> rows;
  for (const profile::StepPhase& phase : profile.step_phases()) {
    if (step >= 0 && phase.step != step) continue;
    PhaseRow& row = rows.emplace_back();
    row.op.step = phase.step;
    row.phase = profile::PhaseName(phase.phase);
    row.requests = phase.requests;
    row.tokens = phase.tokens;
  }
  const profile::PipelineOps& ops = profile.pipeline_ops();
  for (size_t i = 0; i < ops.size(); ++i) {
    const profile::PipelineOp op = ops[i];
    if (step >= 0 && op.step != step) continue;
    rows.push_back({.op = op,
                    .is_pipeline = true,
                    .phase = profile.strings().Get(op.type)});
  }
  return TableOf(
      "phases",
      {NumberColumn("step"), WordColumn("phase"), CountColumn("requests"),
       CountColumn("tokens"), NumberColumn("dp"), NumberColumn("stage"),
       NumberColumn("micro_batch"), NumberColumn("model_chunk"),
       NumberColumn("start_nanos"), NumberColumn("end_nanos")},
      std::move(rows),
      [](const PhaseRow& row, std::vector<tables::DataCell>& cells) {
        const profile::PipelineOp& op = row.op;
        const bool known = row.is_pipeline;
        cells = {
            op.step,
            WordIfAny(row.phase),
            Known(row.requests),
            Known(row.tokens),
            tables::IntCell(op.dp, known),
            tables::IntCell(op.stage, known),
            Known(op.micro_batch),
            Known(op.model_chunk),
            tables::IntCell(op.start, known),
            tables::IntCell(util::SaturatingAdd(op.start, op.duration), known)};
      });
}

tables::DataTable MemoryRowsTable(views::Views& views, int64_t step) {
  const profile::Profile& profile = views.profile();
  const std::vector<const profile::Step*> steps = WantedSteps(profile, step);
  std::vector<MemoryRow> rows;
  const std::vector<std::vector<MemoryPeak>> peaks =
      MemoryPeaks(profile, steps, views.work());
  for (size_t s = 0; s < steps.size(); ++s) {
    for (uint32_t device = 0; device < peaks[s].size(); ++device) {
      const MemoryPeak& peak = peaks[s][device];
      if (peak.allocator_bytes == 0 && peak.node_bytes == 0) continue;
      rows.push_back({.step = steps[s]->id,
                      .device = profile.devices().name(device),
                      .peak = peak});
    }
  }
  AddCounterPeaks(views, steps, rows);
  return TableOf(
      "memory",
      {NumberColumn("step"), WordColumn("device"), WordColumn("counter"),
       BytesColumn("allocator_peak_bytes"), BytesColumn("node_peak_bytes"),
       BytesColumn("counter_peak_bytes"), BytesColumn("capacity_bytes")},
      std::move(rows),
      [](const MemoryRow& row, std::vector<tables::DataCell>& cells) {
        const auto bytes = [](int64_t value) {
          return tables::IntCell(value, value != 0);
        };
        cells = {row.step,
                 WordIfAny(row.device),
                 WordIfAny(row.counter),
                 bytes(row.peak.allocator_bytes),
                 bytes(row.peak.node_bytes),
                 bytes(row.counter_bytes),
                 bytes(row.capacity)};
      });
}

}  // namespace tfprof::inspect
