#include "compare/junit.h"

#include <algorithm>
#include <string_view>

#include "compare/check_text.h"
#include "fmt/format.h"
#include "util/text/safe_text.h"

namespace tfprof::compare {
namespace {

// `text` as the value of an attribute or the content of an element.
std::string Xml(std::string_view text) {
  std::string xml;
  for (const char c : util::SafeText(text)) {
    switch (c) {
      case '&':
        xml += "&amp;";
        break;
      case '<':
        xml += "&lt;";
        break;
      case '>':
        xml += "&gt;";
        break;
      case '"':
        xml += "&quot;";
        break;
      default:
        xml += c;
    }
  }
  return xml;
}

size_t CountFailed(const CheckedRule& rule) {
  return static_cast<size_t>(std::count_if(
      rule.rows.begin(), rule.rows.end(),
      [](const CheckedRow& row) { return row.verdict == Verdict::kFail; }));
}

std::string Case(const CheckRule& rule, const CheckedRow& row) {
  const std::string change = DescribeChange(row.measured, rule.unit);
  std::string text =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\">\n",
                  Xml(rule.text), Xml(row.measured.name));
  if (row.verdict == Verdict::kFail) {
    text += fmt::format(
        "      <failure type=\"regression\" message=\"{}\">{} breaks {}"
        "</failure>\n",
        Xml(fmt::format("{}: {}", row.measured.name, change)), Xml(change),
        Xml(rule.text));
  } else {
    text += fmt::format(
        "      <system-out>{}{}</system-out>\n",
        row.verdict == Verdict::kWithinNoise ? "within noise: " : "",
        Xml(change));
  }
  return text + "    </testcase>\n";
}

std::string SkippedCase(const CheckedRule& rule) {
  return fmt::format(
      "    <testcase classname=\"{0}\" name=\"{0}\">\n"
      "      <skipped message=\"{1}\"/>\n"
      "    </testcase>\n",
      Xml(rule.rule.text), Xml(rule.reason));
}

}  // namespace

std::string CheckJunit(const CheckReport& report) {
  size_t tests = 0, failures = 0;
  std::string suites;
  for (const CheckedRule& rule : report.rules) {
    const size_t failed = CountFailed(rule);
    const bool skipped = rule.verdict == Verdict::kSkipped;
    const size_t suite_tests = rule.rows.size() + (skipped ? 1 : 0);
    tests += suite_tests;
    failures += failed;
    suites +=
        fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n",
                    Xml(rule.rule.text), suite_tests, failed);
    for (const CheckedRow& row : rule.rows) suites += Case(rule.rule, row);
    if (skipped) suites += SkippedCase(rule);
    suites += "  </testsuite>\n";
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"tfprof check\" tests=\"{}\" failures=\"{}\">\n{}"
      "</testsuites>\n",
      tests, failures, suites);
}

}  // namespace tfprof::compare
