#include "tables/bar_text.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "util/text/text_layout.h"

namespace tfprof::tables {
namespace {

TEST(BarTextTest, IsFilledInEighths) {
  EXPECT_EQ(BarText(0, 4, true), "    ");
  EXPECT_EQ(BarText(1, 4, true), "████");
  EXPECT_EQ(BarText(0.5, 4, true), "██  ");
  EXPECT_EQ(BarText(1.0 / 32, 4, true), "▏   ");
}

TEST(BarTextTest, HasWholeSignsInAscii) {
  EXPECT_EQ(BarText(0.5, 4, false), "##  ");
  EXPECT_EQ(BarText(0.1, 4, false), "    ");
}

TEST(BarTextTest, AnyNumberFitsIntoTheColumns) {
  for (const double share : {-1.0, 0.999999, 7.0, std::nan(""),
                             std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(util::Columns(BarText(share, 5, true)), 5u) << share;
    EXPECT_EQ(util::Columns(BarText(share, 5, false)), 5u) << share;
  }
}

}  // namespace
}  // namespace tfprof::tables
