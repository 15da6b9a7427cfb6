// The code that runs checkers, with fake ones: choices, ranking, prose, help.

#include "advisor/advice.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "accounting/small_model.h"
#include "advisor/advice_text.h"
#include "advisor/checker_help.h"
#include "advisor/checkers/registry.h"
#include "advisor/fake_checkers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// ---- Choices

// The words that the choice of `words` formats back to, or its error.
std::vector<std::string> Chosen(const std::vector<std::string>& words) {
  const auto choices = ParseCheckers(words, kFakeCheckers);
  if (!choices.ok()) return {std::string(choices.status().message())};
  return FormatCheckers(*choices);
}

TEST(ChoiceTest, NamesAndRules) {
  EXPECT_THAT(Chosen({}), IsEmpty());
  for (const char* word : {"NewChecker", "New", "new", "NEWCHECKER"}) {
    EXPECT_THAT(Chosen({word}), ElementsAre("NewChecker")) << word;
  }
  EXPECT_THAT(Chosen({"SLOW"}), ElementsAre("slow"));
  // In the registry's order, each once; a checker has all of its rules.
  EXPECT_THAT(Chosen({"blind", "slow", "idle", "Slow"}),
              ElementsAre("idle", "slow", "BlindChecker"));
  EXPECT_THAT(Chosen({"slow", "new", "odd"}), ElementsAre("NewChecker"));
}

TEST(ChoiceTest, UnknownNamesAreErrorsThatListTheKnown) {
  for (const char* word : {"x", "Checker", "", "OldCheckerChecker", "limit"}) {
    EXPECT_THAT(
        Chosen({"old", word}),
        ElementsAre("there is no checker or rule '" + std::string(word) +
                    "'; the checkers are OldChecker, NewChecker, "
                    "BlindChecker (help advise explains them)"));
  }
}

std::vector<std::string> Values(const std::vector<std::string>& words) {
  const auto values = ParseCheckerValues(words, kFakeCheckers);
  if (!values.ok()) {
    EXPECT_EQ(values.status().code(), absl::StatusCode::kInvalidArgument);
    return {std::string(values.status().message())};
  }
  return FormatCheckerValues(*values);
}

TEST(ChoiceTest, OptionsOfCheckers) {
  EXPECT_THAT(
      Values({"old.limit=0.25", "NewChecker.most_micros=1e3"}),
      ElementsAre("NewChecker.most_micros=1000", "OldChecker.limit=0.25"));
  EXPECT_THAT(Values({"OLD.LIMIT=0", "old.limit=1"}),
              ElementsAre("OldChecker.limit=1"));
  EXPECT_THAT(Values({"new.most_micros=-5"}),
              ElementsAre("NewChecker.most_micros=-5"));
}

TEST(ChoiceTest, BadOptionsOfCheckers) {
  const std::pair<std::string, std::string> cases[] = {
      {"old", "'old' is not CHECKER.NAME=VALUE; help advise lists them"},
      {"old=1", "'old=1' is not CHECKER.NAME=VALUE; help advise lists them"},
      {"old.limit",
       "'old.limit' is not CHECKER.NAME=VALUE; help advise lists them"},
      {"old=0.5",
       "'old=0.5' is not CHECKER.NAME=VALUE; help advise lists "
       "them"},
      {"x.limit=1",
       "there is no checker 'x'; the checkers are OldChecker, NewChecker, "
       "BlindChecker (help advise explains them)"},
      // Rules have no options.
      {"idle.limit=1",
       "there is no checker 'idle'; the checkers are OldChecker, NewChecker, "
       "BlindChecker (help advise explains them)"},
      {"new.limit=1",
       "NewChecker has no option 'limit'; it has most_micros, most_bytes"},
      {"blind.x=1", "BlindChecker has no option 'x'; it has none"},
      {"old.limit=", "OldChecker.limit needs a number (share), not ''"},
      {"old.limit=1x", "OldChecker.limit needs a number (share), not '1x'"},
      {"old.limit=nan", "OldChecker.limit needs a number (share), not 'nan'"},
      {"new.most_micros=inf",
       "NewChecker.most_micros needs a number (us), not 'inf'"},
      {"new.most_micros=1e999",
       "NewChecker.most_micros needs a number (us), not '1e999'"},
      {"old.limit=1.5",
       "OldChecker.limit is a share, from 0 to 1, and cannot be 1.5"},
      {"old.limit=-0.1",
       "OldChecker.limit is a share, from 0 to 1, and cannot be -0.1"},
  };
  for (const auto& [word, message] : cases) {
    EXPECT_THAT(Values({word}), ElementsAre(message)) << word;
  }
}

