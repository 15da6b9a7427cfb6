#include "inspect/steps/step_facts.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace tfprof::inspect {
namespace {

TEST(StepFactsTest, TheAverageIsMinusOneForPrograms) {
  tables::DataFacts facts;
  AddStepFacts("times", -7, &facts);
  ASSERT_EQ(facts.size(), 2u);
  EXPECT_EQ(facts[0].first.name, "step");
  EXPECT_EQ(facts[0].first.title, "");
  EXPECT_EQ(facts[0].second, tables::DataCell(int64_t{-1}));
  EXPECT_EQ(facts[1].first.name, "");
  EXPECT_EQ(facts[1].first.title, "times");
  EXPECT_EQ(facts[1].second, tables::DataCell("average of the steps"));
}

TEST(StepFactsTest, AStepIsItsNumber) {
  tables::DataFacts facts;
  AddStepFacts("times", 0, &facts);
  EXPECT_EQ(facts[0].second, tables::DataCell(int64_t{0}));
  EXPECT_EQ(facts[1].second, tables::DataCell("step 0"));
}

TEST(StepFactsTest, PeopleGetTheWordsOfTheCaller) {
  tables::DataFacts facts;
  AddStepFacts("sums of", -1, "all steps", &facts);
  EXPECT_EQ(facts[1].second, tables::DataCell("all steps"));
}

}  // namespace
}  // namespace tfprof::inspect
