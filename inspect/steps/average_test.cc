#include "inspect/steps/average.h"

#include <string>
#include <string_view>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "timeline/calls_testing.h"
#include "timeline/trace_testing.h"

namespace tfprof::inspect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Steps 0 and 1 belong to run 3, step 2 to run 31. "MatMul" takes 10, 30 and 50
// microseconds, "Add" takes 4 in step 1.
profile::Profile ThreeSteps() {
  timeline::TraceModel model(/*ticks_per_micro=*/1);
  const profile::LaneId ops = model.Ops();
  const profile::NodeId mat_mul = model.Op("MatMul");
  const profile::NodeId add = model.Op("Add");
  const std::string_view names[] = {"run 3, count 1", "run 3, count 2",
                                    "run 31, count 1"};
  for (int64_t step = 0; step < 3; ++step) {
    const int64_t start = 1000 * step;
    model.Add({.node = mat_mul,
               .lane = ops,
               .start = start,
               .duration = 10 + 20 * step,
               .step = step});
    if (step == 1) {
      model.Add({.node = add,
                 .lane = ops,
                 .start = start + 100,
                 .duration = 4,
                 .step = step});
    }
    model.builder().AddStepInterval({.step = step,
                                     .process = model.process(),
                                     .start = start * 1000,
                                     .end = (start + 200) * 1000,
                                     .name = model.graph().strings.Intern(
                                         names[static_cast<size_t>(step)])});
  }
  return std::move(model).Build();
}

TEST(AverageTest, MeanAndDeviationOverAllSteps) {
  const profile::Profile profile = ThreeSteps();
  views::Views views(profile);
  const auto table = AverageTable(views, "", 0);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(Rows(*table, {"name", "mean_micros", "deviation_micros",
                            "variation", "min_micros", "max_micros", "steps"}),
              ElementsAre("MatMul 30.000 20.000 0.667 10.000 50.000 3",
                          // It ran in one step: nothing varies.
                          "Add 4.000 - - 4.000 4.000 1"));
  EXPECT_EQ(Fact(*table, "steps"), "3");
}

TEST(AverageTest, OnlyTheStepsOfTheRun) {
  const profile::Profile profile = ThreeSteps();
  views::Views views(profile);
  const auto table = AverageTable(views, "run 3", 0);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(Rows(*table, {"name", "mean_micros", "steps"}),
              ElementsAre("MatMul 20.000 2", "Add 4.000 1"));
  EXPECT_EQ(Fact(*table, "run"), "run 3");
}

TEST(AverageTest, AnUnknownRunNamesThoseThatThereAre) {
  const profile::Profile profile = ThreeSteps();
  views::Views views(profile);
  const auto table = AverageTable(views, "run 4", 0);
  EXPECT_TRUE(absl::IsNotFound(table.status()));
  EXPECT_THAT(Message(table.status()), HasSubstr("run 3; run 31"));
}

TEST(AverageTest, EveryOperationHasARow) {
  timeline::TraceModel model(/*ticks_per_micro=*/1);
  const profile::LaneId ops = model.Ops();
  for (int64_t i = 0; i < 30; ++i) {
    model.Add({.node = model.Op("Op" + std::to_string(i)),
               .lane = ops,
               .start = 10 * i,
               .duration = 5});
  }
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  const auto table = AverageTable(views, "", 0);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->num_rows, 30u);
}

TEST(AverageTest, OfManyRowsThoseWithTheMostTime) {
  const profile::Profile profile = ThreeSteps();
  views::Views views(profile);
  const auto table = AverageTable(views, "", 1);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(Column(*table, "name"), ElementsAre("MatMul"));
  EXPECT_EQ(table->total_rows, 2u);
}

TEST(AverageTest, TimesOnBothAreTwoRows) {
  timeline::CallsModel model;
  model.StepInterval(0, 100);
  model.Op("aten::mm", 0, 30);
  model.Op("aten::add", 30, 10);
  model.Kernel("aten::mm", 10, 90);
  const profile::Profile profile = std::move(model.trace).Build();
  views::Views views(profile);
  const auto table = AverageTable(views, "", 0);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(
      Rows(*table, {"name", "on", "mean_micros", "share"}),
      ElementsAre("aten::mm accelerator 90.000 1.000",
                  "aten::mm cpu 30.000 0.750", "aten::add cpu 10.000 0.250"));
}

}  // namespace
}  // namespace tfprof::inspect
