#include "loaders/chrome_json/kineto/replays/execution_batches.h"

#include "accounting/self_time_rules.h"
#include "gtest/gtest.h"

namespace tfprof::kineto {
namespace {

profile::ExecutionRecord Record(profile::NodeId node, int64_t start,
                                profile::RecordRef record) {
  return {.node = node, .start = start, .duration = 10, .record = record};
}

class EmitTest : public ::testing::Test {
 protected:
  EmitTest() {
    builder_.SetTicksPerMicro(1000);
    builder_.AddNode("a", "a", profile::kNoRecord);
    builder_.AddNode("b", "b", profile::kNoRecord);
    host_ = builder_.mutable_graph().lanes.Add(
        {.kind = profile::LaneKind::kCompute});
    stream_ = builder_.mutable_graph().lanes.Add(
        {.kind = profile::LaneKind::kKernels});
  }

  profile::ProfileBuilder builder_ =
      profile::ProfileBuilder(accounting::SelfTimeRules());
  profile::LaneId host_ = profile::kNone;
  profile::LaneId stream_ = profile::kNone;
};

TEST_F(EmitTest, BatchesByStepAndLane) {
  ExecutionBatches batches;
  batches.AddNested(2, host_, Record(0, 1, 101), 4);
  batches.Add(2, stream_, false, Record(0, 2, 102));
  batches.Add(2, stream_, true, Record(1, 3, 103));
  batches.AddNested(1, host_, Record(0, 4, 104), 5);
  std::move(batches).AddTo(builder_);
  builder_.FinishSteps({1, 2});
  const profile::Profile profile = std::move(builder_).Build();
  ASSERT_EQ(profile.steps().size(), 2u);
  const profile::Step& step = *profile.steps()[1];
  EXPECT_EQ(step.num_executions(), 3u);
  EXPECT_EQ(step.exec_start.ticks_per_micro(), 1000);
}

TEST_F(EmitTest, ManyLinksFindTheirExecutions) {
  // Records in no order; each even one launches the odd one behind it.
  constexpr uint64_t kPairs = 5000, kFactor = 7919, kModulus = 1 << 20;
  const auto record_of = [](uint64_t i) {
    return profile::MakeRecordRef(3, i * kFactor % kModulus);
  };
  ExecutionBatches batches;
  RecordLinks links;
  for (uint64_t i = 0; i < 2 * kPairs; ++i) {
    const auto time = static_cast<int64_t>(i);
    batches.Add(1, i % 2 == 0 ? host_ : stream_, true,
                Record(i % 2, time, record_of(i)));
    if (i % 2 == 1) {
      links.Add(record_of(i - 1), record_of(i), profile::LinkKind::kLaunch);
    }
  }
  std::move(batches).AddTo(builder_);
  builder_.FinishSteps({1});
  std::move(links).AddTo(builder_);
  const profile::Profile profile = std::move(builder_).Build();
  ASSERT_EQ(profile.links().size(), kPairs);
  const profile::Step& step = *profile.steps()[0];
  for (size_t i = 0; i < kPairs; ++i) {
    const profile::Link link = profile.links()[i];
    EXPECT_EQ(step.exec_start.Ticks(link.from.index) + 1,
              step.exec_start.Ticks(link.to.index));
  }
}

TEST_F(EmitTest, LinksFindTheirExecutions) {
  ExecutionBatches batches;
  batches.AddNested(1, host_, Record(1, 1, 101), 4);
  batches.Add(2, stream_, false, Record(0, 2, 102));
  std::move(batches).AddTo(builder_);
  builder_.FinishSteps({1, 2});
  RecordLinks links;
  links.Add(101, 102, profile::LinkKind::kLaunch);
  links.Add(101, 999, profile::LinkKind::kLaunch);  // not in the profile
  std::move(links).AddTo(builder_);
  const profile::Profile profile = std::move(builder_).Build();
  ASSERT_EQ(profile.links().size(), 1u);
  EXPECT_EQ(profile.links()[0],
            (profile::Link{{1, 0}, {2, 0}, profile::LinkKind::kLaunch}));
}

}  // namespace
}  // namespace tfprof::kineto
