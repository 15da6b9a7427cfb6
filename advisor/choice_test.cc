#include "advisor/choice.h"

#include <string>
#include <utility>
#include <vector>

#include "advisor/fake_checkers_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Formats the choice that `words` parse to, or returns its error.
std::vector<std::string> Chosen(const std::vector<std::string>& words) {
  const auto choices = ParseCheckers(words, kFakeCheckers);
  if (!choices.ok()) return {std::string(choices.status().message())};
  return FormatCheckers(*choices);
}

TEST(ChoiceTest, CheckersAndRulesAreNamedInAnyCase) {
  EXPECT_THAT(Chosen({}), IsEmpty());
  for (const char* word : {"NewChecker", "New", "new", "NEWCHECKER"}) {
    EXPECT_THAT(Chosen({word}), ElementsAre("NewChecker")) << word;
  }
  EXPECT_THAT(Chosen({"SLOW"}), ElementsAre("slow"));
  // In registry order, each once; a checker includes all of its rules.
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

TEST(ChoiceTest, TheLastValueOfAnOptionCounts) {
  EXPECT_THAT(
      Values({"old.limit=0.25", "NewChecker.most_micros=1e3"}),
      ElementsAre("NewChecker.most_micros=1000", "OldChecker.limit=0.25"));
  EXPECT_THAT(Values({"OLD.LIMIT=0", "old.limit=1"}),
              ElementsAre("OldChecker.limit=1"));
  EXPECT_THAT(Values({"new.most_micros=-5"}),
              ElementsAre("NewChecker.most_micros=-5"));
}

TEST(ChoiceTest, BadOptionsAreErrorsThatSayWhatIsValid) {
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

TEST(ChoiceTest, NoWordsAreNoValues) { EXPECT_THAT(Values({}), IsEmpty()); }

TEST(ChoiceTest, ARuleOfSeveralCheckersMeansAllOfThem) {
  static constexpr Rule kRules[] = {{"slow", "Something else is slow.", ""}};
  static constexpr Checker kOther = {
      "OtherChecker", "Also slow things.", Checker::Kind::kAdvice, kRules, {},
      CheckBlind};
  const Checker* const registry[] = {&kNewChecker, &kOther};
  const std::vector<CheckerChoice> found = FindCheckers("slow", registry);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].checker, &kNewChecker);
  EXPECT_EQ(found[1].checker, &kOther);
}

TEST(ChoiceTest, AShortNameHasNoChecker) {
  EXPECT_EQ(ShortName(kOldChecker), "Old");
  const Checker plain = {"Plain", "", Checker::Kind::kAdvice,
                         {},      {}, CheckBlind};
  EXPECT_EQ(ShortName(plain), "Plain");
}

}  // namespace
}  // namespace tfprof::advisor
