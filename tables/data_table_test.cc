// Tests the names of units.

#include "tables/data_table.h"

#include "gtest/gtest.h"

namespace tfprof::tables {
namespace {

TEST(DataTableTest, UnitsHaveNames) {
  for (const util::Unit unit :
       {util::Unit::kText, util::Unit::kCount, util::Unit::kMicros,
        util::Unit::kBytes, util::Unit::kShare, util::Unit::kNumber}) {
    EXPECT_EQ(util::UnitNamed(util::UnitName(unit)), unit);
  }
  EXPECT_EQ(util::UnitName(util::Unit::kMicros), "micros");
  EXPECT_EQ(util::UnitNamed("inch"), util::Unit::kNumber);
}

}  // namespace
}  // namespace tfprof::tables
