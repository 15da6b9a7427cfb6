// The lanes as data: the devices and lanes, the slices of time in which they
// worked, and the longest gaps.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "inspect/devices/lanes.h"
#include "inspect/steps/step_facts.h"
#include "inspect/time_cells.h"
#include "tables/table_builder.h"
#include "util/arithmetic.h"

namespace tfprof::inspect {
namespace {

class Tables {
 public:
  explicit Tables(const LaneChart& chart) : chart_(chart) {}

  tables::DataTable Lanes() const {
    tables::TableBuilder table(
        "lanes",
        {{"busy_micros", "busy", util::Unit::kMicros, /*heat=*/true},
         {"busy_share", "share", util::Unit::kShare},
         {"compute_micros", "compute", util::Unit::kMicros},
         {"communication_micros", "communication", util::Unit::kMicros},
         {"copy_micros", "copies", util::Unit::kMicros},
         {"launch_micros", "launches", util::Unit::kMicros},
         {"other_steps_micros", "other steps", util::Unit::kMicros},
         {"device", "device"},
         {"lane", "lane"}});
    for (const LaneChart::Device& d : chart_.devices) {
      table.AddRow({Time(d.busy),
                    tables::ShareCell(timeline::Length(d.work), chart_.length),
                    Time(timeline::Length(d.compute)),
                    Time(timeline::Length(d.communication)),
                    Time(timeline::Length(d.copies)),
                    Time(timeline::Length(d.launches)),
                    Time(timeline::Length(d.other_steps)),
                    tables::TextCell(d.name), tables::DataCell()});
      for (const LaneChart::Lane& lane : d.lanes) {
        const int64_t busy = timeline::Length(lane.busy);
        table.AddRow({Time(busy), tables::ShareCell(busy, chart_.length),
                      tables::DataCell(), tables::DataCell(),
                      tables::DataCell(), tables::DataCell(),
                      tables::DataCell(), tables::TextCell(d.name),
                      tables::TextCell(lane.name)});
      }
    }
    return std::move(table).Build();
  }

  // Slices without work have no row.
  tables::DataTable Slices() const {
    tables::DataTable table;
    table.kind = "slices";
    table.columns = {
        {"start_micros", "start", util::Unit::kMicros},
        {"slice_micros", "slice", util::Unit::kMicros},
        {"busy_micros", "busy", util::Unit::kMicros, /*heat=*/true},
        {"busy_share", "share", util::Unit::kShare},
        {"compute_micros", "compute", util::Unit::kMicros},
        {"communication_micros", "communication", util::Unit::kMicros},
        {"copy_micros", "copies", util::Unit::kMicros},
        {"launch_micros", "launches", util::Unit::kMicros},
        {"other_steps_micros", "other steps", util::Unit::kMicros},
        {"device", "device"},
        {"lane", "lane"}};
    const auto slices =
        std::make_shared<const std::vector<Slice>>(FindSlices());
    table.num_rows = table.total_rows = slices->size();
    table.cells = [slices, &chart = chart_](
                      size_t row, std::vector<tables::DataCell>& cells) {
      const Slice& slice = (*slices)[row];
      const LaneChart::Device& device = chart.devices[slice.device];
      const int64_t start = SliceStart(chart, slice.slice, kDataSlices);
      const int64_t length =
          SliceStart(chart, slice.slice + 1, kDataSlices) - start;
      const auto time = [&](int64_t ticks, bool known = true) {
        return TicksCell(ticks, chart.ticks_per_micro, known);
      };
      const bool of_device = slice.lane == profile::kNone;
      cells = {time(start), time(length), time(slice.busy),
               tables::ShareCell(slice.busy, length)};
      for (const timeline::Intervals* part : PartsOf(device)) {
        cells.push_back(
            of_device
                ? time(In(*part,
                          timeline::Interval{
                              util::WrapAdd(device.origin, start),
                              util::WrapAdd(device.origin, start + length)}))
                : tables::DataCell());
      }
      cells.push_back(tables::TextCell(device.name));
      cells.push_back(of_device
                          ? tables::DataCell()
                          : tables::TextCell(device.lanes[slice.lane].name));
    };
    return table;
  }

