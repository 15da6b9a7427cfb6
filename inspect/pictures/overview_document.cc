// The overview as data: facts and tables with the units in their names.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "inspect/pictures/overview.h"
#include "inspect/time_cells.h"
#include "tables/table_builder.h"

namespace tfprof::inspect {
namespace {

tables::DataTable InputTable(const Overview& o) {
  tables::TableBuilder table("inputs",
                             {{"path", "path"}, {"format", "format"}});
  for (const OverviewInput& input : o.inputs) {
    table.AddRow(
        {tables::TextCell(input.path), tables::TextCell(input.format)});
  }
  return std::move(table).Build();
}

tables::DataTable RecordTable(const Overview& o) {
  tables::TableBuilder table("records", {{"label", "of"}, {"text", "summary"}});
  for (const Overview::Record& record : o.records) {
    table.AddRow(
        {tables::TextCell(record.label), tables::TextCell(record.text)});
  }
  return std::move(table).Build();
}

tables::DataTable StepTable(const Overview& o) {
  tables::TableBuilder table("steps",
                             {{"step", "step", util::Unit::kNumber},
                              {"wall_micros", "wall", util::Unit::kMicros},
                              {"times_median", "x median", util::Unit::kNumber},
                              {"role", "role"}});
  for (const timeline::StepWall& wall : o.walls) {
    const bool typical = o.typical && o.typical->step == wall.step;
    const bool odd = o.odd && o.odd->step == wall.step;
    table.AddRow({wall.step->id,
                  TicksCell(wall.ticks, o.ticks_per_micro, wall.known),
                  wall.known && o.median > 0
                      ? tables::DataCell(static_cast<double>(wall.ticks) /
                                         static_cast<double>(o.median))
                      : tables::DataCell(),
                  odd       ? tables::TextCell("odd")
                  : typical ? tables::TextCell("typical")
                            : tables::DataCell()});
  }
  return std::move(table).Build();
}

tables::DataTable SplitTable(const Overview& o) {
  tables::TableBuilder table(
      "devices",
      {{"name", "device"},
       {"wall_micros", "wall", util::Unit::kMicros},
       {"busy_micros", "busy", util::Unit::kMicros, /*heat=*/true},
       {"compute_micros", "compute", util::Unit::kMicros},
       {"communication_micros", "communication", util::Unit::kMicros},
       {"copy_micros", "copies", util::Unit::kMicros},
       {"wall_idle_micros", "idle", util::Unit::kMicros},
       {"wall_idle_share", "of wall", util::Unit::kShare}});
  for (const DeviceSplit& d : o.split) {
    const auto time = [&](int64_t ticks) {
      return TicksCell(ticks, o.ticks_per_micro);
    };
    table.AddRow({tables::TextCell(d.name), time(d.wall), time(d.busy),
                  time(d.compute), time(d.communication), time(d.copies),
                  time(d.idle), tables::ShareCell(d.idle, d.wall)});
  }
  return std::move(table).Build();
}

tables::DataTable OpTable(const Overview& o) {
  const bool times = o.measure == Overview::Measure::kTime;
  tables::DataColumn value = {"nodes", "nodes", util::Unit::kCount};
  if (times) value = {"op_micros", "sum of op times", util::Unit::kMicros};
  if (o.measure == Overview::Measure::kParameters) {
    value = {"parameters", "parameters", util::Unit::kCount};
  }
  if (o.measure == Overview::Measure::kBytes) {
    value = {"bytes", "bytes", util::Unit::kBytes};
  }
  if (o.measure == Overview::Measure::kFloatOps) {
    value = {"float_ops", "float ops", util::Unit::kCount};
  }
  value.heat = true;
  // Of a sum of times of accelerators and of CPUs, nothing is a share.
  const bool both = o.both_times();
  std::vector<tables::DataColumn> columns = {
      {"op", "op"},
      std::move(value),
      {"wall_share", "of wall", util::Unit::kShare},
      {"share", "of all ops", util::Unit::kShare}};
  struct Time {
    std::string_view name;
    std::string_view title;
    int64_t Overview::Op::*ticks;
  };
  constexpr Time kParts[] = {
      {"accelerator", "accelerator", &Overview::Op::accelerator},
      {"cpu", "cpu", &Overview::Op::cpu}};
  if (both) {
    for (size_t c = 1; c < columns.size(); ++c) {
      columns[c].heat = false;
      columns[c].data_only = true;
    }
    for (const Time& part : kParts) {
      columns.push_back({.name = fmt::format("{}_micros", part.name),
                         .title = std::string(part.title),
                         .unit = util::Unit::kMicros,
                         .heat = true});
      columns.push_back({.name = fmt::format("{}_wall_share", part.name),
                         .title = "of wall",
                         .unit = util::Unit::kShare});
      columns.push_back({.name = fmt::format("{}_share", part.name),
                         .title = "of all ops",
                         .unit = util::Unit::kShare});
    }
  }
  tables::TableBuilder table("ops", std::move(columns));
  for (const Overview::Op& op : o.ops) {
    const auto wall_share = [&](int64_t Overview::Op::*time) {
      return o.shares_wall(time) ? tables::ShareCell(op.*time, o.ops_wall)
                                 : tables::DataCell();
    };
    std::vector<tables::DataCell> cells = {
        tables::TextCell(op.name),
        times ? TicksCell(op.ticks, o.ticks_per_micro)
              : tables::DataCell(op.ticks),
        both ? tables::DataCell() : wall_share(&Overview::Op::ticks),
        both ? tables::DataCell()
             : tables::ShareCell(op.ticks, o.all_ops.ticks)};
    for (const Time& part : kParts) {
      if (!both) break;
      cells.push_back(TicksCell(op.*part.ticks, o.ticks_per_micro));
      cells.push_back(wall_share(part.ticks));
      cells.push_back(tables::ShareCell(op.*part.ticks, o.all_ops.*part.ticks));
    }
    table.AddRow(std::move(cells));
  }
  table.SetTotalRows(o.num_ops);
  tables::DataTable built = std::move(table).Build();
  built.rest = "op -order_by micros -max_depth 100000";
  return built;
}

// The worst problem, or a notable finding that is not a problem.
tables::DataTable AdviceTable(const Overview& o, bool problems) {
  tables::TableBuilder table(
      problems ? "problems" : "notes",
      {{"severity", "severity"},
       {"rule", "rule"},
       {"subject", "subject"},
       {.name = "text", .title = "text", .prose = true},
       {"evidence", "see"},
       {.name = "advice", .title = "do", .prose = true}});
  const auto text_or_nothing = [](const std::string& text) {
    return text.empty() ? tables::DataCell() : tables::TextCell(text);
  };
  const OverviewAdvice& advice = o.advice;
  const bool shown = !advice.rule.empty() && (advice.problems > 0) == problems;
  if (shown) {
    table.AddRow(
        {tables::TextCell(advice.severity), tables::TextCell(advice.rule),
         text_or_nothing(advice.subject), tables::TextCell(advice.text),
         text_or_nothing(advice.evidence), text_or_nothing(advice.advice)});
  }
  table.SetTotalRows(problems ? advice.problems : shown);
  tables::DataTable built = std::move(table).Build();
  built.rest = "advise all";
  return built;
}

tables::DataTable NextTable(const Overview& o) {
  tables::TableBuilder table("next", {{"next", "command"}, {"why", "why"}});
  for (const Overview::Next& next : o.next) {
    table.AddRow({tables::TextCell(next.command), tables::TextCell(next.why)});
  }
  return std::move(table).Build();
}

}  // namespace

tables::DataDocument OverviewDocument(const Overview& o) {
  tables::DataDocument document;
  document.kind = "overview";
  const auto fact = [&](tables::DataColumn column, tables::DataCell cell) {
    document.facts.push_back({std::move(column), std::move(cell)});
  };
  const auto count = [](size_t n) { return static_cast<int64_t>(n); };
  fact({"framework", "framework"}, o.framework.empty()
                                       ? tables::DataCell()
                                       : tables::TextCell(o.framework));
  fact({"nodes", "nodes", util::Unit::kCount}, count(o.nodes));
  fact({"devices", "devices", util::Unit::kCount}, count(o.devices));
  fact({"steps", "steps", util::Unit::kCount}, count(o.walls.size()));
  fact({"executions", "executions", util::Unit::kCount}, count(o.executions));
  fact({"median_wall_micros", "median wall", util::Unit::kMicros},
       TicksCell(o.median, o.ticks_per_micro, o.typical.has_value()));
  fact({"typical_step", "typical step", util::Unit::kNumber},
       o.typical ? tables::DataCell(o.typical->step->id) : tables::DataCell());
  if (o.base) {
    fact({"base", "base"}, tables::TextCell(o.base->name));
    fact({"base_verdict", "since the base"}, tables::TextCell(o.base->verdict));
    fact({"base_text", "change"}, tables::TextCell(o.base->text));
    fact({"base_because", "because of"},
         o.base->because.empty() ? tables::DataCell()
                                 : tables::TextCell(o.base->because));
  }
  fact({"odd_step", "odd step", util::Unit::kNumber},
       o.odd ? tables::DataCell(o.odd->step->id) : tables::DataCell());
  fact({"odd_steps", "steps like it", util::Unit::kCount}, count(o.num_odd));
  const bool times = o.measure == Overview::Measure::kTime;
  fact({"ops_are", "op times are"},
       !times      ? tables::DataCell()
       : o.average ? tables::TextCell("average of the steps")
                   : tables::TextCell("sum of all steps"));
  fact({"op_sum_micros", "sum of op times", util::Unit::kMicros},
       TicksCell(o.all_ops.ticks, o.ticks_per_micro, times));
  fact({"op_sum_accelerator_micros", "on accelerators", util::Unit::kMicros},
       TicksCell(o.all_ops.accelerator, o.ticks_per_micro, times));
  fact({"op_sum_cpu_micros", "on CPUs", util::Unit::kMicros},
       TicksCell(o.all_ops.cpu, o.ticks_per_micro, times));
  fact({"op_wait_micros", "of them waits", util::Unit::kMicros},
       TicksCell(o.waits.sum.ticks, o.ticks_per_micro, times));
  fact({"op_frame_micros", "of them markers and ranges", util::Unit::kMicros},
       TicksCell(o.frames.sum.ticks, o.ticks_per_micro, times));
  fact({"op_wall_micros", "wall", util::Unit::kMicros},
       TicksCell(o.ops_wall, o.ticks_per_micro, o.ops_wall > 0));
  fact({"outside_micros", "outside steps", util::Unit::kMicros},
       TicksCell(o.outside.ticks, o.ticks_per_micro,
                 o.average || o.outside.ticks > 0));
  fact({"peak_bytes", "memory peak", util::Unit::kBytes},
       o.peak ? tables::DataCell(o.peak->bytes) : tables::DataCell());
  fact({"peak_of", "peak of"},
       o.peak ? tables::TextCell(o.peak->holder) : tables::DataCell());
  fact({"peak_reserved_bytes", "memory reserved", util::Unit::kBytes},
       o.peak_reserved ? tables::DataCell(*o.peak_reserved)
                       : tables::DataCell());
  fact({"largest_bytes", "largest operation", util::Unit::kBytes},
       o.largest ? tables::DataCell(o.largest->bytes) : tables::DataCell());
  fact({"largest", "which is"},
       o.largest ? tables::TextCell(o.largest->holder) : tables::DataCell());
  fact({"problems", "problems", util::Unit::kCount}, count(o.advice.problems));
  fact({"checkers", "checkers", util::Unit::kCount}, count(o.advice.checkers));
  fact({"checkers_lacking", "lacked records", util::Unit::kCount},
       count(o.advice.lacking));
  document.parts.push_back({"Inputs", InputTable(o)});
  document.parts.push_back({"Steps", StepTable(o)});
  document.parts.push_back({"Devices of the typical step", SplitTable(o)});
  if (o.account.devices > 0) {
    document.parts.push_back({"Account of the typical step", o.account_table});
  }
  document.parts.push_back({"Operations", OpTable(o)});
  document.parts.push_back({"Worst problem", AdviceTable(o, true)});
  document.parts.push_back({"What stands out", AdviceTable(o, false)});
  document.parts.push_back({"Records", RecordTable(o)});
  document.parts.push_back({"Next", NextTable(o)});
  return document;
}

}  // namespace tfprof::inspect
