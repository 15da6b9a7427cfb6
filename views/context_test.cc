#include "views/context.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/small_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"

namespace tfprof::views {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ContextTest : public ::testing::Test {
 protected:
  profile::NodeId Find(std::string_view name) const {
    return profile_.nodes().Find(profile_.strings().Find(name));
  }
  // Returns how many patterns match the types of a node.
  uint32_t AccountedOf(std::string_view node, const RegexPatterns& patterns) {
    return context_.Accounted(patterns)[profile_.nodes().types[Find(node)]];
  }

  profile::Profile profile_ = accounting::SmallModel();
  ViewContext context_{profile_};
};

TEST_F(ContextTest, StatisticsOfAStepAndTheAverage) {
  const auto average = context_.NodeStats(-1);
  ASSERT_EQ(average->size(), profile_.nodes().size());
  EXPECT_EQ((*average)[Find("Conv2D")][accounting::kMicros], 4292);
  // With one step, both have the same numbers, but they are cached separately.
  const auto step = context_.NodeStats(0);
  EXPECT_NE(step, average);
  EXPECT_EQ(*step, *average);
}

TEST_F(ContextTest, AnyNegativeStepIsTheAverage) {
  EXPECT_EQ(context_.NodeStats(-7), context_.NodeStats(-1));
}

TEST_F(ContextTest, KeepsTheLastTwoStatistics) {
  const auto first = context_.NodeStats(-1);
  const auto second = context_.NodeStats(0);
  EXPECT_EQ(context_.NodeStats(-1), first);
  const auto third = context_.NodeStats(0, flops::FlopsSource::kOff);
  EXPECT_EQ(context_.NodeStats(0), second);
  EXPECT_EQ(context_.NodeStats(0, flops::FlopsSource::kOff), third);
  EXPECT_NE(context_.NodeStats(-1), first);
}

TEST_F(ContextTest, FloatOperationsBySource) {
  const profile::NodeId conv = Find("Conv2D");
  const profile::NodeId mul = Find("DW/Initializer/random_normal/mul");
  EXPECT_EQ(context_.FloatOps(flops::FlopsSource::kOpLog).flops[conv], 5832);
  EXPECT_EQ(context_.FloatOps(flops::FlopsSource::kOpLog).flops[mul], 0);
  EXPECT_EQ(context_.FloatOps(flops::FlopsSource::kAuto).flops[conv], 5832);
  EXPECT_EQ(context_.FloatOps(flops::FlopsSource::kAuto).flops[mul], 162);
  EXPECT_EQ(context_.FloatOps(flops::FlopsSource::kGraph).flops[mul], 162);
  EXPECT_THAT(context_.FloatOps(flops::FlopsSource::kOff).flops, Each(0));
  // The node statistics contain them too.
  EXPECT_EQ((*context_.NodeStats(
                0, flops::FlopsSource::kGraph))[conv][accounting::kFloatOps],
            5832);
  EXPECT_EQ((*context_.NodeStats(
                0, flops::FlopsSource::kOff))[conv][accounting::kFloatOps],
            0);
}

TEST_F(ContextTest, NodesAreInTheOrderOfTheirNames) {
  const std::vector<profile::NodeId>& nodes = context_.NodesByName();
  ASSERT_EQ(nodes.size(), profile_.nodes().size());
  for (size_t i = 1; i < nodes.size(); ++i) {
    EXPECT_LT(profile_.node_name(nodes[i - 1]), profile_.node_name(nodes[i]));
  }
  EXPECT_EQ(&context_.NodesByName(), &nodes);
}

TEST_F(ContextTest, ATypeSetIsAccountedOncePerPattern) {
  EXPECT_EQ(AccountedOf("Conv2D", {"Conv2D"}), 1u);
  EXPECT_EQ(AccountedOf("Conv2D", {"Const"}), 0u);
  // One matches its op, the other its device.
  EXPECT_EQ(AccountedOf("Conv2D", {"Conv2D", ".*gpu.*"}), 2u);
  // Both types match the same pattern, so it counts once.
  EXPECT_EQ(AccountedOf("Conv2D", {"Conv2D|.*gpu.*"}), 1u);
  EXPECT_EQ(AccountedOf("DW", {"_trainable.*", "V.*", ".*"}), 3u);
}

TEST_F(ContextTest, EveryAndNoPattern) {
  EXPECT_THAT(context_.Accounted({".*"}), Each(1));
  EXPECT_THAT(context_.Accounted({}), Each(0));
  EXPECT_THAT(context_.Accounted({"("}), Each(0));
}

TEST_F(ContextTest, PatternsMayChangeAndComeBack) {
  EXPECT_EQ(AccountedOf("Conv2D", {"Conv2D"}), 1u);
  EXPECT_EQ(AccountedOf("Conv2D", {"Add"}), 0u);
  EXPECT_EQ(AccountedOf("Conv2D", {"Conv2D"}), 1u);
}

TEST(EmptyContextTest, HasNothing) {
  const profile::Profile profile;
  ViewContext context(profile);
  EXPECT_THAT(context.NodesByName(), IsEmpty());
  EXPECT_TRUE(context.NodeStats(-1)->empty());
  EXPECT_THAT(context.FloatOps(flops::FlopsSource::kGraph).flops, IsEmpty());
}

TEST(CountMatchesTest, CountsPatterns) {
  EXPECT_EQ(CountMatches({".*"}, "type"), 1u);
  EXPECT_EQ(CountMatches({".*", "t.*"}, "type"), 2u);
  EXPECT_EQ(CountMatches({"t", "("}, "type"), 0u);
  EXPECT_EQ(CountMatches({}, "type"), 0u);
}

}  // namespace
}  // namespace tfprof::views
