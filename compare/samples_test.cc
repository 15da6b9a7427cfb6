#include "compare/samples.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/device_names.h"
#include "profile/profile_builder.h"

namespace tfprof::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The row of an op, or of a scope, by its name.
uint32_t RowOf(views::Views& views, views::View view, std::string_view name) {
  views::ViewOptions options;
  options.max_depth = 100;
  for (const views::Report::Row& row : views.Show(view, options).rows) {
    if (row.name == name) return row.view_row;
  }
  ADD_FAILURE() << "no row " << name;
  return profile::kNone;
}

// Two steps; b runs in the second one only.
profile::Profile BRunsLater() {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  const profile::NodeId a = builder.AddNode("s/a", "A", profile::kNoRecord);
  const profile::NodeId b = builder.AddNode("s/b", "B", profile::kNoRecord);
  const profile::LaneId cpu =
      tensorflow::DeviceLane("/device:CPU:0", builder.mutable_graph());
  builder.AddExecutions(
      0, {{.node = a, .lane = cpu, .start = 1000, .duration = 10}}, {});
  builder.AddExecutions(
      1,
      {{.node = a, .lane = cpu, .start = 2000, .duration = 20},
       {.node = b, .lane = cpu, .start = 2100, .duration = 5}},
      {});
  return std::move(builder).Build();
}

TEST(SamplesTest, AStepCountsIfTheRowRanInIt) {
  const profile::Profile profile = BRunsLater();
  views::Views views(profile);
  const std::vector<SampleQuery> queries = {
      {RowOf(views, views::View::kOp, "A"), accounting::kMicros},
      {RowOf(views, views::View::kOp, "B"), accounting::kMicros},
      {RowOf(views, views::View::kOp, "A"), accounting::kRunCount}};
  EXPECT_THAT(
      SampleView(views::View::kOp, views, queries),
      ElementsAre(ElementsAre(10, 20), ElementsAre(5), ElementsAre(1, 1)));
}

TEST(SamplesTest, RowsOfATreeHaveTheirTotals) {
  const profile::Profile profile = BRunsLater();
  views::Views views(profile);
  const SampleQuery scope = {RowOf(views, views::View::kScope, "s"),
                             accounting::kMicros};
  EXPECT_THAT(SampleView(views::View::kScope, views, {&scope, 1}),
              ElementsAre(ElementsAre(10, 25)));
}

TEST(SamplesTest, NodesAreSampledById) {
  const profile::Profile profile = BRunsLater();
  views::Views views(profile);
  const std::vector<SampleQuery> queries = {{0, accounting::kMicros},
                                            {1, accounting::kMicros}};
  EXPECT_THAT(SampleNodes(views, queries),
              ElementsAre(ElementsAre(10, 20), ElementsAre(5)));
}

TEST(SamplesTest, NoRowHasNoSamples) {
  const profile::Profile profile = BRunsLater();
  views::Views views(profile);
  const SampleQuery none;
  EXPECT_THAT(SampleView(views::View::kOp, views, {&none, 1}),
              ElementsAre(IsEmpty()));
  EXPECT_THAT(SampleNodes(views, {}), IsEmpty());
}

TEST(SamplesTest, WithoutStepsTheAverageIsTheSample) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  builder.SetFloatOps(builder.AddNode("a", "A", profile::kNoRecord), 700);
  const profile::Profile profile = std::move(builder).Build();
  views::Views views(profile);
  const SampleQuery query = {0, accounting::kFloatOps};
  EXPECT_THAT(SampleNodes(views, {&query, 1}), ElementsAre(ElementsAre(700)));
  EXPECT_THAT(SampleTotal(views, accounting::kFloatOps), ElementsAre(700));
  EXPECT_THAT(SampleWalls(views), IsEmpty());
}

TEST(SamplesTest, TotalsAreOverAllNodes) {
  const profile::Profile profile = BRunsLater();
  views::Views views(profile);
  EXPECT_THAT(SampleTotal(views, accounting::kMicros), ElementsAre(10, 25));
  EXPECT_THAT(SampleTotal(views, accounting::kRunCount), ElementsAre(1, 2));
}

TEST(SamplesTest, AStepTakesItsWallTime) {
  const profile::Profile profile = BRunsLater();
  views::Views views(profile);
  EXPECT_THAT(SampleWalls(views), ElementsAre(10, 105));
}

TEST(SamplesTest, AStepWithoutTimesHasNoWallTime) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  builder.AddStep(4);
  const profile::Profile profile = std::move(builder).Build();
  views::Views views(profile);
  EXPECT_THAT(SampleWalls(views), IsEmpty());
}

TEST(SamplesTest, APeriodIsUntilTheNextStepBegins) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  const auto add = [&](int64_t step, profile::ProcessId process,
                       int64_t start) {
    builder.AddStep(step);
    builder.AddStepInterval({.step = step,
                             .process = process,
                             .start = 1000 * start,
                             .end = 1000 * (start + 10)});
  };
  builder.mutable_graph().lanes.AddProcess({.name = "a"});
  builder.mutable_graph().lanes.AddProcess({.name = "b"});
  for (const int64_t step : {1, 2, 3}) add(step, 0, 15 * step);
  // Steps 4 and 5 are missing.
  add(6, 0, 200);
  add(7, 0, 230);
  add(1, 1, 500);
  const profile::Profile profile = std::move(builder).Build();
  views::Views views(profile);
  EXPECT_THAT(SamplePeriods(views), ElementsAre(15, 15, 30));
}

TEST(SamplesTest, AStepUsesTheHighestLevelInItsTime) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  const profile::NodeId a = builder.AddNode("a", "A", profile::kNoRecord);
  const profile::LaneId cpu =
      tensorflow::DeviceLane("/device:CPU:0", builder.mutable_graph());
  for (const int64_t step : {1, 2}) {
    builder.AddExecutions(
        step, {{.node = a, .lane = cpu, .start = 1000 * step, .duration = 10}},
        {});
  }
  const auto count = [&](std::string_view name,
                         const std::vector<double>& values) {
    profile::Counter counter;
    counter.name = builder.mutable_graph().strings.Intern(name);
    counter.unit = builder.mutable_graph().strings.Intern("bytes");
    builder.AddCounter(std::move(counter), {{1'000'000, values[0]},
                                            {1'005'000, values[1]},
                                            {2'001'000, values[2]}});
  };
  count("gpu:0 allocated", {100, 300, 200});
  count("gpu:1 allocated", {50, 60, 250});
  count("gpu:0 reserved", {900, 900, 900});
  const profile::Profile profile = std::move(builder).Build();
  views::Views views(profile);
  EXPECT_THAT(SampleMemory(views), ElementsAre(300, 300));
}

}  // namespace
}  // namespace tfprof::compare
