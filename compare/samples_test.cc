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

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The row of an op, or of a scope, by its name.
uint32_t RowOf(Views& views, View view, std::string_view name) {
  ViewOptions options;
  options.max_depth = 100;
  for (const Report::Row& row : views.Show(view, options).rows) {
    if (row.name == name) return row.view_row;
  }
  ADD_FAILURE() << "no row " << name;
  return kNone;
}

// Two steps; b runs in the second one only.
Profile BRunsLater() {
  ProfileBuilder builder(TfprofRules());
  const NodeId a = builder.AddNode("s/a", "A", kNoRecord);
  const NodeId b = builder.AddNode("s/b", "B", kNoRecord);
  const LaneId cpu = DeviceLane("/device:CPU:0", builder.mutable_graph());
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
  const Profile profile = BRunsLater();
  Views views(profile);
  const std::vector<SampleQuery> queries = {
      {RowOf(views, View::kOp, "A"), kMicros},
      {RowOf(views, View::kOp, "B"), kMicros},
      {RowOf(views, View::kOp, "A"), kRunCount}};
  EXPECT_THAT(
      SampleView(View::kOp, views, queries),
      ElementsAre(ElementsAre(10, 20), ElementsAre(5), ElementsAre(1, 1)));
}

TEST(SamplesTest, RowsOfATreeHaveTheirTotals) {
  const Profile profile = BRunsLater();
  Views views(profile);
  const SampleQuery scope = {RowOf(views, View::kScope, "s"), kMicros};
  EXPECT_THAT(SampleView(View::kScope, views, {&scope, 1}),
              ElementsAre(ElementsAre(10, 25)));
}

TEST(SamplesTest, NodesAreSampledById) {
  const Profile profile = BRunsLater();
  Views views(profile);
  const std::vector<SampleQuery> queries = {{0, kMicros}, {1, kMicros}};
  EXPECT_THAT(SampleNodes(views, queries),
              ElementsAre(ElementsAre(10, 20), ElementsAre(5)));
}

TEST(SamplesTest, NoRowHasNoSamples) {
  const Profile profile = BRunsLater();
  Views views(profile);
  const SampleQuery none;
  EXPECT_THAT(SampleView(View::kOp, views, {&none, 1}), ElementsAre(IsEmpty()));
  EXPECT_THAT(SampleNodes(views, {}), IsEmpty());
}

TEST(SamplesTest, WithoutStepsTheAverageIsTheSample) {
  ProfileBuilder builder(TfprofRules());
  builder.SetFloatOps(builder.AddNode("a", "A", kNoRecord), 700);
  const Profile profile = std::move(builder).Build();
  Views views(profile);
  const SampleQuery query = {0, kFloatOps};
  EXPECT_THAT(SampleNodes(views, {&query, 1}), ElementsAre(ElementsAre(700)));
  EXPECT_THAT(SampleTotal(views, kFloatOps), ElementsAre(700));
  EXPECT_THAT(SampleSpans(profile), IsEmpty());
}

TEST(SamplesTest, TotalsAreOverAllNodes) {
  const Profile profile = BRunsLater();
  Views views(profile);
  EXPECT_THAT(SampleTotal(views, kMicros), ElementsAre(10, 25));
  EXPECT_THAT(SampleTotal(views, kRunCount), ElementsAre(1, 2));
}

TEST(SamplesTest, ASpanIsFromTheFirstStartToTheLastEnd) {
  EXPECT_THAT(SampleSpans(BRunsLater()), ElementsAre(10, 105));
}

TEST(SamplesTest, AStepWithoutTimesHasNoSpan) {
  ProfileBuilder builder(TfprofRules());
  builder.AddStep(4);
  EXPECT_THAT(SampleSpans(std::move(builder).Build()), IsEmpty());
}

}  // namespace
}  // namespace tfprof
