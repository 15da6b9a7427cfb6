#include "loaders/chrome_json/kineto/steps.h"

#include "gtest/gtest.h"
#include "profile/steps/step.h"

namespace tfprof::kineto {
namespace {

TEST(KinetoSteps, Numbers) {
  EXPECT_EQ(StepNumber("ProfilerStep#12"), 12);
  EXPECT_EQ(StepNumber("ProfilerStep#"), -1);
  EXPECT_EQ(StepNumber("ProfilerStep#-1"), -1);
  EXPECT_EQ(StepNumber("ProfilerStep#1x"), -1);
  EXPECT_EQ(StepNumber("ProfilerStep#99999999999999999999"), -1);
  EXPECT_EQ(StepNumber("forward"), -1);
}

TEST(KinetoSteps, AreRangesByStart) {
  profile::StringPool strings;
  KinetoEvents events;
  const auto add = [&](std::string_view name, int64_t start, bool is_range) {
    events.host.push_back({.start = start,
                           .duration = 5,
                           .name = strings.Intern(name),
                           .is_range = is_range});
  };
  add("ProfilerStep#2", 20, true);
  add("ProfilerStep#1", 10, true);
  add("ProfilerStep#7", 1, false);
  add("forward", 11, true);
  const std::vector<KinetoStep> steps = FindSteps(events, strings);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].number, 1);
  EXPECT_EQ(steps[0].end, 15);
  EXPECT_EQ(steps[1].number, 2);
}

TEST(KinetoSteps, AtATime) {
  const std::vector<KinetoStep> steps = {{10, 20, 1}, {20, 20, 2}, {30, 40, 3}};
  EXPECT_EQ(StepAt(steps, 9), profile::kOutsideSteps);
  EXPECT_EQ(StepAt(steps, 10), 1);
  EXPECT_EQ(StepAt(steps, 19), 1);
  EXPECT_EQ(StepAt(steps, 20), 2);  // an empty step contains its start
  EXPECT_EQ(StepAt(steps, 25), profile::kOutsideSteps);
  EXPECT_EQ(StepAt(steps, 39), 3);
  EXPECT_EQ(StepAt(steps, 40), profile::kOutsideSteps);
  EXPECT_EQ(StepAt({}, 40), profile::kOutsideSteps);
}

}  // namespace
}  // namespace tfprof::kineto
