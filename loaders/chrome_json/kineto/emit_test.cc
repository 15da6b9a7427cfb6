#include "loaders/chrome_json/kineto/emit.h"

#include "accounting/self_time_rules.h"
#include "gtest/gtest.h"

namespace tfprof {
namespace {

ExecutionRecord Record(NodeId node, int64_t start, RecordRef record) {
  return {.node = node, .start = start, .duration = 10, .record = record};
}

class EmitTest : public ::testing::Test {
 protected:
  EmitTest() {
    builder_.SetTicksPerMicro(1000);
    builder_.AddNode("a", "a", kNoRecord);
    builder_.AddNode("b", "b", kNoRecord);
    host_ = builder_.mutable_graph().lanes.Add({.kind = LaneKind::kCompute});
    stream_ = builder_.mutable_graph().lanes.Add({.kind = LaneKind::kKernels});
  }

  ProfileBuilder builder_ = ProfileBuilder(SelfTimeRules());
  LaneId host_ = kNone;
  LaneId stream_ = kNone;
};

TEST_F(EmitTest, BatchesByStepAndLane) {
  ExecutionBatches batches;
  batches.AddNested(2, host_, Record(0, 1, 101), 4);
  batches.Add(2, stream_, false, Record(0, 2, 102));
  batches.Add(2, stream_, true, Record(1, 3, 103));
  batches.AddNested(1, host_, Record(0, 4, 104), 5);
  std::move(batches).AddTo(builder_);
  builder_.FinishSteps({1, 2});
  const Profile profile = std::move(builder_).Build();
  ASSERT_EQ(profile.steps().size(), 2u);
  const Step& step = *profile.steps()[1];
  EXPECT_EQ(step.num_executions(), 3u);
  EXPECT_EQ(step.exec_start.ticks_per_micro(), 1000);
}

TEST_F(EmitTest, LinksFindTheirExecutions) {
  ExecutionBatches batches;
  batches.AddNested(1, host_, Record(1, 1, 101), 4);
  batches.Add(2, stream_, false, Record(0, 2, 102));
  std::move(batches).AddTo(builder_);
  builder_.FinishSteps({1, 2});
  RecordLinks links;
  links.Add(101, 102, LinkKind::kLaunch);
  links.Add(101, 999, LinkKind::kLaunch);  // not in the profile
  std::move(links).AddTo(builder_);
  const Profile profile = std::move(builder_).Build();
  ASSERT_EQ(profile.links().size(), 1u);
  EXPECT_EQ(profile.links()[0], (Link{{1, 0}, {2, 0}, LinkKind::kLaunch}));
}

}  // namespace
}  // namespace tfprof
