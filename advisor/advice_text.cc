#include "advisor/advice_text.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "tables/numbers.h"
#include "util/files/wire_writer.h"
#include "util/text/ansi.h"
#include "util/text/counted.h"
#include "util/text/safe_text.h"
#include "util/text/text_layout.h"

namespace tfprof::advisor {
namespace {

using Severity = Finding::Severity;

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// `text` without characters that would end or redraw its line.
std::string OneLine(std::string_view text) {
  std::string one;
  for (const std::string_view line : LinesOf(text)) {
    if (line.data() != text.data()) one += "; ";
    util::AppendSafeText(line, &one);
  }
  return one;
}

std::string Label(std::string_view verb) {
  return fmt::format("  {:<6}", verb);
}

std::string_view ColorOf(Severity severity) {
  switch (severity) {
    case Severity::kCritical:
      return util::kRed;
    case Severity::kWarning:
      return util::kYellow;
    case Severity::kInfo:
      break;
  }
  return "";
}

std::string Colored(std::string_view text, std::string_view color,
                    const tables::TextLook& look) {
  return look.color && !color.empty()
             ? fmt::format("{}{}{}", color, text, util::kReset)
             : std::string(text);
}

void AppendFinding(const RankedFinding& ranked, const tables::TextLook& look,
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
    util::AppendWrapped(util::SafeLines(what), label.size(), text, look.page());
  };
  *text += "  ";
  util::AppendWrapped(util::SafeLines(f.best_text()), 2, text, look.page());
  if (f.once_micros > 0) {
    add("saves", fmt::format("up to {} once, not in each step",
                             tables::FormatMicros(f.once_micros)));
  } else if (f.saving_micros > 0) {
    add("saves", fmt::format("up to {} per step",
                             tables::FormatMicros(f.saving_micros)));
  }
  if (!f.advice.empty()) add("do", f.advice);
  // A command stays on one line, however long: people copy it.
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
  if (warnings > 0) parts.push_back(util::Counted(warnings, "warning"));
  if (parts.empty()) parts.emplace_back("No problems found");
  if (infos > 0) parts.push_back(fmt::format("{} for information", infos));
  std::string line = fmt::format("{}.", fmt::join(parts, ", "));
  const auto unable = static_cast<size_t>(
      std::count_if(advice.sections.begin(), advice.sections.end(),
                    [](const Advice::Section& section) {
                      return !section.unjudged.empty();
                    }));
  if (unable > 0) {
    line += fmt::format(" {} of {} could judge this profile.",
                        advice.sections.size() - unable,
                        util::Counted(advice.sections.size(), "checker"));
  }
  return line + "\n";
}

// Lists the checkers that ran, and those that could not judge the profile. The
// list is short if there are findings.
void AppendJudged(const Advice& advice, const tables::TextLook& look,
                  std::string* text) {
  const bool problems = CountFindings(advice, Severity::kCritical) +
                            CountFindings(advice, Severity::kWarning) >
                        0;
  std::vector<const Checker*> judged;
  // Grouped by reason, in order of first appearance.
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>>
      others;
  for (const Advice::Section& section : advice.sections) {
    if (section.unjudged.empty()) {
      judged.push_back(section.checker);
      continue;
    }
    auto same = std::find_if(others.begin(), others.end(), [&](const auto& o) {
      return o.first == section.unjudged;
    });
    if (same == others.end()) {
      others.push_back({section.unjudged, {}});
      same = others.end() - 1;
    }
    same->second.push_back(section.checker->name);
  }
  const auto line = [&](size_t indent, const std::string& words) {
    text->append(indent, ' ');
    util::AppendWrapped(util::SafeLines(words), indent + 2, text, look.page());
  };
  if (!judged.empty()) *text += "\nLooked for:\n";
  if (problems) {
    std::vector<std::string_view> names;
    for (const Checker* checker : judged) names.push_back(checker->name);
    if (!names.empty()) line(2, fmt::format("{}", fmt::join(names, ", ")));
  } else {
    for (const Checker* checker : judged) {
      line(2, fmt::format("{} ({})", checker->help, checker->name));
    }
  }
  if (!others.empty()) *text += "\nNot judged:\n";
  for (const auto& [why, names] : others) {
    line(2, fmt::format("{}: {}", why, fmt::join(names, ", ")));
  }
}

}  // namespace

std::string AdviceReport(const Advice& advice) {
  std::string text;
  for (const Advice::Section& section : advice.sections) {
    text += fmt::format("\n{}:\n", section.checker->name);
    for (const Finding& finding : section.findings) text += finding.text + "\n";
  }
  return text;
}

std::string AdviceProto(const Advice& advice) {
  constexpr uint32_t kCheckers = 1, kKey = 1, kValue = 2, kReports = 2;
  std::map<std::string_view, const Advice::Section*> by_name;
  for (const Advice::Section& section : advice.sections) {
    by_name[section.checker->name] = &section;
  }
  util::WireWriter out;
  for (const auto& [name, section] : by_name) {
    const util::WireMessage entry(out, kCheckers);
    out.Bytes(kKey, name);
    const util::WireMessage checker(out, kValue);
    for (const Finding& finding : section->findings) {
      out.Bytes(kReports, finding.text);
    }
  }
  return std::string(out.bytes());
}

std::string AdviceScreen(const Advice& advice, const tables::TextLook& look) {
  std::string text;
  for (const Advice::Section& section : advice.sections) {
    if (!text.empty()) text += '\n';
    text +=
        Colored(fmt::format("{}:", section.checker->name), util::kBold, look);
    text += '\n';
    if (section.findings.empty()) text += "  nothing\n";
    for (const Finding& finding : section.findings) {
      std::string lines;
      for (const std::string_view line : LinesOf(finding.best_text())) {
        if (line.empty()) continue;  // after the last newline
        lines += "  ";
        util::AppendWrapped(util::SafeText(line), 4, &lines, look.page());
      }
      const std::string_view color = ColorOf(finding.severity);
      if (!look.color || color.empty()) {
        text += lines;
        continue;
      }
      lines.pop_back();  // no colour on the newline
      text += Colored(lines, color, look) + "\n";
    }
  }
  return text;
}

std::string AdviceText(const Advice& advice, const tables::TextLook& look) {
  std::string text = Summary(advice);
  for (const RankedFinding& ranked : Rank(advice)) {
    AppendFinding(ranked, look, &text);
  }
  AppendJudged(advice, look, &text);
  return text;
}

}  // namespace tfprof::advisor
