#include "tables/stat_column.h"

#include "gtest/gtest.h"

namespace tfprof {
namespace {

TEST(StatColumnTest, NameTitleAndUnit) {
  const DataColumn peak = StatColumn(kPeakBytes);
  EXPECT_EQ(peak.name, "peak_bytes");
  EXPECT_EQ(peak.title, "peak");
  EXPECT_EQ(peak.unit, Unit::kBytes);
}

TEST(StatColumnTest, PrefixIsForProgramsOnly) {
  const DataColumn total = StatColumn(kRequestedBytes, "total_");
  EXPECT_EQ(total.name, "total_requested_bytes");
  EXPECT_EQ(total.title, "requested");
}

}  // namespace
}  // namespace tfprof
