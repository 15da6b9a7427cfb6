#include "advisor/advice.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/advice_testing.h"
#include "advisor/fake_checkers_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string_view> Names(const std::vector<CheckerChoice>& choices) {
  std::vector<std::string_view> names;
  for (const CheckerChoice& choice : choices) {
    names.push_back(choice.checker->name);
  }
  return names;
}

TEST_F(AdviceTest, GroupsOfCheckers) {
  EXPECT_THAT(Names(ReferenceCheckers(kFakeCheckers)),
              ElementsAre("OldChecker"));
  EXPECT_THAT(Names(FurtherCheckers(kFakeCheckers)),
              ElementsAre("NewChecker", "BlindChecker"));
  EXPECT_THAT(Names(AdviceCheckers(kFakeHealthCheckers)),
              ElementsAre("OldChecker"));
  EXPECT_THAT(Names(HealthCheckers(kFakeHealthCheckers)),
              ElementsAre("FitChecker", "HurtChecker"));
  EXPECT_THAT(Names(FurtherCheckers(kFakeHealthCheckers)), IsEmpty());
}

TEST_F(AdviceTest, WorstFirst) {
  const Advice advice = Run();
  std::vector<std::string> order;
  for (const RankedFinding& ranked : Rank(advice)) {
    order.push_back(std::string(ranked.checker->name) + " " +
                    std::string(ranked.finding->rule));
  }
  EXPECT_THAT(order, ElementsAre("NewChecker slow", "NewChecker slow",
                                 "OldChecker idle", "NewChecker odd",
                                 "OldChecker busy"));
  EXPECT_EQ(Rank(advice)[1].finding->saving_micros, 1500);
  EXPECT_EQ(CountFindings(advice, Finding::Severity::kCritical), 1u);
  EXPECT_EQ(CountFindings(advice, Finding::Severity::kWarning), 3u);
  EXPECT_EQ(CountFindings(advice, Finding::Severity::kInfo), 1u);
}

TEST_F(AdviceTest, ACauseRanksAboveItsSymptom) {
  constexpr Rule kRules[] = {
      {"idle", "Time is lost.", "", "", Rule::Says::kWhoWaits},
      {"cause", "What loses time.", ""},
      {"trifle", "What loses some time.", ""},
  };
  const Checker checker = {"AnyChecker", "", Checker::Kind::kAdvice,
                           kRules,       {}, nullptr};
  Advice advice;
  advice.sections.push_back({.checker = &checker});
  for (const auto& [rule, saving] :
       {std::pair("trifle", 40), {"idle", 100}, {"cause", 60}}) {
    advice.sections[0].findings.push_back(
        {.rule = rule, .saving_micros = saving, .text = rule});
  }
  std::vector<std::string_view> order;
  for (const RankedFinding& ranked : Rank(advice)) {
    order.push_back(ranked.finding->rule);
  }
  EXPECT_THAT(order, ElementsAre("cause", "idle", "trifle"));
}

// A reason that explains half of what a cause loses ranks above it.
TEST_F(AdviceTest, AReasonRanksAboveItsCause) {
  constexpr Rule kRules[] = {
      {"cause", "What loses time.", ""},
      {"reason", "Why it does.", "", "", Rule::Says::kReason},
      {"trifle", "Why a little is lost.", "", "", Rule::Says::kReason},
  };
  const Checker checker = {"AnyChecker", "", Checker::Kind::kAdvice,
                           kRules,       {}, nullptr};
  Advice advice;
  advice.sections.push_back({.checker = &checker});
  for (const auto& [rule, saving] :
       {std::pair("trifle", 40), {"cause", 100}, {"reason", 60}}) {
    advice.sections[0].findings.push_back(
        {.rule = rule, .saving_micros = saving, .text = rule});
  }
  std::vector<std::string_view> order;
  for (const RankedFinding& ranked : Rank(advice)) {
    order.push_back(ranked.finding->rule);
  }
  EXPECT_THAT(order, ElementsAre("reason", "cause", "trifle"));
}

