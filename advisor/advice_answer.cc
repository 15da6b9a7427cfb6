#include "advisor/advice_answer.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "advisor/advice_text.h"
#include "fmt/format.h"
#include "tables/table_builder.h"

namespace tfprof {
namespace {

using Severity = Finding::Severity;

// The name of the unit of a rule's numbers, if its threshold has one.
DataCell UnitCell(const Checker& checker, const Rule& rule) {
  const CheckerOption* option = ThresholdOption(checker, rule);
  if (option == nullptr) return {};
  const std::string_view unit = option->unit;
  return TextCell(unit == "us" ? "micros" : unit == "ratio" ? "number" : unit);
}

DataTable FindingTable(const Advice& advice) {
  TableBuilder table(
      "findings",
      {{.name = "severity", .title = "severity"},
       {.name = "rule", .title = "rule"},
       {.name = "checker", .title = "checker", .rank = 3, .data_only = true},
       {.name = "subject", .title = "subject", .rank = 1},
       {.name = "metric", .title = "metric", .rank = 2, .data_only = true},
       {.name = "unit", .title = "unit", .rank = 2, .data_only = true},
       {.name = "value",
        .title = "value",
        .unit = Unit::kNumber,
        .rank = 2,
        .unit_column = "unit"},
       {.name = "threshold",
        .title = "threshold",
        .unit = Unit::kNumber,
        .rank = 2,
        .unit_column = "unit"},
       {.name = "saving_micros",
        .title = "saves",
        .unit = Unit::kMicros,
        .rank = 1},
       {.name = "evidence", .title = "see", .rank = 2, .data_only = true},
       {.name = "advice", .title = "do", .rank = 1, .data_only = true},
       {.name = "text", .title = "text", .prose = true}});
  for (const RankedFinding& ranked : Rank(advice)) {
    const Finding& f = *ranked.finding;
    const Rule* rule = FindRule(*ranked.checker, f.rule);
    const bool measured = rule != nullptr && !rule->metric.empty();
    const bool limited = rule != nullptr && !rule->threshold_option.empty();
    table.AddRow({TextCell(SeverityName(f.severity)), TextCell(f.rule),
                  TextCell(ranked.checker->name),
                  f.subject.empty() ? DataCell() : TextCell(f.subject),
                  measured ? TextCell(rule->metric) : DataCell(),
                  limited ? UnitCell(*ranked.checker, *rule) : DataCell(),
                  measured ? DataCell(f.value) : DataCell(),
                  limited ? DataCell(f.threshold) : DataCell(),
                  IntCell(f.saving_micros, f.saving_micros > 0),
                  TextCell(f.evidence), TextCell(f.advice),
                  TextCell(f.best_text())});
  }
  return std::move(table).Build();
}

DataTable CheckerTable(const Advice& advice) {
  TableBuilder table("checkers",
                     {{.name = "checker", .title = "checker"},
                      {"findings", "findings", Unit::kCount},
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
        {TextCell(section.checker->name), findings,
         section.notes.empty()
             ? DataCell()
             : TextCell(fmt::format("{}", fmt::join(section.notes, "\n"))),
         TextCell(section.checker->help),
         section.unjudged.empty() ? DataCell() : TextCell(section.unjudged)});
  }
  return std::move(table).Build();
}

}  // namespace

Answer AdviceAnswer(Advice advice, AdviceOrder order) {
  Answer answer;
  const Advice& kept = answer.Keep(std::move(advice));
  answer.data.kind = "advise";
  for (const Severity severity :
       {Severity::kCritical, Severity::kWarning, Severity::kInfo}) {
    const std::string name(SeverityName(severity));
    answer.data.facts.push_back(
        {{name, name, Unit::kCount},
         static_cast<int64_t>(CountFindings(kept, severity))});
  }
  answer.data.parts.push_back({"Findings", FindingTable(kept)});
  answer.data.parts.push_back({"Checkers", CheckerTable(kept)});
  for (const Advice::Section& section : kept.sections) {
    answer.notes.insert(answer.notes.end(), section.notes.begin(),
                        section.notes.end());
  }

  answer.forms.push_back(
      {.name = "proto", .write = [&kept](const TextLook&, Sink& sink) {
         sink.Write(AdviceProto(kept));
       }});
  answer.default_form = answer.screen_form = "text";
  if (order == AdviceOrder::kWorstFirst) {
    answer.forms.push_back(
        {.name = "text",
         .write = [&kept](const TextLook& look,
                          Sink& sink) { sink.Write(AdviceText(kept, look)); },
         .safe = true});
    return answer;
  }
  answer.forms.push_back(
      {.name = "text",
       .write = [&kept](const TextLook&,
                        Sink& sink) { sink.Write(AdviceReport(kept)); },
       .safe = false});
  answer.forms.push_back(
      {.name = "screen",
       .write = [&kept](const TextLook& look,
                        Sink& sink) { sink.Write(AdviceScreen(kept, look)); },
       .safe = true});
  answer.screen_form = "screen";
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
  return fmt::format("{} of {}: advise all", Counted(findings, "more finding"),
                     Counted(checkers, "checker"));
}

}  // namespace tfprof
