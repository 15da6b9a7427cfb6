#include "compare/check_text.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "compare/noise.h"
#include "fmt/format.h"
#include "tables/data_writers.h"
#include "tables/numbers.h"
#include "util/json_string.h"
#include "util/safe_text.h"
#include "util/sink.h"
#include "util/text_layout.h"

namespace tfprof {
namespace {

std::string Amount(double value, Unit unit) {
  // Beyond, a double is no whole number of anything.
  constexpr double kExact = 9007199254740992;
  const double size = std::abs(value);
  const std::string sign = value < 0 ? "-" : "";
  if (!(size < kExact)) return fmt::format("{:.4g}", value);
  const auto whole = static_cast<int64_t>(std::llround(size));
  return sign + (unit == Unit::kMicros  ? FormatMicros(whole)
                 : unit == Unit::kBytes ? FormatBytes(whole)
                                        : FormatCount(whole));
}

std::string Signed(double value, Unit unit) {
  return (value < 0 ? "" : "+") + Amount(value, unit);
}

std::string Percent(const Measured& m) {
  if (!m.in_before) return "new";
  if (!m.in_after) return "gone";
  const std::optional<double> change = m.change();
  return change ? fmt::format("{:+.1f}%", 100 * *change) : "from 0";
}

std::string Title(const Measured& m) {
  return m.before_name.empty() ? SafeText(m.name)
                               : fmt::format("{} (was {})", SafeText(m.name),
                                             SafeText(m.before_name));
}

std::string NoiseText(const Measured& m, Unit unit) {
  if (m.noise) return fmt::format("noise {}", Amount(*m.noise, unit));
  if (!m.in_before || !m.in_after) return "";
  return "no noise estimate";
}

std::string_view Heading(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kWithinNoise:
      return "noise";
    case Verdict::kFail:
      return "FAIL";
  }
  return "";
}

std::string Steps(size_t count) {
  return fmt::format("{} step{}", count, count == 1 ? "" : "s");
}

// Why nobody can tell a change from noise, if so.
std::string NoiseNote(const CheckReport& report) {
  std::string floor;
  if (report.noise_floor > 0) {
    floor = fmt::format("changes up to {:g}% are taken for noise",
                        100 * report.noise_floor);
  }
  if (std::min(report.before_steps, report.after_steps) >= kMinStepsForNoise) {
    return floor.empty() ? "" : fmt::format("By --noise, {}.\n", floor);
  }
  return fmt::format(
      "With less than {} steps on a side there is no estimate of noise: {}.\n",
      kMinStepsForNoise,
      floor.empty() ? "--noise PERCENT sets one" : "by --noise, " + floor);
}

// Appends `rows` in columns, all but the first at the right.
void AppendAligned(const std::vector<std::vector<std::string>>& rows,
                   size_t indent, std::string* text) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], Columns(row[c]));
    }
  }
  for (const auto& row : rows) {
    text->append(indent, ' ');
    for (size_t c = 0; c < row.size(); ++c) {
      const size_t fill = widths[c] - Columns(row[c]);
      if (c > 0) text->append(fill + 2, ' ');
      *text += row[c];
      if (c == 0) text->append(fill, ' ');
    }
    while (!text->empty() && text->back() == ' ') text->pop_back();
    *text += '\n';
  }
}

std::vector<std::string> AlignedRow(const Measured& m, Unit unit) {
  return {Title(m),
          m.in_before ? Amount(m.before, unit) : "-",
          m.in_after ? Amount(m.after, unit) : "-",
          Signed(m.delta(), unit),
          Percent(m),
          NoiseText(m, unit)};
}

void AppendRule(const CheckedRule& checked, std::string* text) {
  *text += fmt::format("{:<5}  {}\n", Heading(checked.verdict),
                       SafeText(checked.rule.text));
  // A rule of one row shows it; of many, those that break it.
  std::vector<std::vector<std::string>> lines;
  size_t passed = 0;
  for (const CheckedRow& row : checked.rows) {
    if (row.verdict == Verdict::kPass && checked.rows.size() > 1) {
      ++passed;
      continue;
    }
    std::vector<std::string> line = AlignedRow(row.measured, checked.rule.unit);
    if (row.verdict == Verdict::kWithinNoise)
      line.back() = "within " + line.back();
    lines.push_back(std::move(line));
  }
  AppendAligned(lines, 7, text);
  if (passed > 0) {
    *text +=
        fmt::format("       {}{} pass\n", lines.empty() ? "all " : "", passed);
  }
}

void AppendContributors(std::string_view title,
                        std::span<const Measured> contributors,
                        std::string* text) {
  if (contributors.empty()) return;
  *text += fmt::format("\n{}\n", title);
  std::vector<std::vector<std::string>> lines;
  for (const Measured& m : contributors) {
    lines.push_back(AlignedRow(m, Unit::kMicros));
  }
  AppendAligned(lines, 2, text);
}

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

