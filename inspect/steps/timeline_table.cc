#include "inspect/steps/timeline_table.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inspect/devices/device_figures.h"
#include "inspect/devices/lanes.h"
#include "inspect/steps/step_facts.h"
#include "inspect/time_cells.h"
#include "tables/table_builder.h"

namespace tfprof::inspect {
namespace {

// The number of the longest gaps in the table of a step.
constexpr size_t kGapsOfStep = 10;

class TimelineRows {
 public:
  TimelineRows(views::Views& views, size_t max_rows)
      : ticks_(views.profile().ticks_per_micro()),
        max_rows_(max_rows),
        views_(views),
        figures_(views),
        devices_("devices", DeviceColumns()),
        gaps_("gaps", GapColumns()) {}

  void Add(const profile::Step& step) {
    const auto chart = MakeGapChart(views_, step.id);
    if (!chart.ok()) return;
    for (const DeviceFigure& figure : figures_.Of(step)) {
      ++num_devices_;
      if (!IsFull(devices_)) AddDevice(step, figure);
    }
    num_gaps_ += chart->num_gaps;
    for (size_t g = 0; g < chart->gaps.size() && g < kGapsOfStep; ++g) {
      of_gaps_.push_back({step.id, chart->gaps[g],
                          chart->devices[chart->gaps[g].device].name});
    }
    // People see only the longest gaps of all steps.
    if (max_rows_ > 0 && of_gaps_.size() > max_rows_) {
      std::stable_sort(of_gaps_.begin(), of_gaps_.end(),
                       [](const GapRow& a, const GapRow& b) {
                         return a.gap.length > b.gap.length;
                       });
      of_gaps_.resize(max_rows_);
    }
  }

  bool empty() const { return num_devices_ == 0; }

  // A single clock needs no table.
  void AddClocks(const timeline::ClockOffsets& clocks) {
    if (clocks.clocks.size() < 2) return;
    tables::TableBuilder& table = clocks_.emplace(
        "clocks", std::vector<tables::DataColumn>{
                      Column("offset_micros", "moved by", util::Unit::kMicros),
                      Column("low_micros", "at least", util::Unit::kMicros),
                      Column("high_micros", "at most", util::Unit::kMicros),
                      Column("matches", "events", util::Unit::kCount, 1),
                      Column("origin", "origin", util::Unit::kText, 1),
                      Column("process", "process", util::Unit::kText)});
    for (size_t c = 0; c < clocks.clocks.size(); ++c) {
      const timeline::ProfileClock& clock = clocks.clocks[c];
      if (IsFull(table)) break;
      table.AddRow(
          {Time(clock.offset),
           TicksCell(clock.low.value_or(0), ticks_, clock.low.has_value()),
           TicksCell(clock.high.value_or(0), ticks_, clock.high.has_value()),
           clock.matches,
           tables::TextCell(clock.other_origin ? "another" : "the same"),
           timeline::ClockName(views_.profile(), clocks, c)});
    }
    table.SetTotalRows(clocks.clocks.size());
  }

  tables::DataDocument Take(int64_t step, std::string_view rest) && {
    tables::DataDocument document;
    document.kind = "timeline";
    if (step >= 0) {
      AddStepFacts("Step", step, &document.facts);
    } else {
      AddStepFacts("Steps", step, "all, one by one", &document.facts);
    }
    AddGaps();
    devices_.SetTotalRows(num_devices_);
    gaps_.SetTotalRows(num_gaps_);
    document.parts.push_back({"Devices", std::move(devices_).Build()});
    document.parts.push_back({"Longest gaps", std::move(gaps_).Build()});
    if (clocks_) {
      document.parts.push_back({"Clocks", std::move(*clocks_).Build()});
    }
    for (tables::DataDocument::Part& part : document.parts)
      part.table.rest = rest;
    return document;
  }

 private:
  static tables::DataColumn Column(std::string name, std::string title,
                                   util::Unit unit, int rank = 0) {
    return {.name = std::move(name),
            .title = std::move(title),
            .unit = unit,
            .rank = rank};
  }

