#include "compare/diff_table.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "compare/rule.h"
#include "fmt/format.h"
#include "tables/role_column.h"
#include "tables/stat_column.h"
#include "util/text/counted.h"

namespace tfprof::compare {
namespace {

// The name and title of a value, as in the views.
tables::DataColumn ValueColumn(const ComparedValue& value) {
  if (value.definitions) {
    return {
        .name = "definitions", .title = "nodes", .unit = util::Unit::kCount};
  }
  return tables::StatColumn(value.stat);
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
  const bool same = std::all_of(diff.values.begin(), diff.values.end(),
                                [&](const ComparedValue& value) {
                                  return value.Before(row) == value.After(row);
                                });
  return same ? "same" : "changed";
}

bool IsRenamed(const DiffRow& row) {
  return row.status() == DiffRow::Status::kBoth &&
         row.before_name != row.after_name;
}

tables::DataCell ValueCell(const Diff& diff, const ComparedValue& value,
                           int64_t number) {
  const bool is_time =
      !value.definitions && StatisticOf(value.stat).unit == util::Unit::kMicros;
  return tables::TimeCell(number, is_time ? diff.ticks_per_micro : 1);
}

// Appends before, after, delta and change.
void AddValues(const Diff& diff, const ComparedValue& value, const DiffRow& row,
               std::vector<tables::DataCell>& cells) {
  const int64_t before = value.Before(row);
  const int64_t after = value.After(row);
  const int64_t delta = util::WrapSub(after, before);
  const DiffRow::Status status = row.status();
  const auto add = [&](bool known, tables::DataCell cell) {
    cells.push_back(known ? std::move(cell) : tables::DataCell());
  };
  add(status != DiffRow::Status::kNew, ValueCell(diff, value, before));
  add(status != DiffRow::Status::kGone, ValueCell(diff, value, after));
  add(true, ValueCell(diff, value, delta));
  add(before != 0,
      static_cast<double>(delta) / std::abs(static_cast<double>(before)));
}

// Times in whole microseconds have noise in whole microseconds.
tables::DataCell NoiseCell(const Diff& diff,
                           const std::optional<double>& noise) {
  if (!noise) return {};
  return diff.ticks_per_micro == 1
             ? tables::DataCell(static_cast<int64_t>(std::ceil(*noise)))
             : tables::DataCell(*noise);
}

bool HasNoise(const Diff& diff) {
  return std::any_of(diff.noise.begin(), diff.noise.end(),
                     [](const auto& noise) { return noise.has_value(); });
}

}  // namespace

tables::DataTable DiffTable(const Diff& diff, const std::string& base) {
  tables::DataTable table;
  table.kind = "diff";
  const bool renamed =
      std::any_of(diff.rows.begin(), diff.rows.end(), IsRenamed);
  table.columns.push_back(
      {.name = "name", .title = diff.view == views::View::kOp ? "op" : "name"});
  const bool roles =
      diff.view == views::View::kOp &&
      std::any_of(diff.rows.begin(), diff.rows.end(),
                  [](const DiffRow& row) { return !row.role.empty(); });
  if (roles) table.columns.push_back(tables::RoleColumn());
  table.columns.push_back({.name = "status", .title = "status"});
  if (renamed) {
    table.columns.push_back({.name = "before_name", .title = "was"});
  }
  // With several values, each title names its value, because a narrow window
  // may drop the first column. It keeps the differences.
  const bool alone = diff.values.size() == 1;
  for (const ComparedValue& value : diff.values) {
    const tables::DataColumn c = ValueColumn(value);
    const auto add = [&](std::string_view suffix, util::Unit unit, bool delta,
                         int rank) {
      table.columns.push_back(
          {.name = fmt::format("{}_{}", c.name, suffix),
           .title = alone && suffix != "before"
                        ? std::string(suffix)
                        : fmt::format("{} {}", c.title, suffix),
           .unit = unit,
           .rank = alone ? 0 : rank,
           .delta = delta,
           .data_only = value.is_split});
    };
    add("before", c.unit, false, 2);
    add("after", c.unit, false, 2);
    add("delta", c.unit, true, 0);
    add("change", util::Unit::kShare, true, 1);
  }
  const bool has_noise = HasNoise(diff);
  if (has_noise) {
    const tables::DataColumn c = ValueColumn(diff.values[0]);
    table.columns.push_back(
        {.name = fmt::format("{}_noise", c.name),
         .title = alone ? "noise" : fmt::format("noise of {}", c.title),
         .unit = c.unit});
  }
  table.facts.push_back({{.name = "view"}, std::string(ViewName(diff.view))});
  table.facts.push_back({{.name = "base"}, base});
  for (const ComparedValue& value : diff.values) {
    const tables::DataColumn c = ValueColumn(value);
    const auto add = [&](std::string_view suffix, int64_t number) {
      table.facts.push_back(
          {{.name = fmt::format("total_{}_{}", c.name, suffix), .unit = c.unit},
           ValueCell(diff, value, number)});
    };
    add("before", value.Before(diff.total));
    add("after", value.After(diff.total));
  }
  table.facts.push_back(
      {{.name = "unchanged_rows", .unit = util::Unit::kCount}, diff.unchanged});
  if (diff.rows.empty() && diff.unchanged > 0) {
    table.facts.push_back(
        {{.name = "", .title = "changed"},
         fmt::format(
             "nothing; {} as before",
             util::Counted(static_cast<size_t>(diff.unchanged), "row"))});
  }
  table.num_rows = table.total_rows = diff.rows.size();
  table.cells = [&diff, renamed, roles, has_noise](
                    size_t index, std::vector<tables::DataCell>& cells) {
    const DiffRow& row = diff.rows[index];
    cells.clear();
    cells.emplace_back(std::string(row.name()));
    if (roles) cells.push_back(tables::RoleCell(row.role));
    cells.emplace_back(std::string(StatusName(row, diff)));
    if (renamed) {
      cells.emplace_back(std::string(IsRenamed(row) ? row.before_name : ""));
    }
    for (const ComparedValue& value : diff.values) {
      AddValues(diff, value, row, cells);
    }
    if (has_noise) cells.push_back(NoiseCell(diff, diff.noise[index]));
  };
  if (diff.view == views::View::kOp) {
    table.totals = {std::string("all")};
    if (roles) table.totals.emplace_back();
    table.totals.emplace_back(std::string());
    if (renamed) table.totals.emplace_back(std::string());
    for (const ComparedValue& value : diff.values) {
      AddValues(diff, value, diff.total, table.totals);
    }
    if (has_noise) table.totals.emplace_back();
  } else {
    table.depth = [&diff](size_t index) { return diff.rows[index].depth; };
  }
  return table;
}

}  // namespace tfprof::compare
