#include "views/multi_node.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::views {
namespace {

// Three nodes with type sets 0, 1 and 1. Node n takes 10^n microseconds and
// runs n + 1 times.
class MultiNodeTest : public ::testing::Test {
 protected:
  MultiNodeTest() : stats_(3, accounting::Stats{}) {
    table_.types = {0, 1, 1};
    int64_t micros = 1;
    for (profile::NodeId n = 0; n < 3; ++n, micros *= 10) {
      stats_[n][accounting::kMicros] = micros;
      stats_[n][accounting::kRunCount] = n + 1;
    }
  }

  // `accounted`: the number of matching patterns for each type set.
  Snapshot Take(const std::vector<profile::NodeId>& nodes,
                const std::vector<uint32_t>& accounted,
                bool accounts_all = false) {
    return TakeSnapshot(nodes, stats_, table_, accounted, accounts_all);
  }

  profile::NodeTable table_;
  accounting::StatsTable stats_;
};

TEST_F(MultiNodeTest, SumsTheNodesThatMatch) {
  const Snapshot snapshot = Take({0, 1, 2}, {0, 1});
  EXPECT_TRUE(snapshot.accounted);
  EXPECT_EQ(snapshot.sums[accounting::kMicros], 110);
  EXPECT_EQ(snapshot.sums[accounting::kRunCount], 5);
  EXPECT_EQ(snapshot.num_nodes, 2);
  EXPECT_EQ(snapshot.run_count, 5);
}

TEST_F(MultiNodeTest, ANodeCountsForEachPatternThatMatches) {
  const Snapshot snapshot = Take({0, 1}, {3, 1});
  EXPECT_EQ(snapshot.sums[accounting::kMicros], 3 + 10);
  EXPECT_EQ(snapshot.sums[accounting::kRunCount], 3 + 2);
  // Each node counts once here.
  EXPECT_EQ(snapshot.num_nodes, 2);
  EXPECT_EQ(snapshot.run_count, 1 + 2);
}

TEST_F(MultiNodeTest, ARowWithoutMatchingNodes) {
  EXPECT_FALSE(Take({0}, {0, 1}).accounted);
  EXPECT_FALSE(Take({}, {1, 1}).accounted);
  // With the list [".*"] it is accounted anyway.
  const Snapshot snapshot = Take({}, {1, 1}, /*accounts_all=*/true);
  EXPECT_TRUE(snapshot.accounted);
  EXPECT_EQ(snapshot.num_nodes, 0);
  EXPECT_EQ(snapshot.sums, accounting::Stats{});
}

// Sums wrap around like the unsigned sums of the reference.
TEST_F(MultiNodeTest, SumsWrap) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  stats_[0][accounting::kRunCount] = kMax;
  stats_[1][accounting::kRunCount] = 1;
  const Snapshot snapshot = Take({0, 1}, {1, 1});
  EXPECT_EQ(snapshot.run_count, std::numeric_limits<int64_t>::min());
  EXPECT_EQ(snapshot.sums[accounting::kRunCount],
            std::numeric_limits<int64_t>::min());
}

}  // namespace
}  // namespace tfprof::views
