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
#include "timeline/account/step_wall.h"
#include "timeline/activity.h"

namespace tfprof::inspect {
namespace {

constexpr double kMicrosPerSecond = 1e6;
// The end of HLO opcodes such as "copy-start" and "all-reduce-start".
constexpr std::string_view kStartsOnly = "-start";

std::string_view PeaksSourceText(flops::PeaksSource source) {
  switch (source) {
    case flops::PeaksSource::kFile:
      return "the file";
    case flops::PeaksSource::kUser:
      return "-device_peaks";
    case flops::PeaksSource::kTable:
      break;
  }
  return "data sheets";
}

tables::DataCell Positive(double value) {
  return value > 0 ? tables::DataCell(value) : tables::DataCell();
}

class Roofline {
 public:
  Roofline(views::Views& views, const std::optional<flops::DevicePeaks>& given)
      : profile_(views.profile()),
        activities_(views.Kept<timeline::Activities>()),
        ticks_(profile_.ticks_per_micro()),
        given_(given) {}

  tables::DataTable Peaks() {
    tables::TableBuilder table(
        "peaks",
        {{"model", "model", util::Unit::kText},
         {"devices", "devices", util::Unit::kCount},
         {"peak_flops_per_second", "peak rate", util::Unit::kCount},
         {"peak_bytes_per_second", "peak bandwidth", util::Unit::kBytes},
         {"ridge", "ridge", util::Unit::kNumber},
         {"peaks_from", "from", util::Unit::kText}});
    std::map<std::string, int64_t> models;
    std::vector<const profile::PhysicalDevice*> first;
    for (const timeline::LaneUnit& unit : activities_.units()) {
      if (!unit.accelerator || unit.physical == profile::kNone) continue;
      ++accelerators_;
      const profile::PhysicalDevice& device =
          profile_.lanes().physical(unit.physical);
      if (++models[device.model] == 1) first.push_back(&device);
    }
    for (const profile::PhysicalDevice* device : first) {
      const std::optional<flops::DevicePeaks> peaks =
          given_ ? given_ : flops::PeaksOf(*device);
      if (!peaks_) peaks_ = peaks;
      std::vector<tables::DataCell> cells = {
          device->model.empty() ? tables::DataCell()
                                : tables::TextCell(device->model),
          models[device->model]};
      if (peaks) {
        cells.push_back(Positive(peaks->flops_per_second));
        cells.push_back(Positive(peaks->bytes_per_second));
        cells.push_back(Positive(peaks->ridge()));
        cells.push_back(tables::TextCell(PeaksSourceText(peaks->source)));
      }
      cells.resize(6);
      table.AddRow(std::move(cells));
    }
    if (!peaks_) peaks_ = given_;
    return std::move(table).Build();
  }

  tables::DataTable Ops(const flops::OpCosts& costs, size_t max_ops) const {
    tables::TableBuilder table(
        "ops", {{"micros", "time", util::Unit::kMicros, /*heat=*/true},
                {"share", "share", util::Unit::kShare},
                {"runs", "runs", util::Unit::kCount},
                {"float_ops", "operations", util::Unit::kCount},
                {"bytes_accessed", "bytes", util::Unit::kBytes},
                {"intensity", "intensity", util::Unit::kNumber},
                {"flops_per_second", "rate", util::Unit::kCount},
                {"bytes_per_second", "bandwidth", util::Unit::kBytes},
                {"bound", "bound", util::Unit::kText},
                {"peak_share", "of peak", util::Unit::kShare},
                {"peak", "peak", util::Unit::kText},
                {"unknown_runs", "no shapes", util::Unit::kCount},
                {"unrated_micros", "unrated", util::Unit::kMicros},
                {"op", "op", util::Unit::kText}});
    const size_t shown =
        max_ops == 0 ? costs.ops.size() : std::min(max_ops, costs.ops.size());
    for (size_t i = 0; i < shown; ++i) table.AddRow(Row(costs, costs.ops[i]));
    table.SetTotalRows(costs.ops.size());
    return std::move(table).Build();
  }

  // `costs` are those of the steps.
  tables::DataTable Steps(const std::vector<const profile::Step*>& steps,
                          const flops::OpCosts& costs) const {
    tables::TableBuilder table(
        "steps", {{"step", "step", util::Unit::kNumber},
                  {"span_micros", "span", util::Unit::kMicros},
                  {"float_ops", "operations", util::Unit::kCount},
                  {"flops_per_second", "rate", util::Unit::kCount},
                  {"mfu", "MFU", util::Unit::kShare}});
    for (size_t s = 0; s < steps.size(); ++s) {
      const profile::Step* const step = steps[s];
      if (!step->listed) continue;
      if (activities_.work().cancelled()) break;
      const int64_t flops = costs.flops_of_step[s];
      const std::optional<timeline::Interval> span =
          timeline::StepSpan(activities_, *step);
      const bool known = span && span->length() > 0;
      const double rate =
          known ? PerSecond(static_cast<double>(flops), span->length()) : 0;
      const double peak =
          peaks_ ? peaks_->flops_per_second * static_cast<double>(accelerators_)
                 : 0;
      table.AddRow({step->id,
                    TicksCell(known ? span->length() : 0, ticks_, known),
                    tables::IntCell(flops, flops > 0), Positive(rate),
                    rate > 0 && peak > 0 ? tables::DataCell(rate / peak)
                                         : tables::DataCell()});
    }
    return std::move(table).Build();
  }

