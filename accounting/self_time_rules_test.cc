#include "accounting/self_time_rules.h"

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "accounting/node_stats.h"
#include "gtest/gtest.h"
#include "profile/profile.h"
#include "profile/profile_builder.h"

namespace tfprof::accounting {
namespace {

class SelfTimeRulesTest : public ::testing::Test {
 protected:
  SelfTimeRulesTest() {
    builder_.SetRules(SelfTimeRules());
    builder_.SetTicksPerMicro(1000);
    op_ = builder_.AddNode("op", "op", profile::kNoRecord);
    inner_ = builder_.AddNode("inner", "inner", profile::kNoRecord);
    host_ = AddLane(profile::LaneKind::kCompute);
  }

  profile::LaneId AddLane(profile::LaneKind kind) {
    return builder_.mutable_graph().lanes.Add({.kind = kind});
  }

  static profile::ExecutionRecord Ran(profile::NodeId n, int64_t start,
                                      int64_t duration) {
    return {.node = n, .start = start, .duration = duration};
  }

  profile::LaneExecutions Batch(
      profile::LaneId lane,
      std::initializer_list<profile::ExecutionRecord> records,
      std::vector<int64_t> self = {}) {
    return {.lane = lane,
            .records = records,
            .ticks_per_micro = 1000,
            .self = std::move(self)};
  }

  void Add(int64_t step, profile::LaneExecutions batch) {
    std::vector<profile::LaneExecutions> batches;
    batches.push_back(std::move(batch));
    builder_.AddExecutions(step, std::move(batches), {});
  }

