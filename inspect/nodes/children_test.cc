#include "inspect/nodes/children.h"

#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "timeline/calls_testing.h"

namespace tfprof::inspect {
namespace {

using ::testing::ElementsAre;
using ChildrenTest = SmallModelTest;

TEST_F(ChildrenTest, ByNameWithSharesOfThePlace) {
  const tables::DataTable table = ChildrenTable(views_, {}, {});
  EXPECT_EQ(table.kind, "ls");
  EXPECT_THAT(Column(table, "name"),
              ElementsAre("Conv2D", "Conv2D_1", "DW", "DW2", "ScalarW",
                          "_retval_Conv2D_1_0_0", "init", "zeros"));
  EXPECT_THAT(Column(table, "total_micros"),
              ElementsAre("4292", "597", "2", "11", "0", "41", "0", "2"));
  EXPECT_EQ(Fact(table, "total_micros"), "4945");
  EXPECT_EQ(Column(table, "total_micros_share")[0], "0.868");
  EXPECT_EQ(Column(table, "children")[2], "3");  // Assign, Initializer, read
}

TEST(ChildrenOfTraceTest, TimesOnBothAreTwoColumns) {
  timeline::CallsModel model;
  model.Op("aten::mm", 0, 40);
  model.Kernel("gemm", 10, 90);
  const profile::Profile profile = std::move(model.trace).Build();
  views::Views views(profile);
  views::ViewOptions options;
  options.order = views::ViewOptions::Order::kStat;
  options.order_stat = accounting::kMicros;
  const tables::DataTable table = ChildrenTable(views, {}, options);
  EXPECT_THAT(
      Rows(table, {"name", "total_accelerator_micros",
                   "total_accelerator_micros_share", "total_cpu_micros",
                   "total_cpu_micros_share", "total_micros"}),
      ElementsAre("gemm 90 1.000 0 0.000 90", "aten::mm 0 0.000 40 1.000 40"));
  for (const auto& [column, cell] : table.facts) {
    if (!column.name.starts_with("total_")) continue;
    EXPECT_EQ(column.title.empty(), column.name == "total_micros")
        << column.name;
  }
}

TEST_F(ChildrenTest, FactsNameThePlaceAndTheStep) {
  const tables::DataTable average = ChildrenTable(views_, At("DW"), {});
  EXPECT_EQ(Fact(average, "place"), "/DW");
  EXPECT_EQ(Fact(average, "step"), "-1");
  EXPECT_EQ(Fact(average, "times"), "average of the steps");
  views::ViewOptions options;
  options.step = 0;
  EXPECT_EQ(Fact(ChildrenTable(views_, At("DW"), options), "times"), "step 0");
}

TEST_F(ChildrenTest, AnotherStatisticOrdersAndHasAColumn) {
  views::ViewOptions options;
  options.order = views::ViewOptions::Order::kStat;
  options.order_stat = accounting::kParameters;
  const tables::DataTable table = ChildrenTable(views_, {}, options);
  EXPECT_EQ(Column(table, "name")[0], "DW2");
  EXPECT_EQ(Column(table, "total_parameters")[0], "288");
}

TEST_F(ChildrenTest, AStatisticWithAColumnHasNoSecondOne) {
  for (const accounting::Stat stat :
       {accounting::kMicros, accounting::kRequestedBytes,
        accounting::kRunCount}) {
    views::ViewOptions options;
    options.order = views::ViewOptions::Order::kStat;
    options.order_stat = stat;
    EXPECT_EQ(ChildrenTable(views_, {}, options).columns.size(),
              ChildrenTable(views_, {}, {}).columns.size())
        << stat;
  }
}

TEST_F(ChildrenTest, EqualsStayInTheOrderOfNames) {
  views::ViewOptions options;
  options.order = views::ViewOptions::Order::kStat;
  options.order_stat = accounting::kMicros;
  EXPECT_THAT(Column(ChildrenTable(views_, {}, options), "name"),
              ElementsAre("Conv2D", "Conv2D_1", "_retval_Conv2D_1_0_0", "DW2",
                          "DW", "zeros", "ScalarW", "init"));
}

TEST_F(ChildrenTest, OnlyAccountedTypesHaveSums) {
  views::ViewOptions options;
  options.account_types = {"VariableV2"};
  const tables::DataTable table = ChildrenTable(views_, {}, options);
  EXPECT_EQ(Fact(table, "total_micros"), "13");
}

TEST_F(ChildrenTest, ALeafListsItself) {
  EXPECT_THAT(Column(ChildrenTable(views_, At("DW/read"), {}), "name"),
              ElementsAre("read"));
}

TEST_F(ChildrenTest, SharesOfNothingAreUnknown) {
  EXPECT_THAT(Rows(ChildrenTable(views_, At("DW/Initializer"), {}),
                   {"name", "total_micros", "total_micros_share"}),
              ElementsAre("random_normal 0 -"));
}

TEST(ChildrenOfCodeTest, LinesAreListedInTheOrderOfCreation) {
  const profile::Profile profile = CodeModel("/nowhere/train.py");
  views::Views views(profile);
  const auto root = FindPlace(views, {}, "code:");
  ASSERT_TRUE(root.ok());
  EXPECT_THAT(Rows(ChildrenTable(views, *root, {}), {"name", "total_micros"}),
              ElementsAre("train.py:2:main 115"));
  const auto inner = FindPlace(views, {}, "code:/train.py/train.py:4");
  ASSERT_TRUE(inner.ok()) << Message(inner.status());
  EXPECT_THAT(Column(ChildrenTable(views, *inner, {}), "total_micros"),
              ElementsAre("100"));
}

}  // namespace
}  // namespace tfprof::inspect
