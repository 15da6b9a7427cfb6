#include "compare/rule.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "accounting/statistics.h"
#include "compare/compare_testing.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(ParseCheckRuleTest, ARuleHasARowAFieldAndALimit) {
  const CheckRule rule = ParsedRule(" op:Conv2D.*.micros >= +5% ");
  EXPECT_EQ(rule.text, "op:Conv2D.*.micros >= +5%");
  EXPECT_EQ(rule.scope, CheckRule::Scope::kView);
  EXPECT_EQ(rule.view, views::View::kOp);
  EXPECT_EQ(rule.name, "Conv2D.*");
  EXPECT_EQ(rule.field, "micros");
  EXPECT_EQ(rule.stat, accounting::kMicros);
  EXPECT_EQ(rule.compare, CheckRule::Compare::kAtLeast);
  EXPECT_EQ(rule.against, CheckRule::Against::kChangeShare);
  EXPECT_DOUBLE_EQ(rule.number, 0.05);
}

TEST(ParseCheckRuleTest, ASignMakesAChange) {
  EXPECT_EQ(ParsedRule("total.micros>5ms").against, CheckRule::Against::kValue);
  EXPECT_EQ(ParsedRule("total.micros > +5ms").against,
            CheckRule::Against::kChange);
  EXPECT_EQ(ParsedRule("total.micros > 5%").against,
            CheckRule::Against::kChangeShare);
  EXPECT_DOUBLE_EQ(ParsedRule("total.micros < -1.5 s").number, -1500000);
  EXPECT_DOUBLE_EQ(ParsedRule("total.peak_bytes > 2GB").number, 2e9);
  EXPECT_DOUBLE_EQ(ParsedRule("total.params > +0").number, 0);
}

TEST(ParseCheckRuleTest, NamesMayHoldAnything) {
  EXPECT_EQ(ParsedRule("scope:a.b/c:0.bytes > 1").name, "a.b/c:0");
  EXPECT_EQ(ParsedRule("code:m.py:12:(?P<f>x y).*.micros > 1").name,
            "m.py:12:(?P<f>x y).*");
  EXPECT_EQ(ParsedRule("op:total.micros > 1").name, "total");
}

// A statistic has a name in data, and a word in -select and older rules.
TEST(ParseCheckRuleTest, AStatisticHasTwoNames) {
  for (const accounting::Statistic& s : accounting::kStatistics) {
    for (const std::string_view name : {s.name, s.word}) {
      const CheckRule rule = ParsedRule(fmt::format("total.{} > 1", name));
      EXPECT_EQ(rule.stat, s.stat) << name;
      EXPECT_EQ(rule.unit, s.unit) << name;
      EXPECT_EQ(rule.field, s.name) << name;
    }
  }
}

TEST(ParseCheckRuleTest, OnlyAStepHasASpan) {
  EXPECT_EQ(ParsedRule("step.span_micros > +10%").of_step,
            CheckRule::OfStep::kWall);
  EXPECT_EQ(ParsedRule("step.span_micros > +10%").field, "span_micros");
  EXPECT_EQ(ParsedRule("step.micros > +10%").of_step,
            CheckRule::OfStep::kStatistic);
  EXPECT_EQ(ParsedRule("step.period_micros > +5%").of_step,
            CheckRule::OfStep::kPeriod);
  EXPECT_EQ(ParsedRule("max step.memory_bytes > 2GB").of_step,
            CheckRule::OfStep::kMemory);
  EXPECT_EQ(ParsedRule("max step.memory_bytes > 2GB").number, 2e9);
}

// "column N: what".
std::string ErrorOf(std::string_view text) {
  const auto rule = ParseCheckRule(text);
  EXPECT_FALSE(rule.ok()) << text;
  if (rule.ok()) return "";
  EXPECT_TRUE(absl::IsInvalidArgument(rule.status()));
  return std::string(rule.status().message());
}

