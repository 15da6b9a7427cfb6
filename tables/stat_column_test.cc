#include "tables/stat_column.h"

#include "gtest/gtest.h"

namespace tfprof::tables {
namespace {

TEST(StatColumnTest, NameTitleAndUnit) {
  const DataColumn peak = StatColumn(accounting::kPeakBytes);
  EXPECT_EQ(peak.name, "peak_bytes");
  EXPECT_EQ(peak.title, "peak sum");
  EXPECT_EQ(peak.unit, util::Unit::kBytes);
}

TEST(StatColumnTest, PrefixIsForProgramsOnly) {
  const DataColumn total = StatColumn(accounting::kRequestedBytes, "total_");
  EXPECT_EQ(total.name, "total_requested_bytes");
  EXPECT_EQ(total.title, "requested");
}

TEST(TimeCellTest, ShortTicksGiveDecimals) {
  EXPECT_EQ(TimeCell(12345, 1), DataCell(int64_t{12345}));
  EXPECT_EQ(TimeCell(12345, 1000), DataCell(12.345));
  EXPECT_EQ(TimeCell(12345, 1'000'000), DataCell(0.012345));
}

TEST(StepCellTest, AllIsAWord) {
  EXPECT_EQ(StepCell(7), DataCell(int64_t{7}));
  EXPECT_EQ(StepCell(accounting::kAllSteps), DataCell(std::string("all")));
}

}  // namespace
}  // namespace tfprof::tables
