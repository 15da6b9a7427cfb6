#include "flops/flops_column.h"

#include <utility>

#include "flops/formulas.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/graph_testing.h"
#include "profile/profile_builder.h"

namespace tfprof::flops {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FlopsColumnTest, Sources) {
  profile::ProfileBuilder builder;
  profile::AddNodeWithInputs(builder, "logged", "Mul", {}, {2, 3});
  profile::AddNodeWithInputs(builder, "computed", "Mul", {}, {2, 3});
  profile::AddNodeWithInputs(builder, "open", "Mul", {}, {-1, 3});
  profile::AddNodeWithInputs(builder, "huge", "Mul", {}, {kMaxFlops, 3});
  profile::AddNodeWithInputs(builder, "other", "Relu", {}, {2, 3});
  builder.SetFloatOps(0, 100);
  const profile::Profile profile = std::move(builder).Build();
  const GraphFlops graph = ComputeGraphFlops(profile);
  const auto column = [&](FlopsSource source) {
    return MakeFlopsColumn(profile, source, &graph);
  };
  EXPECT_THAT(column(FlopsSource::kOpLog).flops, ElementsAre(100, 0, 0, 0, 0));
  EXPECT_THAT(column(FlopsSource::kOff).flops, ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(column(FlopsSource::kAuto).flops,
              ElementsAre(100, 6, 0, kMaxFlops, 0));
  EXPECT_THAT(column(FlopsSource::kGraph).flops,
              ElementsAre(6, 6, 0, kMaxFlops, 0));
  const FlopsColumn::Counts counts = column(FlopsSource::kAuto).counts;
  EXPECT_EQ(counts.op_log, 1);
  EXPECT_EQ(counts.graph, 2);
  EXPECT_EQ(counts.no_shapes, 1);
  EXPECT_EQ(counts.saturated, 1);
  EXPECT_TRUE(counts.sum_is_too_large);
  EXPECT_EQ(column(FlopsSource::kGraph).counts.op_log, 0);
  EXPECT_FALSE(column(FlopsSource::kOpLog).counts.sum_is_too_large);
}

TEST(FlopsColumnTest, AnEmptyProfileHasAnEmptyColumn) {
  const GraphFlops graph;
  const FlopsColumn column =
      MakeFlopsColumn(profile::Profile(), FlopsSource::kAuto, &graph);
  EXPECT_THAT(column.flops, IsEmpty());
  EXPECT_FALSE(column.counts.sum_is_too_large);
}

TEST(FlopsColumnTest, OpLogsNeedNoGraph) {
  profile::ProfileBuilder builder;
  builder.AddNode("n", "Mul", profile::kNoRecord);
  builder.SetFloatOps(0, 5);
  const profile::Profile profile = std::move(builder).Build();
  const FlopsColumn logged =
      MakeFlopsColumn(profile, FlopsSource::kOpLog, nullptr);
  EXPECT_THAT(logged.flops, ElementsAre(5));
  EXPECT_EQ(logged.counts.op_log, 1);
  EXPECT_EQ(logged.counts.graph, 0);
  const FlopsColumn off = MakeFlopsColumn(profile, FlopsSource::kOff, nullptr);
  EXPECT_THAT(off.flops, ElementsAre(0));
  EXPECT_EQ(off.counts.op_log, 0);
}

TEST(FlopsColumnTest, EachOriginIsCounted) {
  profile::ProfileBuilder builder;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    builder.AddNode(name, "Mul", profile::kNoRecord);
  }
  const profile::Profile profile = std::move(builder).Build();
  const GraphFlops graph = {
      {0, 1, 2, 3, 0, 0},
      {FlopsOrigin::kNoFormula, FlopsOrigin::kGraph, FlopsOrigin::kRunTime,
       FlopsOrigin::kPartOfCall, FlopsOrigin::kNoShapes,
       FlopsOrigin::kNotSupported}};
  const FlopsColumn::Counts counts =
      MakeFlopsColumn(profile, FlopsSource::kGraph, &graph).counts;
  EXPECT_EQ(counts.op_log, 0);
  EXPECT_EQ(counts.graph, 1);
  EXPECT_EQ(counts.run_time, 1);
  EXPECT_EQ(counts.part_of_call, 1);
  EXPECT_EQ(counts.no_shapes, 1);
  EXPECT_EQ(counts.not_supported, 1);
  EXPECT_EQ(counts.saturated, 0);
  EXPECT_FALSE(counts.sum_is_too_large);
}

// A number from an op log hides the origin of the computed one.
TEST(FlopsColumnTest, ALoggedFigureIsNotCountedAsComputed) {
  profile::ProfileBuilder builder;
  builder.AddNode("n", "Mul", profile::kNoRecord);
  builder.SetFloatOps(0, 5);
  const profile::Profile profile = std::move(builder).Build();
  const GraphFlops graph = {{9}, {FlopsOrigin::kGraph}};
  const FlopsColumn column =
      MakeFlopsColumn(profile, FlopsSource::kAuto, &graph);
  EXPECT_THAT(column.flops, ElementsAre(5));
  EXPECT_EQ(column.counts.op_log, 1);
  EXPECT_EQ(column.counts.graph, 0);
}

TEST(FlopsColumnTest, ASumThatJustFitsIsNotTooLarge) {
  profile::ProfileBuilder builder;
  builder.AddNode("a", "Mul", profile::kNoRecord);
  builder.AddNode("b", "Mul", profile::kNoRecord);
  const profile::Profile profile = std::move(builder).Build();
  GraphFlops graph = {{kMaxFlops - 1, 1},
                      {FlopsOrigin::kGraph, FlopsOrigin::kGraph}};
  EXPECT_FALSE(MakeFlopsColumn(profile, FlopsSource::kGraph, &graph)
                   .counts.sum_is_too_large);
  graph.flops[1] = 2;
  EXPECT_TRUE(MakeFlopsColumn(profile, FlopsSource::kGraph, &graph)
                  .counts.sum_is_too_large);
}

}  // namespace
}  // namespace tfprof::flops
