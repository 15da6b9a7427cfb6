// The tables of collectives, phases and memory (rows.h).

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "accounting/counter_levels.h"
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
  for (const profile::Counter& counter : profile.counters()) {
    if (!accounting::PeakOf(profile, counter)) continue;
    const std::vector<double> levels = accounting::LevelsOf(counter);
    const profile::PhysicalDevice* device = DeviceOf(profile, counter);
    timeline::Activities& activities = views.Kept<timeline::Activities>();
    const int64_t ticks = profile.ticks_per_micro();
    for (const profile::Step* step : steps) {
      const auto span = timeline::StepSpan(activities, *step);
      if (!span) continue;
      const double highest = accounting::HighestIn(
          counter, levels, profile::TicksToNanos(span->start, ticks),
          profile::TicksToNanos(span->end, ticks));
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

tables::DataTable CollectiveRowsTable(views::Views& views, int64_t step,
                                      StepWork work) {
  timeline::Activities& activities = views.Kept<timeline::Activities>();
  const profile::Profile& profile = views.profile();
  const profile::CollectiveRecords& records = profile.collective_records();
  std::vector<StepWork::Collective> rows = std::move(work.collectives);
  if (step < 0) {
    for (const profile::CollectiveRecords::Call& call : records.calls) {
      rows.push_back({.recorded = &call});
    }
  }
  std::vector<uint32_t> units(activities.units().size());
  for (uint32_t u = 0; u < units.size(); ++u) units[u] = u;
  return TableOf(
      "collectives",
      {NumberColumn("step"), WordColumn("device"), NumberColumn("rank"),
       WordColumn("communicator"), NumberColumn("sequence"), WordColumn("kind"),
       BytesColumn("bytes"), NumberColumn("start_nanos"),
       NumberColumn("end_nanos"), WordColumn("state")},
      std::move(rows),
      // Reads the call from its record: one at a time, which needs no memory.
      [&activities, &profile, &records,
       labels = DeviceLabels(activities, units)](
          const StepWork::Collective& row, RowCells cells) {
        if (row.recorded != nullptr) {
          cells.Nothing()
              .Nothing()
              .Known(records.dumps[row.recorded->dump].rank)
              .Word(records.Get(row.recorded->group))
              .Known(row.recorded->sequence)
              .Word(records.Get(row.recorded->operation))
              .Nothing()
              .Nothing()
              .Nothing()
              .Word(records.Get(row.recorded->state));
          return;
        }
        const auto& [step, unit, run, recorded] = row;
        const profile::ProcessId process = activities.units()[unit].process;
        const timeline::CollectiveCall call = timeline::CallOf(activities, run);
        const int64_t ticks = profile.ticks_per_micro();
        cells.Known(step)
            .Text(labels[unit])
            .Known(process == profile::kNone
                       ? -1
                       : profile.lanes().process(process).rank)
            .Word(call.communicator)
            .Known(call.sequence)
            .Word(call.kind.empty() ? activities.Op(run) : call.kind)
            .Known(call.bytes)
            .Number(profile::TicksToNanos(run.start, ticks))
            .Number(profile::TicksToNanos(run.end, ticks))
            .Nothing();
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
      std::move(rows), [](const PhaseRow& row, RowCells cells) {
        const profile::PipelineOp& op = row.op;
        const bool known = row.is_pipeline;
        cells.Number(op.step)
            .Word(row.phase)
            .Known(row.requests)
            .Known(row.tokens)
            .Number(op.dp, known)
            .Number(op.stage, known)
            .Known(op.micro_batch)
            .Known(op.model_chunk)
            .Number(op.start, known)
            .Number(util::SaturatingAdd(op.start, op.duration), known);
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
      std::move(rows), [](const MemoryRow& row, RowCells cells) {
        cells.Number(row.step).Word(row.device).Word(row.counter);
        for (const int64_t bytes :
             {row.peak.allocator_bytes, row.peak.node_bytes, row.counter_bytes,
              row.capacity}) {
          cells.Number(bytes, bytes != 0);
        }
      });
}

}  // namespace tfprof::inspect
