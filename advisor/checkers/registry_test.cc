#include "advisor/checkers/registry.h"

#include <set>
#include <string_view>
#include <vector>

#include "advisor/advice.h"
#include "advisor/choice.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(RegistryTest, CheckersAreInTheReferencesOrder) {
  std::vector<std::string_view> names;
  for (const Checker* checker : Checkers()) {
    if (checker->kind == Checker::Kind::kReference)
      names.push_back(checker->name);
  }
  EXPECT_THAT(names,
              ElementsAre("AcceleratorUtilizationChecker", "OperationChecker",
                          "ExpensiveOperationChecker"));
}

TEST(RegistryTest, CheckersOfHealthAreInTheOrderOfTheTable) {
  std::vector<std::string_view> rules;
  for (const Checker* checker : Checkers()) {
    if (checker->kind == Checker::Kind::kHealth) {
      rules.push_back(checker->rules[0].id);
    }
  }
  EXPECT_THAT(rules, ElementsAre("import", "graph", "steps", "coverage",
                                 "accelerators", "start_times", "step_order",
                                 "device_clocks", "tracing_overhead", "memory",
                                 "shapes", "code", "float_ops"));
}

TEST(RegistryTest, EveryCheckerIsDeclaredInFull) {
  std::set<std::string_view> rules;
  for (const Checker* checker : Checkers()) {
    EXPECT_EQ(FindChecker(checker->name), checker);
    EXPECT_TRUE(checker->name.ends_with("Checker")) << checker->name;
    if (checker->kind == Checker::Kind::kHealth) {
      EXPECT_EQ(checker->rules.size(), 1u) << checker->name;
    }
    EXPECT_THAT(checker->help, Not(IsEmpty())) << checker->name;
    for (const Rule& rule : checker->rules) {
      // -checkers and help name a rule by its id alone, so it is unique. A slow
      // link or collective is the same where tasks and where stages of a
      // pipeline were recorded, and no profile has both.
      const bool shared =
          rule.id == "slow_link" || rule.id == "slow_collective";
      EXPECT_TRUE(rules.insert(rule.id).second || shared) << rule.id;
      EXPECT_THAT(rule.help, Not(IsEmpty())) << rule.id;
      EXPECT_EQ(ThresholdOption(*checker, rule) != nullptr,
                !rule.threshold_option.empty())
          << rule.id;
      const std::vector<CheckerChoice> found =
          FindCheckers(rule.id, Checkers());
      ASSERT_EQ(found.size(), shared ? 2u : 1u) << rule.id;
      EXPECT_TRUE(found[0].checker == checker ||
                  (shared && found[1].checker == checker))
          << rule.id;
      // The help becomes a cell of a Markdown table.
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

TEST(RegistryTest, AnUnknownCheckerIsNotFound) {
  EXPECT_EQ(FindChecker("Operation"), nullptr);
  EXPECT_EQ(FindChecker(""), nullptr);
}

}  // namespace
}  // namespace tfprof::advisor
