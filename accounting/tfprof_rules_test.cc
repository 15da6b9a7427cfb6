#include "accounting/tfprof_rules.h"

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "accounting/rules_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"

namespace tfprof::accounting {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

TEST_F(RulesTest, WhichDeviceCountsAsWhat) {
  builder_.AddExecutions(0,
                         {Ran(gpu_, 100, 10, 1000), Ran(stream_, 105, 20, 7),
                          Ran(stream16_, 105, 40, 7), Ran(host_, 90, 80, 7),
                          Ran(gpu_, 200, 1, 500)},
                         {});
  const profile::Profile profile = std::move(builder_).Build();
  const profile::Step* step = profile.FindStep(0);
  ASSERT_NE(step, nullptr);
  ASSERT_EQ(step->num_groups(), 1u);
  EXPECT_EQ(step->sums.run_count[0], 2);
  EXPECT_EQ(step->sums.cpu_time[0], 11);
  EXPECT_EQ(step->sums.accelerator_time[0], 20);
  EXPECT_EQ(step->sums.requested_bytes[0], 1500);
  EXPECT_EQ(step->sums.output_bytes[0], 1500);
  // Start and end cover all devices.
  EXPECT_EQ(step->sums.start.Micros(0), 90);
  EXPECT_EQ(step->sums.end.Micros(0), 201);
  // All records remain facts.
  EXPECT_EQ(step->num_executions(), 5u);
  EXPECT_EQ(step->exec_duration.Micros(2), 40);
  EXPECT_EQ(profile.nodes().device[n_], profile.device_of(gpu_));
}

TEST_F(RulesTest, FirstCanonicalDeviceWinsAcrossSteps) {
  builder_.AddExecutions(0, {Ran(gpu_, 100, 10)}, {});
  builder_.AddExecutions(1, {Ran(gpu1_, 200, 77, 5), Ran(stream_, 200, 3)}, {});
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_EQ(profile.nodes().device[n_], profile.device_of(gpu_));
  const profile::Step* step = profile.FindStep(1);
  ASSERT_NE(step, nullptr);
  ASSERT_EQ(step->num_groups(), 1u);
  EXPECT_EQ(step->sums.cpu_time[0], 0);
  EXPECT_EQ(step->sums.run_count[0], 0);
  EXPECT_EQ(step->sums.accelerator_time[0], 3);
  EXPECT_EQ(step->sums.requested_bytes[0], 0);
  // The record that does not count is still a fact.
  ASSERT_EQ(step->num_outside(), 1u);
  EXPECT_EQ(step->LaneOf(1), gpu1_);
  EXPECT_EQ(step->exec_duration.Micros(1), 77);
  EXPECT_EQ(profile.strings().Get(step->OutsideName(1)), "n");
}

TEST_F(RulesTest, NoValidStartNoTimeNoMemory) {
  std::vector<int64_t> reported;
  builder_.AddExecutions(
      0,
      {Ran(gpu_, profile::kNoStart, 50, 9), Ran(gpu_, profile::kNoStart, 60, 9),
       Ran(stream_, profile::kNoStart, 70)},
      [&](const profile::ExecutionRecord& r) {
        reported.push_back(r.duration);
      });
  const profile::Profile profile = std::move(builder_).Build();
  // Only records on the node's own device are reported.
  EXPECT_THAT(reported, ElementsAre(50, 60));
  const profile::Step* step = profile.FindStep(0);
  ASSERT_EQ(step->num_groups(), 1u);
  EXPECT_EQ(step->sums.run_count[0], 0);
  EXPECT_EQ(step->sums.cpu_time[0], 0);
  EXPECT_EQ(step->sums.accelerator_time[0], 0);
  EXPECT_EQ(step->sums.requested_bytes[0], 0);
  EXPECT_FALSE(step->HasSpan(0));
  EXPECT_FALSE(step->HasStart(1));
  EXPECT_EQ(profile.nodes().device[n_], profile.device_of(gpu_));
}

TEST_F(RulesTest, NegativeDurationIsTakenAsItIs) {
  builder_.AddExecutions(0, {Ran(gpu_, 100, -30), Ran(gpu_, 10, 5)}, {});
  const profile::Profile profile = std::move(builder_).Build();
  const profile::Step* step = profile.FindStep(0);
  EXPECT_EQ(step->sums.cpu_time[0], -25);
  EXPECT_EQ(step->sums.start.Micros(0), 10);
  EXPECT_EQ(step->sums.end.Micros(0), 70);
}

TEST_F(RulesTest, SumsWrapInsteadOfBeingUndefined) {
  builder_.AddExecutions(0, {Ran(gpu_, 1, kMax, kMax), Ran(gpu_, 1, 1, 1)}, {});
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_EQ(profile.FindStep(0)->sums.cpu_time[0], kMin);
  EXPECT_EQ(profile.FindStep(0)->sums.peak_bytes[0], kMin);
}

TEST_F(RulesTest, SameStepTwiceAccumulates) {
  builder_.AddExecutions(3, {Ran(gpu_, 100, 10, 1)}, {});
  builder_.AddExecutions(3, {Ran(gpu_, 50, 5, 2), Ran(stream_, 60, 7)}, {});
  const profile::Profile profile = std::move(builder_).Build();
  ASSERT_EQ(profile.steps().size(), 1u);
  const profile::Step* step = profile.FindStep(3);
  EXPECT_EQ(step->sums.cpu_time[0], 15);
  EXPECT_EQ(step->sums.accelerator_time[0], 7);
  EXPECT_EQ(step->sums.run_count[0], 2);
  EXPECT_EQ(step->sums.requested_bytes[0], 3);
  EXPECT_EQ(step->sums.start.Micros(0), 50);
  EXPECT_EQ(step->sums.end.Micros(0), 110);
  // The executions keep the order of the inputs.
  EXPECT_EQ(step->exec_start.Micros(0), 100);
  EXPECT_EQ(step->exec_start.Micros(1), 50);
}

// Returns the accounting of 100,000 executions as text.
std::string AccountedBy(int threads) {
  profile::ProfileBuilder builder(TfprofRules());
  builder.SetWork({.threads = threads});
  constexpr uint32_t kNodes = 3000;
  for (uint32_t n = 0; n < kNodes; ++n) {
    builder.AddNode("n" + std::to_string(n), "Op", profile::kNoRecord);
  }
  profile::GraphTables& graph = builder.mutable_graph();
  const auto add_lane = [&](const char* name, const profile::Device& device) {
    profile::Lane lane;
    lane.device = graph.devices.Intern(name, device);
    graph.lanes.Add(lane);
  };
  add_lane("/gpu:0", {.canonical = true});
  add_lane("/gpu:1", {.canonical = true});
  add_lane("/gpu:0/stream:all", {.accelerator_stream = true});
  add_lane("", {});
  add_lane("/x", {});
  std::minstd_rand random(7);
  std::vector<profile::LaneExecutions> executions(40);
  uint64_t record = 0;
  for (profile::LaneExecutions& e : executions) {
    e.lane = static_cast<profile::LaneId>(random() % graph.lanes.size());
    for (int i = 0; i < 2500; ++i) {
      const auto start = static_cast<int64_t>(random() % 1000) - 100;
      e.records.push_back(
          {.node = static_cast<profile::NodeId>(random() % kNodes),
           .start = start > 0 ? start : profile::kNoStart,
           .duration = 1 + start % 7,
           .record = ++record,
           .requested_bytes = start,
           .peak_bytes = 1});
    }
  }
  std::string text;
  std::vector<profile::Coverage> coverage(kNodes, profile::Coverage::kNone);
  coverage[5] = profile::Coverage::kMade;
  const int64_t covered = builder.AddExecutions(
      0, std::move(executions),
      [&](const profile::ExecutionRecord& r) {
        text += "no start: " + std::to_string(r.record) + "\n";
      },
      coverage);
  text += "covered: " + std::to_string(covered) + "\n";
  const profile::Profile profile = std::move(builder).Build();
  const profile::Step& step = *profile.steps().front();
  for (size_t g = 0; g < step.num_groups(); ++g) {
    const profile::GroupSums sums = step.sums.Of(g);
    for (const int64_t v :
         {step.node[g], step.first_exec[g], sums.run_count,
          sums.accelerator_time, sums.cpu_time, sums.requested_bytes,
          sums.peak_bytes, sums.has_span ? sums.start : -1,
          sums.has_span ? sums.end : -1}) {
      text += std::to_string(v) + ' ';
    }
  }
  for (size_t e = 0; e < step.num_records(); ++e) {
    for (const int64_t v :
         {step.exec_lane[e], step.exec_duration.Ticks(e), step.exec_record[e],
          step.HasStart(e) ? step.exec_start.Ticks(e) : -1}) {
      text += std::to_string(v) + ' ';
    }
  }
  for (profile::NodeId n = 0; n < kNodes; ++n) {
    text += '\n' + std::to_string(profile.nodes().device[n]) + ' ' +
            std::to_string(profile.nodes().types[n]);
  }
  return text;
}

TEST_F(RulesTest, ThreadsMakeNoDifference) {
  const std::string one = AccountedBy(1);
  EXPECT_NE(one.find("no start: "), one.npos);
  EXPECT_EQ(AccountedBy(2), one);
  EXPECT_EQ(AccountedBy(5), one);
}

TEST_F(RulesTest, FinishedStepIsReopened) {
  const profile::NodeId m = builder_.AddNode("m", "MatMul", profile::kNoRecord);
  profile::ExecutionRecord of_m = Ran(gpu_, 10, 4, 8);
  of_m.node = m;
  builder_.AddExecutions(3, {of_m}, {});
  builder_.FinishStep(3);
  builder_.AddExecutions(3, {Ran(gpu_, 100, 10, 1), of_m}, {});
  builder_.FinishStep(3);
  builder_.FinishStep(99);  // there is no such step
  const profile::Profile profile = std::move(builder_).Build();
  ASSERT_EQ(profile.steps().size(), 1u);
  const profile::Step* step = profile.FindStep(3);
  ASSERT_EQ(step->num_groups(), 2u);
  const uint32_t gn = step->FindGroup(n_), gm = step->FindGroup(m);
  ASSERT_NE(gm, profile::kNone);
  EXPECT_EQ(step->node[0], n_);  // groups are in ascending node
  EXPECT_EQ(step->sums.cpu_time[gn], 10);
  EXPECT_EQ(step->sums.cpu_time[gm], 8);
  EXPECT_EQ(step->sums.run_count[gm], 2);
  EXPECT_EQ(step->sums.requested_bytes[gm], 16);
  EXPECT_EQ(step->exec_end(gm) - step->exec_begin(gm), 2u);
}

TEST_F(RulesTest, StepsAreOrderedAndFound) {
  for (const int64_t id : {30, -2, 7}) builder_.AddStep(id);
  // A saved profile may have executions of a step that it does not list.
  builder_.AddGroups(5, {{.node = n_, .run_count = 1}}, {Ran(gpu_, 1, 1)});
  const profile::Profile profile = std::move(builder_).Build();
  std::vector<int64_t> ids;
  for (const auto& step : profile.steps()) ids.push_back(step->id);
  EXPECT_THAT(ids, ElementsAre(-2, 5, 7, 30));
  EXPECT_NE(profile.FindStep(7), nullptr);
  EXPECT_NE(profile.FindStep(-2), nullptr);
  EXPECT_EQ(profile.FindStep(5), nullptr);  // not listed
  EXPECT_EQ(profile.FindStep(8), nullptr);
  EXPECT_EQ(profile.FindStep(7)->FindGroup(n_), profile::kNone);
}

TEST_F(RulesTest, GivenSumsAreNotComputedAgain) {
  builder_.AddStep(0);
  builder_.AddGroups(0,
                     {{.node = n_,
                       .has_span = true,
                       .run_count = 42,
                       .accelerator_time = 1,
                       .cpu_time = 2,
                       .requested_bytes = 3,
                       .start = 4,
                       .end = 5}},
                     {Ran(gpu_, 100, 10, 1000)});
  const profile::Profile profile = std::move(builder_).Build();
  const profile::Step* step = profile.FindStep(0);
  EXPECT_EQ(step->sums.run_count[0], 42);
  EXPECT_EQ(step->sums.cpu_time[0], 2);
  EXPECT_EQ(step->sums.requested_bytes[0], 3);
  EXPECT_EQ(step->sums.start.Micros(0), 4);
  EXPECT_EQ(step->sums.end.Micros(0), 5);
  EXPECT_EQ(step->exec_start.Micros(0), 100);
}

TEST_F(RulesTest, ExtendingAProfileSharesItsSteps) {
  builder_.AddExecutions(0, {Ran(gpu_, 100, 10)}, {});
  builder_.AddExecutions(1, {Ran(gpu_, 200, 30)}, {});
  const profile::Profile base = std::move(builder_).Build();
  const size_t base_strings = base.strings().size();

  profile::ProfileBuilder more(TfprofRules(), base);
  const profile::NodeId m = more.AddNode("m", "MatMul", profile::kNoRecord);
  profile::ExecutionRecord of_m = Ran(gpu_, 300, 1);
  of_m.node = m;
  more.AddExecutions(1, {of_m}, {});
  more.AddExecutions(2, {of_m}, {});
  const profile::Profile extended = std::move(more).Build();

  // The base is unchanged.
  EXPECT_EQ(base.nodes().size(), 1u);
  EXPECT_EQ(base.strings().size(), base_strings);
  EXPECT_EQ(base.steps().size(), 2u);
  EXPECT_EQ(base.FindStep(1)->num_groups(), 1u);
  // An unchanged step is the same object.
  EXPECT_EQ(extended.FindStep(0), base.FindStep(0));
  EXPECT_NE(extended.FindStep(1), base.FindStep(1));
  EXPECT_EQ(extended.FindStep(1)->num_groups(), 2u);
  EXPECT_EQ(extended.FindStep(1)->sums.cpu_time[0], 30);
  EXPECT_EQ(extended.FindStep(2)->num_groups(), 1u);
  EXPECT_EQ(extended.node_name(0), "n");
  EXPECT_EQ(extended.node_name(m), "m");
}

TEST_F(RulesTest, StepOfKnownNodesSharesTheGraph) {
  builder_.AddExecutions(0, {Ran(gpu_, 100, 10)}, {});
  const profile::Profile base = std::move(builder_).Build();
  profile::ProfileBuilder more(TfprofRules(), base);
  more.AddExecutions(1, {Ran(gpu_, 200, 10)}, {});
  const profile::Profile extended = std::move(more).Build();
  EXPECT_EQ(&extended.graph(), &base.graph());
  EXPECT_EQ(extended.steps().size(), 2u);
}

TEST_F(RulesTest, WithSomeOfItsSteps) {
  for (const int64_t step : {0, 3, 7}) {
    builder_.AddExecutions(step, {Ran(gpu_, 100 + step, 10)}, {});
  }
  const profile::Profile all = std::move(builder_).Build();
  const profile::Profile one = all.WithSteps({all.steps()[1]});
  EXPECT_EQ(&one.graph(), &all.graph());
  EXPECT_EQ(one.FindStep(3), all.FindStep(3));
  EXPECT_EQ(one.FindStep(0), nullptr);
  EXPECT_EQ(all.steps().size(), 3u);
}

TEST_F(RulesTest, NamesThatNeverCount) {
  const profile::AccountingRules& rules = TfprofRules();
  for (const char* name :
       {"RecvTensor", "_SOURCE", "MEMCPYHtoD", "edge_MEMCPY"}) {
    EXPECT_FALSE(rules.MakesNode(name)) << name;
  }
  for (const char* name :
       {"RecvTensor2", "recvtensor", "_SOURCE_", "memcpy", "a", ""}) {
    EXPECT_TRUE(rules.MakesNode(name)) << name;
  }
}

TEST_F(RulesTest, ZeroCountsAsOneMicrosecond) {
  builder_.AddExecutions(0, {Ran(gpu_, 10, 0), Ran(stream_, 20, 0)}, {});
  const profile::StringId name =
      builder_.mutable_graph().strings.Intern("_SOURCE");
  builder_.AddOutside(0, {name, gpu_, 30, 0});
  const profile::Profile profile = std::move(builder_).Build();
  const profile::Step* step = profile.FindStep(0);
  EXPECT_EQ(step->sums.cpu_time[0], 1);
  EXPECT_EQ(step->sums.accelerator_time[0], 1);
  EXPECT_EQ(step->sums.end.Micros(0), 21);
  for (size_t e = 0; e < 3; ++e) {
    EXPECT_EQ(step->exec_duration.Micros(e), 1) << e;
  }
}

// Nanoseconds are rounded down to whole microseconds, as TensorFlow would have
// recorded them.
TEST_F(RulesTest, NanosecondsCountAsMicroseconds) {
  std::vector<profile::LaneExecutions> batch(1);
  batch[0] = {gpu_,
              {Ran(gpu_, 5000, 2999), Ran(gpu_, 9000, 0), Ran(gpu_, 9500, 7)},
              /*ticks_per_micro=*/1000};
  builder_.AddExecutions(0, std::move(batch), {});
  const profile::Profile profile = std::move(builder_).Build();
  const profile::Step* step = profile.FindStep(0);
  EXPECT_EQ(step->sums.cpu_time[0], 2 + 1 + 1);
  EXPECT_EQ(step->sums.run_count[0], 3);
  EXPECT_EQ(step->sums.start.Nanos(0), 5000);
  EXPECT_EQ(step->sums.end.Nanos(0), 10000);
  EXPECT_EQ(step->exec_duration.Nanos(0), 2999);
  EXPECT_EQ(step->exec_duration.Nanos(1), 1000);
}

// A profile of a format that records nanoseconds has sums of nanoseconds.
TEST_F(RulesTest, SumsHaveTheTicksOfTheProfile) {
  builder_.SetTicksPerMicro(1000);
  std::vector<profile::LaneExecutions> batch(2);
  batch[0] = {gpu_,
              {Ran(gpu_, 5000, 2999), Ran(gpu_, 9000, 0)},
              /*ticks_per_micro=*/1000};
  batch[1] = {gpu_, {Ran(gpu_, 20, 3)}, /*ticks_per_micro=*/1};
  builder_.AddExecutions(0, std::move(batch), {});
  const profile::Profile profile = std::move(builder_).Build();
  const profile::Step* step = profile.FindStep(0);
  EXPECT_EQ(step->sums.cpu_time[0], 2999 + 1000 + 3000);
  EXPECT_EQ(step->sums.run_count[0], 3);
}

TEST_F(RulesTest, MemoryCountsOnTheOwnDeviceOnly) {
  // The third record determines the node's device.
  builder_.AddExecutions(0,
                         {Ran(host_, 1, 1, 100), Ran(stream_, 1, 1, 100),
                          Ran(gpu_, 1, 1, 7), Ran(stream16_, 1, 1, 100)},
                         {});
  const profile::Profile profile = std::move(builder_).Build();
  const profile::StepSums& sums = profile.FindStep(0)->sums;
  EXPECT_EQ(sums.requested_bytes[0], 7);
  EXPECT_EQ(sums.peak_bytes[0], 7);
  EXPECT_EQ(sums.residual_bytes[0], 7);
  EXPECT_EQ(sums.output_bytes[0], 7);
}

TEST_F(RulesTest, WithoutADeviceMemoryOfTheNamelessDeviceCounts) {
  const profile::LaneId nameless = AddLane("", {});
  builder_.AddExecutions(0, {Ran(host_, 1, 1, 100), Ran(nameless, 1, 5, 7)},
                         {});
  const profile::Profile profile = std::move(builder_).Build();
  const profile::Step* step = profile.FindStep(0);
  EXPECT_EQ(step->sums.requested_bytes[0], 7);
  EXPECT_EQ(step->sums.cpu_time[0], 0);
  EXPECT_EQ(step->sums.run_count[0], 0);
  EXPECT_EQ(profile.nodes().device[n_], profile::kNone);
}

// In the reference, a device may be both; then its times are accelerator times.
TEST_F(RulesTest, AcceleratorStreamThatIsCanonical) {
  const profile::LaneId both = AddLane(
      "/stream:all/cpu:0", {.canonical = true, .accelerator_stream = true});
  builder_.AddExecutions(0, {Ran(both, 1, 5)}, {});
  const profile::Profile profile = std::move(builder_).Build();
  const profile::StepSums& sums = profile.FindStep(0)->sums;
  EXPECT_EQ(sums.accelerator_time[0], 5);
  EXPECT_EQ(sums.cpu_time[0], 0);
  EXPECT_EQ(sums.run_count[0], 0);
  EXPECT_EQ(profile.nodes().device[n_], profile.device_of(both));
}

TEST_F(RulesTest, TheEndIsNeverNegative) {
  builder_.AddExecutions(0, {Ran(gpu_, 10, kMax)}, {});  // wraps around
  builder_.AddExecutions(1, {Ran(gpu_, 10, -30)}, {});
  const profile::Profile profile = std::move(builder_).Build();
  for (const auto& step : profile.steps()) {
    ASSERT_TRUE(step->HasSpan(0));
    EXPECT_EQ(step->sums.start.Micros(0), 10);
    EXPECT_EQ(step->sums.end.Micros(0), 0);
  }
}

TEST_F(RulesTest, TheRecordThatMakesANodeDoesNotCoverIt) {
  std::vector<profile::Coverage> coverage = {profile::Coverage::kMade};
  std::vector<profile::LaneExecutions> batch(1);
  batch[0] = {.lane = gpu_, .records = {Ran(gpu_, 1, 1)}};
  EXPECT_EQ(builder_.AddExecutions(0, batch, {}, coverage), 0);
  EXPECT_EQ(coverage[0], profile::Coverage::kNone);
  EXPECT_EQ(builder_.AddExecutions(0, batch, {}, coverage), 1);
  EXPECT_EQ(coverage[0], profile::Coverage::kCovered);
  EXPECT_EQ(builder_.AddExecutions(0, batch, {}, coverage), 0);
}

}  // namespace
}  // namespace tfprof::accounting
