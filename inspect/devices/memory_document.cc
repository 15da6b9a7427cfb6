// The memory as data: series, holders at their peaks, operations, curves.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
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
                 {"end_bytes", "at the end", util::Unit::kBytes},
                 {"unknown_bytes", "without a holder", util::Unit::kBytes},
                 {"samples", "samples", util::Unit::kCount},
                 {"name", "allocator"}});
  for (const MemoryChart::Series& s : chart.series) {
    table.AddRow(
        {s.peak,
         TicksCell(s.peak_time.value_or(0), chart.ticks_per_micro,
                   s.peak_time.has_value()),
         tables::IntCell(s.peak_step.value_or(0), s.peak_step.has_value()),
         s.from_start, tables::IntCell(s.end.value_or(0), s.end.has_value()),
         s.unknown, static_cast<int64_t>(s.samples.size()),
         tables::TextCell(s.name)});
  }
  return std::move(table).Build();
}

tables::DataCell StackCell(const MemoryChart::Holder& holder) {
  return holder.stack.empty() ? tables::DataCell()
                              : tables::TextCell(holder.stack);
}

tables::DataTable HolderTable(const MemoryChart& chart) {
  tables::TableBuilder table(
      "holders", {{"bytes", "bytes", util::Unit::kBytes, /*heat=*/true},
                  {"peak_share", "of peak", util::Unit::kShare},
                  {"count", "allocations", util::Unit::kCount},
                  {"how", "how"},
                  {"allocator", "allocator"},
                  {"name", "operation"},
                  {.name = "stack", .title = "stack", .prose = true}});
  for (const MemoryChart::Series& series : chart.series) {
    for (const MemoryChart::Holder& holder : series.holders) {
      table.AddRow({holder.bytes, tables::ShareCell(holder.bytes, series.peak),
                    tables::IntCell(holder.count, holder.count > 0),
                    tables::TextCell(series.raised ? "raised" : "held"),
                    tables::TextCell(series.name),
                    tables::TextCell(holder.name), StackCell(holder)});
    }
  }
  return std::move(table).Build();
}

// ---- Memory snapshots.

// The columns of SegmentSums.
std::vector<tables::DataColumn> SumColumns() {
  return {{"reserved_bytes", "reserved", util::Unit::kBytes, /*heat=*/true},
          {"allocated_bytes", "allocated", util::Unit::kBytes},
          {"internal_bytes", "rounding", util::Unit::kBytes},
          {"external_bytes", "free", util::Unit::kBytes},
          {"awaiting_bytes", "awaiting", util::Unit::kBytes},
          {"largest_free_bytes", "largest free", util::Unit::kBytes},
          {"allocated_blocks", "allocated blocks", util::Unit::kCount},
          {"free_blocks", "free blocks", util::Unit::kCount}};
}

void AppendSums(const accounting::SegmentSums& sums,
                std::vector<tables::DataCell>& row) {
  for (const int64_t value : {sums.reserved, sums.allocated, sums.internal,
                              sums.external, sums.awaiting, sums.largest_free,
                              sums.allocated_blocks, sums.free_blocks}) {
    row.emplace_back(value);
  }
}

std::vector<tables::DataColumn> WithSums(
    std::vector<tables::DataColumn> columns) {
  for (tables::DataColumn& column : SumColumns()) {
    columns.push_back(std::move(column));
  }
  return columns;
}

tables::DataTable SummaryTable(const MemoryChart& chart) {
  std::vector<tables::DataColumn> columns = WithSums(
      {{"name", "allocator"}, {"segments", "segments", util::Unit::kCount}});
  columns.push_back({"allocations", "allocations", util::Unit::kCount});
  columns.push_back({"frees", "frees", util::Unit::kCount});
  columns.push_back(
      {"reserved_at_peak_bytes", "reserved at the peak", util::Unit::kBytes});
  tables::TableBuilder table("summary", std::move(columns));
  for (const MemoryChart::Allocator& allocator : chart.allocators) {
    std::vector<tables::DataCell> row = {tables::TextCell(allocator.name),
                                         allocator.sums.segments};
    AppendSums(allocator.sums, row);
    for (const int64_t value :
         {allocator.levels.allocations, allocator.levels.frees,
          allocator.levels.reserved_at_peak}) {
      row.push_back(tables::IntCell(value, allocator.has_events));
    }
    table.AddRow(std::move(row));
  }
  return std::move(table).Build();
}

std::string_view PoolName(bool small) { return small ? "small" : "large"; }

// The sums of the segments of one pool and stream.
tables::DataTable PoolTable(const MemoryChart& chart) {
  tables::TableBuilder table(
      "pools", WithSums({{"device", "allocator"},
                         {"pool", "pool"},
                         {"stream", "stream", util::Unit::kNumber},
                         {"segments", "segments", util::Unit::kCount}}));
  for (const MemoryChart::Allocator& allocator : chart.allocators) {
    std::map<std::pair<bool, int64_t>, accounting::SegmentSums> pools;
    for (const MemoryChart::Allocator::Segment& segment : allocator.segments) {
      pools[{segment.small, segment.stream}].Add(segment.sums);
    }
    for (const auto& [key, sums] : pools) {
      std::vector<tables::DataCell> row = {
          tables::TextCell(allocator.name),
          tables::TextCell(PoolName(key.first)), key.second, sums.segments};
      AppendSums(sums, row);
      table.AddRow(std::move(row));
    }
  }
  return std::move(table).Build();
}

