#include "inspect/nodes/top.h"

#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"

namespace tfprof::inspect {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using TopTest = SmallModelTest;

views::ViewOptions By(accounting::Stat stat) {
  views::ViewOptions options;
  options.order = views::ViewOptions::Order::kStat;
  options.order_stat = stat;
  return options;
}

TEST_F(TopTest, NodesWithTheMostTimeOfAll) {
  const tables::DataTable table = TopTable(views_, {}, {}, 2);
  EXPECT_EQ(table.kind, "top");
  EXPECT_THAT(
      Rows(table, {"name", "micros", "micros_share", "op"}),
      ElementsAre("Conv2D 4292 0.868 Conv2D", "Conv2D_1 597 0.121 Conv2D"));
  EXPECT_EQ(table.total_rows, 6u);
}

// The launch of a kernel and the kernel are two numbers.
TEST_F(TopTest, PeopleSeeTwoTimes) {
  const tables::DataTable table = TopTable(views_, {}, {}, 2);
  EXPECT_THAT(Rows(table, {"accelerator_micros", "accelerator_micros_share",
                           "cpu_micros", "cpu_micros_share"}),
              ElementsAre("226 0.559 4066 0.895", "178 0.441 419 0.092"));
  for (const tables::DataColumn& column : table.columns) {
    EXPECT_EQ(column.data_only, column.name.starts_with("micros"))
        << column.name;
  }
  EXPECT_THAT(Fact(table, "not shown"), ::testing::HasSubstr("accelerator "));
}

TEST_F(TopTest, OnlyNodesBelowThePlace) {
  const tables::DataTable table = TopTable(views_, At("DW2"), {}, 5);
  EXPECT_THAT(Rows(table, {"name", "micros_share"}), ElementsAre("DW2 1.000"));
  EXPECT_EQ(Fact(table, "place"), "/DW2");
}

TEST_F(TopTest, ByAnotherStatistic) {
  const tables::DataTable table =
      TopTable(views_, {}, By(accounting::kPeakBytes), 1);
  EXPECT_THAT(Rows(table, {"peak_bytes", "micros", "runs", "requested_bytes"}),
              ElementsAre("14592 4292 1 18176"));
}

TEST_F(TopTest, OnlyAccountedTypes) {
  views::ViewOptions options = By(accounting::kPeakBytes);
  options.account_types = {"VariableV2"};
  EXPECT_THAT(Column(TopTable(views_, {}, options, 9), "name"),
              ElementsAre("DW", "DW2"));
}

TEST_F(TopTest, OnlyNamesToShow) {
  views::ViewOptions options;
  options.show_names = {"Conv2D.*"};
  options.hide_names = {"Conv2D"};
  const tables::DataTable table = TopTable(views_, {}, options, 9);
  // The share is one of all nodes.
  EXPECT_THAT(Rows(table, {"name", "micros_share"}),
              ElementsAre("Conv2D_1 0.121"));
  EXPECT_EQ(table.total_rows, 1u);
}

TEST_F(TopTest, EqualsAreInTheOrderOfNodes) {
  EXPECT_THAT(
      Column(TopTable(views_, {}, By(accounting::kRunCount), 3), "name"),
      ElementsAre("zeros", "DW", "DW2"));
}

TEST_F(TopTest, NodesWithoutTheStatisticAreSkipped) {
  const tables::DataTable table =
      TopTable(views_, {}, By(accounting::kFloatOps), 9);
  EXPECT_THAT(Column(table, "float_ops"), ElementsAre("5832", "4608"));
  EXPECT_EQ(table.total_rows, 2u);
  EXPECT_THAT(Column(TopTable(views_, At("DW/read"), {}, 9), "name"),
              IsEmpty());
}

TEST_F(TopTest, ZeroNodesAreNoRows) {
  const tables::DataTable table = TopTable(views_, {}, {}, 0);
  EXPECT_EQ(table.num_rows, 0u);
  EXPECT_EQ(table.total_rows, 6u);
}

TEST(TopOfCodeTest, NodesOfALineAndOfCallsBelowIt) {
  const profile::Profile profile = CodeModel("/nowhere/train.py");
  views::Views views(profile);
  const auto place = FindPlace(views, {}, "code:/train.py/train.py:4");
  ASSERT_TRUE(place.ok()) << Message(place.status());
  EXPECT_THAT(Column(TopTable(views, *place, {}, 9), "name"),
              ElementsAre("z", "y"));
}

}  // namespace
}  // namespace tfprof::inspect
