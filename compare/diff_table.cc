#include "compare/diff_table.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "compare/rule.h"
#include "fmt/format.h"

namespace tfprof {
namespace {

struct FieldColumn {
  Field field;
  std::string_view name;  // as in -select
  std::string_view title;
  Unit unit;
};
constexpr FieldColumn kColumns[] = {
    {Field::kMicros, "micros", "time", Unit::kMicros},
    {Field::kAcceleratorMicros, "accelerator_micros", "accelerator",
     Unit::kMicros},
    {Field::kCpuMicros, "cpu_micros", "cpu", Unit::kMicros},
    {Field::kBytes, "bytes", "bytes", Unit::kBytes},
    {Field::kPeakBytes, "peak_bytes", "peak", Unit::kBytes},
    {Field::kResidualBytes, "residual_bytes", "residual", Unit::kBytes},
    {Field::kOutputBytes, "output_bytes", "output", Unit::kBytes},
    {Field::kParams, "params", "params", Unit::kCount},
    {Field::kFloatOps, "float_ops", "float ops", Unit::kCount},
    {Field::kOccurrence, "occurrence", "nodes", Unit::kCount},
};

const FieldColumn& ColumnOf(Field field) {
  return *std::find_if(std::begin(kColumns), std::end(kColumns),
                       [&](const FieldColumn& c) { return c.field == field; });
}

std::string_view StatusName(const DiffRow& row, const Diff& diff) {
  switch (row.status()) {
    case DiffRow::Status::kNew:
      return "new";
    case DiffRow::Status::kGone:
      return "gone";
    case DiffRow::Status::kBoth:
      break;
  }
  const bool same =
      std::all_of(diff.fields.begin(), diff.fields.end(), [&](Field field) {
        return FieldValue(field, row.before, row.before_nodes) ==
               FieldValue(field, row.after, row.after_nodes);
      });
  return same ? "same" : "changed";
}

bool IsRenamed(const DiffRow& row) {
  return row.status() == DiffRow::Status::kBoth &&
         row.before_name != row.after_name;
}

// Appends before, after, delta and change.
void AddValues(Field field, const DiffRow& row, std::vector<DataCell>& cells) {
  const int64_t before = FieldValue(field, row.before, row.before_nodes);
  const int64_t after = FieldValue(field, row.after, row.after_nodes);
  const int64_t delta = WrapSub(after, before);
  const DiffRow::Status status = row.status();
  const auto add = [&](bool known, auto value) {
    if (known) {
      cells.emplace_back(value);
    } else {
      cells.emplace_back();
    }
  };
  add(status != DiffRow::Status::kNew, before);
  add(status != DiffRow::Status::kGone, after);
  add(true, delta);
  add(before != 0,
      static_cast<double>(delta) / std::abs(static_cast<double>(before)));
}

}  // namespace

DataTable DiffTable(const Diff& diff, const std::string& base) {
  DataTable table;
  table.kind = "diff";
  const bool renamed =
      std::any_of(diff.rows.begin(), diff.rows.end(), IsRenamed);
  table.columns.push_back(
      {.name = "name", .title = diff.view == View::kOp ? "op" : "name"});
  table.columns.push_back({.name = "status", .title = "status"});
  if (renamed) {
    table.columns.push_back({.name = "before_name", .title = "was"});
  }
  // Of several, a narrow window may leave out the first.
  const bool alone = diff.fields.size() == 1;
  for (const Field field : diff.fields) {
    const FieldColumn& c = ColumnOf(field);
    const auto add = [&](std::string_view suffix, Unit unit, bool delta) {
      table.columns.push_back(
          {.name = fmt::format("{}_{}", c.name, suffix),
           .title = alone && suffix != "before"
                        ? std::string(suffix)
                        : fmt::format("{} {}", c.title, suffix),
           .unit = unit,
           .delta = delta});
    };
    add("before", c.unit, false);
    add("after", c.unit, false);
    add("delta", c.unit, true);
    add("change", Unit::kShare, true);
  }
  table.facts.push_back({{.name = "view"}, std::string(ViewName(diff.view))});
  table.facts.push_back({{.name = "base"}, base});
  for (const Field field : diff.fields) {
    const FieldColumn& c = ColumnOf(field);
    const auto add = [&](std::string_view suffix, int64_t value) {
      table.facts.push_back(
          {{.name = fmt::format("total_{}_{}", c.name, suffix), .unit = c.unit},
           value});
    };
    add("before",
        FieldValue(field, diff.total.before, diff.total.before_nodes));
    add("after", FieldValue(field, diff.total.after, diff.total.after_nodes));
  }
  table.facts.push_back(
      {{.name = "unchanged_rows", .unit = Unit::kCount}, diff.unchanged});
  table.num_rows = table.total_rows = diff.rows.size();
  table.cells = [&diff, renamed](size_t index, std::vector<DataCell>& cells) {
    const DiffRow& row = diff.rows[index];
    cells.clear();
    cells.emplace_back(std::string(row.name()));
    cells.emplace_back(std::string(StatusName(row, diff)));
    if (renamed) {
      cells.emplace_back(std::string(IsRenamed(row) ? row.before_name : ""));
    }
    for (const Field field : diff.fields) AddValues(field, row, cells);
  };
  if (diff.view == View::kOp) {
    table.totals = {std::string("all"), std::string()};
    if (renamed) table.totals.emplace_back(std::string());
    for (const Field field : diff.fields) {
      AddValues(field, diff.total, table.totals);
    }
  } else {
    table.depth = [&diff](size_t index) { return diff.rows[index].depth; };
  }
  return table;
}

}  // namespace tfprof
