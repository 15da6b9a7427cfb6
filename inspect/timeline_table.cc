#include "inspect/timeline_table.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inspect/lanes.h"
#include "inspect/step_facts.h"
#include "inspect/step_split.h"
#include "inspect/trace_cells.h"
#include "tables/table_builder.h"
#include "timeline/activity.h"
#include "timeline/step_wall.h"
#include "timeline/trace_activity.h"
#include "timeline/trace_metrics.h"
#include "util/arithmetic.h"

namespace tfprof {
namespace {

// The longest gaps that the table has for a step.
constexpr size_t kGapsOfStep = 10;

// Why a device was idle; not known of a host.
struct IdleParts {
  int64_t waiting = 0;
  int64_t host_bound = 0;
  int64_t other = 0;
};

// Finds the causes of idle time, for any step.
class IdleCauses {
 public:
  explicit IdleCauses(Views& views) : views_(views) {
    if (!IsTrace(views.profile())) return;
    TraceActivities& traces = views.Kept<TraceActivities>();
    for (const auto everything = traces.Everything();
         const AcceleratorActivity& device : everything->accelerators) {
      of_unit_.emplace(device.unit, OfUnit{device.busy, IdleTimeOf(device)});
    }
  }

  std::optional<IdleParts> Of(const Step& step, const DeviceSplit& device) {
    if (!device.accelerator) return std::nullopt;
    return IsTrace(views_.profile()) ? OfTrace(step, device)
                                     : OfTask(step, device);
  }

 private:
  struct OfUnit {
    Intervals busy;
    IdleTime idle;
  };

  std::optional<IdleParts> OfTrace(const Step& step,
                                   const DeviceSplit& device) {
    const auto found = of_unit_.find(device.unit);
    const auto span = TraceStepSpan(views_.Kept<TraceActivities>(), step);
    if (found == of_unit_.end() || !span || span->length() <= 0) {
      return std::nullopt;
    }
    const Intervals idle = Subtract({*span}, found->second.busy);
    IdleParts parts;
    parts.waiting = Length(Intersect(idle, found->second.idle.waiting));
    parts.host_bound = Length(Intersect(idle, found->second.idle.host_bound));
    parts.other = Length(idle) - parts.waiting - parts.host_bound;
    return parts;
  }

  std::optional<IdleParts> OfTask(const Step& step, const DeviceSplit& device) {
    const int64_t ticks = views_.profile().ticks_per_micro();
    const auto activity = views_.Kept<Activities>().Of(step);
    for (const TaskActivity& task : activity->tasks) {
      for (const DeviceActivity& of : task.devices) {
        if (of.unit != device.unit) continue;
        const Intervals idle = Subtract(task.runs, of.Busy());
        IdleParts parts;
        parts.host_bound =
            SaturatingMul(Length(Intersect(idle, of.launches.busy)), ticks);
        parts.other = SaturatingMul(Length(idle), ticks) - parts.host_bound;
        return parts;
      }
    }
    return std::nullopt;
  }

  Views& views_;
  std::map<uint32_t, OfUnit> of_unit_;
};

class Document {
 public:
  Document(Views& views, size_t max_rows)
      : ticks_(views.profile().ticks_per_micro()),
        max_rows_(max_rows),
        views_(views),
        causes_(views),
        devices_("devices", DeviceColumns()),
        gaps_("gaps", GapColumns()) {}

  void Add(const Step& step) {
    const auto chart = MakeLaneChart(views_, step.id, "");
    if (!chart.ok()) return;
    for (const DeviceSplit& split : SplitStep(views_, step)) {
      ++num_devices_;
      if (IsFull(devices_)) continue;
      const auto device = std::find_if(
          chart->devices.begin(), chart->devices.end(),
          [&](const LaneChart::Device& d) {
            return d.unit == split.unit && d.accelerator == split.accelerator;
          });
      int64_t overlap = 0;
      if (device != chart->devices.end()) {
        overlap = Length(Intersect(device->compute, device->communication));
      }
      AddDevice(step, split, overlap);
    }
    num_gaps_ += chart->num_gaps;
    for (size_t g = 0; g < chart->gaps.size() && g < kGapsOfStep; ++g) {
      const LaneChart::Gap& gap = chart->gaps[g];
      of_gaps_.push_back(
          {gap.length,
           {step.id, Time(gap.start), Time(gap.length),
            chart->devices[gap.device].name, gap.before, gap.after}});
    }
    // A person gets the longest ones of all steps.
    if (max_rows_ > 0 && of_gaps_.size() > max_rows_) {
      std::stable_sort(
          of_gaps_.begin(), of_gaps_.end(),
          [](const GapRow& a, const GapRow& b) { return a.length > b.length; });
      of_gaps_.resize(max_rows_);
    }
  }

