#include "loaders/chrome_json/kineto/host/steps.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"
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
  const KinetoSteps steps = FindSteps(events, strings);
  EXPECT_FALSE(steps.of_engine());
  ASSERT_EQ(steps.rows().size(), 2u);
  EXPECT_EQ(steps.rows()[0].number, 1);
  EXPECT_EQ(steps.rows()[0].end, 15);
  EXPECT_EQ(steps.rows()[0].host, 1u);
  EXPECT_EQ(steps.rows()[1].number, 2);
}

// Times are rounded: a step ends a nanosecond after the next one begins.
TEST(KinetoSteps, AStepEndsBeforeTheNextOne) {
  profile::StringPool strings;
  KinetoEvents events;
  const auto add = [&](std::string_view name, int64_t start, int64_t end) {
    events.host.push_back({.start = start,
                           .duration = end - start,
                           .name = strings.Intern(name),
                           .is_range = true});
  };
  add("ProfilerStep#1", 10'000, 20'001);
  add("ProfilerStep#2", 20'000, 30'000);
  add("ProfilerStep#3", 25'000, 60'000);
  const KinetoSteps steps = FindSteps(events, strings);
  EXPECT_EQ(steps.rows()[0].end, 20'000);
  EXPECT_EQ(steps.At(20'000), 2);
  // This is more than rounding.
  EXPECT_EQ(steps.rows()[1].end, 30'000);
  loaders::ImportLog log;
  LogCutSteps(events, steps, log);
  EXPECT_TRUE(log.entries().empty());
}

TEST(KinetoSteps, AStepEndsWithItsRecording) {
  profile::StringPool strings;
  KinetoEvents events;
  events.host.push_back({.start = 10'000'000,
                         .duration = 90'000'000,
                         .name = strings.Intern("ProfilerStep#1"),
                         .is_range = true});
  EXPECT_EQ(FindSteps(events, strings).rows()[0].end, 100'000'000);
  events.recorded_until = 40'000'000;
  const KinetoSteps steps = FindSteps(events, strings);
  EXPECT_EQ(steps.rows()[0].end, 40'000'000);
  EXPECT_EQ(CutStepText(steps.rows()[0], 90'000'000),
            "step 1 takes 90.000 ms, but its recording ends after 30.000 ms: "
            "only this part counts");
  // A recording that ended before the step says nothing about it.
  events.recorded_until = 5'000'000;
  EXPECT_EQ(FindSteps(events, strings).rows()[0].end, 100'000'000);
}

TEST(KinetoSteps, OfACutFileOnlyThoseWithAllTheirWork) {
  profile::StringPool strings;
  KinetoEvents events;
  events.file = loaders::InputFile::FromBytes("cut.json", "");
  for (int64_t step = 0; step < 4; ++step) {
    events.host.push_back(
        {.start = 10 * step,
         .duration = 10,
         .name = strings.Intern("ProfilerStep#" + std::to_string(step)),
         .is_range = true});
    events.host.push_back({.start = 10 * step + 5,
                           .duration = 1,
                           .correlation = step + 1,
                           .name = strings.Intern("cudaLaunchKernel")});
    // The work of the last step is lost.
    if (step < 3) {
      events.device.push_back(
          {.start = 10 * step + 7, .duration = 2, .correlation = step + 1});
    }
  }
  loaders::ImportLog log;
  const KinetoSteps all = FindSteps(events, strings);
  EXPECT_EQ(WithoutCutSteps(events, all, log).rows().size(), 4u);
  EXPECT_TRUE(log.entries().empty());
  events.cut = true;
  // The last launch with work is in step 2, which may lack some.
  EXPECT_EQ(WithoutCutSteps(events, all, log).rows().size(), 2u);
  EXPECT_THAT(log.Lines(),
              testing::ElementsAre(testing::HasSubstr("2 of 4 steps are left "
                                                      "out")));
}

TEST(KinetoSteps, StepsOfAnEngineComeFirst) {
  profile::StringPool strings;
  KinetoEvents events;
  const auto add = [&](std::string_view name, int64_t start) {
    events.host.push_back({.start = start,
                           .duration = 5,
                           .name = strings.Intern(name),
                           .category = KinetoCategory::kRange,
                           .is_range = true});
  };
  add("ProfilerStep#9", 0);
  add("step[DECODE bs=2]", 20);
  add("step[EXTEND bs=1 toks=7]", 10);
  KinetoSteps steps = FindSteps(events, strings);
  EXPECT_TRUE(steps.of_engine());
  ASSERT_EQ(steps.rows().size(), 2u);
  EXPECT_EQ(steps.rows()[0].number, 0);
  EXPECT_EQ(steps.rows()[0].engine.tokens, 7);
  EXPECT_EQ(steps.rows()[1].number, 1);
  EXPECT_EQ(steps.rows()[1].start, 20);
  // A detailed name is of a step that has the others inside it.
  add("execute_2_context_0(sq0sk0sqsq0sqsk0)_generation_2(sq2sk9sqsq2sqsk9)",
      19);
  steps = FindSteps(events, strings);
  ASSERT_EQ(steps.rows().size(), 1u);
  EXPECT_EQ(steps.rows()[0].start, 19);
}

TEST(KinetoSteps, RowsOfSteps) {
  EXPECT_EQ(StepRow("ProfilerStep#12"), "ProfilerStep*");
  EXPECT_EQ(StepRow("step[EXTEND bs=1 toks=7]"), "prefill step");
  EXPECT_EQ(StepRow("step[DECODE bs=2]"), "decode step");
  EXPECT_EQ(StepRow("step[MIXED bs=2]"), "mixed step");
  EXPECT_EQ(StepRow("execute_diffusion_1_256x256"), "engine step");
  EXPECT_EQ(StepRow("forward"), "");
}

TEST(KinetoSteps, AtATime) {
  const KinetoSteps steps({{.start = 10, .end = 20, .number = 1},
                           {.start = 20, .end = 20, .number = 2},
                           {.start = 30, .end = 40, .number = 3}},
                          /*of_engine=*/false);
  EXPECT_EQ(steps.At(9), profile::kOutsideSteps);
  EXPECT_EQ(steps.At(10), 1);
  EXPECT_EQ(steps.At(19), 1);
  EXPECT_EQ(steps.At(20), 2);  // an empty step contains its start
  EXPECT_EQ(steps.At(25), profile::kOutsideSteps);
  EXPECT_EQ(steps.At(39), 3);
  EXPECT_EQ(steps.At(40), profile::kOutsideSteps);
  EXPECT_EQ(KinetoSteps().At(40), profile::kOutsideSteps);
}

TEST(KinetoSteps, OfStepsThatOverlapTheFirstOneCounts) {
  const KinetoSteps steps({{.start = 10, .end = 50, .number = 0},
                           {.start = 20, .end = 30, .number = 1},
                           {.start = 40, .end = 70, .number = 2}},
                          /*of_engine=*/true);
  EXPECT_EQ(steps.At(25), 0);
  EXPECT_EQ(steps.At(45), 0);
  EXPECT_EQ(steps.At(50), 2);
  EXPECT_EQ(steps.Around(40, 50), 0u);
  EXPECT_EQ(steps.Around(40, 51), 2u);
  EXPECT_EQ(steps.Around(39, 51), KinetoSteps::kNowhere);
  EXPECT_EQ(steps.Around(60, 71), KinetoSteps::kNowhere);
}

}  // namespace
}  // namespace tfprof::kineto
