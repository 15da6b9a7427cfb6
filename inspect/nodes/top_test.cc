#include "inspect/nodes/top.h"

#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using TopTest = SmallModelTest;

ViewOptions By(Stat stat) {
  ViewOptions options;
  options.order = ViewOptions::Order::kStat;
  options.order_stat = stat;
  return options;
}

TEST_F(TopTest, NodesWithTheMostTimeOfAll) {
  const DataTable table = TopTable(views_, {}, {}, 2);
  EXPECT_EQ(table.kind, "top");
  EXPECT_THAT(
      Rows(table, {"name", "micros", "micros_share", "op"}),
      ElementsAre("Conv2D 4292 0.868 Conv2D", "Conv2D_1 597 0.121 Conv2D"));
  EXPECT_EQ(table.total_rows, 6u);
}

TEST_F(TopTest, OnlyNodesBelowThePlace) {
  const DataTable table = TopTable(views_, At("DW2"), {}, 5);
  EXPECT_THAT(Rows(table, {"name", "micros_share"}), ElementsAre("DW2 1.000"));
  EXPECT_EQ(Fact(table, "place"), "/DW2");
}

TEST_F(TopTest, ByAnotherStatistic) {
  const DataTable table = TopTable(views_, {}, By(kPeakBytes), 1);
  EXPECT_THAT(Rows(table, {"peak_bytes", "micros", "runs", "requested_bytes"}),
              ElementsAre("14592 4292 1 18176"));
}

TEST_F(TopTest, OnlyAccountedTypes) {
  ViewOptions options = By(kPeakBytes);
  options.account_types = {"VariableV2"};
  EXPECT_THAT(Column(TopTable(views_, {}, options, 9), "name"),
              ElementsAre("DW", "DW2"));
}

TEST_F(TopTest, EqualsAreInTheOrderOfNodes) {
  EXPECT_THAT(Column(TopTable(views_, {}, By(kRunCount), 3), "name"),
              ElementsAre("zeros", "DW", "DW2"));
}

TEST_F(TopTest, NodesWithoutTheStatisticAreSkipped) {
  const DataTable table = TopTable(views_, {}, By(kFloatOps), 9);
  EXPECT_THAT(Column(table, "float_ops"), ElementsAre("5832", "4608"));
  EXPECT_EQ(table.total_rows, 2u);
  EXPECT_THAT(Column(TopTable(views_, At("DW/read"), {}, 9), "name"),
              IsEmpty());
}

TEST_F(TopTest, ZeroNodesAreNoRows) {
  const DataTable table = TopTable(views_, {}, {}, 0);
  EXPECT_EQ(table.num_rows, 0u);
  EXPECT_EQ(table.total_rows, 6u);
}

TEST(TopOfCodeTest, NodesOfALineAndOfCallsBelowIt) {
  const Profile profile = CodeModel("/nowhere/train.py");
  Views views(profile);
  const auto place = FindPlace(views, {}, "code:/train.py/train.py:4");
  ASSERT_TRUE(place.ok()) << Message(place.status());
  EXPECT_THAT(Column(TopTable(views, *place, {}, 9), "name"),
              ElementsAre("z", "y"));
}

}  // namespace
}  // namespace tfprof