 private:
  double PerSecond(double amount, int64_t ticks) const {
    return amount / TicksAsMicros(ticks, ticks_) * kMicrosPerSecond;
  }

  std::vector<tables::DataCell> Row(const flops::OpCosts& costs,
                                    const flops::OpCostSum& op) const {
    const auto flops = static_cast<double>(op.flops);
    const auto bytes = static_cast<double>(op.bytes);
    // The start op of a copy or collective only begins it; the bytes move
    // later.
    const bool only_starts =
        profile_.strings().Get(op.op).ends_with(kStartsOnly);
    const bool rated = op.rated.time > 0 && !only_starts;
    const double flop_rate =
        rated ? PerSecond(static_cast<double>(op.rated.flops), op.rated.time)
              : 0;
    const double byte_rate =
        rated && op.has_bytes
            ? PerSecond(static_cast<double>(op.rated.bytes), op.rated.time)
            : 0;
    const int64_t unrated = op.known_runs > 0 ? op.time - op.rated.time : 0;
    const double intensity = op.has_bytes && op.bytes > 0 ? flops / bytes : 0;
    tables::DataCell bound, share, peak;
    const flops::DevicePeaks peaks =
        peaks_
            ? flops::PeaksAt(*peaks_, op.flops > 0 && op.fp32_flops == op.flops,
                             flop_rate)
            : flops::DevicePeaks();
    const std::string_view compute_peak =
        peaks_ && peaks.flops_per_second < peaks_->flops_per_second ? "32-bit"
                                                                    : "16-bit";
    if (rated && op.has_bytes && peaks.ridge() > 0) {
      const bool by_compute = intensity >= peaks.ridge();
      bound = tables::TextCell(by_compute ? "compute" : "memory");
      peak = tables::TextCell(by_compute ? compute_peak : "memory");
      share = by_compute ? flop_rate / peaks.flops_per_second
                         : byte_rate / peaks.bytes_per_second;
    } else if (flop_rate > 0 && peaks.flops_per_second > 0) {
      peak = tables::TextCell(compute_peak);
      share = flop_rate / peaks.flops_per_second;
    }
    return {TicksCell(op.time, ticks_),
            tables::ShareCell(op.time, costs.time),
            op.runs,
            tables::IntCell(op.flops, op.known_runs > 0),
            tables::IntCell(op.bytes, op.has_bytes),
            op.has_bytes && op.bytes > 0 ? tables::DataCell(intensity)
                                         : tables::DataCell(),
            Positive(flop_rate),
            Positive(byte_rate),
            std::move(bound),
            std::move(share),
            std::move(peak),
            tables::IntCell(op.unknown_runs, op.unknown_runs > 0),
            TicksCell(unrated, ticks_, unrated > 0),
            tables::TextCell(profile_.strings().Get(op.op))};
  }

  const profile::Profile& profile_;
  timeline::Activities& activities_;
  const int64_t ticks_;
  const std::optional<flops::DevicePeaks> given_;
  std::optional<flops::DevicePeaks> peaks_;
  int64_t accelerators_ = 0;
};

}  // namespace

tables::DataDocument RooflineDocument(
    views::Views& views, int64_t step,
    const std::optional<flops::DevicePeaks>& given, size_t max_ops) {
  std::vector<const profile::Step*> steps;
  for (const auto& s : views.profile().steps()) {
    const bool wanted = step == accounting::kAllSteps ? true
                        : step < 0                    ? s->listed
                                                      : s->id == step;
    if (wanted) steps.push_back(s.get());
  }
  tables::DataDocument document;
  document.kind = "roofline";
  AddStepFacts("Sums", step,
               step == accounting::kAllSteps ? "of everything in the file"
               : step < 0                    ? "of the steps"
                                             : "of " + StepText(step),
               &document.facts);
  Roofline roofline(views, given);
  const flops::OpCosts costs =
      flops::ComputeOpCosts(views.profile(), steps, views.work());
  tables::DataTable peaks = roofline.Peaks();
  document.parts.push_back({"Peaks", std::move(peaks)});
  document.parts.push_back({"Operations", roofline.Ops(costs, max_ops)});
  document.parts.push_back({"Steps", roofline.Steps(steps, costs)});
  return document;
}

}  // namespace tfprof::inspect