std::string JsonNumber(std::optional<double> number) {
  return number && std::isfinite(*number) ? fmt::format("{}", *number) : "null";
}

std::string_view StatusName(const Measured& m) {
  return !m.in_before ? "new" : !m.in_after ? "gone" : "both";
}

std::string JsonMeasured(const Measured& m) {
  return fmt::format(
      R"("name":{},"before_name":{},"status":"{}","before":{},"after":{},)"
      R"("delta":{},"change":{},"noise":{},"before_steps":{},"after_steps":{})",
      JsonString(m.name),
      m.before_name.empty() ? "null" : JsonString(m.before_name), StatusName(m),
      m.in_before ? JsonNumber(m.before) : "null",
      m.in_after ? JsonNumber(m.after) : "null", JsonNumber(m.delta()),
      JsonNumber(m.change()), JsonNumber(m.noise), m.before_steps,
      m.after_steps);
}

std::string JsonRule(const CheckedRule& checked) {
  std::vector<std::string> rows;
  for (const CheckedRow& row : checked.rows) {
    rows.push_back(fmt::format("{{\"verdict\":\"{}\",{}}}",
                               VerdictName(row.verdict),
                               JsonMeasured(row.measured)));
  }
  const CheckRule& rule = checked.rule;
  return fmt::format(
      "{{\"rule\":{},\"verdict\":\"{}\",\"field\":{},\"unit\":\"{}\","
      "\"against\":\"{}\","
      "\"threshold\":{},\"rows\":[\n{}\n]}}",
      JsonString(rule.text), VerdictName(checked.verdict),
      JsonString(rule.field), UnitName(rule.unit), AgainstName(rule.against),
      JsonNumber(rule.number), fmt::join(rows, ",\n"));
}

// "[a,b]", an element a line.
std::string JsonList(const std::vector<std::string>& elements) {
  if (elements.empty()) return "[]";
  return fmt::format("[\n{}\n]", fmt::join(elements, ",\n"));
}

std::string JsonContributors(std::span<const Measured> contributors) {
  std::vector<std::string> elements;
  for (const Measured& m : contributors) {
    elements.push_back("{" + JsonMeasured(m) + "}");
  }
  return JsonList(elements);
}

std::vector<std::pair<const CheckRule*, const CheckedRow*>> RowsOf(
    const CheckReport& report) {
  std::vector<std::pair<const CheckRule*, const CheckedRow*>> rows;
  for (const CheckedRule& rule : report.rules) {
    for (const CheckedRow& row : rule.rows) rows.emplace_back(&rule.rule, &row);
  }
  return rows;
}

// As text with its unit: the rows of a table are in different ones.
void AddMeasured(const Measured& m, Unit unit, std::vector<DataCell>& cells) {
  cells.emplace_back(m.in_before ? Amount(m.before, unit) : "");
  cells.emplace_back(m.in_after ? Amount(m.after, unit) : "");
  cells.emplace_back(Signed(m.delta(), unit));
  cells.emplace_back(Percent(m));
  cells.emplace_back(m.noise ? Amount(*m.noise, unit) : "");
}

DataTable ContributorTable(std::span<const Measured> contributors,
                           std::string_view what) {
  DataTable table;
  table.kind = "check_contributors";
  for (const std::string_view title :
       {what, std::string_view("before"), std::string_view("after"),
        std::string_view("delta"), std::string_view("change"),
        std::string_view("noise")}) {
    table.columns.push_back(
        {.name = std::string(title), .title = std::string(title)});
  }
  table.num_rows = table.total_rows = contributors.size();
  table.cells = [contributors](size_t row, std::vector<DataCell>& cells) {
    cells.assign(1, std::string(Title(contributors[row])));
    AddMeasured(contributors[row], Unit::kMicros, cells);
  };
  return table;
}

std::string MarkdownRows(const DataTable& table, const MarkdownLimits& limits) {
  StringSink sink;
  WriteMarkdownRows(table, sink, limits);
  return sink.text();
}

}  // namespace

std::string DescribeChange(const Measured& m, Unit unit) {
  const std::string noise = NoiseText(m, unit);
  return fmt::format(
      "{} -> {}, {} ({}){}{}", m.in_before ? Amount(m.before, unit) : "nothing",
      m.in_after ? Amount(m.after, unit) : "nothing", Signed(m.delta(), unit),
      Percent(m), noise.empty() ? "" : ", ", noise);
}

std::string CheckSummary(const CheckReport& report) {
  const size_t failed = report.Count(Verdict::kFail);
  const size_t noise = report.Count(Verdict::kWithinNoise);
  const size_t passed = report.Count(Verdict::kPass);
  std::vector<std::string> parts;
  if (failed > 0) parts.push_back(fmt::format("{} failed", failed));
  if (noise > 0) parts.push_back(fmt::format("{} within noise", noise));
  if (passed > 0) parts.push_back(fmt::format("{} passed", passed));
  return fmt::format("{} rule{}: {}.", report.rules.size(),
                     report.rules.size() == 1 ? "" : "s",
                     fmt::join(parts, ", "));
}

