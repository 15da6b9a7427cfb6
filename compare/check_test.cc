#include "compare/check.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/compare_testing.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::compare {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Verdict VerdictOf(std::string_view rule, Two& two, double floor = 0) {
  const CheckReport report = ReportOf({rule}, two, floor);
  return report.rules.empty() ? Verdict::kFail : report.rules[0].verdict;
}

constexpr char kWait[] = "cudaStreamSynchronize";
const std::vector<int64_t> kWobble = {0, 3, -2, 1, -1, 2, 0, 500};

TEST(CheckTest, RulesOfOneStep) {
  Two two(MakeProfile({{"a", "A", 100}}), MakeProfile({{"a", "A", 120}}));
  EXPECT_EQ(VerdictOf("op:A.micros > +19%", two), Verdict::kFail);
  EXPECT_EQ(VerdictOf("op:A.micros > +20%", two), Verdict::kPass);
  EXPECT_EQ(VerdictOf("op:A.micros >= +20%", two), Verdict::kFail);
  EXPECT_EQ(VerdictOf("scope:a.micros > +10us", two), Verdict::kFail);
  EXPECT_EQ(VerdictOf("graph:a.micros > +20us", two), Verdict::kPass);
  EXPECT_EQ(VerdictOf("op:A.micros > 110us", two), Verdict::kFail);
  EXPECT_EQ(VerdictOf("op:A.micros < 110us", two), Verdict::kPass);
  EXPECT_EQ(VerdictOf("total.micros > +10%", two), Verdict::kFail);
  EXPECT_EQ(VerdictOf("step.span_micros > +10%", two), Verdict::kFail);
  EXPECT_EQ(VerdictOf("total.params > +0", two), Verdict::kPass);
  const CheckReport report = ReportOf({"op:A.micros > +5%"}, two);
  EXPECT_EQ(report.rules[0].rows[0].measured.noise, std::nullopt);
}

TEST(CheckTest, AChangeWithinNoiseIsNoFailure) {
  const profile::Profile before = MakeProfile({{"a", "A", 100}}, kWobble);
  Two same(before, MakeProfile({{"a", "A", 102}}, kWobble));
  EXPECT_EQ(VerdictOf("op:A.micros > +1%", same), Verdict::kWithinNoise);
  Two slower(before, MakeProfile({{"a", "A", 120}}, kWobble));
  const CheckReport report = ReportOf({"op:A.micros > +5%"}, slower);
  ASSERT_EQ(report.rules[0].verdict, Verdict::kFail);
  const Measured& row = report.rules[0].rows[0].measured;
  // The step of 600 µs does not change the median.
  EXPECT_DOUBLE_EQ(row.before, 100.5);
  EXPECT_DOUBLE_EQ(row.delta(), 20);
  EXPECT_EQ(row.before_steps, 8);
  EXPECT_LT(*row.noise, 10);
}

TEST(CheckTest, TheFloorIsAShareOfBefore) {
  Two two(MakeProfile({{"a", "A", 100}}), MakeProfile({{"a", "A", 110}}));
  EXPECT_EQ(VerdictOf("op:A.micros > +5%", two, 0.09), Verdict::kFail);
  EXPECT_EQ(VerdictOf("op:A.micros > +5%", two, 0.10), Verdict::kWithinNoise);
}

TEST(CheckTest, NoiseExcusesNeitherLimitsNorAMissingImprovement) {
  Two two(MakeProfile({{"a", "A", 100}}, kWobble),
          MakeProfile({{"a", "A", 101}}, kWobble));
  EXPECT_EQ(VerdictOf("op:A.micros > 90us", two), Verdict::kFail);
  EXPECT_EQ(VerdictOf("op:A.micros > -5%", two), Verdict::kFail);
}

TEST(CheckTest, OneMicrosecondIsTheClock) {
  Two two(MakeProfile({{"a", "A", 3}}, {0, 0, 0, 0}),
          MakeProfile({{"a", "A", 4}}, {0, 0, 0, 0}));
  EXPECT_EQ(VerdictOf("op:A.micros > +5%", two), Verdict::kWithinNoise);
}

