#include "profile/accounting_rules.h"

#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::profile {
namespace {

using ::testing::IsEmpty;

// Returns batches of two lanes; nodes 0 to 2 run on both.
std::vector<LaneExecutions> Batch() {
  std::vector<LaneExecutions> batch(2);
  for (LaneId lane = 0; lane < 2; ++lane) {
    batch[lane].lane = lane;
    for (NodeId n = 0; n < 3; ++n) {
      batch[lane].records.push_back({.node = n, .requested_bytes = 5});
    }
  }
  return batch;
}

TEST(NoAccountingTest, AnyNameMakesANode) {
  EXPECT_TRUE(NoAccounting().MakesNode(""));
  EXPECT_TRUE(NoAccounting().MakesNode("RecvTensor"));
}

TEST(NoAccountingTest, DurationsCountAsTheyAre) {
  EXPECT_EQ(NoAccounting().CountedTicks(0, 1), 0);
  EXPECT_EQ(NoAccounting().CountedTicks(-3, 1), -3);
}

TEST(NoAccountingTest, NoNodeGetsADevice) {
  GraphTables graph;
  const DeviceId device = graph.devices.Intern("/cpu:0", {.canonical = true});
  graph.lanes.Add({.device = device});
  graph.lanes.Add({.device = device});
  EXPECT_FALSE(NoAccounting().PlacesNodes(graph, Batch()));
}

TEST(NoAccountingTest, AllExecutionsStayOnTheirLanes) {
  const GraphTables graph;
  std::vector<LaneExecutions> batch = Batch();
  const Admission admission = NoAccounting().Admit(
      {.graph = graph, .batch = batch, .nodes = {0, 3}, .coverage = {}});
  EXPECT_THAT(admission.placed, IsEmpty());
  EXPECT_THAT(admission.outside, IsEmpty());
  EXPECT_THAT(admission.no_start, IsEmpty());
  EXPECT_EQ(admission.covered, 0);
  for (const LaneExecutions& executions : batch) {
    for (const ExecutionRecord& r : executions.records) {
      EXPECT_EQ(r.lane, executions.lane);
      EXPECT_EQ(r.requested_bytes, 5);
    }
  }
}

// Another thread may process the records of the other nodes at the same time.
TEST(NoAccountingTest, OnlyRecordsOfTheRequestedNodesChange) {
  const GraphTables graph;
  std::vector<LaneExecutions> batch = Batch();
  NoAccounting().Admit(
      {.graph = graph, .batch = batch, .nodes = {1, 2}, .coverage = {}});
  for (const LaneExecutions& executions : batch) {
    EXPECT_EQ(executions.records[0].lane, kNone);
    EXPECT_EQ(executions.records[1].lane, executions.lane);
    EXPECT_EQ(executions.records[2].lane, kNone);
  }
}

TEST(NoAccountingTest, AllSumsStay0) {
  const GraphTables graph;
  const std::vector<LaneExecutions> batch = Batch();
  const std::vector<uint32_t> group_of_node = {0, 1, 2};
  const std::vector<NodeRange> parts = {{0, 3}};
  std::vector<GroupSums> sums(3);
  NoAccounting().Sum({.graph = graph,
                      .batches = batch,
                      .group_of_node = group_of_node,
                      .parts = parts},
                     sums);
  for (const GroupSums& group : sums) {
    EXPECT_EQ(group.run_count, 0);
    EXPECT_EQ(group.requested_bytes, 0);
    EXPECT_FALSE(group.has_span);
  }
}

TEST(AdmissionTest, PositionsAreOrderedByLaneThenRecord) {
  using Position = Admission::Position;
  EXPECT_LT((Position{0, 9}), (Position{1, 0}));
  EXPECT_LT((Position{1, 0}), (Position{1, 1}));
  EXPECT_EQ((Position{1, 1}), (Position{1, 1}));
}

}  // namespace
}  // namespace tfprof::profile
