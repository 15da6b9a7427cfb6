#include "inspect/trace_devices.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "inspect/step_facts.h"
#include "inspect/trace_cells.h"
#include "tables/table_builder.h"
#include "timeline/trace_activity.h"
#include "timeline/trace_metrics.h"
#include "util/arithmetic.h"

namespace tfprof {
namespace {

// What copies moved. Only those whose bytes are recorded count.
struct Copied {
  int64_t bytes = 0;
  int64_t time = 0;  // of these copies, as a sum
  bool known = false;
};

Copied CopiedBy(const TraceActivities& traces,
                const AcceleratorActivity& device) {
  Copied copied;
  for (const TraceRun& run : device.runs) {
    if (run.kind != TraceRunKind::kCopy) continue;
    const int64_t bytes = traces.TransferOf(run).bytes;
    if (bytes < 0) continue;
    copied.known = true;
    copied.bytes = SaturatingAdd(copied.bytes, bytes);
    copied.time = SaturatingAdd(copied.time, run.length());
  }
  return copied;
}

int64_t NumNodes(const AcceleratorActivity& device, size_t num_nodes) {
  std::vector<bool> seen(num_nodes);
  int64_t nodes = 0;
  for (const TraceRun& run : device.runs) {
    if (run.node == kNone || seen[run.node]) continue;
    seen[run.node] = true;
    ++nodes;
  }
  return nodes;
}

int64_t NumStreams(const LaneTable& lanes, const AcceleratorActivity& device) {
  std::set<int64_t> streams;
  std::set<LaneId> seen;
  for (const TraceRun& run : device.runs) {
    if (!seen.insert(run.lane).second) continue;
    const Lane& lane = lanes[run.lane];
    streams.insert(lane.stream >= 0 ? lane.stream
                                    : -1 - static_cast<int64_t>(run.lane));
  }
  return static_cast<int64_t>(streams.size());
}

constexpr int kMore = 1;  // dropped first in a narrow window: the name
constexpr int kLess = 2;  // details

std::vector<DataColumn> Columns(bool has_accelerators) {
  const auto column = [&](std::string name, std::string title, Unit unit,
                          int rank = 0) {
    return DataColumn{.name = std::move(name),
                      .title = std::move(title),
                      .unit = unit,
                      .rank = rank,
                      .data_only = rank > kLess};
  };
  constexpr int kData = kLess + 1;
  std::vector<DataColumn> columns = {
      column("kind", "kind", Unit::kText),
      column("executions", "executions", Unit::kCount),
      {"busy_micros", "busy", Unit::kMicros, /*heat=*/true},
      column("busy_share", "busy/span", Unit::kShare)};
  if (has_accelerators) {
    for (DataColumn& c : std::vector<DataColumn>{
             column("compute_micros", "compute", Unit::kMicros),
             column("communication_micros", "communication", Unit::kMicros),
             column("overlap_micros", "overlap", Unit::kMicros, kLess),
             column("overlap_share", "overlapped", Unit::kShare, kLess),
             column("exposed_communication_micros", "exposed", Unit::kMicros,
                    kLess),
             column("copy_micros", "copies", Unit::kMicros),
             column("copy_bytes", "copied", Unit::kBytes, kLess),
             column("copy_bytes_per_second", "per second", Unit::kBytes, kLess),
             column("idle_micros", "gaps", Unit::kMicros),
             column("host_bound_micros", "host-bound", Unit::kMicros),
             column("waiting_micros", "waiting", Unit::kMicros),
             column("other_idle_micros", "other gaps", Unit::kMicros, kLess),
             column("launches", "launches", Unit::kCount, kLess),
             column("launch_latency_min_micros", "", Unit::kMicros, kData),
             column("launch_latency_median_micros", "latency", Unit::kMicros,
                    kLess),
             column("launch_latency_max_micros", "", Unit::kMicros, kData),
             column("queue_max", "queue", Unit::kCount, kLess),
             column("queue_mean", "", Unit::kNumber, kData),
             column("unlaunched_executions", "", Unit::kCount, kData),
             column("unlaunched_micros", "not launched here", Unit::kMicros,
                    kLess),
             column("streams", "streams", Unit::kCount, kLess)}) {
      columns.push_back(std::move(c));
    }
  }
  columns.push_back(column("launch_micros", "launching", Unit::kMicros, kLess));
  columns.push_back(column("nodes", "nodes", Unit::kCount, kLess));
  columns.push_back(column("span_micros", "span", Unit::kMicros));
  columns.push_back(column("model", "model", Unit::kText, kMore));
  columns.push_back(column("name", "device", Unit::kText));
  return columns;
}

class Rows {
 public:
  Rows(const TraceActivities& traces, TableBuilder& table)
      : traces_(traces),
        ticks_(traces.profile().ticks_per_micro()),
        table_(table) {}

