#include "advisor/advice_answer.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "advisor/advice_text.h"
#include "fmt/format.h"
#include "tables/table_builder.h"
#include "util/text/counted.h"

namespace tfprof::advisor {
namespace {

using Severity = Finding::Severity;

// The name of the unit of a rule's numbers, if its threshold has one.
tables::DataCell UnitCell(const Checker& checker, const Rule& rule) {
  const CheckerOption* option = ThresholdOption(checker, rule);
  if (option == nullptr) return {};
  const std::string_view unit = option->unit;
  return tables::TextCell(unit == "us"      ? "micros"
                          : unit == "ratio" ? "number"
                                            : unit);
}

tables::DataTable FindingTable(const Advice& advice) {
  tables::TableBuilder table(
      "findings",
      {{.name = "severity", .title = "severity"},
       {.name = "rule", .title = "rule"},
       {.name = "checker", .title = "checker", .rank = 3, .data_only = true},
       {.name = "subject", .title = "subject", .rank = 1},
       {.name = "metric", .title = "metric", .rank = 2, .data_only = true},
       {.name = "unit", .title = "unit", .rank = 2, .data_only = true},
       {.name = "value",
        .title = "value",
        .unit = util::Unit::kNumber,
        .rank = 2,
        .unit_column = "unit"},
       {.name = "threshold",
        .title = "threshold",
        .unit = util::Unit::kNumber,
        .rank = 2,
        .unit_column = "unit"},
       {.name = "saving_micros",
        .title = "saves",
        .unit = util::Unit::kMicros,
        .rank = 1},
       {.name = "evidence", .title = "see", .rank = 2, .data_only = true},
       {.name = "advice", .title = "do", .rank = 1, .data_only = true},
       {.name = "text", .title = "text", .prose = true}});
  for (const RankedFinding& ranked : Rank(advice)) {
    const Finding& f = *ranked.finding;
    const Rule* rule = FindRule(*ranked.checker, f.rule);
    const bool measured = rule != nullptr && !rule->metric.empty();
    const bool limited = rule != nullptr && !rule->threshold_option.empty();
    table.AddRow(
        {tables::TextCell(SeverityName(f.severity)), tables::TextCell(f.rule),
         tables::TextCell(ranked.checker->name),
         f.subject.empty() ? tables::DataCell() : tables::TextCell(f.subject),
         measured ? tables::TextCell(rule->metric) : tables::DataCell(),
         limited ? UnitCell(*ranked.checker, *rule) : tables::DataCell(),
         measured ? tables::DataCell(f.value) : tables::DataCell(),
         limited ? tables::DataCell(f.threshold) : tables::DataCell(),
         tables::IntCell(f.saving_micros, f.saving_micros > 0),
         tables::TextCell(f.evidence), tables::TextCell(f.advice),
         tables::TextCell(f.best_text())});
  }
  return std::move(table).Build();
}

tables::DataTable CheckerTable(const Advice& advice) {
  tables::TableBuilder table(
      "checkers", {{.name = "checker", .title = "checker"},
                   {"findings", "findings", util::Unit::kCount},
                   {.name = "lacked", .title = "lacked", .prose = true},
                   {.name = "looked_for",
                    .title = "looked for",
                    .rank = 1,
                    .prose = true,
                    .data_only = true},
                   {.name = "not_judged",
                    .title = "not judged because",
                    .rank = 1,
                    .prose = true}});
  for (const Advice::Section& section : advice.sections) {
    int64_t findings = 0;
    for (const Finding& f : section.findings) findings += f.IsReported();
    table.AddRow(
        {tables::TextCell(section.checker->name), findings,
         section.notes.empty() ? tables::DataCell()
                               : tables::TextCell(fmt::format(
                                     "{}", fmt::join(section.notes, "\n"))),
         tables::TextCell(section.checker->help),
         section.unjudged.empty() ? tables::DataCell()
                                  : tables::TextCell(section.unjudged)});
  }
  return std::move(table).Build();
}

}  // namespace

tables::Answer AdviceAnswer(Advice advice, AdviceOrder order) {
  tables::Answer answer;
  const Advice& kept = answer.Keep(std::move(advice));
  answer.data.kind = "advise";
  for (const Severity severity :
       {Severity::kCritical, Severity::kWarning, Severity::kInfo}) {
    const std::string name(SeverityName(severity));
    answer.data.facts.push_back(
        {{name, name, util::Unit::kCount},
         static_cast<int64_t>(CountFindings(kept, severity))});
  }
  answer.data.parts.push_back({"Findings", FindingTable(kept)});
  answer.data.parts.push_back({"Checkers", CheckerTable(kept)});
  for (const Advice::Section& section : kept.sections) {
    answer.notes.insert(answer.notes.end(), section.notes.begin(),
                        section.notes.end());
  }

  answer.forms.push_back(
      {.name = "proto",
       .write = [&kept](const tables::TextLook&, util::Sink& sink) {
         sink.Write(AdviceProto(kept));
       }});
  answer.reference_form = answer.own_form = "text";
  if (order == AdviceOrder::kWorstFirst) {
    answer.forms.push_back(
        {.name = "text",
         .write = [&kept](
                      const tables::TextLook& look,
                      util::Sink& sink) { sink.Write(AdviceText(kept, look)); },
         .safe = true});
    return answer;
  }
  answer.forms.push_back(
      {.name = "text",
       .write = [&kept](const tables::TextLook&,
                        util::Sink& sink) { sink.Write(AdviceReport(kept)); },
       .safe = false});
  answer.forms.push_back(
      {.name = "screen",
       .write = [&kept](
                    const tables::TextLook& look,
                    util::Sink& sink) { sink.Write(AdviceScreen(kept, look)); },
       .safe = true});
  answer.own_form = "screen";
  return answer;
}

std::string DescribeFurther(const Advice& further) {
  size_t findings = 0, checkers = 0;
  for (const Advice::Section& section : further.sections) {
    size_t of_checker = 0;
    for (const Finding& finding : section.findings) {
      if (finding.severity > Severity::kInfo) ++of_checker;
    }
    findings += of_checker;
    if (of_checker > 0) ++checkers;
  }
  if (findings == 0) return "";
  return fmt::format("{} of {}: advise all",
                     util::Counted(findings, "more finding"),
                     util::Counted(checkers, "checker"));
}

}  // namespace tfprof::advisor