TEST(ParseCheckRuleTest, ErrorsPointToTheColumn) {
  EXPECT_EQ(ErrorOf("op:MatMul.micro > +5%"),
            "column 11: 'micro' is no field; there are micros, "
            "accelerator_micros, cpu_micros, requested_bytes, peak_bytes, "
            "residual_bytes, output_bytes, parameters, float_ops, runs, "
            "step.span_micros, step.period_micros and step.memory_bytes\n"
            "  op:MatMul.micro > +5%\n"
            "            ^");
  EXPECT_THAT(ErrorOf(""), StartsWith("column 1: an operator is missing"));
  EXPECT_THAT(ErrorOf("total.micros"),
              StartsWith("column 13: an operator is missing"));
  EXPECT_THAT(ErrorOf("> 5"), StartsWith("column 1: a row is missing"));
  EXPECT_THAT(ErrorOf("ops:x.micros > 5"),
              StartsWith("column 1: 'ops' is none of op, scope, graph, code"));
  EXPECT_THAT(ErrorOf("op.micros > 5"),
              StartsWith("column 3: a name is missing"));
  EXPECT_THAT(ErrorOf("op:.micros > 5"),
              StartsWith("column 4: the name is empty"));
  EXPECT_THAT(ErrorOf("op:MatMul > 5"),
              StartsWith("column 10: a field is missing"));
  EXPECT_THAT(ErrorOf("total:x.micros > 5"),
              StartsWith("column 6: total has no names"));
  EXPECT_THAT(ErrorOf("op:a(b.micros > 5"),
              StartsWith("column 4: 'a(b' is no regular expression"));
  EXPECT_THAT(ErrorOf("op:x.span_micros > 5"),
              StartsWith("column 6: only a step has span_micros"));
  EXPECT_THAT(ErrorOf("total.micros > "),
              StartsWith("column 16: a number is missing"));
  EXPECT_THAT(ErrorOf("total.micros > +inf"),
              StartsWith("column 17: a number is missing"));
  EXPECT_THAT(ErrorOf("total.micros > --5"),
              StartsWith("column 17: a number is missing"));
  EXPECT_THAT(ErrorOf("total.micros > 5m"),
              StartsWith("column 17: 'm' is no unit"));
  EXPECT_THAT(ErrorOf("total.micros > 5GB"),
              StartsWith("column 17: micros is not in GB"));
  // Columns count characters.
  EXPECT_THAT(ErrorOf("op:äö.micro > 5"), StartsWith("column 7: 'micro'"));
}

TEST(ParseCheckRulesTest, OneRulePerLine) {
  const auto rules = ParseCheckRules(
      "# times\n\n  total.micros > +5%\r\ntotal.bytes > 1KB", "f");
  ASSERT_TRUE(rules.ok());
  ASSERT_EQ(rules->size(), 2);
  EXPECT_EQ((*rules)[1].text, "total.bytes > 1KB");
  const auto wrong = ParseCheckRules("total.micros > 1\nx\n", "rules.txt");
  EXPECT_THAT(std::string(wrong.status().message()),
              StartsWith("rules.txt: line 2, column 2: an operator"));
}

TEST(ParseCheckRulesTest, AFileWithoutRulesIsEmpty) {
  for (const char* text : {"", "\n\r\n", "# nothing", "  \t\n   # more\n"}) {
    const auto rules = ParseCheckRules(text, "f");
    ASSERT_TRUE(rules.ok()) << rules.status();
    EXPECT_THAT(*rules, IsEmpty());
  }
}

TEST(ParseCheckRuleTest, Operators) {
  using Compare = CheckRule::Compare;
  EXPECT_EQ(ParsedRule("total.micros > 1").compare, Compare::kMore);
  EXPECT_EQ(ParsedRule("total.micros >= 1").compare, Compare::kAtLeast);
  EXPECT_EQ(ParsedRule("total.micros < 1").compare, Compare::kLess);
  EXPECT_EQ(ParsedRule("total.micros <= 1").compare, Compare::kAtMost);
}

TEST(ParseCheckRuleTest, UnitsAreDecimal) {
  const auto number = [](std::string_view text) {
    return ParsedRule(text).number;
  };
  EXPECT_DOUBLE_EQ(number("total.micros > 2us"), 2);
  EXPECT_DOUBLE_EQ(number("total.micros > 2ms"), 2e3);
  EXPECT_DOUBLE_EQ(number("total.micros > 2s"), 2e6);
  EXPECT_DOUBLE_EQ(number("total.peak_bytes > 2B"), 2);
  EXPECT_DOUBLE_EQ(number("total.peak_bytes > .5KB"), 500);
  EXPECT_DOUBLE_EQ(number("total.peak_bytes > 2 MB"), 2e6);
  EXPECT_DOUBLE_EQ(number("total.peak_bytes > 2"), 2);
}

TEST(ParseCheckRuleTest, AUnitMustFitTheField) {
  EXPECT_THAT(ErrorOf("total.runs > 5ms"),
              StartsWith("column 15: runs is not in ms"));
  EXPECT_THAT(ErrorOf("total.peak_bytes > 5s"),
              StartsWith("column 21: peak_bytes is not in s"));
  EXPECT_EQ(ParsedRule("total.runs > +5%").stat, accounting::kRunCount);
}

TEST(ParseCheckRuleTest, NumbersThatAreTooLargeOrHexadecimalAreErrors) {
  EXPECT_THAT(ErrorOf(fmt::format("total.micros > {:9>400}", "")),
              StartsWith("column 16: a number is missing"));
  EXPECT_THAT(ErrorOf("total.micros > 0x10"),
              StartsWith("column 17: 'x10' is no unit"));
  EXPECT_THAT(ErrorOf("total.micros > 1e3"),
              StartsWith("column 17: 'e3' is no unit"));
  EXPECT_THAT(ErrorOf("total.micros > nan"),
              StartsWith("column 16: a number is missing"));
}