TEST(CheckTest, AMinimumLeavesSmallRowsAndThoseOfOneProfileOut) {
  Two two(MakeProfile({{"a", "A", 970}, {"b", "B", 20}, {"c", "C", 10}}),
          MakeProfile({{"a", "A", 970}, {"b", "B", 40}, {"d", "D", 90}}));
  EXPECT_EQ(ReportOf({"op:.*.micros > +5%"}, two).rules[0].rows.size(), 4u);
  // B has 2 % of 1000 µs before, and 3.6 % of 1100 µs after.
  for (const char* rule :
       {"op:.*.micros > +5% min 3.6%", "scope:.*.micros > +5% min 3.6%"}) {
    const CheckReport report = ReportOf({rule}, two);
    EXPECT_EQ(report.rules[0].verdict, Verdict::kFail) << rule;
  }
  const CheckReport large = ReportOf({"op:.*.micros > +5% min 3.7%"}, two);
  ASSERT_EQ(large.rules[0].rows.size(), 1u);
  EXPECT_EQ(large.rules[0].rows[0].measured.name, "A");
  EXPECT_EQ(large.rules[0].verdict, Verdict::kPass);
}

TEST(CheckTest, NewAndGoneRows) {
  Two two(MakeProfile({{"a", "A", 100}, {"b", "B", 10}}, kWobble),
          MakeProfile({{"a", "A", 100}, {"c", "C", 10}}, kWobble));
  EXPECT_EQ(VerdictOf("op:C.micros > +5%", two), Verdict::kFail);
  EXPECT_EQ(VerdictOf("op:B.micros > +5%", two), Verdict::kPass);
  EXPECT_EQ(VerdictOf("op:B.micros < -5%", two), Verdict::kFail);
  const CheckReport report = ReportOf({"op:.*.micros > +5%"}, two);
  ASSERT_EQ(report.rules[0].rows.size(), 3);
  EXPECT_EQ(report.rules[0].rows[0].measured.name, "C");
}

TEST(CheckTest, AMeanSeesWhatEveryFifthStepDoes) {
  std::vector<int64_t> usual(50), slow(50);
  for (size_t i = 0; i < 50; ++i) {
    usual[i] = slow[i] = static_cast<int64_t>(i % 7);
    if (i % 5 == 0) slow[i] += 300;
  }
  Two two(MakeProfile({{"a", "A", 100}}, usual),
          MakeProfile({{"a", "A", 100}}, slow));
  EXPECT_EQ(VerdictOf("step.span_micros > +10%", two), Verdict::kPass);
  EXPECT_EQ(VerdictOf("mean step.span_micros > +10%", two), Verdict::kFail);
  EXPECT_EQ(VerdictOf("max total.micros > 200us", two), Verdict::kFail);
  EXPECT_EQ(VerdictOf("mean op:A.micros > +10%", two), Verdict::kFail);
}

TEST(CheckTest, OneInterruptedStepMovesNoMean) {
  std::vector<int64_t> usual(20, 0), interrupted(20, 0);
  interrupted[7] = 900;
  Two two(MakeProfile({{"a", "A", 100}}, usual),
          MakeProfile({{"a", "A", 100}}, interrupted));
  EXPECT_EQ(VerdictOf("mean total.micros > +10%", two), Verdict::kWithinNoise);
}

TEST(CheckTest, OpsThatOnlyTheNewProfileHas) {
  Two two(MakeProfile({{"a", "A", 100}}),
          MakeProfile({{"a", "A", 100}, {"s", "Svd", 20}, {"t", "Tiny", 1}}));
  const CheckReport report = ReportOf({"new.micros > 5%"}, two);
  ASSERT_EQ(report.rules[0].rows.size(), 2u);
  EXPECT_EQ(report.rules[0].verdict, Verdict::kFail);
  EXPECT_EQ(report.rules[0].rows[0].measured.name, "Svd");
  EXPECT_NEAR(report.rules[0].rows[0].measured.after, 20.0 / 121, 1e-9);
  EXPECT_EQ(report.rules[0].rows[1].verdict, Verdict::kPass);
  Two same(MakeProfile({{"a", "A", 100}}), MakeProfile({{"a", "A", 100}}));
  EXPECT_EQ(VerdictOf("new.micros > 5%", same), Verdict::kPass);
}