  static std::vector<tables::DataColumn> DeviceColumns() {
    return {
        Column("step", "step", util::Unit::kNumber),
        Column("wall_micros", "wall", util::Unit::kMicros),
        Column("busy_micros", "busy", util::Unit::kMicros),
        Column("compute_micros", "compute", util::Unit::kMicros),
        Column("communication_micros", "communication", util::Unit::kMicros),
        Column("copy_micros", "copies", util::Unit::kMicros),
        Column("overlap_micros", "overlap", util::Unit::kMicros, 1),
        Column("exposed_communication_micros", "exposed", util::Unit::kMicros),
        Column("idle_micros", "idle", util::Unit::kMicros),
        Column("waiting_micros", "waiting", util::Unit::kMicros, 1),
        Column("host_bound_micros", "host-bound", util::Unit::kMicros, 1),
        Column("other_idle_micros", "other idle", util::Unit::kMicros, 1),
        Column("device", "device", util::Unit::kText)};
  }

  static std::vector<tables::DataColumn> GapColumns() {
    return {Column("step", "step", util::Unit::kNumber),
            Column("start_micros", "start", util::Unit::kMicros),
            Column("micros", "length", util::Unit::kMicros),
            Column("device", "device", util::Unit::kText),
            Column("before", "ended before", util::Unit::kText),
            Column("after", "began after", util::Unit::kText)};
  }

  tables::DataCell Time(int64_t ticks) const {
    return TicksCell(ticks, ticks_);
  }
  bool IsFull(const tables::TableBuilder& table) const {
    return max_rows_ > 0 && table.size() >= max_rows_;
  }

  void AddDevice(const profile::Step& step, const DeviceFigure& figure) {
    const DeviceSplit& split = figure.split;
    const std::optional<IdleParts>& idle = figure.idle;
    const auto part = [&](int64_t IdleParts::*time) {
      return TicksCell(idle ? (*idle).*time : 0, ticks_, idle.has_value());
    };
    devices_.AddRow(
        {step.id, Time(split.wall), Time(split.busy), Time(split.compute),
         Time(split.communication), Time(split.copies), Time(figure.overlap),
         Time(figure.exposed()), Time(split.idle), part(&IdleParts::waiting),
         part(&IdleParts::host_bound), part(&IdleParts::other), split.name});
  }

  void AddGaps() {
    std::vector<LaneChart::Gap*> gaps;
    for (GapRow& row : of_gaps_) gaps.push_back(&row.gap);
    NameGaps(views_, gaps);
    for (const auto& [step, gap, device] : of_gaps_) {
      gaps_.AddRow({step, Time(gap.start), Time(gap.length), device, gap.before,
                    gap.after});
    }
  }

  struct GapRow {
    int64_t step = 0;
    LaneChart::Gap gap;
    std::string device;
  };

  const int64_t ticks_;
  const size_t max_rows_;
  views::Views& views_;
  DeviceFigures figures_;
  tables::TableBuilder devices_;
  tables::TableBuilder gaps_;
  std::optional<tables::TableBuilder> clocks_;
  std::vector<GapRow> of_gaps_;
  size_t num_devices_ = 0;
  size_t num_gaps_ = 0;
};

}  // namespace

absl::StatusOr<tables::DataDocument> TimelineDocument(
    views::Views& views, int64_t step, const timeline::ClockOffsets& clocks,
    size_t max_rows, std::string_view rest) {
  TimelineRows document(views, max_rows);
  for (const auto& of : views.profile().steps()) {
    if (views.work().cancelled()) break;
    if (of->listed && (step < 0 || of->id == step)) document.Add(*of);
  }
  if (document.empty()) {
    return absl::FailedPreconditionError(
        "there is no timeline: no execution of these steps has a start and a "
        "length");
  }
  document.AddClocks(clocks);
  return std::move(document).Take(step, rest);
}

}  // namespace tfprof::inspect
