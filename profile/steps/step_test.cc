// Tests the facts of a step as a ProfileBuilder makes them, without accounting.

#include "profile/steps/step.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"

namespace tfprof::profile {
namespace {
namespace step_test {

using ::testing::ElementsAre;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

class StepTest : public ::testing::Test {
 protected:
  StepTest() {
    a_ = builder_.AddNode("a", "A", kNoRecord);
    b_ = builder_.AddNode("b", "B", kNoRecord);
    lane_ = builder_.mutable_graph().lanes.Add({});
    other_lane_ = builder_.mutable_graph().lanes.Add({});
  }

  ExecutionRecord Ran(NodeId n, int64_t start, int64_t duration) const {
    return {.node = n, .lane = lane_, .start = start, .duration = duration};
  }
  // Returns "node start+duration" in nanoseconds, in column order.
  std::vector<std::string> Executions(const Step& step) const {
    std::vector<std::string> texts;
    for (size_t g = 0; g < step.num_groups(); ++g) {
      for (size_t e = step.exec_begin(g); e < step.exec_end(g); ++e) {
        texts.push_back(std::to_string(step.node[g]) + " " + Times(step, e));
      }
    }
    for (size_t e = step.num_executions(); e < step.num_records(); ++e) {
      texts.push_back("outside " + Times(step, e));
    }
    return texts;
  }
  static std::string Times(const Step& step, size_t e) {
    return (step.HasStart(e) ? std::to_string(step.exec_start.Nanos(e)) : "?") +
           "+" + std::to_string(step.exec_duration.Nanos(e));
  }

