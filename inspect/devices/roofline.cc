#include "inspect/devices/roofline.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "accounting/node_stats.h"
#include "flops/op_costs.h"
#include "inspect/steps/step_facts.h"
#include "inspect/time_cells.h"
#include "tables/table_builder.h"
#include "timeline/activity.h"
#include "timeline/step_wall.h"

namespace tfprof {
namespace {

constexpr double kMicrosPerSecond = 1e6;
// The end of HLO opcodes such as "copy-start" and "all-reduce-start".
constexpr std::string_view kStartsOnly = "-start";

std::string_view SourceText(PeaksSource source) {
  switch (source) {
    case PeaksSource::kFile:
      return "the file";
    case PeaksSource::kUser:
      return "-device_peaks";
    case PeaksSource::kTable:
      break;
  }
  return "data sheets";
}

DataCell Positive(double value) {
  return value > 0 ? DataCell(value) : DataCell();
}

class Roofline {
 public:
  Roofline(Views& views, const std::optional<DevicePeaks>& given)
      : profile_(views.profile()),
        activities_(views.Kept<Activities>()),
        ticks_(profile_.ticks_per_micro()),
        given_(given) {}

  DataTable Peaks() {
    TableBuilder table(
        "peaks", {{"model", "model", Unit::kText},
                  {"devices", "devices", Unit::kCount},
                  {"peak_flops_per_second", "peak rate", Unit::kCount},
                  {"peak_bytes_per_second", "peak bandwidth", Unit::kBytes},
                  {"ridge", "ridge", Unit::kNumber},
                  {"peaks_from", "from", Unit::kText}});
    std::map<std::string, int64_t> models;
    std::vector<const PhysicalDevice*> first;
    for (const LaneUnit& unit : activities_.units()) {
      if (!unit.accelerator || unit.physical == kNone) continue;
      ++accelerators_;
      const PhysicalDevice& device = profile_.lanes().physical(unit.physical);
      if (++models[device.model] == 1) first.push_back(&device);
    }
    for (const PhysicalDevice* device : first) {
      const std::optional<DevicePeaks> peaks =
          given_ ? given_ : PeaksOf(*device);
      if (!peaks_) peaks_ = peaks;
      std::vector<DataCell> cells = {
          device->model.empty() ? DataCell() : TextCell(device->model),
          models[device->model]};
      if (peaks) {
        cells.push_back(Positive(peaks->flops_per_second));
        cells.push_back(Positive(peaks->bytes_per_second));
        cells.push_back(Positive(peaks->ridge()));
        cells.push_back(TextCell(SourceText(peaks->source)));
      }
      cells.resize(6);
      table.AddRow(std::move(cells));
    }
    if (!peaks_) peaks_ = given_;
    return std::move(table).Build();
  }

  DataTable Ops(const OpCosts& costs, size_t max_ops) const {
    TableBuilder table("ops", {{"micros", "time", Unit::kMicros, /*heat=*/true},
                               {"share", "share", Unit::kShare},
                               {"runs", "runs", Unit::kCount},
                               {"float_ops", "operations", Unit::kCount},
                               {"bytes_accessed", "bytes", Unit::kBytes},
                               {"intensity", "intensity", Unit::kNumber},
                               {"flops_per_second", "rate", Unit::kCount},
                               {"bytes_per_second", "bandwidth", Unit::kBytes},
                               {"bound", "bound", Unit::kText},
                               {"peak_share", "of peak", Unit::kShare},
                               {"peak", "peak", Unit::kText},
                               {"unknown_runs", "no shapes", Unit::kCount},
                               {"op", "op", Unit::kText}});
    const size_t shown =
        max_ops == 0 ? costs.ops.size() : std::min(max_ops, costs.ops.size());
    for (size_t i = 0; i < shown; ++i) table.AddRow(Row(costs, costs.ops[i]));
    table.SetTotalRows(costs.ops.size());
    return std::move(table).Build();
  }

