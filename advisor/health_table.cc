#include "advisor/health_table.h"

#include <string>
#include <utility>

#include "tables/table_builder.h"

namespace tfprof::advisor {

using Severity = Finding::Severity;

std::string_view HealthVerdict(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "ok";
    case Severity::kWarning:
      return "warn";
    case Severity::kCritical:
      break;
  }
  return "bad";
}

tables::DataTable HealthTable(const Advice& advice) {
  tables::TableBuilder table(
      "doctor", {{"verdict", "", util::Unit::kText},
                 {"check", "check", util::Unit::kText},
                 {.name = "found", .title = "found", .prose = true},
                 {.name = "advice", .title = "what to do", .prose = true}});
  for (const Severity severity :
       {Severity::kCritical, Severity::kWarning, Severity::kInfo}) {
    const std::string name(HealthVerdict(severity));
    table.AddFact({name, name, util::Unit::kCount},
                  static_cast<int64_t>(CountFindings(advice, severity)));
  }
  for (const Advice::Section& section : advice.sections) {
    for (const Finding& finding : section.findings) {
      table.AddRow({tables::TextCell(HealthVerdict(finding.severity)),
                    tables::TextCell(finding.rule),
                    tables::TextCell(finding.text),
                    tables::TextCell(finding.advice)});
    }
  }
  return std::move(table).Build();
}

const Finding* FirstBad(const Advice& advice) {
  for (const Advice::Section& section : advice.sections) {
    for (const Finding& finding : section.findings) {
      if (finding.severity == Severity::kCritical) return &finding;
    }
  }
  return nullptr;
}

}  // namespace tfprof::advisor
