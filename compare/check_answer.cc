#include "compare/check_answer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/check_text.h"
#include "compare/junit.h"
#include "tables/table_builder.h"

namespace tfprof::compare {
namespace {

std::string_view AgainstName(CheckRule::Against against) {
  switch (against) {
    case CheckRule::Against::kChangeShare:
      return "change";
    case CheckRule::Against::kChange:
      return "delta";
    case CheckRule::Against::kValue:
      return "after";
  }
  return "";
}

std::string_view StatusName(const Measured& m) {
  return !m.in_before ? "new" : !m.in_after ? "gone" : "both";
}

tables::DataCell NumberCell(bool known, double value) {
  return known ? tables::DataCell(value) : tables::DataCell();
}

tables::DataTable RuleTable(const CheckReport& report) {
  tables::TableBuilder table(
      "rules",
      {{.name = "verdict", .title = "verdict"},
       {.name = "rule", .title = "rule"},
       {.name = "field", .title = "field", .rank = 3, .data_only = true},
       {.name = "unit", .title = "unit", .rank = 3, .data_only = true},
       {.name = "against", .title = "against", .rank = 3, .data_only = true},
       {.name = "threshold",
        .title = "threshold",
        .unit = util::Unit::kNumber,
        .rank = 3,
        .data_only = true},
       {"rows", "rows", util::Unit::kCount, false, 1},
       {"failed_rows", "failed", util::Unit::kCount, false, 1}});
  for (const CheckedRule& checked : report.rules) {
    const CheckRule& rule = checked.rule;
    const auto failed = std::count_if(
        checked.rows.begin(), checked.rows.end(),
        [](const CheckedRow& row) { return row.verdict == Verdict::kFail; });
    table.AddRow({tables::TextCell(VerdictName(checked.verdict)),
                  tables::TextCell(rule.text), tables::TextCell(rule.field),
                  tables::TextCell(util::UnitName(rule.unit)),
                  tables::TextCell(AgainstName(rule.against)), rule.number,
                  static_cast<int64_t>(checked.rows.size()),
                  static_cast<int64_t>(failed)});
  }
  return std::move(table).Build();
}

// The columns of a Measured. The column `unit` names the unit of their numbers.
// `renamed`: some row has two names.
std::vector<tables::DataColumn> MeasuredColumns(bool renamed) {
  std::vector<tables::DataColumn> columns = {
      {.name = "unit", .title = "unit", .rank = 2, .data_only = true},
      {.name = "name", .title = "name"},
      {.name = "before_name",
       .title = "was",
       .rank = renamed ? 1 : 3,
       .data_only = !renamed},
      {.name = "status", .title = "status", .rank = 2}};
  const auto add = [&](const std::string& name, int rank, bool delta) {
    columns.push_back({.name = name,
                       .title = name,
                       .unit = util::Unit::kNumber,
                       .rank = rank,
                       .delta = delta,
                       .unit_column = "unit"});
  };
  add("before", 0, false);
  add("after", 0, false);
  add("delta", 1, true);
  columns.push_back({.name = "change",
                     .title = "change",
                     .unit = util::Unit::kShare,
                     .delta = true});
  add("noise", 1, false);
  for (const char* name : {"before_steps", "after_steps"}) {
    columns.push_back({.name = name,
                       .title = name,
                       .unit = util::Unit::kCount,
                       .rank = 3,
                       .data_only = true});
  }
  columns.push_back(
      {.name = "text", .title = "text", .rank = 2, .data_only = true});
  return columns;
}

void AddMeasured(const Measured& m, util::Unit unit,
                 std::vector<tables::DataCell>& cells) {
  const std::optional<double> change = m.change();
  const tables::DataCell more[] = {
      tables::TextCell(util::UnitName(unit)),
      tables::TextCell(m.name),
      m.before_name.empty() ? tables::DataCell()
                            : tables::TextCell(m.before_name),
      tables::TextCell(StatusName(m)),
      NumberCell(m.in_before, m.before),
      NumberCell(m.in_after, m.after),
      m.delta(),
      NumberCell(change.has_value(), change.value_or(0)),
      NumberCell(m.noise.has_value(), m.noise.value_or(0)),
      static_cast<int64_t>(m.before_steps),
      static_cast<int64_t>(m.after_steps),
      tables::TextCell(DescribeChange(m, unit))};
  cells.insert(cells.end(), std::begin(more), std::end(more));
}

bool IsRenamedUnit(const Measured& m) { return !m.before_name.empty(); }

// One row for each row of each rule. There may be many, so they are made while
// they are written.
tables::DataTable RowTable(const CheckReport& report) {
  std::vector<std::pair<const CheckRule*, const CheckedRow*>> rows;
  bool renamed = false;
  for (const CheckedRule& rule : report.rules) {
    for (const CheckedRow& row : rule.rows) {
      rows.emplace_back(&rule.rule, &row);
      renamed |= IsRenamedUnit(row.measured);
    }
  }
  tables::DataTable table;
  table.kind = "rows";
  table.columns = {{.name = "verdict", .title = "verdict"},
                   {.name = "rule", .title = "rule"}};
  for (tables::DataColumn& column : MeasuredColumns(renamed)) {
    table.columns.push_back(std::move(column));
  }
  table.num_rows = table.total_rows = rows.size();
  table.cells = [rows = std::move(rows)](size_t index,
                                         std::vector<tables::DataCell>& cells) {
    const auto& [rule, row] = rows[index];
    cells = {tables::TextCell(VerdictName(row->verdict)),
             tables::TextCell(rule->text)};
    AddMeasured(row->measured, rule->unit, cells);
  };
  return table;
}

tables::DataTable ContributorTable(std::string kind, size_t total,
                                   std::span<const Measured> contributors) {
  tables::TableBuilder table(
      std::move(kind),
      MeasuredColumns(std::any_of(contributors.begin(), contributors.end(),
                                  IsRenamedUnit)));
  for (const Measured& m : contributors) {
    std::vector<tables::DataCell> cells;
    AddMeasured(m, util::Unit::kMicros, cells);
    table.AddRow(std::move(cells));
  }
  table.SetTotalRows(total);
  return std::move(table).Build();
}

}  // namespace

tables::Answer CheckAnswer(CheckReport report) {
  tables::Answer answer;
  const CheckReport& kept = answer.Keep(std::move(report));
  tables::DataDocument& data = answer.data;
  data.kind = "check";
  data.facts = {
      {{.name = "verdict", .title = "verdict"},
       tables::TextCell(
           VerdictName(kept.failed() ? Verdict::kFail : Verdict::kPass))},
      {{.name = "summary", .title = "summary"}, CheckSummary(kept)},
      {{"before_steps", "steps before", util::Unit::kCount},
       static_cast<int64_t>(kept.before_steps)},
      {{"after_steps", "steps after", util::Unit::kCount},
       static_cast<int64_t>(kept.after_steps)},
      {{"noise_floor", "noise floor", util::Unit::kShare}, kept.noise_floor}};
  data.parts.push_back({"Rules", RuleTable(kept)});
  data.parts.push_back({"Rows", RowTable(kept)});
  data.parts.push_back(
      {std::string(kWallsTitle),
       ContributorTable("spans", kept.walls.size(), kept.walls)});
  data.parts.push_back({std::string(kOpsTitle),
                        ContributorTable("ops", kept.changed_ops, kept.ops)});
  data.parts.push_back(
      {std::string(kNodesTitle),
       ContributorTable("nodes", kept.changed_nodes, kept.nodes)});

  const auto add_form = [&](const std::string& name, auto make) {
    answer.forms.push_back(
        {.name = name,
         .write = [&kept, make](const tables::TextLook&,
                                util::Sink& sink) { sink.Write(make(kept)); },
         .safe = true});
  };
  add_form("text", CheckText);
  add_form("junit", CheckJunit);
  answer.reference_form = answer.own_form = "text";
  return answer;
}

}  // namespace tfprof::compare