TEST_F(AdviceTest, ACauseOfSomethingCriticalRanksAboveIt) {
  constexpr Rule kRules[] = {
      {"idle", "Time is lost.", "", "", Rule::Says::kOnlyThatTimeIsLost},
      {"waits", "Who waits.", "", "", Rule::Says::kWhoWaits},
      {"cause", "What loses time.", ""},
      {"trifle", "What loses some time.", ""},
  };
  const Checker checker = {"AnyChecker", "", Checker::Kind::kAdvice,
                           kRules,       {}, nullptr};
  Advice advice;
  advice.sections.push_back({.checker = &checker});
  const auto add = [&](const char* rule, Finding::Severity severity,
                       int64_t saving) {
    advice.sections[0].findings.push_back({.rule = rule,
                                           .severity = severity,
                                           .saving_micros = saving,
                                           .text = rule});
  };
  add("idle", Finding::Severity::kCritical, 100);
  add("trifle", Finding::Severity::kWarning, 20);
  add("waits", Finding::Severity::kWarning, 90);
  add("cause", Finding::Severity::kWarning, 60);
  std::vector<std::string_view> order;
  for (const RankedFinding& ranked : Rank(advice)) {
    order.push_back(ranked.finding->rule);
  }
  EXPECT_THAT(order, ElementsAre("cause", "waits", "idle", "trifle"));
}

TEST_F(AdviceTest, ACheckerRunsWithItsOptions) {
  const Advice usual = Run({"idle"});
  ASSERT_EQ(usual.sections.size(), 1u);
  ASSERT_EQ(usual.sections[0].findings.size(), 1u);
  EXPECT_EQ(usual.sections[0].findings[0].threshold, 0.5);
  EXPECT_EQ(Run({"idle"}, {"old.limit=0.4"}).sections[0].findings[0].threshold,
            0.4);
  EXPECT_THAT(Run({"idle"}, {"old.limit=0.2"}).sections[0].findings, IsEmpty());
}

TEST_F(AdviceTest, OnlyNamedRulesHaveFindings) {
  const Advice advice = Run({"odd", "blind"});
  ASSERT_EQ(advice.sections.size(), 2u);
  ASSERT_EQ(advice.sections[0].findings.size(), 1u);
  EXPECT_EQ(advice.sections[0].findings[0].rule, "odd");
  EXPECT_THAT(advice.sections[1].findings, IsEmpty());
  EXPECT_THAT(advice.sections[1].notes,
              ElementsAre("nothing to see for BlindChecker"));
}

TEST_F(AdviceTest, FindingsThatAreNotReportedDoNotCount) {
  Advice advice = Run({"old"});
  ASSERT_EQ(advice.sections[0].findings.size(), 2u);
  advice.sections[0].findings[0].text = "";
  advice.sections[0].findings[1].reference_text_only = true;
  EXPECT_THAT(Rank(advice), IsEmpty());
  EXPECT_EQ(CountFindings(advice, Finding::Severity::kInfo), 0u);
  EXPECT_EQ(CountFindings(advice, Finding::Severity::kWarning), 0u);
}

TEST_F(AdviceTest, NoCheckersGiveNoAdvice) {
  const Advice advice = RunCheckers({views_, log_}, {}, {});
  EXPECT_THAT(advice.sections, IsEmpty());
  EXPECT_THAT(Rank(advice), IsEmpty());
}

TEST(SeverityTest, Names) {
  EXPECT_EQ(SeverityName(Finding::Severity::kInfo), "info");
  EXPECT_EQ(SeverityName(Finding::Severity::kWarning), "warning");
  EXPECT_EQ(SeverityName(Finding::Severity::kCritical), "critical");
}

TEST(RuleTest, ThresholdsAreOptions) {
  const Rule* idle = FindRule(kOldChecker, "idle");
  ASSERT_NE(idle, nullptr);
  EXPECT_EQ(ThresholdOption(kOldChecker, *idle), &kOldOptions[0]);
  const Rule* busy = FindRule(kOldChecker, "busy");
  ASSERT_NE(busy, nullptr);
  EXPECT_EQ(ThresholdOption(kOldChecker, *busy), nullptr);
  EXPECT_EQ(FindRule(kOldChecker, "slow"), nullptr);
}

}  // namespace
}  // namespace tfprof::advisor