std::string CheckText(const CheckReport& report) {
  std::string text;
  for (const CheckedRule& rule : report.rules) AppendRule(rule, &text);
  AppendContributors("Operation types that changed most:", report.ops, &text);
  AppendContributors("Nodes that changed most:", report.nodes, &text);
  text += fmt::format("\nMedians of {} before and {} after.\n",
                      Steps(report.before_steps), Steps(report.after_steps));
  text += NoiseNote(report);
  return text + CheckSummary(report) + "\n";
}

std::string CheckJson(const CheckReport& report) {
  std::vector<std::string> rules;
  for (const CheckedRule& rule : report.rules) rules.push_back(JsonRule(rule));
  return fmt::format(
      R"({{"schema":"tfprof.check","version":1,
"passed":{},
"before_steps":{},"after_steps":{},"noise_floor":{},
"rules":{},
"ops":{},
"ops_total":{},
"nodes":{},
"nodes_total":{},
"returned":{},"total":{},"truncated":false}}
)",
      !report.failed(), report.before_steps, report.after_steps,
      JsonNumber(report.noise_floor), JsonList(rules),
      JsonContributors(report.ops), report.changed_ops,
      JsonContributors(report.nodes), report.changed_nodes, report.rules.size(),
      report.rules.size());
}

DataTable CheckData(const CheckReport& report) {
  DataTable table;
  table.kind = "check";
  const auto add = [&](std::string name, Unit unit) {
    table.columns.push_back({.name = name, .title = name, .unit = unit});
  };
  for (const char* name :
       {"verdict", "rule", "unit", "name", "before_name", "status"}) {
    add(name, Unit::kText);
  }
  for (const char* name : {"before", "after", "delta"}) {
    add(name, Unit::kNumber);
  }
  add("change", Unit::kShare);
  add("noise", Unit::kNumber);
  add("before_steps", Unit::kCount);
  add("after_steps", Unit::kCount);
  std::vector<std::pair<const CheckRule*, const CheckedRow*>> rows =
      RowsOf(report);
  table.num_rows = table.total_rows = rows.size();
  table.cells = [rows = std::move(rows)](size_t index,
                                         std::vector<DataCell>& cells) {
    const auto& [rule, row] = rows[index];
    const Measured& m = row->measured;
    const auto number = [](bool there, double value) {
      return there ? DataCell(value) : DataCell();
    };
    const std::optional<double> change = m.change();
    cells = {TextCell(VerdictName(row->verdict)),
             TextCell(rule->text),
             TextCell(UnitName(rule->unit)),
             TextCell(m.name),
             m.before_name.empty() ? DataCell() : TextCell(m.before_name),
             TextCell(StatusName(m)),
             number(m.in_before, m.before),
             number(m.in_after, m.after),
             m.delta(),
             number(change.has_value(), change.value_or(0)),
             number(m.noise.has_value(), m.noise.value_or(0)),
             static_cast<int64_t>(m.before_steps),
             static_cast<int64_t>(m.after_steps)};
  };
  return table;
}

DataTable CheckTable(const CheckReport& report) {
  DataTable table;
  table.kind = "check";
  for (const char* name : {"verdict", "rule", "name", "before", "after",
                           "delta", "change", "noise"}) {
    table.columns.push_back({.name = name, .title = name});
  }
  std::vector<std::pair<const CheckRule*, const CheckedRow*>> rows =
      RowsOf(report);
  table.num_rows = table.total_rows = rows.size();
  table.cells = [rows](size_t index, std::vector<DataCell>& cells) {
    const auto& [rule, row] = rows[index];
    cells.assign(1, std::string(VerdictName(row->verdict)));
    cells.emplace_back(rule->text);
    cells.emplace_back(Title(row->measured));
    AddMeasured(row->measured, rule->unit, cells);
  };
  return table;
}

std::string CheckMarkdown(const CheckReport& report,
                          const MarkdownLimits& limits) {
  std::string text =
      fmt::format("**{}** {}\n\n", report.failed() ? "FAIL" : "PASS",
                  CheckSummary(report)) +
      MarkdownRows(CheckTable(report), limits);
  if (!report.ops.empty()) {
    text += "\nOperation types that changed most:\n\n" +
            MarkdownRows(ContributorTable(report.ops, "op"), limits);
  }
  if (!report.nodes.empty()) {
    text += "\nNodes that changed most:\n\n" +
            MarkdownRows(ContributorTable(report.nodes, "node"), limits);
  }
  return text;
}

}  // namespace tfprof