tables::DataTable SegmentTable(const MemoryChart& chart) {
  tables::TableBuilder table(
      "segments", WithSums({{"device", "allocator"},
                            {"address", "address", util::Unit::kNumber},
                            {"pool", "pool"},
                            {"stream", "stream", util::Unit::kNumber},
                            {"expandable", "expandable"}}));
  for (const MemoryChart::Allocator& allocator : chart.allocators) {
    for (const MemoryChart::Allocator::Segment& segment : allocator.segments) {
      std::vector<tables::DataCell> row = {
          tables::TextCell(allocator.name),
          static_cast<int64_t>(segment.address),
          tables::TextCell(PoolName(segment.small)), segment.stream,
          tables::TextCell(segment.expandable ? "yes" : "no")};
      AppendSums(segment.sums, row);
      table.AddRow(std::move(row));
    }
  }
  return std::move(table).Build();
}

tables::DataTable LeakTable(const MemoryChart& chart) {
  tables::TableBuilder table(
      "leaks", {{"bytes", "bytes", util::Unit::kBytes, /*heat=*/true},
                {"count", "allocations", util::Unit::kCount},
                {"allocator", "allocator"},
                {"name", "line"},
                {.name = "stack", .title = "stack", .prose = true}});
  for (const MemoryChart::Allocator& allocator : chart.allocators) {
    for (const MemoryChart::Holder& holder : allocator.never_freed) {
      table.AddRow({holder.bytes, holder.count,
                    tables::TextCell(allocator.name),
                    tables::TextCell(holder.name), StackCell(holder)});
    }
  }
  return std::move(table).Build();
}

tables::DataTable GrowthTable(const MemoryChart& chart) {
  tables::TableBuilder table(
      "growth", {{"bytes", "bytes", util::Unit::kBytes, /*heat=*/true},
                 {"bytes_per_part", "bytes per part", util::Unit::kBytes},
                 {"count", "allocations", util::Unit::kCount},
                 {"growing_parts", "growing parts", util::Unit::kCount},
                 {"parts", "parts", util::Unit::kCount},
                 {"part", "part"},
                 {"allocator", "allocator"},
                 {"name", "line"},
                 {.name = "stack", .title = "stack", .prose = true}});
  for (const MemoryChart::Allocator& allocator : chart.allocators) {
    for (const MemoryChart::Allocator::Growing& row : allocator.growing) {
      table.AddRow(
          {row.holder.bytes, row.bytes_per_part, row.holder.count,
           static_cast<int64_t>(row.parts),
           static_cast<int64_t>(allocator.parts),
           tables::TextCell(allocator.parts_are_steps ? "step" : "equal time"),
           tables::TextCell(allocator.name), tables::TextCell(row.holder.name),
           StackCell(row.holder)});
    }
  }
  return std::move(table).Build();
}

tables::DataTable FailureTable(const MemoryChart& chart) {
  tables::TableBuilder table(
      "ooms", {{"device", "allocator"},
               {"micros", "at", util::Unit::kMicros},
               {"requested_bytes", "requested", util::Unit::kBytes},
               {"device_free_bytes", "free on device", util::Unit::kBytes},
               {"allocated_bytes", "allocated", util::Unit::kBytes},
               {"reserved_bytes", "reserved", util::Unit::kBytes},
               {"name", "line"}});
  for (const MemoryChart::Allocator& allocator : chart.allocators) {
    for (const MemoryChart::Allocator::OutOfMemory& row : allocator.failures) {
      table.AddRow({tables::TextCell(allocator.name),
                    TicksCell(row.time, chart.ticks_per_micro, row.has_time),
                    row.requested, row.device_free, row.allocated, row.reserved,
                    tables::TextCell(row.name)});
    }
  }
  return std::move(table).Build();
}

tables::DataTable OperationTable(const MemoryChart& chart) {
  tables::TableBuilder table("operations", {{"peak_bytes", "mean of a run",
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
  document.parts.push_back({"Allocators at the end", SummaryTable(chart)});
  document.parts.push_back({"Pools at the end", PoolTable(chart)});
  document.parts.push_back({"Allocated and never freed", LeakTable(chart)});
  document.parts.push_back(
      {"Kept in most parts of the recording", GrowthTable(chart)});
  document.parts.push_back({"Out of memory", FailureTable(chart)});
  document.parts.push_back({"Segments at the end", SegmentTable(chart)});
  document.parts.push_back({"Curve", CurveTable(chart)});
  return document;
}

}  // namespace tfprof::inspect
