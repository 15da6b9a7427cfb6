#include "advisor/advice_data.h"

#include <utility>

namespace tfprof {

DataTable AdviceData(const Advice& advice) {
  using Severity = Finding::Severity;
  DataTable table;
  table.kind = "advise";
  table.columns = {{"severity", "severity", Unit::kText},
                   {"rule", "rule", Unit::kText},
                   {"checker", "checker", Unit::kText, false, 3},
                   {"subject", "subject", Unit::kText, false, 1},
                   {"metric", "metric", Unit::kText, false, 2},
                   {"value", "value", Unit::kNumber, false, 2},
                   {"threshold", "threshold", Unit::kNumber, false, 2},
                   {"saving_micros", "saves", Unit::kMicros, false, 1},
                   {"evidence", "see", Unit::kText, false, 2},
                   {"advice", "do", Unit::kText, false, 1},
                   {"text", "text", Unit::kText}};
  const auto fact = [&](std::string_view name, Severity severity) {
    table.facts.push_back(
        {{std::string(name), std::string(name), Unit::kCount},
         static_cast<int64_t>(CountFindings(advice, severity))});
  };
  fact("critical", Severity::kCritical);
  fact("warning", Severity::kWarning);
  fact("info", Severity::kInfo);
  std::vector<RankedFinding> findings = Rank(advice);
  table.num_rows = table.total_rows = findings.size();
  table.cells = [findings = std::move(findings)](size_t row,
                                                 std::vector<DataCell>& cells) {
    const Finding& f = *findings[row].finding;
    const Rule* rule = FindRule(*findings[row].checker, f.rule);
    const bool measured = rule != nullptr && !rule->metric.empty();
    const bool limited = rule != nullptr && !rule->threshold_option.empty();
    cells = {TextCell(SeverityName(f.severity)),
             TextCell(f.rule),
             TextCell(findings[row].checker->name),
             TextCell(f.subject),
             measured ? TextCell(rule->metric) : DataCell(),
             measured ? DataCell(f.value) : DataCell(),
             limited ? DataCell(f.threshold) : DataCell(),
             f.saving_micros > 0 ? DataCell(f.saving_micros) : DataCell(),
             TextCell(f.evidence),
             TextCell(f.advice),
             TextCell(f.text)};
  };
  return table;
}

}  // namespace tfprof
