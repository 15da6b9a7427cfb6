#include "loaders/chrome_json/kineto/host/host_tree.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::kineto {
namespace {

using ::testing::ElementsAre;

constexpr KinetoCategory kOp = KinetoCategory::kOp;
constexpr KinetoCategory kLaunch = KinetoCategory::kLaunch;

// Makes events on threads 0 and 1.
KinetoEvents Events() {
  KinetoEvents events;
  events.threads.resize(2);
  return events;
}

void Add(KinetoEvents& events, int64_t start, int64_t duration,
         profile::StringId name, uint32_t thread = 0,
         KinetoCategory category = kOp) {
  events.host.push_back({.start = start,
                         .duration = duration,
                         .name = name,
                         .thread = thread,
                         .category = category});
}

TEST(HostTree, EachThreadIsATreeInTheOrderOfStarts) {
  KinetoEvents events = Events();
  Add(events, 12, 3, 1);  // inside the previous one
  Add(events, 10, 10, 2);
  Add(events, 11, 2, 3, 1);  // on another thread
  const HostTree tree = BuildHostTree(events);
  EXPECT_THAT(tree.parent, ElementsAre(1u, profile::kNone, profile::kNone));
  EXPECT_THAT(tree.self, ElementsAre(3, 7, 2));
  EXPECT_THAT(tree.OfThread(0), ElementsAre(1u, 0u));
  EXPECT_THAT(tree.OfThread(1), ElementsAre(2u));
}

TEST(HostTree, ChainsOfOneNameMerge) {
  KinetoEvents events = Events();
  Add(events, 10, 20, 1);
  Add(events, 11, 18, 1);
  Add(events, 12, 16, 1);
  Add(events, 13, 4, 2);
  const HostTree tree = BuildHostTree(events);
  EXPECT_THAT(tree.merged, ElementsAre(false, true, true, false));
  EXPECT_THAT(tree.parent, ElementsAre(profile::kNone, 0u, 0u, 0u));
  EXPECT_THAT(tree.self, ElementsAre(16, 0, 0, 4));
}

TEST(HostTree, AnEventBesideKeepsThemApart) {
  KinetoEvents events = Events();
  Add(events, 10, 20, 1);
  Add(events, 11, 5, 1);
  Add(events, 20, 1, 9, 0, kLaunch);
  const HostTree tree = BuildHostTree(events);
  EXPECT_THAT(tree.merged, ElementsAre(false, false, false));
  EXPECT_THAT(tree.self, ElementsAre(14, 5, 1));
}

TEST(HostTree, AsynchronousEventsStandAlone) {
  KinetoEvents events = Events();
  Add(events, 10, 20, 1);
  events.host.back().async = true;
  Add(events, 11, 5, 2);
  const HostTree tree = BuildHostTree(events);
  EXPECT_THAT(tree.parent, ElementsAre(profile::kNone, profile::kNone));
  EXPECT_THAT(tree.OfThread(0), ElementsAre(1u, 0u));
  EXPECT_EQ(FirstAfter(events, tree.OfThread(0), 50), 1u);
}

TEST(HostTree, FirstAfterATime) {
  KinetoEvents events = Events();
  Add(events, 10, 1, 1);
  Add(events, 20, 1, 1);
  const HostTree tree = BuildHostTree(events);
  EXPECT_EQ(FirstAfter(events, tree.OfThread(0), 9), 0u);
  EXPECT_EQ(FirstAfter(events, tree.OfThread(0), 10), 1u);
  EXPECT_EQ(FirstAfter(events, tree.OfThread(0), 20), 2u);
  EXPECT_EQ(FirstAfter(events, tree.OfThread(1), 20), 0u);
}

TEST(HostTree, MemoryOfTheInnermostOperator) {
  KinetoEvents events = Events();
  Add(events, 10, 20, 1);
  Add(events, 12, 5, 2);
  Add(events, 13, 2, 3, 0, kLaunch);
  events.memory = {
      {.time = 14, .bytes = 100},  // during the launch
      {.time = 20, .bytes = 7},    // after the inner one
      {.time = 16, .bytes = -40},
      {.time = 40, .bytes = 1},  // outside
      {.time = 14, .bytes = 1, .thread = 1},
  };
  int64_t outside = 0;
  const std::vector<HostMemory> memory =
      AttributeMemory(events, BuildHostTree(events), outside);
  EXPECT_EQ(outside, 2);
  ASSERT_EQ(memory.size(), 2u);
  EXPECT_EQ(memory[0].host, 0u);
  EXPECT_EQ(memory[0].requested, 7);
  EXPECT_EQ(memory[1].host, 1u);
  EXPECT_EQ(memory[1].requested, 100);
  EXPECT_EQ(memory[1].peak, 100);
  EXPECT_EQ(memory[1].residual, 60);
}

TEST(HostTree, MemoryOfAMergedOperatorIsItsParents) {
  KinetoEvents events = Events();
  Add(events, 10, 20, 1);
  Add(events, 12, 5, 1);
  events.memory = {{.time = 14, .bytes = 100}};
  int64_t outside = 0;
  const std::vector<HostMemory> memory =
      AttributeMemory(events, BuildHostTree(events), outside);
  ASSERT_EQ(memory.size(), 1u);
  EXPECT_EQ(memory[0].host, 0u);
}

}  // namespace
}  // namespace tfprof::kineto
