#include "loaders/chrome_json/kineto/replays/call_cycles.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::kineto {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

Calls Dropped(size_t num_nodes, Calls calls) {
  DropCycles(num_nodes, calls);
  return calls;
}

TEST(CyclesTest, CallsWithoutCyclesStay) {
  const Calls calls = {{0, 1}, {0, 2}, {1, 2}, {3, 2}};
  EXPECT_EQ(Dropped(4, calls), calls);
}

TEST(CyclesTest, NodesMayHaveNoCalls) {
  EXPECT_THAT(Dropped(3, {}), IsEmpty());
  EXPECT_THAT(Dropped(0, {}), IsEmpty());
}

TEST(CyclesTest, TheFirstNodeOfACycleIsNotCalled) {
  EXPECT_THAT(Dropped(3, {{0, 1}, {1, 2}, {2, 0}}),
              ElementsAre(Pair(0, 1), Pair(1, 2)));
}

TEST(CyclesTest, ACycleThatIsCalledFromOutsideBeginsThere) {
  EXPECT_THAT(Dropped(3, {{0, 1}, {1, 0}, {2, 1}}),
              ElementsAre(Pair(1, 0), Pair(2, 1)));
}

TEST(CyclesTest, ANodeMayCallItself) {
  EXPECT_THAT(Dropped(2, {{0, 0}, {0, 1}}), ElementsAre(Pair(0, 1)));
}

TEST(CyclesTest, CyclesShareNodes) {
  EXPECT_THAT(Dropped(3, {{0, 1}, {0, 2}, {1, 0}, {2, 0}}),
              ElementsAre(Pair(0, 1), Pair(0, 2)));
}

TEST(CyclesTest, ChainsOfAnyLengthNeedNoStack) {
  Calls calls;
  constexpr uint32_t kLength = 1000000;
  for (uint32_t i = 0; i + 1 < kLength; ++i) calls.emplace_back(i, i + 1);
  calls.emplace_back(kLength - 1, 0);
  EXPECT_EQ(Dropped(kLength, calls).size(), kLength - 1);
}

}  // namespace
}  // namespace tfprof::kineto