  ProfileBuilder builder_;
  NodeId a_, b_;
  LaneId lane_, other_lane_;
};

TEST_F(StepTest, SortedByNodeInTheOrderOfTheInputs) {
  builder_.AddExecutions(
      0, {Ran(b_, 5, 1), Ran(a_, 9, 1), Ran(b_, 2, 1), Ran(a_, 1, 0)}, {});
  const Profile profile = std::move(builder_).Build();
  const Step& step = *profile.FindStep(0);
  EXPECT_THAT(Executions(step), ElementsAre("0 9000+1000", "0 1000+0",
                                            "1 5000+1000", "1 2000+1000"));
  EXPECT_EQ(step.LaneOf(0), lane_);
  // Without rules nothing is accounted, and no node has a device.
  EXPECT_FALSE(step.HasSpan(0));
  EXPECT_EQ(step.sums.run_count[0], 0);
  EXPECT_EQ(profile.nodes().device[a_], kNone);
}

// 0 and negative numbers are valid times: a clock may start with the profile.
TEST_F(StepTest, AMissingStartIsAFlag) {
  builder_.AddExecutions(
      0, {Ran(a_, 0, 3), Ran(a_, -7, 2), Ran(b_, kNoStart, 9)}, {});
  const Profile profile = std::move(builder_).Build();
  const Step& step = *profile.FindStep(0);
  EXPECT_THAT(Executions(step), ElementsAre("0 0+3000", "0 -7000+2000",
                                            // An execution without a start has
                                            // no duration.
                                            "1 ?+0"));
}

TEST_F(StepTest, TheFlagCostsNothingIfAllHaveAStart) {
  std::vector<ExecutionRecord> records;
  for (int64_t i = 0; i < 1000; ++i) records.push_back(Ran(a_, kMax - i, 1));
  builder_.AddExecutions(0, records, {});
  records[500].start = kNoStart;
  builder_.AddExecutions(1, records, {});
  const Profile profile = std::move(builder_).Build();
  const Step& all = *profile.FindStep(0);
  EXPECT_EQ(all.exec_has_start.bytes(), 0u);
  EXPECT_EQ(all.exec_start.bytes(), 2000u);
  // Missing starts do not widen the column of the others.
  const Step& some = *profile.FindStep(1);
  EXPECT_EQ(some.exec_has_start.bytes(), 1000u);
  EXPECT_EQ(some.exec_start.bytes(), 2000u);
  EXPECT_TRUE(some.HasStart(499));
  EXPECT_FALSE(some.HasStart(500));
}

TEST_F(StepTest, NoneHasAStart) {
  builder_.AddExecutions(0, {Ran(a_, kNoStart, 1), Ran(b_, kNoStart, 1)}, {});
  const Profile profile = std::move(builder_).Build();
  const Step& step = *profile.FindStep(0);
  EXPECT_THAT(Executions(step), ElementsAre("0 ?+0", "1 ?+0"));
  EXPECT_EQ(step.exec_start.bytes(), 0u);
}

TEST_F(StepTest, ExecutionsOfNoNodeAreOutside) {
  const StringId name = builder_.mutable_graph().strings.Intern("copy");
  builder_.AddOutside(0, {name, other_lane_, 7, 2, 99});
  builder_.AddExecutions(0, {Ran(a_, 1, 1)}, {});
  builder_.AddOutside(0, {name, other_lane_, kNoStart, 2, 100});
  builder_.AddStep(1);
  builder_.AddOutside(1, {name, lane_, 3, 4});
  const Profile profile = std::move(builder_).Build();
  const Step& step = *profile.FindStep(0);
  EXPECT_EQ(step.num_executions(), 1u);
  EXPECT_EQ(step.num_outside(), 2u);
  EXPECT_EQ(step.num_records(), 3u);
  EXPECT_THAT(Executions(step),
              ElementsAre("0 1000+1000", "outside 7000+2000", "outside ?+0"));
  EXPECT_EQ(step.OutsideName(1), name);
  EXPECT_EQ(step.LaneOf(1), other_lane_);
  EXPECT_EQ(step.exec_record[2], 100);
  // This step has no groups.
  const Step& alone = *profile.FindStep(1);
  EXPECT_EQ(alone.num_groups(), 0u);
  EXPECT_EQ(alone.num_executions(), 0u);
  EXPECT_THAT(Executions(alone), ElementsAre("outside 3000+4000"));
}

TEST_F(StepTest, ReopeningKeepsAllFacts) {
  const StringId name = builder_.mutable_graph().strings.Intern("copy");
  builder_.AddExecutions(0, {Ran(b_, 1, 1), Ran(a_, kNoStart, 1)}, {});
  builder_.AddOutside(0, {name, lane_, 5, 1});
  builder_.FinishStep(0);
  builder_.AddOutside(0, {name, lane_, 6, 1});
  builder_.AddExecutions(0, {Ran(b_, 2, 1)}, {});
  const Profile profile = std::move(builder_).Build();
  EXPECT_THAT(Executions(*profile.FindStep(0)),
              ElementsAre("0 ?+0", "1 1000+1000", "1 2000+1000",
                          "outside 5000+1000", "outside 6000+1000"));
}

TEST_F(StepTest, TicksOfAFile) {
  std::vector<LaneExecutions> nanos(1);
  nanos[0] = {lane_, {Ran(a_, 1500, 20)}, /*ticks_per_micro=*/1000};
  builder_.AddExecutions(0, std::move(nanos), {});
  const Profile profile = std::move(builder_).Build();
  const Step& step = *profile.FindStep(0);
  EXPECT_EQ(step.exec_start.ticks_per_micro(), 1000);
  EXPECT_THAT(Executions(step), ElementsAre("0 1500+20"));
  EXPECT_EQ(step.exec_start.Micros(0), 1);
}

// Parts of a step may come from files with different units of time.
TEST_F(StepTest, TheTickDividesTheTicksOfAllParts) {
  const auto add = [&](NodeId n, int64_t start, int64_t ticks_per_micro) {
    std::vector<LaneExecutions> batch(1);
    batch[0] = {lane_, {Ran(n, start, 2)}, ticks_per_micro};
    builder_.AddExecutions(0, std::move(batch), {});
  };
  const StringId name = builder_.mutable_graph().strings.Intern("copy");
  add(a_, 3, 1);
  add(b_, kNoStart, 1);
  builder_.AddOutside(0, {name, lane_, 9, 1});
  builder_.FinishStep(0);
  add(a_, 70, 10);
  add(b_, 7, 4);
  add(b_, kMax / 10, 1);
  const Profile profile = std::move(builder_).Build();
  const Step& step = *profile.FindStep(0);
  EXPECT_EQ(step.exec_start.ticks_per_micro(), 20);
  EXPECT_THAT(
      Executions(step),
      ElementsAre("0 3000+2000", "0 7000+200", "1 ?+0", "1 1750+500",
                  "1 " + std::to_string(kMax) + "+2000", "outside 9000+1000"));
}

TEST_F(StepTest, DroppedExecutionsLeaveTheSums) {
  builder_.AddGroups(
      0, {{.node = b_, .has_span = true, .run_count = 3, .start = 4, .end = 9}},
      {Ran(b_, 4, 5)});
  builder_.AddStep(0);
  const StringId name = builder_.mutable_graph().strings.Intern("copy");
  builder_.AddOutside(0, {name, lane_, 6, 1});
  builder_.SetMaxMemory(1);
  builder_.FinishStep(0);
  builder_.AddExecutions(0, {Ran(a_, 1, 1)}, {});
  const Profile profile = std::move(builder_).Build();
  const Step& step = *profile.FindStep(0);
  EXPECT_TRUE(step.aggregated);
  EXPECT_EQ(step.num_records(), 0u);
  EXPECT_EQ(step.num_outside(), 0u);
  ASSERT_EQ(step.num_groups(), 2u);
  const uint32_t group = step.FindGroup(b_);
  EXPECT_EQ(step.exec_begin(group), step.exec_end(group));
  EXPECT_EQ(step.sums.run_count[group], 3);
  ASSERT_TRUE(step.HasSpan(group));
  EXPECT_EQ(step.sums.start.Micros(group), 4);
  EXPECT_EQ(step.sums.end.Micros(group), 9);
}

TEST_F(StepTest, GivenSumsOfOneGroupAddUp) {
  builder_.AddGroups(0, {{.node = a_, .run_count = 1, .cpu_time = kMax}}, {});
  builder_.AddGroups(
      0, {{.node = a_, .has_span = true, .cpu_time = 1, .start = -4, .end = 0}},
      {});
  builder_.AddGroups(0,
                     {{.node = a_, .has_span = true, .start = -2, .end = 8},
                      {.node = b_, .run_count = 5}},
                     {});
  builder_.AddStep(0);
  const Profile profile = std::move(builder_).Build();
  const StepSums& sums = profile.FindStep(0)->sums;
  EXPECT_EQ(sums.run_count[0], 1);
  EXPECT_EQ(sums.cpu_time[0], std::numeric_limits<int64_t>::min());
  ASSERT_TRUE(sums.HasSpan(0));
  EXPECT_EQ(sums.start.Micros(0), -4);
  EXPECT_EQ(sums.end.Micros(0), 8);
  EXPECT_FALSE(sums.HasSpan(1));
  EXPECT_EQ(sums.run_count[1], 5);
}

TEST_F(StepTest, GroupsAreFoundByTheirNodes) {
  const NodeId idle = builder_.AddNode("idle", "I", kNoRecord);
  const NodeId c = builder_.AddNode("c", "C", kNoRecord);
  builder_.AddExecutions(0, {Ran(c, 1, 1), Ran(b_, 1, 1)}, {});
  const Profile profile = std::move(builder_).Build();
  const Step& step = *profile.FindStep(0);
  ASSERT_EQ(step.num_groups(), 2u);
  EXPECT_EQ(step.FindGroup(b_), 0u);
  EXPECT_EQ(step.FindGroup(c), 1u);
  EXPECT_EQ(step.FindGroup(a_), kNone);
  EXPECT_EQ(step.FindGroup(idle), kNone);
  EXPECT_EQ(step.FindGroup(kNone), kNone);
  // GroupAt() of a node without a group returns the next node's group.
  EXPECT_EQ(step.GroupAt(a_), 0u);
  EXPECT_EQ(step.GroupAt(idle), 1u);
  EXPECT_EQ(step.GroupAt(c + 1), 2u);
}

TEST_F(StepTest, AnEmptyStepHasNoGroup) {
  const Step step;
  EXPECT_TRUE(step.listed);
  EXPECT_EQ(step.num_groups(), 0u);
  EXPECT_EQ(step.num_records(), 0u);
  EXPECT_EQ(step.FindGroup(a_), kNone);
  EXPECT_EQ(step.GroupAt(a_), 0u);
  EXPECT_EQ(step.bytes(), 0u);
}

TEST_F(StepTest, WithoutExecutionsAGroupIsEmpty) {
  builder_.AddExecutions(0, {Ran(a_, 1, 1), Ran(b_, 700, 1), Ran(b_, 9, 5)},
                         {});
  const Profile profile = std::move(builder_).Build();
  Step step = *profile.FindStep(0);
  const size_t before = step.bytes();
  step.DropExecutions();
  EXPECT_TRUE(step.aggregated);
  EXPECT_LT(step.bytes(), before);
  EXPECT_EQ(step.num_groups(), 2u);
  EXPECT_EQ(step.num_executions(), 0u);
  for (size_t g = 0; g < 2; ++g)
    EXPECT_EQ(step.exec_begin(g), step.exec_end(g));
  // The original step is unchanged.
  EXPECT_EQ(profile.FindStep(0)->num_executions(), 3u);
}

}  // namespace step_test
}  // namespace
}  // namespace tfprof::profile