// Waits have half of the time: without them, B has 4 % and Svd 2 %.
TEST(CheckTest, WaitsAreNeitherJudgedNorCounted) {
  Two two(
      MakeProfile({{"a", "A", 96}, {"b", "B", 4}, {"w", kWait, 100}}),
      MakeProfile(
          {{"a", "A", 94}, {"b", "B", 4}, {"s", "Svd", 2}, {"w", kWait, 300}}));
  const CheckReport rows = ReportOf({"op:.*.micros > +5% min 3%"}, two);
  ASSERT_EQ(rows.rules[0].rows.size(), 2u);
  EXPECT_EQ(rows.rules[0].verdict, Verdict::kPass);
  const CheckReport added = ReportOf({"new.micros > 1%"}, two);
  EXPECT_NEAR(added.rules[0].rows[0].measured.after, 0.02, 1e-9);
  for (const Measured& m : rows.ops) EXPECT_NE(m.name, kWait);
  for (const Measured& m : rows.nodes) EXPECT_NE(m.name, "w");
  // A rule that names a wait judges it.
  EXPECT_EQ(VerdictOf("op:cudaStreamSynchronize.micros > +50%", two),
            Verdict::kFail);
}

// Sums count what ran at the same time twice.
TEST(CheckTest, SumsAreJudgedByDefaultWhereNoWallTimeIsKnown) {
  const auto texts = [](Two& two) {
    std::vector<std::string> of_total;
    const auto report = Check(DefaultCheckRules(), 0, two.before, two.after);
    for (const CheckedRule& rule : report->rules) {
      if (rule.rule.stat == accounting::kMicros &&
          rule.rule.scope == CheckRule::Scope::kTotal) {
        of_total.push_back(rule.rule.text);
      }
    }
    return of_total;
  };
  Two timed(MakeProfile({{"a", "A", 100}}), MakeProfile({{"a", "A", 300}}));
  EXPECT_THAT(texts(timed), IsEmpty());
  Two untimed{profile::Profile(), profile::Profile()};
  EXPECT_THAT(texts(untimed), ElementsAre("mean total.micros > +10%"));
}

TEST(CheckTest, WhatComesBackByChanceIsNoise) {
  // 5, 25 and 45 are at an equal distance, and among twelve slow steps.
  std::vector<int64_t> usual(60, 0), slow(60, 0), tenth(60, 0);
  for (const size_t step : {3, 8, 9, 14, 21, 26, 33, 34, 41, 50, 56, 58}) {
    usual[step] = 200;
  }
  for (const size_t step : {5, 25, 45, 1, 2, 11, 17, 30, 31, 38, 52, 57}) {
    slow[step] = 200;
  }
  for (size_t step = 3; step < 60; step += 10) tenth[step] = 200;
  const auto of = [](const std::vector<int64_t>& wobble) {
    return MakeProfile({{"a", "A", 100}}, wobble);
  };
  constexpr std::string_view kRule = "recurring op:.*.micros > +30% min 1%";
  Two chance(of(usual), of(slow));
  EXPECT_EQ(VerdictOf(kRule, chance), Verdict::kWithinNoise);
  Two design(of(std::vector<int64_t>(60, 0)), of(tenth));
  EXPECT_EQ(VerdictOf(kRule, design), Verdict::kFail);
}

TEST(CheckTest, PeriodsNeedTheStartsOfSteps) {
  Two two(MakeProfile({{"a", "A", 100}}), MakeProfile({{"a", "A", 100}}));
  const CheckRule rule = ParsedRule("step.period_micros > +10%");
  EXPECT_THAT(
      std::string(
          Check({&rule, 1}, 0, two.before, two.after).status().message()),
      HasSubstr("the base profile does not say when its steps begin"));
}