  tables::DataTable Gaps() const {
    tables::TableBuilder table(
        "gaps", {{"start_micros", "start", util::Unit::kMicros},
                 {"micros", "gap", util::Unit::kMicros, /*heat=*/true},
                 {"device", "device"},
                 {"before", "ended before"},
                 {"after", "started after"}});
    for (const LaneChart::Gap& gap : chart_.gaps) {
      table.AddRow({Time(gap.start), Time(gap.length),
                    tables::TextCell(chart_.devices[gap.device].name),
                    gap.before.empty() ? tables::DataCell()
                                       : tables::TextCell(gap.before),
                    gap.after.empty() ? tables::DataCell()
                                      : tables::TextCell(gap.after)});
    }
    table.SetTotalRows(chart_.num_gaps);
    tables::DataTable built = std::move(table).Build();
    built.rest = "lanes DEVICE";
    return built;
  }

  tables::DataCell Time(int64_t ticks) const {
    return TicksCell(ticks, chart_.ticks_per_micro);
  }

 private:
  struct Slice {
    int64_t busy = 0;
    uint32_t device = 0;
    uint32_t lane = profile::kNone;  // kNone: the device as a whole
    uint32_t slice = 0;
  };

  static std::array<const timeline::Intervals*, 5> PartsOf(
      const LaneChart::Device& device) {
    return {&device.compute, &device.communication, &device.copies,
            &device.launches, &device.other_steps};
  }

  // The part of a slice that a set covers.
  static int64_t In(const timeline::Intervals& set,
                    const timeline::Interval& slice) {
    auto at = std::partition_point(
        set.begin(), set.end(),
        [&](const timeline::Interval& i) { return i.end <= slice.start; });
    int64_t length = 0;
    for (; at != set.end() && at->start < slice.end; ++at) {
      length += std::min(at->end, slice.end) - std::max(at->start, slice.start);
    }
    return length;
  }

  // The slice on the clock of the device.
  timeline::Interval SliceOf(const LaneChart::Device& device, size_t i) const {
    return {
        util::WrapAdd(device.origin, SliceStart(chart_, i, kDataSlices)),
        util::WrapAdd(device.origin, SliceStart(chart_, i + 1, kDataSlices))};
  }

  std::vector<Slice> FindSlices() const {
    std::vector<Slice> slices;
    for (uint32_t d = 0; d < chart_.devices.size(); ++d) {
      const LaneChart::Device& device = chart_.devices[d];
      const auto parts = PartsOf(device);
      for (uint32_t i = 0; i < kDataSlices; ++i) {
        const timeline::Interval slice = SliceOf(device, i);
        const int64_t busy = In(device.work, slice);
        const bool any = std::any_of(parts.begin(), parts.end(),
                                     [&](const timeline::Intervals* part) {
                                       return In(*part, slice) > 0;
                                     });
        if (busy > 0 || any) {
          slices.push_back({.busy = busy, .device = d, .slice = i});
        }
      }
      for (uint32_t l = 0; l < device.lanes.size(); ++l) {
        timeline::Overlap lane(device.lanes[l].busy);
        for (uint32_t i = 0; i < kDataSlices; ++i) {
          const timeline::Interval slice = SliceOf(device, i);
          const int64_t busy = lane.Length(slice.start, slice.end);
          if (busy == 0) continue;
          slices.push_back({.busy = busy, .device = d, .lane = l, .slice = i});
        }
      }
    }
    return slices;
  }

  const LaneChart& chart_;
};

}  // namespace

tables::DataDocument LanesDocument(const LaneChart& chart) {
  const Tables tables(chart);
  tables::DataDocument document;
  document.kind = "lanes";
  AddStepFacts("of", chart.step, &document.facts);
  document.facts.push_back(
      {{"micros", "length of the chart", util::Unit::kMicros},
       tables.Time(chart.length)});
  document.facts.push_back({{"slices", "slices of time", util::Unit::kCount},
                            static_cast<int64_t>(kDataSlices)});
  document.facts.push_back(
      {{"clocks", "clocks"},
       tables::TextCell(
           chart.several_clocks
               ? "tasks have their own; each begins at its own start"
               : "one")});
  document.parts.push_back({"Lanes", tables.Lanes()});
  document.parts.push_back({"Slices", tables.Slices()});
  document.parts.push_back({"Longest gaps", tables.Gaps()});
  return document;
}

}  // namespace tfprof::inspect