  void Add(const AcceleratorActivity& device) {
    const TraceUnit& unit = traces_.units()[device.unit];
    const int64_t busy = Length(device.busy);
    const int64_t span = device.span.length();
    const int64_t communication = Length(device.communication);
    const int64_t overlap =
        Length(Intersect(device.communication, device.compute));
    const Copied copied = CopiedBy(traces_, device);
    const IdleTime idle = IdleTimeOf(device);
    const LaunchLatency latency = LaunchLatencyOf(device);
    const QueueLength queue = QueueLengthOf(device);
    const Unlaunched unlaunched = UnlaunchedOf(device);
    const bool launched = latency.launches > 0;
    table_.AddRow({TextCell(unit.kind),
                   static_cast<int64_t>(device.runs.size()),
                   Time(busy),
                   ShareCell(busy, span),
                   Time(Length(device.compute)),
                   Time(communication),
                   Time(overlap),
                   ShareCell(overlap, communication),
                   Time(communication - overlap),
                   Time(Length(device.copies)),
                   IntCell(copied.bytes, copied.known),
                   Rate(copied),
                   Time(Length(idle.all)),
                   Time(Length(idle.host_bound)),
                   Time(Length(idle.waiting)),
                   Time(Length(idle.other)),
                   latency.launches,
                   Time(latency.min, launched),
                   Time(latency.median, launched),
                   Time(latency.max, launched),
                   IntCell(queue.max, launched),
                   launched ? DataCell(queue.mean) : DataCell(),
                   unlaunched.runs,
                   Time(unlaunched.time),
                   NumStreams(traces_.profile().lanes(), device),
                   DataCell(),
                   NumNodes(device, traces_.profile().nodes().size()),
                   Time(span),
                   Model(unit),
                   TextCell(unit.name)});
  }

  void Add(const HostActivity& host) {
    const TraceUnit& unit = traces_.units()[host.unit];
    const int64_t busy = Length(host.busy);
    std::vector<DataCell> cells = {TextCell(unit.kind), host.executions,
                                   Time(busy),
                                   ShareCell(busy, host.span.length())};
    // All that only accelerators have.
    const size_t num_columns = Columns(traces_.has_accelerators()).size();
    constexpr size_t kAfter = 5;
    cells.resize(num_columns - kAfter);
    cells.push_back(Time(Length(host.launches)));
    cells.push_back(DataCell());
    cells.push_back(Time(host.span.length()));
    cells.push_back(Model(unit));
    cells.push_back(TextCell(unit.name));
    table_.AddRow(std::move(cells));
  }

 private:
  DataCell Time(int64_t ticks, bool known = true) const {
    return TicksCell(ticks, ticks_, known);
  }
  DataCell Rate(const Copied& copied) const {
    if (!copied.known || copied.time <= 0) return {};
    constexpr double kMicrosPerSecond = 1e6;
    return static_cast<double>(copied.bytes) /
           TicksAsMicros(copied.time, ticks_) * kMicrosPerSecond;
  }
  DataCell Model(const TraceUnit& unit) const {
    if (unit.physical == kNone) return {};
    const std::string& model =
        traces_.profile().lanes().physical(unit.physical).model;
    return model.empty() ? DataCell() : TextCell(model);
  }

  const TraceActivities& traces_;
  const int64_t ticks_;
  TableBuilder& table_;
};

}  // namespace

DataTable TraceDevicesTable(Views& views, int64_t step) {
  TraceActivities& traces = views.Kept<TraceActivities>();
  const Step* one = step < 0 ? nullptr : views.profile().FindStep(step);
  const std::shared_ptr<const TraceActivity> activity =
      one == nullptr ? traces.Everything() : traces.Of(*one);
  TableBuilder table("devices", Columns(traces.has_accelerators()));
  AddStepFacts("sums of", step < 0 ? kAllSteps : step,
               step < 0 ? "everything in the file" : StepText(step),
               table.facts());
  Rows rows(traces, table);
  for (const AcceleratorActivity& device : activity->accelerators) {
    rows.Add(device);
  }
  for (const HostActivity& host : activity->hosts) rows.Add(host);
  return std::move(table).Build();
}

}  // namespace tfprof
