#include "loaders/xplane/lines/event_links.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "accounting/self_time_rules.h"
#include "gtest/gtest.h"
#include "util/run/cancellation.h"

namespace tfprof::xplane {
namespace {

// A node that runs in step 3, with `count` linked events; event i is at 10 * i.
class EventLinksTest : public ::testing::Test {
 protected:
  void Run(uint32_t count) {
    profile::LaneEvents events;
    events.groups.push_back(
        {.node = builder_.AddNode("n", "Op", profile::kNoRecord),
         .lane = builder_.mutable_graph().lanes.Add(
             {.kind = profile::LaneKind::kCompute})});
    for (uint32_t i = 0; i < count; ++i) {
      events.events.push_back({.start = 10 * i, .duration = 1, .offset = i});
      events.linked.push_back(i);
    }
    lane_ = links_.AddLane();
    links_.SetPlaces(lane_, events);
    builder_.AddEvents(
        std::move(events),
        {{.step = 3, .begin = 0, .end = count, .has_nodes = true}});
  }

  profile::Profile Finish() {
    builder_.FinishSteps({3});
    links_.Resolve(builder_);
    return std::move(builder_).Build();
  }

  LinkEnd End(uint32_t event) const { return {lane_, event}; }
  FlowEnd Producer(uint64_t id, uint32_t event) const {
    return {.type = 1,
            .id = id,
            .produces = true,
            .time = 10 * event,
            .record = event,
            .end = End(event)};
  }
  FlowEnd Consumer(uint64_t id, uint32_t event) const {
    FlowEnd end = Producer(id, event);
    end.produces = false;
    return end;
  }

