#include "advisor/advice_text.h"

#include <string>

#include "advisor/advice_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

using AdviceTextTest = AdviceTest;

TEST_F(AdviceTextTest, AWrongFindingOfTheReferenceIsInItsTextOnly) {
  Advice advice = Run({"old"});
  const std::string text = AdviceReport(advice);
  advice.sections[0].findings[0].reference_text_only = true;
  EXPECT_EQ(AdviceReport(advice), text);
  EXPECT_EQ(Rank(advice).size(), 1u);
}

TEST_F(AdviceTextTest, AnEmptyLineIsNoFinding) {
  Advice advice = Run({"old"});
  advice.sections[0].findings[0].text = "";
  EXPECT_EQ(AdviceReport(advice), "\nOldChecker:\n\ncpu idle\n");
  EXPECT_EQ(Rank(advice).size(), 1u);
  EXPECT_EQ(CountFindings(advice, Finding::Severity::kInfo), 0u);
}

TEST_F(AdviceTextTest, ARuleCanRunAlone) {
  EXPECT_EQ(AdviceReport(Run({"idle"})), "\nOldChecker:\ncpu idle\n");
  EXPECT_EQ(AdviceReport(Run({"idle"}, {"old.limit=0.2"})), "\nOldChecker:\n");
}

TEST_F(AdviceTextTest, ReportOfTheReference) {
  EXPECT_EQ(AdviceReport(Run({"old", "blind"})),
            "\nOldChecker:\ngpu busy\ncpu idle\n\nBlindChecker:\n");
}

TEST_F(AdviceTextTest, TextForAPerson) {
  EXPECT_EQ(
      AdviceText(Run({"old", "slow", "blind"})),
      "1 critical, 2 warnings, 1 for information. 2 of 3 checkers could "
      "judge this profile.\n"
      "\n"
      "critical  slow  step 7\n"
      "  A sentence that does not fit on one line of a narrow terminal, by "
      "far.\n"
      "  saves up to 1.20ms per step\n"
      "  do    Take less time.\n"
      "  see   op -order_by micros -select "
      "micros,accelerator_micros,cpu_micros,occurrence\n"
      "\n"
      "warning   slow\n"
      "  slow\n"
      "  saves up to 1.50ms per step\n"
      "\n"
      "warning   idle  cpu\n"
      "  cpu idle\n"
      "  see   op -order_by micros\n"
      "\n"
      "info      busy  gpu\n"
      "  gpu busy\n"
      "\n"
      "Looked for:\n"
      "  OldChecker, NewChecker\n"
      "\n"
      "Not judged:\n"
      "  nothing to see for BlindChecker: BlindChecker\n");
}

TEST_F(AdviceTextTest, ANameStaysOnItsLine) {
  EXPECT_THAT(
      AdviceText(Run({"odd"})),
      HasSubstr("\nwarning   odd  a\"b; \\x01\\xff\n  first\n  second\n"));
}

TEST_F(AdviceTextTest, ReportForAScreen) {
  EXPECT_EQ(AdviceScreen(Run({"old", "odd", "blind"}), {.width = 20}),
            "OldChecker:\n"
            "  gpu busy\n"
            "  cpu idle\n"
            "\n"
            "NewChecker:\n"
            "  first\n"
            "  second\n"
            "\n"
            "BlindChecker:\n"
            "  nothing\n");
  EXPECT_THAT(AdviceScreen(Run({"old"}), {.width = 8}),
              HasSubstr("\n  gpu\n    busy\n  cpu\n    idle\n"));
  EXPECT_THAT(AdviceScreen(Run({"old"}), {.color = true}),
              HasSubstr("\n  gpu busy\n\x1b[33m  cpu idle\x1b[0m\n"));
}

TEST_F(AdviceTextTest, ANewlineAtTheEndIsNotALine) {
  Advice advice = Run({"old"});
  advice.sections[0].findings[0].text += '\n';
  EXPECT_EQ(AdviceScreen(advice, {}), AdviceScreen(Run({"old"}), {}));
}

TEST_F(AdviceTextTest, NoProblems) {
  EXPECT_THAT(AdviceText(Run({"busy"})),
              StartsWith("No problems found, 1 for information.\n\ninfo "));
  EXPECT_EQ(AdviceText(Run({"blind"})),
            "No problems found. 0 of 1 checker could judge this profile.\n"
            "\n"
            "Not judged:\n"
            "  nothing to see for BlindChecker: BlindChecker\n");
}

TEST_F(AdviceTextTest, WithoutProblemsItSaysWhatWasLookedFor) {
  EXPECT_THAT(AdviceText(Run({"busy"})),
              HasSubstr("\nLooked for:\n"
                        "  What was always looked at. (OldChecker)\n"));
}

TEST_F(AdviceTextTest, PeopleGetTheFullTextAndScriptsTheReferences) {
  Advice advice = Run({"busy"});
  advice.sections[0].findings[0].full_text = "gpu busy with everything";
  EXPECT_THAT(AdviceText(advice), HasSubstr("gpu busy with everything"));
  EXPECT_THAT(AdviceScreen(advice, {}), HasSubstr("gpu busy with everything"));
  EXPECT_EQ(AdviceReport(advice), "\nOldChecker:\ngpu busy\n");
}

TEST_F(AdviceTextTest, ColoursOfSeverities) {
  const std::string text = AdviceText(Run({"slow", "busy"}), {.color = true});
  EXPECT_THAT(text, HasSubstr("\n\x1b[31mcritical\x1b[0m  slow  step 7\n"));
  EXPECT_THAT(text, HasSubstr("\n\x1b[33mwarning \x1b[0m  slow\n"));
  EXPECT_THAT(text, HasSubstr("\ninfo      busy  gpu\n"));
}

TEST_F(AdviceTextTest, CommandsAreNotWrapped) {
  EXPECT_THAT(AdviceText(Run({"slow"}), {.width = 30}),
              HasSubstr("\n  see   op -order_by micros -select "
                        "micros,accelerator_micros,cpu_micros,occurrence\n"));
}

TEST_F(AdviceTextTest, WithoutCheckersThereIsNothing) {
  EXPECT_EQ(AdviceReport(Advice()), "");
  EXPECT_EQ(AdviceScreen(Advice(), {}), "");
  EXPECT_EQ(AdviceText(Advice()), "No problems found.\n");
}

}  // namespace
}  // namespace tfprof::advisor