  profile::ProfileBuilder builder_;
  profile::NodeId op_ = 0, inner_ = 0;
  profile::LaneId host_ = 0;
};

TEST_F(SelfTimeRulesTest, TimeIsWithoutTheExecutionsInside) {
  Add(0, Batch(host_, {Ran(op_, 0, 100), Ran(inner_, 10, 30)}, {70, 30}));
  const profile::Profile profile = std::move(builder_).Build();
  const profile::StepSums& sums = profile.FindStep(0)->sums;
  EXPECT_EQ(sums.cpu_time[op_], 70);
  EXPECT_EQ(sums.cpu_time[inner_], 30);
  EXPECT_EQ(sums.run_count[op_], 1);
  EXPECT_EQ(profile.FindStep(0)->exec_duration.Nanos(0), 100);
}

TEST_F(SelfTimeRulesTest, WithoutSelfTimesTheDurationCounts) {
  Add(0, Batch(host_, {Ran(op_, 0, 100), Ran(op_, 200, 0)}));
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_EQ(profile.FindStep(0)->sums.cpu_time[0], 100);
  EXPECT_EQ(profile.FindStep(0)->sums.run_count[0], 2);
}

TEST_F(SelfTimeRulesTest, KindOfTheLaneSaysWhatATimeIs) {
  int64_t start = 0;
  for (const profile::LaneKind kind :
       {profile::LaneKind::kOther, profile::LaneKind::kCompute,
        profile::LaneKind::kKernels, profile::LaneKind::kCopies,
        profile::LaneKind::kCommunication, profile::LaneKind::kAnnotation,
        profile::LaneKind::kLaunches}) {
    // Each kind has a different power of two.
    Add(0, Batch(AddLane(kind),
                 {Ran(op_, start, int64_t{1} << static_cast<int>(kind))}));
    start += 1000;
  }
  const profile::Profile profile = std::move(builder_).Build();
  const profile::StepSums& sums = profile.FindStep(0)->sums;
  const auto bit = [](profile::LaneKind kind) {
    return int64_t{1} << static_cast<int>(kind);
  };
  EXPECT_EQ(sums.accelerator_time[0],
            bit(profile::LaneKind::kKernels) + bit(profile::LaneKind::kCopies) +
                bit(profile::LaneKind::kCommunication));
  EXPECT_EQ(sums.cpu_time[0], bit(profile::LaneKind::kCompute) +
                                  bit(profile::LaneKind::kLaunches));
  EXPECT_EQ(sums.run_count[0], 5);
}

TEST_F(SelfTimeRulesTest, PartsOfARunAreNoRuns) {
  Add(0, Batch(host_, {Ran(op_, 0, 100)}));
  profile::LaneExecutions kernels = Batch(AddLane(profile::LaneKind::kKernels),
                                          {Ran(op_, 50, 10), Ran(op_, 60, 20)});
  kernels.are_runs = false;
  Add(0, std::move(kernels));
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_EQ(profile.FindStep(0)->sums.run_count[0], 1);
  EXPECT_EQ(profile.FindStep(0)->sums.accelerator_time[0], 30);
}

TEST_F(SelfTimeRulesTest, SumsAreInTheTicksOfTheProfile) {
  builder_.SetTicksPerMicro(1'000'000);
  Add(0, Batch(host_, {Ran(op_, 5, 7)}));
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_EQ(profile.ticks_per_micro(), 1'000'000);
  EXPECT_EQ(profile.FindStep(0)->sums.cpu_time[0], 7000);
  EXPECT_EQ(profile.FindStep(0)->exec_duration.Nanos(0), 7);
}

TEST_F(SelfTimeRulesTest, NegativeAndMissingTimesCountAsNothing) {
  Add(0, Batch(host_, {Ran(op_, 5, -7), Ran(op_, profile::kNoStart, 3)}));
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_EQ(profile.FindStep(0)->sums.cpu_time[0], 0);
  EXPECT_EQ(profile.FindStep(0)->sums.run_count[0], 1);
}

TEST_F(SelfTimeRulesTest, MemoryIsSummed) {
  profile::ExecutionRecord record = Ran(op_, 0, 1);
  record.requested_bytes = 64;
  Add(0, Batch(host_, {record, record}));
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_EQ(profile.FindStep(0)->sums.requested_bytes[0], 128);
}

TEST_F(SelfTimeRulesTest, NodesHaveNoDeviceAndNoDeviceType) {
  Add(0, Batch(host_, {Ran(op_, 0, 1)}));
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_EQ(profile.nodes().device[op_], profile::kNone);
}

// There are three steps, and 10 ns outside of them.
TEST_F(SelfTimeRulesTest, AverageIsOverTheListedSteps) {
  Add(1, Batch(host_, {Ran(op_, 0, 100)}));
  Add(2, Batch(host_, {Ran(op_, 200, 101)}));
  builder_.AddStep(3);
  Add(profile::kOutsideSteps, Batch(host_, {Ran(op_, 400, 10)}));
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_EQ(profile.FindStep(profile::kOutsideSteps), nullptr);
  const Stats average = ComputeNodeStats(profile, kAverageOfSteps)[op_];
  EXPECT_EQ(average[kCpuMicros], 67);
  EXPECT_EQ(average[kMicros], 67);
  EXPECT_EQ(average[kRunCount], 1);
  const Stats all = ComputeNodeStats(profile, kAllSteps)[op_];
  EXPECT_EQ(all[kCpuMicros], 211);
  EXPECT_EQ(all[kRunCount], 3);
  EXPECT_EQ(ComputeNodeStats(profile, 2)[op_][kCpuMicros], 101);
}

TEST_F(SelfTimeRulesTest, EventsCountAsTheirRecordsWould) {
  const profile::LaneId kernels = AddLane(profile::LaneKind::kKernels);
  const profile::LaneId marks = AddLane(profile::LaneKind::kAnnotation);
  profile::LaneEvents events;
  events.groups = {
      {.node = op_, .lane = host_, .output_bytes = 8},
      {.node = inner_, .lane = kernels, .are_runs = false},
      {.node = inner_, .lane = marks},
      {.name = 0, .lane = host_},
      {},
  };
  events.events = {{.start = 5'000'000, .duration = 100'000, .group = 0},
                   {.start = 6'000'000, .duration = 30'000, .group = 1},
                   {.start = 7'000'000, .duration = 50'000, .group = 2},
                   {.start = 8'000'000, .duration = 50'000, .group = 3},
                   {.start = 9'000'000, .duration = 50'000, .group = 4},
                   {.start = 9'500'000, .duration = 60'000, .group = 0}};
  events.inside = {{0, 30'000}, {3, 1'000}, {5, 60'000}};
  events.requested = {{0, 16}, {0, 4}, {5, 1}};
  builder_.SetTicksPerMicro(profile::LaneEvents::kTicksPerMicro);
  builder_.AddEvents(std::move(events),
                     {{.step = 0, .begin = 0, .end = 5, .has_nodes = true},
                      {.step = 1, .begin = 5, .end = 6, .has_nodes = true}});
  const profile::Profile profile = std::move(builder_).Build();
  const profile::StepSums& sums = profile.FindStep(0)->sums;
  EXPECT_EQ(sums.cpu_time[op_], 70'000);
  EXPECT_EQ(sums.run_count[op_], 1);
  EXPECT_EQ(sums.output_bytes[op_], 8);
  EXPECT_EQ(sums.requested_bytes[op_], 20);
  EXPECT_EQ(sums.start.Ticks(op_), 5'000'000);
  EXPECT_EQ(sums.end.Ticks(op_), 5'100'000);
  EXPECT_EQ(sums.accelerator_time[inner_], 30'000);
  EXPECT_EQ(sums.cpu_time[inner_], 0);
  EXPECT_EQ(sums.run_count[inner_], 0);
  EXPECT_EQ(profile.FindStep(1)->sums.requested_bytes[0], 1);
  EXPECT_EQ(profile.FindStep(1)->sums.cpu_time[0], 0);
}

TEST_F(SelfTimeRulesTest, OwnTimesOfABetterClockReplaceDurations) {
  profile::LaneEvents events;
  events.groups = {{.node = op_, .lane = host_}};
  events.events = {{.start = 0, .duration = 100'000, .group = 0},
                   {.start = 6'000'000, .duration = 30'000, .group = 0}};
  events.self = {70'000, 31'000};
  events.inside = {{0, 99'000}};
  builder_.SetTicksPerMicro(profile::LaneEvents::kTicksPerMicro);
  builder_.AddEvents(std::move(events),
                     {{.step = 0, .begin = 0, .end = 2, .has_nodes = true}});
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_EQ(profile.FindStep(0)->sums.cpu_time[op_], 101'000);
}

}  // namespace
}  // namespace tfprof::accounting