  profile::ProfileBuilder builder_ =
      profile::ProfileBuilder(accounting::SelfTimeRules());
  EventLinks links_;
  uint32_t lane_ = 0;
};

TEST_F(EventLinksTest, NamesExecutionsByTheirPlace) {
  Run(3);
  links_.Add(End(2), End(0), profile::LinkKind::kLaunch);
  const profile::Profile profile = Finish();
  ASSERT_EQ(profile.links().size(), 1u);
  EXPECT_EQ(profile.links()[0],
            (profile::Link{{3, 2}, {3, 0}, profile::LinkKind::kLaunch}));
}

TEST_F(EventLinksTest, DropsEndsThatAreNoExecutions) {
  Run(1);
  profile::LaneEvents left_out;
  left_out.events.push_back({});
  left_out.linked.push_back(0);
  const uint32_t lane = links_.AddLane();
  links_.SetPlaces(lane, left_out);
  links_.Add(End(0), {lane, 0}, profile::LinkKind::kData);
  EXPECT_EQ(Finish().links().size(), 0u);
}

TEST_F(EventLinksTest, AProducerHasManyConsumers) {
  Run(3);
  EXPECT_EQ(links_.AddFlows({Consumer(7, 1), Producer(7, 0), Consumer(7, 2)}),
            0);
  const profile::Profile profile = Finish();
  ASSERT_EQ(profile.links().size(), 2u);
  EXPECT_EQ(profile.links()[0],
            (profile::Link{{3, 0}, {3, 1}, profile::LinkKind::kData}));
  EXPECT_EQ(profile.links()[1],
            (profile::Link{{3, 0}, {3, 2}, profile::LinkKind::kData}));
}

TEST_F(EventLinksTest, TheLastProducerBeforeCounts) {
  Run(4);
  // One thread produces and another one consumes.
  links_.AddFlows(
      {Producer(7, 0), Producer(7, 2), Consumer(7, 1), Consumer(7, 3)});
  const profile::Profile profile = Finish();
  ASSERT_EQ(profile.links().size(), 2u);
  EXPECT_EQ(profile.links()[0].to.index, 1u);
  EXPECT_EQ(profile.links()[1].from.index, 2u);
  EXPECT_EQ(profile.links()[1].to.index, 3u);
}

TEST_F(EventLinksTest, EndsMayComeInAnyOrder) {
  Run(5);
  links_.AddFlows({Consumer(7, 4), Producer(7, 3), Consumer(7, 2),
                   Producer(7, 1), Consumer(7, 0)});
  const profile::Profile profile = Finish();
  ASSERT_EQ(profile.links().size(), 3u);
  EXPECT_EQ(profile.links()[0],
            (profile::Link{{3, 1}, {3, 0}, profile::LinkKind::kData}));
  EXPECT_EQ(profile.links()[1],
            (profile::Link{{3, 1}, {3, 2}, profile::LinkKind::kData}));
  EXPECT_EQ(profile.links()[2],
            (profile::Link{{3, 3}, {3, 4}, profile::LinkKind::kData}));
}

TEST_F(EventLinksTest, FlowsOfOneIdAndOtherTypesAreNotJoined) {
  Run(2);
  FlowEnd other = Consumer(7, 1);
  other.type = 2;
  EXPECT_EQ(links_.AddFlows({Producer(7, 0), other}), 1);
  EXPECT_EQ(Finish().links().size(), 0u);
}

TEST_F(EventLinksTest, CountsConsumersWithoutAProducer) {
  EXPECT_EQ(links_.AddFlows({Consumer(7, 2), Producer(8, 1)}), 1);
}

TEST_F(EventLinksTest, LinksOfSeveralStepsAreInOrder) {
  profile::LaneEvents events;
  events.groups.push_back(
      {.node = builder_.AddNode("n", "Op", profile::kNoRecord),
       .lane = builder_.mutable_graph().lanes.Add(
           {.kind = profile::LaneKind::kCompute})});
  for (uint32_t i = 0; i < 4; ++i) {
    events.events.push_back({.start = 10 * i, .duration = 1, .offset = i});
    events.linked.push_back(i);
  }
  lane_ = links_.AddLane();
  links_.SetPlaces(lane_, events);
  builder_.AddEvents(std::move(events),
                     {{.step = -7, .begin = 0, .end = 1, .has_nodes = true},
                      {.step = 2, .begin = 1, .end = 2, .has_nodes = true},
                      {.step = 9, .begin = 2, .end = 4, .has_nodes = true}});
  links_.Add(End(3), End(0), profile::LinkKind::kData);
  links_.Add(End(2), End(1), profile::LinkKind::kData);
  links_.Add(End(0), End(3), profile::LinkKind::kData);
  links_.Add(End(0), End(2), profile::LinkKind::kLaunch);
  builder_.FinishSteps({-7, 2, 9});
  links_.Resolve(builder_);
  const profile::Profile profile = std::move(builder_).Build();
  ASSERT_EQ(profile.links().size(), 4u);
  EXPECT_EQ(profile.links()[0],
            (profile::Link{{-7, 0}, {9, 0}, profile::LinkKind::kLaunch}));
  EXPECT_EQ(profile.links()[1],
            (profile::Link{{-7, 0}, {9, 1}, profile::LinkKind::kData}));
  EXPECT_EQ(profile.links()[2],
            (profile::Link{{9, 0}, {2, 0}, profile::LinkKind::kData}));
  EXPECT_EQ(profile.links()[3],
            (profile::Link{{9, 1}, {-7, 0}, profile::LinkKind::kData}));
}

TEST_F(EventLinksTest, LinksOfDroppedExecutionsAreDropped) {
  builder_.SetMaxMemory(1);
  Run(2);
  links_.Add(End(0), End(1), profile::LinkKind::kData);
  EXPECT_EQ(Finish().links().size(), 0u);
}

TEST_F(EventLinksTest, ACancelledResolveAddsNothing) {
  Run(2);
  links_.Add(End(0), End(1), profile::LinkKind::kData);
  builder_.FinishSteps({3});
  util::Cancellation cancellation;
  cancellation.Request();
  links_.Resolve(builder_, &cancellation);
  EXPECT_EQ(std::move(builder_).Build().links().size(), 0u);
}

TEST_F(EventLinksTest, CancelledFlowsAreNotJoined) {
  util::Cancellation cancellation;
  cancellation.Request();
  EXPECT_EQ(links_.AddFlows({Consumer(7, 2), Producer(8, 1)}, &cancellation),
            0);
}

}  // namespace
}  // namespace tfprof::xplane
