// The overview as data: facts and tables with the units in their names.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "inspect/pictures/overview.h"
#include "inspect/time_cells.h"
#include "tables/table_builder.h"

namespace tfprof {
namespace {

DataTable InputTable(const Overview& o) {
  TableBuilder table("inputs", {{"path", "path"}, {"format", "format"}});
  for (const OverviewInput& input : o.inputs) {
    table.AddRow({TextCell(input.path), TextCell(input.format)});
  }
  return std::move(table).Build();
}

DataTable StepTable(const Overview& o) {
  TableBuilder table("steps", {{"step", "step", Unit::kNumber},
                               {"wall_micros", "wall", Unit::kMicros},
                               {"times_median", "x median", Unit::kNumber},
                               {"role", "role"}});
  for (const StepWall& wall : o.walls) {
    const bool typical = o.typical && o.typical->step == wall.step;
    const bool odd = o.odd && o.odd->step == wall.step;
    table.AddRow(
        {wall.step->id, TicksCell(wall.ticks, o.ticks_per_micro, wall.known),
         wall.known && o.median > 0 ? DataCell(static_cast<double>(wall.ticks) /
                                               static_cast<double>(o.median))
                                    : DataCell(),
         odd       ? TextCell("odd")
         : typical ? TextCell("typical")
                   : DataCell()});
  }
  return std::move(table).Build();
}

DataTable SplitTable(const Overview& o) {
  TableBuilder table("devices",
                     {{"name", "device"},
                      {"wall_micros", "wall", Unit::kMicros},
                      {"busy_micros", "busy", Unit::kMicros, /*heat=*/true},
                      {"compute_micros", "compute", Unit::kMicros},
                      {"communication_micros", "communication", Unit::kMicros},
                      {"copy_micros", "copies", Unit::kMicros},
                      {"wall_idle_micros", "idle", Unit::kMicros},
                      {"wall_idle_share", "of wall", Unit::kShare}});
  for (const DeviceSplit& d : o.split) {
    const auto time = [&](int64_t ticks) {
      return TicksCell(ticks, o.ticks_per_micro);
    };
    table.AddRow({TextCell(d.name), time(d.wall), time(d.busy), time(d.compute),
                  time(d.communication), time(d.copies), time(d.idle),
                  ShareCell(d.idle, d.wall)});
  }
  return std::move(table).Build();
}

DataTable OpTable(const Overview& o) {
  const bool times = o.measure == Overview::Measure::kTime;
  DataColumn value = {"nodes", "nodes", Unit::kCount};
  if (times) value = {"op_micros", "sum of op times", Unit::kMicros};
  if (o.measure == Overview::Measure::kParameters) {
    value = {"parameters", "parameters", Unit::kCount};
  }
  if (o.measure == Overview::Measure::kFloatOps) {
    value = {"float_ops", "float ops", Unit::kCount};
  }
  value.heat = true;
  TableBuilder table("ops", {{"op", "op"},
                             std::move(value),
                             {"wall_share", "of wall", Unit::kShare},
                             {"share", "of all ops", Unit::kShare}});
  for (const Overview::Op& op : o.ops) {
    table.AddRow(
        {TextCell(op.name),
         times ? TicksCell(op.ticks, o.ticks_per_micro) : DataCell(op.ticks),
         times ? ShareCell(op.ticks, o.ops_wall) : DataCell(),
         ShareCell(op.ticks, o.ops_total)});
  }
  table.SetTotalRows(o.num_ops);
  DataTable built = std::move(table).Build();
  built.rest = "op -order_by micros -max_depth 100000";
  return built;
}

// The worst problem, or a notable finding that is not a problem.
DataTable AdviceTable(const Overview& o, bool problems) {
  TableBuilder table(problems ? "problems" : "notes",
                     {{"severity", "severity"},
                      {"rule", "rule"},
                      {"subject", "subject"},
                      {.name = "text", .title = "text", .prose = true},
                      {"evidence", "see"},
                      {.name = "advice", .title = "do", .prose = true}});
  const auto text_or_nothing = [](const std::string& text) {
    return text.empty() ? DataCell() : TextCell(text);
  };
  const OverviewAdvice& advice = o.advice;
  const bool shown = !advice.rule.empty() && (advice.problems > 0) == problems;
  if (shown) {
    table.AddRow({TextCell(advice.severity), TextCell(advice.rule),
                  text_or_nothing(advice.subject), TextCell(advice.text),
                  text_or_nothing(advice.evidence),
                  text_or_nothing(advice.advice)});
  }
  table.SetTotalRows(problems ? advice.problems : shown);
  DataTable built = std::move(table).Build();
  built.rest = "advise all";
  return built;
}

DataTable NextTable(const Overview& o) {
  TableBuilder table("next", {{"next", "command"}, {"why", "why"}});
  for (const Overview::Next& next : o.next) {
    table.AddRow({TextCell(next.command), TextCell(next.why)});
  }
  return std::move(table).Build();
}

}  // namespace

DataDocument OverviewDocument(const Overview& o) {
  DataDocument document;
  document.kind = "overview";
  const auto fact = [&](DataColumn column, DataCell cell) {
    document.facts.push_back({std::move(column), std::move(cell)});
  };
  const auto count = [](size_t n) { return static_cast<int64_t>(n); };
  fact({"framework", "framework"},
       o.framework.empty() ? DataCell() : TextCell(o.framework));
  fact({"nodes", "nodes", Unit::kCount}, count(o.nodes));
  fact({"devices", "devices", Unit::kCount}, count(o.devices));
  fact({"steps", "steps", Unit::kCount}, count(o.walls.size()));
  fact({"executions", "executions", Unit::kCount}, count(o.executions));
  fact({"median_wall_micros", "median wall", Unit::kMicros},
       TicksCell(o.median, o.ticks_per_micro, o.typical.has_value()));
  fact({"typical_step", "typical step", Unit::kNumber},
       o.typical ? DataCell(o.typical->step->id) : DataCell());
  fact({"odd_step", "odd step", Unit::kNumber},
       o.odd ? DataCell(o.odd->step->id) : DataCell());
  fact({"odd_steps", "steps like it", Unit::kCount}, count(o.num_odd));
  const bool times = o.measure == Overview::Measure::kTime;
  fact({"ops_are", "op times are"}, !times ? DataCell()
                                    : o.average
                                        ? TextCell("average of the steps")
                                        : TextCell("sum of all steps"));
  fact({"op_sum_micros", "sum of op times", Unit::kMicros},
       TicksCell(o.ops_total, o.ticks_per_micro, times));
  fact({"op_wall_micros", "wall", Unit::kMicros},
       TicksCell(o.ops_wall, o.ticks_per_micro, o.ops_wall > 0));
  fact({"outside_micros", "outside steps", Unit::kMicros},
       TicksCell(o.outside, o.ticks_per_micro, o.average || o.outside > 0));
  fact({"peak_bytes", "memory peak", Unit::kBytes},
       o.peak ? DataCell(o.peak->bytes) : DataCell());
  fact({"peak_of", "peak of"}, o.peak ? TextCell(o.peak->holder) : DataCell());
  fact({"largest_bytes", "largest operation", Unit::kBytes},
       o.largest ? DataCell(o.largest->bytes) : DataCell());
  fact({"largest", "which is"},
       o.largest ? TextCell(o.largest->holder) : DataCell());
  fact({"problems", "problems", Unit::kCount}, count(o.advice.problems));
  fact({"checkers", "checkers", Unit::kCount}, count(o.advice.checkers));
  fact({"checkers_lacking", "lacked records", Unit::kCount},
       count(o.advice.lacking));
  document.parts.push_back({"Inputs", InputTable(o)});
  document.parts.push_back({"Steps", StepTable(o)});
  document.parts.push_back({"Devices of the typical step", SplitTable(o)});
  document.parts.push_back({"Operations", OpTable(o)});
  document.parts.push_back({"Worst problem", AdviceTable(o, true)});
  document.parts.push_back({"What stands out", AdviceTable(o, false)});
  document.parts.push_back({"Next", NextTable(o)});
  return document;
}

}  // namespace tfprof
