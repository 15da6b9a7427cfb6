#include "advisor/advice_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "fmt/format.h"
#include "tables/numbers.h"
#include "util/ansi.h"
#include "util/json_string.h"
#include "util/safe_text.h"
#include "util/text_layout.h"

namespace tfprof {
namespace {

using Severity = Finding::Severity;

// Its metric has a number in this finding.
bool IsMeasured(const Rule* rule) {
  return rule != nullptr && !rule->metric.empty();
}

bool HasThreshold(const Rule* rule) {
  return rule != nullptr && !rule->threshold_option.empty();
}

// `number` in the unit of the rule's threshold, where it has one.
std::string InUnitOf(const Checker& checker, const Rule& rule, double number) {
  const CheckerOption* option = ThresholdOption(checker, rule);
  const std::string_view unit = option == nullptr ? "" : option->unit;
  // Beyond, a double is no whole number of anything.
  constexpr double kExact = 9007199254740992;
  if (std::abs(number) < kExact) {
    const auto whole = static_cast<int64_t>(std::llround(number));
    if (unit == "us") return FormatMicros(whole);
    if (unit == "bytes") return FormatBytes(whole);
    if (static_cast<double>(whole) == number) return fmt::format("{}", whole);
  }
  return fmt::format("{:.4g}", number);
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// `text` without what would end or redraw the line it is put in.
std::string OneLine(std::string_view text) {
  std::string one;
  for (const std::string_view line : LinesOf(text)) {
    if (line.data() != text.data()) one += "; ";
    AppendSafeText(line, &one);
  }
  return one;
}

std::string Label(std::string_view verb) {
  return fmt::format("  {:<6}", verb);
}

std::string_view ColorOf(Severity severity) {
  switch (severity) {
    case Severity::kCritical:
      return kRed;
    case Severity::kWarning:
      return kYellow;
    case Severity::kInfo:
      break;
  }
  return "";
}

std::string Colored(std::string_view text, std::string_view color,
                    const AdviceLook& look) {
  return look.color && !color.empty()
             ? fmt::format("{}{}{}", color, text, kReset)
             : std::string(text);
}

void AppendFinding(const RankedFinding& ranked, const AdviceLook& look,
                   std::string* text) {
  const Finding& f = *ranked.finding;
  *text +=
      fmt::format("\n{}  {}{}{}\n",
                  Colored(fmt::format("{:<8}", SeverityName(f.severity)),
                          ColorOf(f.severity), look),
                  f.rule, f.subject.empty() ? "" : "  ", OneLine(f.subject));
  const auto add = [&](std::string_view verb, std::string_view what) {
    const std::string label = Label(verb);
    *text += label;
    AppendWrapped(SafeLines(what), label.size(), text, look.columns);
  };
  *text += "  ";
  AppendWrapped(SafeLines(f.text), 2, text, look.columns);
  if (f.saving_micros > 0) {
    add("saves",
        fmt::format("up to {} per step", FormatMicros(f.saving_micros)));
  }
  if (!f.advice.empty()) add("do", f.advice);
  // In one line, however long: it is there to be copied.
  if (!f.evidence.empty()) {
    *text += Label("see") + OneLine(f.evidence) + "\n";
  }
}

std::string Summary(const Advice& advice) {
  const size_t critical = CountFindings(advice, Severity::kCritical);
  const size_t warnings = CountFindings(advice, Severity::kWarning);
  const size_t infos = CountFindings(advice, Severity::kInfo);
  std::vector<std::string> parts;
  if (critical > 0) parts.push_back(fmt::format("{} critical", critical));
  if (warnings > 0) parts.push_back(Counted(warnings, "warning"));
  if (parts.empty()) parts.emplace_back("Nothing to advise");
  if (infos > 0) parts.push_back(fmt::format("{} for information", infos));
  std::string line = fmt::format("{}.", fmt::join(parts, ", "));
  const auto lacking = static_cast<size_t>(std::count_if(
      advice.sections.begin(), advice.sections.end(),
      [](const Advice::Section& section) { return !section.notes.empty(); }));
  if (lacking > 0) {
    line += fmt::format(" Of {}, {} lacked records.",
                        Counted(advice.sections.size(), "checker"), lacking);
  }
  return line + "\n";
}

constexpr size_t kNumColumns = 7;
using TableRow = std::array<std::string, kNumColumns>;

TableRow MakeRow(const RankedFinding& ranked) {
  const Finding& f = *ranked.finding;
  const Rule* rule = FindRule(*ranked.checker, f.rule);
  const auto number = [&](bool there, double value) {
    return there ? InUnitOf(*ranked.checker, *rule, value) : "-";
  };
  return {std::string(SeverityName(f.severity)),
          std::string(f.rule),
          f.subject.empty() ? "-" : OneLine(f.subject),
          number(IsMeasured(rule), f.value),
          number(HasThreshold(rule), f.threshold),
          f.saving_micros > 0 ? FormatMicros(f.saving_micros) : "-",
          OneLine(f.text)};
}

std::string JsonNumber(bool there, double value) {
  return there && std::isfinite(value) ? fmt::format("{}", value) : "null";
}

std::string JsonFinding(const RankedFinding& ranked) {
  const Finding& f = *ranked.finding;
  const Rule* rule = FindRule(*ranked.checker, f.rule);
  return fmt::format(
      R"({{"rule":{},"checker":{},"severity":{},"subject":{},"metric":{},)"
      R"("value":{},"threshold":{},"saving_micros":{},"evidence":{},)"
      R"("advice":{},"text":{}}})",
      JsonString(f.rule), JsonString(ranked.checker->name),
      JsonString(SeverityName(f.severity)), JsonString(f.subject),
      IsMeasured(rule) ? JsonString(rule->metric) : "null",
      JsonNumber(IsMeasured(rule), f.value),
      JsonNumber(HasThreshold(rule), f.threshold),
      f.saving_micros > 0 ? fmt::format("{}", f.saving_micros) : "null",
      JsonString(f.evidence), JsonString(f.advice), JsonString(f.text));
}

// "[a,b]", an element a line.
std::string JsonList(const std::vector<std::string>& elements) {
  if (elements.empty()) return "[]";
  return fmt::format("[\n{}\n]", fmt::join(elements, ",\n"));
}

}  // namespace

std::string Counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string AdviceReport(const Advice& advice) {
  std::string text;
  for (const Advice::Section& section : advice.sections) {
    text += fmt::format("\n{}:\n", section.checker->name);
    for (const Finding& finding : section.findings) text += finding.text + "\n";
  }
  return text;
}

std::string AdviceScreen(const Advice& advice, const AdviceLook& look) {
  std::string text;
  for (const Advice::Section& section : advice.sections) {
    if (!text.empty()) text += '\n';
    text += Colored(fmt::format("{}:", section.checker->name), kBold, look);
    text += '\n';
    if (section.findings.empty()) text += "  nothing\n";
    for (const Finding& finding : section.findings) {
      std::string lines;
      for (const std::string_view line : LinesOf(finding.text)) {
        if (line.empty()) continue;  // behind the last newline
        lines += "  ";
        AppendWrapped(SafeText(line), 4, &lines, look.columns);
      }
      const std::string_view color = ColorOf(finding.severity);
      if (!look.color || color.empty()) {
        text += lines;
        continue;
      }
      lines.pop_back();  // the newline, which no colour goes over
      text += Colored(lines, color, look) + "\n";
    }
  }
  return text;
}

std::string AdviceText(const Advice& advice, const AdviceLook& look) {
  std::string text = Summary(advice);
  for (const RankedFinding& ranked : Rank(advice)) {
    AppendFinding(ranked, look, &text);
  }
  return text;
}

std::string AdviceTable(const Advice& advice) {
  std::vector<TableRow> rows = {
      {"severity", "rule", "subject", "value", "threshold", "saves", "text"}};
  for (const RankedFinding& ranked : Rank(advice)) {
    rows.push_back(MakeRow(ranked));
  }
  std::array<size_t, kNumColumns> widths = {};
  for (const TableRow& row : rows) {
    for (size_t c = 0; c < kNumColumns; ++c) {
      widths[c] = std::max(widths[c], Columns(row[c]));
    }
  }
  std::string text;
  for (const TableRow& row : rows) {
    for (size_t c = 0; c + 1 < kNumColumns; ++c) {
      const bool is_number = c >= 3;
      if (is_number) text.append(widths[c] - Columns(row[c]), ' ');
      AppendPadded(row[c], is_number ? 0 : widths[c], &text);
      text += "  ";
    }
    text += row[kNumColumns - 1] + "\n";
  }
  return text;
}

std::string AdviceJson(const Advice& advice) {
  std::vector<std::string> checkers, findings, notes;
  for (const Advice::Section& section : advice.sections) {
    checkers.push_back(JsonString(section.checker->name));
    for (const std::string& note : section.notes) {
      notes.push_back(JsonString(note));
    }
  }
  for (const RankedFinding& ranked : Rank(advice)) {
    findings.push_back(JsonFinding(ranked));
  }
  return fmt::format(
      R"({{"schema":"tfprof.advise","version":1,
"checkers":{},
"findings":{},
"notes":{},
"counts":{{"critical":{},"warning":{},"info":{}}},
"returned":{},"total":{},"truncated":false}}
)",
      JsonList(checkers), JsonList(findings), JsonList(notes),
      CountFindings(advice, Severity::kCritical),
      CountFindings(advice, Severity::kWarning),
      CountFindings(advice, Severity::kInfo), findings.size(), findings.size());
}

}  // namespace tfprof