TEST(ParseCheckRuleTest, TabsAreBlanksInTheErrorToo) {
  EXPECT_EQ(ErrorOf("total.micros\t>\tx"),
            "column 16: a number is missing: +5%, 5ms\n"
            "  total.micros > x\n"
            "                 ^");
}

TEST(ParseCheckRuleTest, ScopesAndViews) {
  using Scope = CheckRule::Scope;
  EXPECT_EQ(ParsedRule("total.micros > 1").scope, Scope::kTotal);
  EXPECT_EQ(ParsedRule("step.micros > 1").scope, Scope::kStep);
  EXPECT_EQ(ParsedRule("graph:a.micros > 1").scope, Scope::kView);
  for (const views::View view : {views::View::kOp, views::View::kScope,
                                 views::View::kGraph, views::View::kCode}) {
    const std::string text = fmt::format("{}:a.micros > 1", ViewName(view));
    EXPECT_EQ(ParsedRule(text).view, view);
  }
}

TEST(ParseCheckRuleTest, Aggregates) {
  EXPECT_EQ(ParsedRule("total.micros > +5%").aggregate, Aggregate::kMedian);
  EXPECT_EQ(ParsedRule("mean total.micros > +5%").aggregate, Aggregate::kMean);
  const CheckRule rule = ParsedRule("p90 op:a b.*.micros > +5%");
  EXPECT_EQ(rule.aggregate, Aggregate::kP90);
  EXPECT_EQ(rule.name, "a b.*");
  EXPECT_EQ(ParsedRule("max step.span_micros > 1ms").aggregate,
            Aggregate::kMax);
  EXPECT_FALSE(ParseCheckRule("mode total.micros > +5%").ok());
  EXPECT_FALSE(ParseCheckRule("mean > +5%").ok());
}

TEST(ParseCheckRuleTest, NewOpsAndNumbersOfSteps) {
  const CheckRule fresh = ParsedRule("new.micros > 5%");
  EXPECT_EQ(fresh.scope, CheckRule::Scope::kNew);
  EXPECT_DOUBLE_EQ(fresh.number, 0.05);
  EXPECT_EQ(fresh.against, CheckRule::Against::kValue);
  const CheckRule steps = ParsedRule("steps.count < -0");
  EXPECT_EQ(steps.scope, CheckRule::Scope::kSteps);
  EXPECT_EQ(steps.against, CheckRule::Against::kChange);
  for (const char* text : {"new.micros > 5", "new.micros > +5%",
                           "steps.micros > 1", "total.count > 1"}) {
    EXPECT_FALSE(ParseCheckRule(text).ok()) << text;
  }
}

TEST(ParseCheckRuleTest, AMinimumIsAShareOfTheTotal) {
  EXPECT_EQ(ParsedRule("op:a.micros > +5%").min_share, 0);
  const CheckRule rule = ParsedRule("op: min 3%.*.micros > +5ms  min  2.5%");
  EXPECT_EQ(rule.name, " min 3%.*");
  EXPECT_DOUBLE_EQ(rule.min_share, 0.025);
  EXPECT_DOUBLE_EQ(rule.number, 5000);
  EXPECT_EQ(ErrorOf("total.micros > +5% min 1%"),
            "column 19: only rows of op, scope, graph and code have a minimum\n"
            "  total.micros > +5% min 1%\n"
            "                    ^");
  for (const char* text :
       {"op:a.micros > +5% min 1", "op:a.micros > +5% min",
        "op:a.micros > +5% min -1%", "op:a.micros > +5% min 101%",
        "op:a.micros > +5% min 1% 2%", "op:a.micros > min 1%"}) {
    EXPECT_FALSE(ParseCheckRule(text).ok()) << text;
  }
}

TEST(DefaultCheckRulesTest, TimeMemoryNewOpsAndSteps) {
  std::vector<std::string> texts;
  for (const CheckRule& rule : DefaultCheckRules()) texts.push_back(rule.text);
  EXPECT_THAT(
      texts,
      ElementsAre("mean step.span_micros > +10%",
                  "mean step.period_micros > +10%", "mean total.micros > +10%",
                  "mean total.requested_bytes > +10%",
                  "max total.peak_bytes > +10%", "max step.memory_bytes > +10%",
                  "recurring step.span_micros > +20%", "new.micros > 1%",
                  "steps.count < -0", "recurring op:.*.micros > +30% min 1%",
                  "op:.*.accelerator_micros > +5% min 1%"));
}

}  // namespace
}  // namespace tfprof::compare