// ---- Running

class AdviceTest : public ::testing::Test {
 protected:
  Advice Run(const std::vector<std::string>& checkers = {},
             const std::vector<std::string>& values = {}) {
    const auto choices = ParseCheckers(checkers, kFakeCheckers);
    return RunCheckers(
        {views_, log_},
        checkers.empty() ? AdviceCheckers(kFakeCheckers) : *choices,
        *ParseCheckerValues(values, kFakeCheckers));
  }

  const Profile profile_ = SmallModel();
  Views views_{profile_};
  const ImportLog log_;
};

std::vector<std::string_view> Names(const std::vector<CheckerChoice>& choices) {
  std::vector<std::string_view> names;
  for (const CheckerChoice& choice : choices) {
    names.push_back(choice.checker->name);
  }
  return names;
}

TEST_F(AdviceTest, Groups) {
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

TEST_F(AdviceTest, AWrongFindingOfTheReferenceIsInItsTextOnly) {
  Advice advice = Run({"old"});
  const std::string text = AdviceReport(advice);
  advice.sections[0].findings[0].reference_text_only = true;
  EXPECT_EQ(AdviceReport(advice), text);
  EXPECT_EQ(Rank(advice).size(), 1u);
}

TEST_F(AdviceTest, AnEmptyLineIsNoFinding) {
  Advice advice = Run({"old"});
  advice.sections[0].findings[0].text = "";
  EXPECT_EQ(AdviceReport(advice), "\nOldChecker:\n\ncpu idle\n");
  EXPECT_EQ(Rank(advice).size(), 1u);
  EXPECT_EQ(CountFindings(advice, Finding::Severity::kInfo), 0u);
}

TEST_F(AdviceTest, ARuleCanRunAlone) {
  EXPECT_EQ(AdviceReport(Run({"idle"})), "\nOldChecker:\ncpu idle\n");
  EXPECT_EQ(AdviceReport(Run({"idle"}, {"old.limit=0.2"})), "\nOldChecker:\n");
}

TEST_F(AdviceTest, Report) {
  EXPECT_EQ(AdviceReport(Run({"old", "blind"})),
            "\nOldChecker:\ngpu busy\ncpu idle\n\nBlindChecker:\n");
}

TEST_F(AdviceTest, Text) {
  EXPECT_EQ(
      AdviceText(Run({"old", "slow", "blind"})),
      "1 critical, 2 warnings, 1 for information. Of 3 checkers, 1 lacked "
      "records.\n"
      "\n"
      "critical  slow  step 7\n"
      "  A sentence that does not fit on one line of a narrow terminal, by "
      "far.\n"
      "  saves up to 10us per step\n"
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
      "  gpu busy\n");
}

TEST_F(AdviceTest, ANameStaysOnItsLine) {
  EXPECT_THAT(
      AdviceText(Run({"odd"})),
      HasSubstr("\nwarning   odd  a\"b; \\x01\\xff\n  first\n  second\n"));
}

TEST_F(AdviceTest, OnAScreen) {
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

TEST_F(AdviceTest, ANewlineAtTheEndIsNotALine) {
  Advice advice = Run({"old"});
  advice.sections[0].findings[0].text += "\n";
  EXPECT_EQ(AdviceScreen(advice, {}), AdviceScreen(Run({"old"}), {}));
}

TEST_F(AdviceTest, NothingToAdvise) {
  EXPECT_THAT(AdviceText(Run({"busy"})),
              StartsWith("Nothing to advise, 1 for information.\n\ninfo "));
  EXPECT_EQ(AdviceText(Run({"blind"})),
            "Nothing to advise. Of 1 checker, 1 lacked records.\n");
}

// ---- Help

TEST(CheckerHelpTest, OneChecker) {
  EXPECT_EQ(CheckerHelp({.checker = &kNewChecker, .rules = {}}),
            "NewChecker\n"
            "  What is looked at now.\n"
            "  Rules:\n"
            "    slow         Something took longer than it may. Threshold: "
            "most_micros =\n"
            "                 1000 (us).\n"
            "    odd          A name is odd.\n"
            "  Options:\n"
            "    most_micros  What takes longer is slow. Default: 1000 (us).\n"
            "    most_bytes   What is larger is large. Default: 1000000 "
            "(bytes).\n");
}

TEST(CheckerHelpTest, OneRule) {
  EXPECT_EQ(CheckerHelp({.checker = &kOldChecker, .rules = {"idle"}}),
            "idle, a rule of OldChecker\n"
            "  It was idle.\n"
            "  Its value: share of time\n"
            "  Its threshold: 0.5 (share)\n"
            "    Below it something is idle.\n"
            "  To set it: -checker_options Old.limit=0.5\n"
            "  To see it alone: advise all -checkers idle\n");
}

TEST(CheckerHelpTest, All) {
  const std::string help = CheckersHelp(kFakeCheckers);
  EXPECT_THAT(help, HasSubstr("\nOldChecker *\n"));
  EXPECT_THAT(CheckersHelp(kFakeHealthCheckers),
              HasSubstr("\nHurtChecker +\n  What is hurt.\n"));
  EXPECT_THAT(help, HasSubstr("\nNewChecker\n"));
  EXPECT_THAT(help, HasSubstr("    seen  Something was seen.\n"));
  EXPECT_THAT(CheckersMarkdown(kFakeCheckers),
              HasSubstr("\n| `idle` | It was idle. | share of time | `limit` "
                        "|\n"));
  EXPECT_THAT(CheckersMarkdown(kFakeCheckers),
              HasSubstr("\n| `New.most_bytes` | 1000000 | bytes | What is "
                        "larger is large. |\n"));
}

// ---- The registry that is built in

TEST(RegistryTest, DeclaresWhatItNeeds) {
  std::set<std::string_view> rules;
  for (const Checker* checker : Checkers()) {
    EXPECT_EQ(FindChecker(checker->name), checker);
    EXPECT_TRUE(checker->name.ends_with("Checker")) << checker->name;
    if (checker->kind == Checker::Kind::kHealth) {
      EXPECT_EQ(checker->rules.size(), 1u) << checker->name;
    }
    EXPECT_THAT(checker->help, Not(IsEmpty())) << checker->name;
    for (const Rule& rule : checker->rules) {
      // A rule is named alone, by -checkers and by help.
      EXPECT_TRUE(rules.insert(rule.id).second) << rule.id;
      EXPECT_THAT(rule.help, Not(IsEmpty())) << rule.id;
      EXPECT_EQ(ThresholdOption(*checker, rule) != nullptr,
                !rule.threshold_option.empty())
          << rule.id;
      const std::vector<CheckerChoice> found =
          FindCheckers(rule.id, Checkers());
      ASSERT_EQ(found.size(), 1u) << rule.id;
      EXPECT_EQ(found[0].checker, checker) << rule.id;
      // The words of a table in Markdown.
      EXPECT_EQ(rule.help.find('|'), rule.help.npos) << rule.id;
    }
    for (const CheckerOption& option : checker->options) {
      EXPECT_THAT(option.help, Not(IsEmpty())) << option.name;
      EXPECT_EQ(option.help.find('|'), option.help.npos) << option.name;
      EXPECT_TRUE(option.unit != "share" ||
                  (option.value >= 0 && option.value <= 1))
          << option.name;
    }
  }
}

}  // namespace
}  // namespace tfprof
