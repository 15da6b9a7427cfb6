#include "tables/blocks.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "util/text/text_layout.h"

namespace tfprof::tables {
namespace {

TEST(BlocksTest, TheHeightOfABlockIsItsShare) {
  EXPECT_EQ(BlockOf(0, true), " ");
  EXPECT_EQ(BlockOf(0.5, true), "▄");
  EXPECT_EQ(BlockOf(1, true), "█");
  EXPECT_EQ(BlockOf(0.5, false), "=");
}

TEST(BlocksTest, LittleIsNotNothingAndAlmostAllIsNotAll) {
  EXPECT_EQ(BlockOf(1e-9, true), "▁");
  EXPECT_EQ(BlockOf(1 - 1e-9, true), "▇");
}

TEST(BlocksTest, OddSharesAreDrawn) {
  EXPECT_EQ(BlockOf(-1, true), " ");
  EXPECT_EQ(BlockOf(7, true), "█");
  EXPECT_EQ(BlockOf(std::nan(""), true), " ");
  EXPECT_EQ(BlockOf(std::numeric_limits<double>::infinity(), true), "█");
}

TEST(BlocksTest, LinesStandOnEachOther) {
  const std::vector<double> shares = {0, 0.25, 0.5, 0.75, 1};
  EXPECT_EQ(BlockLines(shares, 2, true),
            (std::vector<std::string>{"   ▄█", " ▄███"}));
  EXPECT_EQ(BlockLines(shares, 2, false),
            (std::vector<std::string>{"   =%", " =%%%"}));
}

TEST(BlocksTest, NumbersOfAnAxisAreRoundAndStandAtTheirPlaces) {
  const TimeAxis axis = MakeTimeAxis(10'000, 40, true);
  EXPECT_EQ(axis.ruler, "├───────────────────┬───────────────────");
  EXPECT_EQ(axis.numbers, "0                   5ms");
  EXPECT_EQ(MakeTimeAxis(10'000, 40, false).ruler.substr(19, 3), "-+-");
}

TEST(BlocksTest, AnAxisOfAnyLengthHasItsColumns) {
  for (const double micros : {-5.0, 0.0, 1e-6, 0.3, 7.0, 999.99, 61e6, 9.2e18,
                              std::numeric_limits<double>::infinity()}) {
    for (const size_t columns : {0, 1, 5, 40, 200}) {
      const TimeAxis axis = MakeTimeAxis(micros, columns, true);
      EXPECT_EQ(util::Columns(axis.ruler), columns) << micros;
      EXPECT_LE(util::Columns(axis.numbers), columns) << micros;
    }
  }
}

TEST(BlocksTest, TimesOfAnAxisAreShort) {
  EXPECT_EQ(AxisTime(0), "0");
  EXPECT_EQ(AxisTime(12), "12us");
  EXPECT_EQ(AxisTime(1500), "1.5ms");
  EXPECT_EQ(AxisTime(999.99999), "1ms");
  EXPECT_EQ(AxisTime(2e6), "2sec");
}

}  // namespace
}  // namespace tfprof::tables