TEST(CheckTest, AStepThatIsMissing) {
  Two two(MakeProfile({{"a", "A", 100}}, {0, 0, 0}),
          MakeProfile({{"a", "A", 100}}, {0, 0}));
  EXPECT_EQ(VerdictOf("steps.count < -0", two), Verdict::kFail);
  Two more(MakeProfile({{"a", "A", 100}}, {0, 0}),
           MakeProfile({{"a", "A", 100}}, {0, 0, 0}));
  EXPECT_EQ(VerdictOf("steps.count < -0", more), Verdict::kPass);
}

TEST(CheckTest, DefaultRulesNeedNoTimes) {
  Two two{profile::Profile(), profile::Profile()};
  const auto report = Check(DefaultCheckRules(), 0, two.before, two.after);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->failed());
}

TEST(CheckTest, AllAggregatesOfTheTimeOfAStep) {
  Two two(MakeProfile({{"a", "A", 100}}, {0, 0, 0, 100}),
          MakeProfile({{"a", "A", 100}}, {0, 0, 0, 300}));
  const CheckReport report = ReportOf({}, two);
  std::vector<std::string> spans;
  for (const Measured& m : report.walls) {
    spans.push_back(fmt::format("{} {} {}", m.name, m.before, m.after));
  }
  EXPECT_THAT(spans,
              ElementsAre("mean 125 175", "median 100 100", "p90 200 400",
                          "max 200 400", "recurring 100 100"));
}

TEST(CheckTest, ContributorsMostFirst) {
  Two two(MakeProfile({{"a", "A", 100}, {"b", "B", 100}, {"c", "C", 9}}),
          MakeProfile({{"a", "A", 90}, {"b", "B", 130}, {"c", "C", 9}}));
  const CheckReport report = ReportOf({"total.micros > +50%"}, two);
  ASSERT_EQ(report.ops.size(), 2);
  EXPECT_EQ(report.ops[0].name, "B");
  EXPECT_EQ(report.nodes[1].name, "a");
}

TEST(CheckTest, RulesWithoutRowsAreErrors) {
  Two two(MakeProfile({{"a", "A", 1}}), MakeProfile({{"a", "A", 1}}));
  const CheckRule rule = ParsedRule("op:Matmul.micros > 1");
  const auto report = Check({&rule, 1}, 0, two.before, two.after);
  EXPECT_THAT(std::string(report.status().message()),
              AllOf(HasSubstr("no op row of either profile"),
                    HasSubstr("the largest are A")));
  const CheckRule code = ParsedRule("code:.*.micros > 1");
  EXPECT_THAT(
      std::string(
          Check({&code, 1}, 0, two.before, two.after).status().message()),
      HasSubstr("the base profile has no call stacks"));
}

TEST(CheckTest, RenamedRowsAreFollowed) {
  Two two(MakeProfile({{"dense_1/M", "M", 100}}),
          MakeProfile({{"dense_7/M", "M", 200}}));
  // Either name selects the row.
  EXPECT_EQ(VerdictOf("scope:dense_1/M.micros > +50%", two), Verdict::kFail);
  EXPECT_EQ(VerdictOf("scope:dense_7/M.micros > +50%", two), Verdict::kFail);
  const CheckReport report = ReportOf({"scope:dense_1/M.micros > +50%"}, two);
  ASSERT_EQ(report.rules[0].rows.size(), 1u);
  EXPECT_EQ(report.rules[0].rows[0].measured.name, "dense_7/M");
  EXPECT_EQ(report.rules[0].rows[0].measured.before_name, "dense_1/M");
}

TEST(CheckTest, ASpanNeedsTimesOnBothSides) {
  Two two(MakeProfile({{"a", "A", 1}}), MakeProfile({{"a", "A", 1}}, {}));
  const CheckRule rule = ParsedRule("step.span_micros > +5%");
  EXPECT_EQ(
      std::string(
          Check({&rule, 1}, 0, two.before, two.after).status().message()),
      "step.span_micros > +5%: the new profile has no step with times; load "
      "run metadata too");
  EXPECT_THAT(
      std::string(
          Check({&rule, 1}, 0, two.after, two.before).status().message()),
      HasSubstr("the base profile has no step"));
}