  DataTable Steps(const std::vector<const Step*>& steps) const {
    TableBuilder table("steps", {{"step", "step", Unit::kNumber},
                                 {"span_micros", "span", Unit::kMicros},
                                 {"float_ops", "operations", Unit::kCount},
                                 {"flops_per_second", "rate", Unit::kCount},
                                 {"mfu", "MFU", Unit::kShare}});
    for (const Step* step : steps) {
      if (!step->listed) continue;
      const OpCosts costs = ComputeOpCosts(profile_, {&step, 1});
      const std::optional<Interval> span = StepSpan(activities_, *step);
      const bool known = span && span->length() > 0;
      const double rate =
          known ? PerSecond(static_cast<double>(costs.flops), span->length())
                : 0;
      const double peak =
          peaks_ ? peaks_->flops_per_second * static_cast<double>(accelerators_)
                 : 0;
      table.AddRow({step->id,
                    TicksCell(known ? span->length() : 0, ticks_, known),
                    IntCell(costs.flops, costs.flops > 0), Positive(rate),
                    rate > 0 && peak > 0 ? DataCell(rate / peak) : DataCell()});
    }
    return std::move(table).Build();
  }

 private:
  double PerSecond(double amount, int64_t ticks) const {
    return amount / TicksAsMicros(ticks, ticks_) * kMicrosPerSecond;
  }

  std::vector<DataCell> Row(const OpCosts& costs, const OpCostSum& op) const {
    const auto flops = static_cast<double>(op.flops);
    const auto bytes = static_cast<double>(op.bytes);
    // The start op of a copy or collective only begins it; the bytes move
    // later.
    const bool only_starts =
        profile_.strings().Get(op.op).ends_with(kStartsOnly);
    // Without the figures of every run, a rate over the time of all runs would
    // be wrong.
    const bool rated = op.time > 0 && op.known_runs > 0 &&
                       op.unknown_runs == 0 && !only_starts;
    const double flop_rate = rated ? PerSecond(flops, op.time) : 0;
    const double byte_rate =
        rated && op.has_bytes ? PerSecond(bytes, op.time) : 0;
    const double intensity = op.has_bytes && op.bytes > 0 ? flops / bytes : 0;
    DataCell bound, share, peak;
    const DevicePeaks peaks =
        peaks_ ? PeaksAt(*peaks_, op.flops > 0 && op.fp32_flops == op.flops,
                         flop_rate)
               : DevicePeaks();
    const std::string_view compute_peak =
        peaks_ && peaks.flops_per_second < peaks_->flops_per_second ? "32-bit"
                                                                    : "16-bit";
    if (rated && op.has_bytes && peaks.ridge() > 0) {
      const bool by_compute = intensity >= peaks.ridge();
      bound = TextCell(by_compute ? "compute" : "memory");
      peak = TextCell(by_compute ? compute_peak : "memory");
      share = by_compute ? flop_rate / peaks.flops_per_second
                         : byte_rate / peaks.bytes_per_second;
    } else if (flop_rate > 0 && peaks.flops_per_second > 0) {
      peak = TextCell(compute_peak);
      share = flop_rate / peaks.flops_per_second;
    }
    return {TicksCell(op.time, ticks_),
            ShareCell(op.time, costs.time),
            op.runs,
            IntCell(op.flops, op.known_runs > 0),
            IntCell(op.bytes, op.has_bytes),
            op.has_bytes && op.bytes > 0 ? DataCell(intensity) : DataCell(),
            Positive(flop_rate),
            Positive(byte_rate),
            std::move(bound),
            std::move(share),
            std::move(peak),
            IntCell(op.unknown_runs, op.unknown_runs > 0),
            TextCell(profile_.strings().Get(op.op))};
  }

  const Profile& profile_;
  Activities& activities_;
  const int64_t ticks_;
  const std::optional<DevicePeaks> given_;
  std::optional<DevicePeaks> peaks_;
  int64_t accelerators_ = 0;
};

}  // namespace

DataDocument RooflineDocument(Views& views, int64_t step,
                              const std::optional<DevicePeaks>& given,
                              size_t max_ops) {
  std::vector<const Step*> steps;
  for (const auto& s : views.profile().steps()) {
    const bool wanted = step == kAllSteps ? true
                        : step < 0        ? s->listed
                                          : s->id == step;
    if (wanted) steps.push_back(s.get());
  }
  DataDocument document;
  document.kind = "roofline";
  AddStepFacts("Sums", step,
               step == kAllSteps ? "of everything in the file"
               : step < 0        ? "of the steps"
                                 : "of " + StepText(step),
               &document.facts);
  Roofline roofline(views, given);
  const OpCosts costs = ComputeOpCosts(views.profile(), steps);
  DataTable peaks = roofline.Peaks();
  document.parts.push_back({"Peaks", std::move(peaks)});
  document.parts.push_back({"Operations", roofline.Ops(costs, max_ops)});
  document.parts.push_back({"Steps", roofline.Steps(steps)});
  return document;
}

}  // namespace tfprof