  bool empty() const { return num_devices_ == 0; }

  DataDocument Take(int64_t step, std::string_view rest) && {
    DataDocument document;
    document.kind = "timeline";
    if (step >= 0) {
      AddStepFacts("Step", step, &document.facts);
    } else {
      AddStepFacts("Steps", step, "all, one by one", &document.facts);
    }
    for (GapRow& row : of_gaps_) gaps_.AddRow(std::move(row.cells));
    devices_.SetTotalRows(num_devices_);
    gaps_.SetTotalRows(num_gaps_);
    document.parts.push_back({"Devices", std::move(devices_).Build()});
    document.parts.push_back({"Longest gaps", std::move(gaps_).Build()});
    for (DataDocument::Part& part : document.parts) part.table.rest = rest;
    return document;
  }

 private:
  static DataColumn Column(std::string name, std::string title, Unit unit,
                           int rank = 0) {
    return {.name = std::move(name),
            .title = std::move(title),
            .unit = unit,
            .rank = rank};
  }

  static std::vector<DataColumn> DeviceColumns() {
    return {Column("step", "step", Unit::kNumber),
            Column("wall_micros", "wall", Unit::kMicros),
            Column("busy_micros", "busy", Unit::kMicros),
            Column("compute_micros", "compute", Unit::kMicros),
            Column("communication_micros", "communication", Unit::kMicros),
            Column("copy_micros", "copies", Unit::kMicros),
            Column("overlap_micros", "overlap", Unit::kMicros, 1),
            Column("exposed_communication_micros", "exposed", Unit::kMicros),
            Column("idle_micros", "idle", Unit::kMicros),
            Column("waiting_micros", "waiting", Unit::kMicros, 1),
            Column("host_bound_micros", "host-bound", Unit::kMicros, 1),
            Column("other_idle_micros", "other idle", Unit::kMicros, 1),
            Column("device", "device", Unit::kText)};
  }

  static std::vector<DataColumn> GapColumns() {
    return {Column("step", "step", Unit::kNumber),
            Column("start_micros", "start", Unit::kMicros),
            Column("micros", "length", Unit::kMicros),
            Column("device", "device", Unit::kText),
            Column("before", "ended before", Unit::kText),
            Column("after", "began after", Unit::kText)};
  }

  DataCell Time(int64_t ticks) const { return TicksCell(ticks, ticks_); }
  bool IsFull(const TableBuilder& table) const {
    return max_rows_ > 0 && table.size() >= max_rows_;
  }

  void AddDevice(const Step& step, const DeviceSplit& split, int64_t overlap) {
    const std::optional<IdleParts> idle = causes_.Of(step, split);
    const auto part = [&](int64_t IdleParts::*time) {
      return TicksCell(idle ? (*idle).*time : 0, ticks_, idle.has_value());
    };
    devices_.AddRow({step.id, Time(split.wall), Time(split.busy),
                     Time(split.compute), Time(split.communication),
                     Time(split.copies), Time(overlap),
                     Time(split.communication - overlap), Time(split.idle),
                     part(&IdleParts::waiting), part(&IdleParts::host_bound),
                     part(&IdleParts::other), split.name});
  }

  struct GapRow {
    int64_t length;
    std::vector<DataCell> cells;
  };

  const int64_t ticks_;
  const size_t max_rows_;
  Views& views_;
  IdleCauses causes_;
  TableBuilder devices_;
  TableBuilder gaps_;
  std::vector<GapRow> of_gaps_;
  size_t num_devices_ = 0;
  size_t num_gaps_ = 0;
};

}  // namespace

absl::StatusOr<DataDocument> TimelineDocument(Views& views, int64_t step,
                                              size_t max_rows,
                                              std::string_view rest) {
  Document document(views, max_rows);
  for (const auto& of : views.profile().steps()) {
    if (of->listed && (step < 0 || of->id == step)) document.Add(*of);
  }
  if (document.empty()) {
    return absl::FailedPreconditionError(
        "there is no timeline: no execution of these steps has a start and a "
        "length");
  }
  return std::move(document).Take(step, rest);
}

}  // namespace tfprof