TEST(CheckTest, ContributorsAreLimitedAndCounted) {
  std::vector<Op> before, after;
  for (int i = 0; i < 8; ++i) {
    const std::string name = fmt::format("n{}", i);
    const std::string type = fmt::format("T{}", i);
    before.push_back({name, type, 10});
    after.push_back({name, type, 20 + i});
  }
  Two two(MakeProfile(before), MakeProfile(after));
  const CheckReport report = ReportOf({"total.micros > 1s"}, two);
  EXPECT_EQ(report.ops.size(), kMaxContributors);
  EXPECT_EQ(report.changed_ops, 8u);
  EXPECT_EQ(report.nodes.size(), kMaxContributors);
  EXPECT_EQ(report.changed_nodes, 8u);
  EXPECT_EQ(report.nodes[0].name, "n7");
}

TEST(CheckTest, NewAndGoneNodesAreContributors) {
  Two two(MakeProfile({{"a", "A", 100}, {"b", "B", 10}}),
          MakeProfile({{"a", "A", 100}, {"c", "C", 30}}));
  const CheckReport report = ReportOf({"total.micros > 1s"}, two);
  ASSERT_EQ(report.nodes.size(), 2u);
  EXPECT_EQ(report.nodes[0].name, "c");
  EXPECT_FALSE(report.nodes[0].in_before);
  EXPECT_EQ(report.nodes[1].name, "b");
  EXPECT_FALSE(report.nodes[1].in_after);
}

TEST(CheckTest, TheVerdictOfARuleIsTheWorstOfItsRows) {
  Two two(MakeProfile({{"a", "A", 100}, {"b", "B", 100}}),
          MakeProfile({{"a", "A", 100}, {"b", "B", 150}}));
  const CheckReport report =
      ReportOf({"op:.*.micros > +5%", "op:A.micros > +5%"}, two);
  EXPECT_EQ(report.rules[0].verdict, Verdict::kFail);
  EXPECT_EQ(report.rules[0].rows[0].verdict, Verdict::kFail);
  EXPECT_EQ(report.rules[0].rows[1].verdict, Verdict::kPass);
  EXPECT_EQ(report.Count(Verdict::kFail), 1u);
  EXPECT_EQ(report.Count(Verdict::kPass), 1u);
  EXPECT_TRUE(report.failed());
}

TEST(CheckTest, WithoutRulesNothingFails) {
  Two two(MakeProfile({{"a", "A", 1}}), MakeProfile({{"a", "A", 2}}));
  const CheckReport report = ReportOf({}, two);
  EXPECT_FALSE(report.failed());
  EXPECT_EQ(report.before_steps, 1u);
}

TEST(CheckTest, EmptyProfilesHaveTotalsOfZero) {
  Two two{profile::Profile(), profile::Profile()};
  EXPECT_EQ(VerdictOf("total.micros > +5%", two), Verdict::kPass);
  EXPECT_EQ(VerdictOf("total.micros <= 0us", two), Verdict::kFail);
  EXPECT_THAT(ReportOf({}, two).ops, IsEmpty());
}

TEST(MeasuredTest, AChangeFromNothingIsNoShare) {
  EXPECT_EQ((Measured{.before = 50, .after = 60}).change(), 0.2);
  EXPECT_EQ((Measured{.before = -50, .after = -60}).change(), -0.2);
  EXPECT_EQ((Measured{.before = 0, .after = 0}).change(), 0);
  EXPECT_EQ((Measured{.before = 0, .after = 5}).change(), std::nullopt);
}

TEST(VerdictTest, Names) {
  EXPECT_EQ(VerdictName(Verdict::kPass), "pass");
  EXPECT_EQ(VerdictName(Verdict::kWithinNoise), "within noise");
  EXPECT_EQ(VerdictName(Verdict::kFail), "fail");
}

}  // namespace
}  // namespace tfprof::compare
