// Tests the names of units.

#include "tables/data_table.h"

#include "gtest/gtest.h"

namespace tfprof {
namespace {

TEST(DataTableTest, UnitsHaveNames) {
  for (const Unit unit : {Unit::kText, Unit::kCount, Unit::kMicros,
                          Unit::kBytes, Unit::kShare, Unit::kNumber}) {
    EXPECT_EQ(UnitNamed(UnitName(unit)), unit);
  }
  EXPECT_EQ(UnitName(Unit::kMicros), "micros");
  EXPECT_EQ(UnitNamed("inch"), Unit::kNumber);
}

}  // namespace
}  // namespace tfprof
