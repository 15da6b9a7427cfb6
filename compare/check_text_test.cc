#include "compare/check_text.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/compare_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "util/text/text_layout.h"

namespace tfprof::compare {
namespace {
namespace check_text_test {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Measured Took(std::string_view name, double before, double after) {
  return {.name = name, .before = before, .after = after, .noise = 43};
}

// A report of one rule with these rows, each with its verdict.
CheckReport OneRule(std::string_view rule, std::vector<CheckedRow> rows) {
  CheckReport report;
  CheckedRule checked{.rule = ParsedRule(rule)};
  for (const CheckedRow& row : rows) {
    checked.verdict = std::max(checked.verdict, row.verdict);
  }
  checked.rows = std::move(rows);
  report.rules.push_back(std::move(checked));
  report.before_steps = report.after_steps = 12;
  return report;
}

TEST(DescribeChangeTest, InTheUnitOfTheField) {
  EXPECT_EQ(DescribeChange(Took("a", 1200, 1440), util::Unit::kMicros),
            "1.20ms -> 1.44ms, +240us (+20.0%), noise 43us");
  EXPECT_EQ(DescribeChange(Took("a", 2000, 1000), util::Unit::kBytes),
            "2.00KB -> 1.00KB, -1.00KB (-50.0%), noise 43B");
  EXPECT_EQ(DescribeChange(Took("a", 7, 8), util::Unit::kCount),
            "7 -> 8, +1 (+14.3%), noise 43");
}

TEST(DescribeChangeTest, NewAndGoneRows) {
  Measured fresh = Took("a", 0, 20);
  fresh.in_before = false;
  fresh.noise = std::nullopt;
  EXPECT_EQ(DescribeChange(fresh, util::Unit::kMicros),
            "nothing -> 20us, +20us (new)");
  Measured gone = Took("a", 20, 0);
  gone.in_after = false;
  gone.noise = std::nullopt;
  EXPECT_EQ(DescribeChange(gone, util::Unit::kMicros),
            "20us -> nothing, -20us (gone)");
}

TEST(CheckTextTest, ASkippedRuleSaysWhy) {
  CheckReport report = OneRule("op:A.micros > +5%", {});
  report.rules[0].verdict = Verdict::kSkipped;
  report.rules[0].reason = "needs 3 steps on each side";
  EXPECT_THAT(CheckText(report),
              StartsWith("skip   op:A.micros > +5%\n"
                         "       needs 3 steps on each side\n"));
  EXPECT_EQ(CheckSummary(report), "1 rule: 1 skipped.");
}

TEST(DescribeChangeTest, WithoutAnEstimateOrAShare) {
  Measured row = Took("a", 0, 20);
  row.noise = std::nullopt;
  EXPECT_EQ(DescribeChange(row, util::Unit::kMicros),
            "0us -> 20us, +20us (from 0), no noise estimate");
}

TEST(DescribeChangeTest, NumbersThatNoIntegerHoldsAreRounded) {
  Measured row = Took("a", 1, 1e300);
  row.noise = std::nullopt;
  EXPECT_EQ(DescribeChange(row, util::Unit::kMicros).substr(0, 28),
            "1us -> 1e+300, +1e+300 (+100");
}

TEST(CheckSummaryTest, CountsTheVerdictsThatOccur) {
  CheckReport report =
      OneRule("total.micros > 1s", {{Took("total", 1, 2), Verdict::kPass}});
  EXPECT_EQ(CheckSummary(report), "1 rule: 1 passed.");
  report.rules.push_back(report.rules[0]);
  report.rules.push_back(report.rules[0]);
  report.rules[1].verdict = Verdict::kFail;
  report.rules[2].verdict = Verdict::kWithinNoise;
  EXPECT_EQ(CheckSummary(report),
            "3 rules: 1 failed, 1 within noise, 1 passed.");
}

TEST(CheckTextTest, ARuleWithOneRowShowsIt) {
  EXPECT_EQ(
      CheckText(OneRule("total.micros > 1s",
                        {{Took("total", 1200, 1440), Verdict::kPass}})),
      "pass   total.micros > 1s\n"
      "       total  1.20ms  1.44ms  +240us  +20.0%  noise 43us\n"
      "\n12 steps before, 12 steps after; a rule without an aggregate uses the "
      "median.\n"
      "1 rule: 1 passed.\n");
}

TEST(CheckTextTest, OfManyRowsThoseThatPassAreCounted) {
  const std::string text = CheckText(OneRule(
      "op:.*.micros > +5%", {{Took("A", 100, 200), Verdict::kFail},
                             {Took("B", 100, 110), Verdict::kWithinNoise},
                             {Took("C", 7, 7), Verdict::kPass},
                             {Took("D", 8, 8), Verdict::kPass}}));
  EXPECT_THAT(
      text,
      StartsWith("FAIL   op:.*.micros > +5%\n"
                 "       A  100us  200us  +100us  +100.0%         noise 43us\n"
                 "       B  100us  110us   +10us   +10.0%  within noise 43us\n"
                 "       2 pass\n"));
}

TEST(CheckTextTest, AllRowsMayPass) {
  EXPECT_THAT(CheckText(OneRule("op:.*.micros > +5%",
                                {{Took("C", 7, 7), Verdict::kPass},
                                 {Took("D", 8, 8), Verdict::kPass}})),
              StartsWith("pass   op:.*.micros > +5%\n       all 2 pass\n"));
}

TEST(CheckTextTest, OldNamesAndHarmfulNames) {
  CheckedRow row = {Took("b\x1b", 100, 200), Verdict::kFail};
  row.measured.before_name = "a\n";
  EXPECT_THAT(CheckText(OneRule("op:.*.micros > +5%", {row})),
              HasSubstr("  b\\x1b (was a\\x0a)  "));
}

TEST(CheckTextTest, ListsOfWhatChangedMost) {
  CheckReport report =
      OneRule("total.micros > 1s", {{Took("total", 1, 2), Verdict::kPass}});
  EXPECT_THAT(CheckText(report), Not(HasSubstr("changed most")));
  report.ops = {Took("MatMul", 457, 549)};
  EXPECT_THAT(CheckText(report),
              HasSubstr("\nOperation types that changed most:\n"
                        "  MatMul  457us  549us  +92us  +20.1%  noise 43us\n"
                        "\n12 steps before"));
}

TEST(CheckTextTest, FewStepsHaveNoEstimateOfNoise) {
  CheckReport report =
      OneRule("total.micros > 1s", {{Took("total", 1, 2), Verdict::kPass}});
  report.before_steps = 1;
  EXPECT_THAT(
      CheckText(report),
      HasSubstr("With fewer than 3 steps on a side there is no estimate of "
                "noise for any change: record 5 steps of each run, and 20 to "
                "find what only some steps do; or set one with --noise "
                "PERCENT.\n"));
  report.noise_floor = 0.025;
  EXPECT_THAT(CheckText(report),
              HasSubstr("steps do; by --noise, changes up to 2.5% count as "
                        "noise.\n"));
  report.before_steps = 4;
  EXPECT_THAT(CheckText(report),
              HasSubstr("With fewer than 5 steps on a side there is no "
                        "estimate of noise for means and maxima: "));
  report.before_steps = 5;
  EXPECT_THAT(CheckText(report),
              HasSubstr("\nBy --noise, changes up to 2.5% count as noise.\n"));
}

TEST(CheckTextTest, LongNamesFitThePage) {
  const std::string name = "Long" + std::string(80, 'x') + "Name";
  Measured slow = {.name = name, .before = 1520, .after = 6670, .noise = 43};
  const std::string text =
      CheckText(OneRule("op:.*.micros > +5%", {{slow, Verdict::kFail}}));
  EXPECT_THAT(text, HasSubstr("xName  1.52ms  6.67ms"));
  const size_t line = text.find('\n') + 1;
  EXPECT_EQ(util::Columns(text.substr(line, text.find('\n', line) - line)),
            util::kPageColumns);
}

TEST(CheckTextTest, SharesAndTimesOfSteps) {
  Measured fresh = {.name = "Svd", .in_before = false, .after = 0.25};
  CheckReport report = OneRule("new.micros > 5%", {{fresh, Verdict::kFail}});
  report.walls = {Took("mean", 1520, 6670)};
  const std::string text = CheckText(report);
  EXPECT_THAT(text, StartsWith("FAIL   new.micros > 5%\n"
                               "       Svd  -  25.0%  +25.0%  new\n"));
  EXPECT_THAT(text,
              HasSubstr("\nWall time of a step:\n  mean  1.52ms  6.67ms"));
}

}  // namespace check_text_test
}  // namespace
}  // namespace tfprof::compare
