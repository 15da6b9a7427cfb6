#include "accounting/node_stats.h"

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "accounting/rules_testing.h"
#include "accounting/small_model_testing.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"

namespace tfprof::accounting {
namespace {

class NodeStatsTest : public RulesTest {
 protected:
  Stats Of(const profile::Profile& profile, int64_t step) const {
    return ComputeNodeStats(profile, step)[n_];
  }
};

TEST_F(NodeStatsTest, AverageIsOverStepsInWhichTheNodeRan) {
  const profile::NodeId m = builder_.AddNode("m", "MatMul", profile::kNoRecord);
  profile::ExecutionRecord of_m = Ran(gpu_, 10, 5);
  of_m.node = m;
  builder_.AddExecutions(0, {Ran(gpu_, 100, 10), Ran(stream_, 1, 4)}, {});
  builder_.AddExecutions(1, {Ran(gpu_, 100, 11)}, {});
  builder_.AddExecutions(2, {of_m}, {});
  const profile::Profile profile = std::move(builder_).Build();
  const Stats average = Of(profile, -1);
  EXPECT_EQ(average[kCpuMicros], 10);         // 21 / 2
  EXPECT_EQ(average[kAcceleratorMicros], 2);  // 4 / 2
  EXPECT_EQ(average[kMicros], 12);            // 25 / 2; must not be just 10 + 2
  EXPECT_EQ(average[kRunCount], 1);
  EXPECT_EQ(Of(profile, -77), average);
  EXPECT_EQ(Of(profile, 1)[kMicros], 11);
  EXPECT_EQ(Of(profile, 2), Stats{});
  EXPECT_EQ(ComputeNodeStats(profile, -1)[m][kCpuMicros], 5);
}

TEST_F(NodeStatsTest, AverageOfTheSumIsNotTheSumOfAverages) {
  builder_.AddExecutions(0, {Ran(gpu_, 1, 1), Ran(stream_, 1, 1)}, {});
  builder_.AddExecutions(1, {Ran(gpu_, 1, 2), Ran(stream_, 1, 2)}, {});
  const profile::Profile profile = std::move(builder_).Build();
  const Stats average = Of(profile, -1);
  EXPECT_EQ(average[kCpuMicros], 1);
  EXPECT_EQ(average[kAcceleratorMicros], 1);
  EXPECT_EQ(average[kMicros], 3);
}

TEST_F(NodeStatsTest, NegativeSumsAreDividedAsUnsigned) {
  builder_.AddExecutions(0, {Ran(gpu_, 1, 1, -10)}, {});
  {
    const profile::Profile one = std::move(builder_).Build();
    EXPECT_EQ(Of(one, -1)[kResidualBytes], -10);  // divided by 1: exact
    builder_ = profile::ProfileBuilder(TfprofRules(), one);
  }
  builder_.AddExecutions(1, {Ran(gpu_, 1, 1, -10)}, {});
  const profile::Profile two = std::move(builder_).Build();
  EXPECT_EQ(Of(two, -1)[kResidualBytes],
            static_cast<int64_t>((uint64_t{0} - 20) / 2));
  EXPECT_EQ(Of(two, 1)[kResidualBytes], -10);
}

TEST_F(NodeStatsTest, FloatOpsAreStaticTimesRuns) {
  const profile::NodeId idle =
      builder_.AddNode("idle", "Conv2D", profile::kNoRecord);
  builder_.SetFloatOps(n_, 100);
  builder_.SetFloatOps(idle, 7);
  builder_.AddExecutions(0, {Ran(gpu_, 1, 1), Ran(gpu_, 2, 1)}, {});
  builder_.AddExecutions(1, {Ran(gpu_, 1, 1)}, {});
  builder_.AddStep(2);
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_EQ(Of(profile, 0)[kFloatOps], 200);
  EXPECT_EQ(Of(profile, 1)[kFloatOps], 100);
  EXPECT_EQ(Of(profile, -1)[kFloatOps], 100);  // times 3 / 2 runs
  EXPECT_EQ(Of(profile, 2)[kFloatOps], 0);     // ran, but not in this step
  for (const int64_t step : {-1, 0, 2}) {
    EXPECT_EQ(ComputeNodeStats(profile, step)[idle][kFloatOps], 7) << step;
  }
}

TEST_F(NodeStatsTest, GivenFloatOpsReplaceThoseOfTheProfile) {
  builder_.SetFloatOps(n_, 100);
  builder_.AddExecutions(0, {Ran(gpu_, 1, 1), Ran(gpu_, 2, 1)}, {});
  const profile::Profile profile = std::move(builder_).Build();
  std::vector<int64_t> given(profile.nodes().size(), 0);
  const auto float_ops = [&](int64_t figure) {
    given[n_] = figure;
    return ComputeNodeStats(profile, 0, &given)[n_][kFloatOps];
  };
  EXPECT_EQ(float_ops(7), 14);
  EXPECT_EQ(float_ops(0), 0);
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(float_ops(kLargest / 2 + 1), kLargest);
}

TEST_F(NodeStatsTest, AGroupHasTheStatisticsOfExecutionsOnly) {
  builder_.SetFloatOps(n_, 100);
  builder_.AddExecutions(0, {Ran(gpu_, 1, 10, 3), Ran(stream_, 2, 4)}, {});
  builder_.AddExecutions(1, {Ran(gpu_, 1, 20)}, {});
  const profile::Profile profile = std::move(builder_).Build();
  Stats of_step = Of(profile, 0);
  ASSERT_NE(of_step[kFloatOps], 0);
  for (const Statistic& s : kStatistics) {
    if (!IsOfExecutions(s.summing)) of_step[s.stat] = 0;
  }
  EXPECT_EQ(of_step[kMicros], 14);
  EXPECT_EQ(StatsOfGroup(*profile.steps()[0], 0), of_step);
}

// A node that ran only in a removed step differs from one that never ran.
TEST_F(NodeStatsTest, FloatOperationsAfterAStepIsRemoved) {
  builder_.SetFloatOps(n_, 100);
  builder_.AddStep(0);
  builder_.AddExecutions(1, {Ran(gpu_, 100, 10)}, {});
  const profile::Profile all = std::move(builder_).Build();
  const auto float_ops = [&](const profile::Profile& profile, int64_t step) {
    return Of(profile, step)[kFloatOps];
  };
  EXPECT_EQ(float_ops(all, 0), 0);
  EXPECT_EQ(float_ops(all, 1), 100);
  const profile::Profile one = all.WithSteps({all.steps()[0]});
  EXPECT_EQ(float_ops(one, 0), 0);
  EXPECT_EQ(float_ops(one, -1), 0);
  EXPECT_TRUE(one.RanElsewhere(n_));
  EXPECT_FALSE(all.RanElsewhere(n_));
  // The result must survive another removal and a builder.
  EXPECT_TRUE(one.WithSteps({}).RanElsewhere(n_));
  profile::ProfileBuilder more(TfprofRules(), one);
  more.AddStep(2);
  EXPECT_EQ(float_ops(std::move(more).Build(), 2), 0);
}

// Other tests rely on these numbers.
TEST(SmallModelTest, Totals) {
  const profile::Profile profile = SmallModel();
  ASSERT_EQ(profile.nodes().size(), 32u);
  Stats sum = {};
  for (const Stats& stats : ComputeNodeStats(profile, 0)) AddStats(sum, stats);
  EXPECT_EQ(sum[kMicros], 4945);
  EXPECT_EQ(sum[kAcceleratorMicros], 404);
  EXPECT_EQ(sum[kCpuMicros], 4541);
  EXPECT_EQ(sum[kRequestedBytes], 30464);
  EXPECT_EQ(sum[kPeakBytes], 25856);
  EXPECT_EQ(sum[kResidualBytes], 3840);
  EXPECT_EQ(sum[kOutputBytes], 4864);
  EXPECT_EQ(sum[kParameters], 451);
  EXPECT_EQ(sum[kFloatOps], 10440);
  EXPECT_EQ(sum[kRunCount], 6);
}

}  // namespace
}  // namespace tfprof::accounting
