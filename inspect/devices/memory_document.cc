// The memory as data: series, holders at their peaks, operations, curves.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "inspect/devices/memory.h"
#include "inspect/steps/step_facts.h"
#include "inspect/time_cells.h"
#include "tables/table_builder.h"

namespace tfprof::inspect {
namespace {

tables::DataTable SeriesTable(const MemoryChart& chart) {
  tables::TableBuilder table(
      "series", {{"peak_bytes", "peak", util::Unit::kBytes, /*heat=*/true},
                 {"peak_micros", "at", util::Unit::kMicros},
                 {"peak_step", "step", util::Unit::kNumber},
                 {"start_bytes", "at the beginning", util::Unit::kBytes},
                 {"unknown_bytes", "without a holder", util::Unit::kBytes},
                 {"samples", "samples", util::Unit::kCount},
                 {"name", "allocator"}});
  for (const MemoryChart::Series& s : chart.series) {
    table.AddRow(
        {s.peak,
         TicksCell(s.peak_time.value_or(0), chart.ticks_per_micro,
                   s.peak_time.has_value()),
         tables::IntCell(s.peak_step.value_or(0), s.peak_step.has_value()),
         s.from_start, s.unknown, static_cast<int64_t>(s.samples.size()),
         tables::TextCell(s.name)});
  }
  return std::move(table).Build();
}

tables::DataTable HolderTable(const MemoryChart& chart) {
  tables::TableBuilder table(
      "holders", {{"bytes", "bytes", util::Unit::kBytes, /*heat=*/true},
                  {"peak_share", "of peak", util::Unit::kShare},
                  {"how", "how"},
                  {"allocator", "allocator"},
                  {"name", "operation"}});
  for (const MemoryChart::Series& series : chart.series) {
    for (const MemoryChart::Holder& holder : series.holders) {
      table.AddRow({holder.bytes, tables::ShareCell(holder.bytes, series.peak),
                    tables::TextCell(series.raised ? "raised" : "held"),
                    tables::TextCell(series.name),
                    tables::TextCell(holder.name)});
    }
  }
  return std::move(table).Build();
}

tables::DataTable OperationTable(const MemoryChart& chart) {
  tables::TableBuilder table("operations", {{"peak_bytes", "largest",
                                             util::Unit::kBytes, /*heat=*/true},
                                            {"name", "operation"}});
  for (const MemoryChart::Holder& operation : chart.operations) {
    table.AddRow({operation.bytes, tables::TextCell(operation.name)});
  }
  table.SetTotalRows(chart.num_operations);
  tables::DataTable built = std::move(table).Build();
  built.rest = "op -select peak_bytes -order_by peak_bytes -max_depth 100000";
  return built;
}

tables::DataTable CurveTable(const MemoryChart& chart) {
  tables::DataTable table;
  table.kind = "curve";
  table.columns = {{"micros", "time", util::Unit::kMicros},
                   {"bytes", "bytes", util::Unit::kBytes, /*heat=*/true},
                   {"allocator", "allocator"}};
  const auto ends = std::make_shared<std::vector<size_t>>();
  for (const MemoryChart::Series& series : chart.series) {
    table.num_rows += series.samples.size();
    ends->push_back(table.num_rows);
  }
  table.total_rows = table.num_rows;
  table.cells = [ends, &chart](size_t row,
                               std::vector<tables::DataCell>& cells) {
    const auto s = static_cast<size_t>(
        std::upper_bound(ends->begin(), ends->end(), row) - ends->begin());
    const MemoryChart::Series& series = chart.series[s];
    const MemoryChart::Sample& sample =
        series.samples[row - ((*ends)[s] - series.samples.size())];
    cells = {TicksCell(sample.time, chart.ticks_per_micro), sample.bytes,
             tables::TextCell(series.name)};
  };
  return table;
}

}  // namespace

tables::DataDocument MemoryDocument(const MemoryChart& chart) {
  tables::DataDocument document;
  document.kind = "memory";
  AddStepFacts("of", chart.step, &document.facts);
  document.facts.push_back(
      {{"peak_bytes", "peak", util::Unit::kBytes},
       tables::IntCell(chart.series.empty() ? 0 : chart.series[0].peak,
                       !chart.series.empty())});
  document.parts.push_back({"Allocators", SeriesTable(chart)});
  document.parts.push_back({"Holders at the peak", HolderTable(chart)});
  document.parts.push_back(
      {"Operations with the most memory of their own", OperationTable(chart)});
  document.parts.push_back({"Curve", CurveTable(chart)});
  return document;
}

}  // namespace tfprof::inspect
