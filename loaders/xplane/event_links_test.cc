#include "loaders/xplane/event_links.h"

#include <utility>

#include "accounting/self_time_rules.h"
#include "gtest/gtest.h"

namespace tfprof {
namespace {

// A profile with one node that ran in step 3, once for each record.
ProfileBuilder Ran(const std::vector<RecordRef>& records) {
  ProfileBuilder builder(SelfTimeRules());
  const NodeId n = builder.AddNode("n", "Op", kNoRecord);
  const LaneId lane =
      builder.mutable_graph().lanes.Add({.kind = LaneKind::kCompute});
  LaneExecutions executions = {.lane = lane, .records = {}};
  for (const RecordRef record : records) {
    executions.records.push_back(
        {.node = n, .start = 1, .duration = 1, .record = record});
  }
  std::vector<LaneExecutions> all;
  all.push_back(std::move(executions));
  builder.AddExecutions(3, std::move(all), {});
  builder.FinishSteps({3});
  return builder;
}

FlowEnd Producer(uint64_t id, int64_t time, RecordRef record) {
  return {
      .type = 1, .id = id, .produces = true, .time = time, .record = record};
}
FlowEnd Consumer(uint64_t id, int64_t time, RecordRef record) {
  return {
      .type = 1, .id = id, .produces = false, .time = time, .record = record};
}

TEST(EventLinksTest, NamesExecutionsByTheirPlace) {
  ProfileBuilder builder = Ran({100, 200, 300});
  EventLinks links;
  links.Add(300, 100, LinkKind::kLaunch);
  links.Resolve(builder);
  const Profile profile = std::move(builder).Build();
  ASSERT_EQ(profile.links().size(), 1u);
  EXPECT_EQ(profile.links()[0], (Link{{3, 2}, {3, 0}, LinkKind::kLaunch}));
}

TEST(EventLinksTest, DropsEndsThatAreNoExecutions) {
  ProfileBuilder builder = Ran({100});
  EventLinks links;
  links.Add(100, 999, LinkKind::kData);
  links.Resolve(builder);
  EXPECT_EQ(std::move(builder).Build().links().size(), 0u);
}

TEST(EventLinksTest, AProducerHasManyConsumers) {
  ProfileBuilder builder = Ran({1, 2, 3});
  EventLinks links;
  EXPECT_EQ(links.AddFlows(
                {Consumer(7, 20, 2), Producer(7, 10, 1), Consumer(7, 30, 3)}),
            0);
  links.Resolve(builder);
  EXPECT_EQ(std::move(builder).Build().links().size(), 2u);
}

TEST(EventLinksTest, TheLastProducerBeforeCounts) {
  ProfileBuilder builder = Ran({1, 2, 3, 4});
  EventLinks links;
  links.AddFlows({Producer(7, 10, 1), Consumer(7, 15, 2), Producer(7, 20, 3),
                  Consumer(7, 25, 4)});
  links.Resolve(builder);
  const Profile profile = std::move(builder).Build();
  ASSERT_EQ(profile.links().size(), 2u);
  EXPECT_EQ(profile.links()[1].from.index, 2u);
  EXPECT_EQ(profile.links()[1].to.index, 3u);
}

TEST(EventLinksTest, CountsConsumersWithoutAProducer) {
  EventLinks links;
  EXPECT_EQ(links.AddFlows({Consumer(7, 20, 2), Producer(8, 10, 1)}), 1);
}

}  // namespace
}  // namespace tfprof
