#include "compare/check_text.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "compare/aggregate.h"
#include "compare/noise.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "util/text/safe_text.h"
#include "util/text/text_layout.h"

namespace tfprof::compare {
namespace {

std::string Amount(double value, util::Unit unit) {
  // A double cannot represent every integer above this.
  constexpr double kExact = 9007199254740992;
  const double size = std::abs(value);
  const std::string sign = value < 0 ? "-" : "";
  if (unit == util::Unit::kShare) return fmt::format("{:.1f}%", 100 * value);
  if (!(size < kExact)) return fmt::format("{:.4g}", value);
  const auto whole = static_cast<int64_t>(std::llround(size));
  return sign + (unit == util::Unit::kMicros  ? tables::FormatMicros(whole)
                 : unit == util::Unit::kBytes ? tables::BytesText(whole)
                                              : tables::FormatCount(whole));
}

std::string Signed(double value, util::Unit unit) {
  return (value < 0 ? "" : "+") + Amount(value, unit);
}

std::string Percent(const Measured& m) {
  if (!m.in_before) return "new";
  if (!m.in_after) return "gone";
  const std::optional<double> change = m.change();
  return change ? fmt::format("{:+.1f}%", 100 * *change) : "from 0";
}

std::string Title(const Measured& m) {
  return m.before_name.empty()
             ? util::SafeText(m.name)
             : fmt::format("{} (was {})", util::SafeText(m.name),
                           util::SafeText(m.before_name));
}

std::string NoiseText(const Measured& m, util::Unit unit) {
  if (m.noise) return fmt::format("noise {}", Amount(*m.noise, unit));
  if (!m.in_before || !m.in_after) return "";
  return "no noise estimate";
}

std::string_view Heading(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSkipped:
      return "skip";
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

// Describes the noise floor in use, and whether there are too few steps for an
// estimate. Empty if there is nothing to say.
std::string NoiseNote(const CheckReport& report) {
  std::string floor;
  if (report.noise_floor > 0) {
    floor = fmt::format("changes up to {:g}% count as noise",
                        100 * report.noise_floor);
  }
  const size_t steps = std::min(report.before_steps, report.after_steps);
  if (steps >= kMinStepsForPermutation) {
    return floor.empty() ? "" : fmt::format("By --noise, {}.\n", floor);
  }
  return fmt::format(
      "With fewer than {} steps on a side there is no estimate of noise for "
      "{}: record {} steps of each run, and 20 to find what only some steps "
      "do{}.\n",
      steps < kMinStepsForNoise ? kMinStepsForNoise : kMinStepsForPermutation,
      steps < kMinStepsForNoise ? "any change" : "means and maxima",
      kMinStepsForPermutation,
      floor.empty() ? "; or set one with --noise PERCENT"
                    : "; by --noise, " + floor);
}

// Appends `rows` in columns; all but the first are right-aligned. Long names in
// the first one are shortened for the page; data has them in full.
void AppendAligned(std::vector<std::vector<std::string>> rows, size_t indent,
                   std::string* text) {
  constexpr size_t kLeastName = 20;
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], util::Columns(row[c]));
    }
  }
  size_t width = indent;
  for (const size_t of_column : widths) width += of_column + 2;
  if (width > util::kPageColumns + 2) {
    const size_t excess = width - util::kPageColumns - 2;
    widths[0] = widths[0] > excess + kLeastName
                    ? widths[0] - excess
                    : std::min(widths[0], kLeastName);
    for (auto& row : rows) row[0] = util::Shortened(row[0], widths[0], "…");
  }
  for (const auto& row : rows) {
    text->append(indent, ' ');
    for (size_t c = 0; c < row.size(); ++c) {
      const size_t fill = widths[c] - util::Columns(row[c]);
      if (c > 0) text->append(fill + 2, ' ');
      *text += row[c];
      if (c == 0) text->append(fill, ' ');
    }
    while (!text->empty() && text->back() == ' ') text->pop_back();
    *text += '\n';
  }
}

std::vector<std::string> AlignedRow(const Measured& m, util::Unit unit) {
  return {Title(m),
          m.in_before ? Amount(m.before, unit) : "-",
          m.in_after ? Amount(m.after, unit) : "-",
          Signed(m.delta(), unit),
          Percent(m),
          NoiseText(m, unit)};
}

void AppendRule(const CheckedRule& checked, std::string* text) {
  *text += fmt::format("{:<5}  {}\n", Heading(checked.verdict),
                       util::SafeText(checked.rule.text));
  if (!checked.reason.empty()) {
    *text += fmt::format("       {}\n", checked.reason);
  }
  // A rule with one row shows it; a rule with many shows the rows that do not
  // pass.
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
  const bool none_shown = lines.empty();
  AppendAligned(std::move(lines), 7, text);
  if (passed > 0) {
    *text +=
        fmt::format("       {}{} pass\n", none_shown ? "all " : "", passed);
  }
}

void AppendContributors(std::string_view title,
                        std::span<const Measured> contributors,
                        std::string* text) {
  if (contributors.empty()) return;
  *text += fmt::format("\n{}:\n", title);
  std::vector<std::vector<std::string>> lines;
  for (const Measured& m : contributors) {
    lines.push_back(AlignedRow(m, util::Unit::kMicros));
  }
  AppendAligned(std::move(lines), 2, text);
}

}  // namespace

std::string DescribeChange(const Measured& m, util::Unit unit) {
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
  const size_t skipped = report.Count(Verdict::kSkipped);
  std::vector<std::string> parts;
  if (failed > 0) parts.push_back(fmt::format("{} failed", failed));
  if (noise > 0) parts.push_back(fmt::format("{} within noise", noise));
  if (passed > 0) parts.push_back(fmt::format("{} passed", passed));
  if (skipped > 0) parts.push_back(fmt::format("{} skipped", skipped));
  return fmt::format("{} rule{}: {}.", report.rules.size(),
                     report.rules.size() == 1 ? "" : "s",
                     fmt::join(parts, ", "));
}

std::string CheckText(const CheckReport& report) {
  std::string text;
  for (const CheckedRule& rule : report.rules) AppendRule(rule, &text);
  AppendContributors(kWallsTitle, report.walls, &text);
  AppendContributors(kOpsTitle, report.ops, &text);
  AppendContributors(kNodesTitle, report.nodes, &text);
  text += fmt::format(
      "\n{} before, {} after; a rule without an aggregate uses the median.\n",
      Steps(report.before_steps), Steps(report.after_steps));
  text += NoiseNote(report);
  return text + CheckSummary(report) + "\n";
}

}  // namespace tfprof::compare
