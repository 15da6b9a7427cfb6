// Tests numbers in cells, for programs and for people.

#include "tables/cell_text.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "gtest/gtest.h"

namespace tfprof::tables {
namespace {

TEST(CellTextTest, InFull) {
  const auto full = [](const DataCell& cell) {
    std::string text;
    AppendNumber(cell, "null", &text);
    return text;
  };
  EXPECT_EQ(full(INT64_MIN), "-9223372036854775808");
  EXPECT_EQ(full(0.1), "0.1");
  EXPECT_EQ(full(1e300), "1e+300");
  EXPECT_EQ(full(NAN), "null");
  EXPECT_EQ(full(INFINITY), "null");
  EXPECT_EQ(full(DataCell()), "null");
  EXPECT_EQ(full("5"), "null");
}

TEST(CellTextTest, ForPeople) {
  EXPECT_EQ(NumberText(int64_t{4541}, util::Unit::kMicros), "4.54ms");
  EXPECT_EQ(NumberText(4541.4, util::Unit::kMicros), "4.54ms");
  EXPECT_EQ(NumberText(1e300, util::Unit::kBytes), "1e+300");
  EXPECT_EQ(NumberText(int64_t{10440}, util::Unit::kCount), "10.44k");
  EXPECT_EQ(NumberText(int64_t{10440}, util::Unit::kNumber), "10440");
  EXPECT_EQ(NumberText(0.125, util::Unit::kShare), "12.5%");
  EXPECT_EQ(NumberText(int64_t{1}, util::Unit::kShare), "100.0%");
  EXPECT_EQ(NumberText(0.3333333, util::Unit::kNumber), "0.3333");
  EXPECT_EQ(NumberText(NAN, util::Unit::kNumber), "-");
  EXPECT_EQ(NumberText(DataCell(), util::Unit::kMicros), "-");
}

TEST(CellTextTest, BytesGoOnBehindMegabytes) {
  EXPECT_EQ(NumberText(int64_t{999999999}, util::Unit::kBytes), "1000.00MB");
  EXPECT_EQ(NumberText(int64_t{1000000000}, util::Unit::kBytes), "1.00GB");
  EXPECT_EQ(NumberText(3.35e12, util::Unit::kBytes), "3.35TB");
  EXPECT_EQ(NumberText(INT64_MAX, util::Unit::kBytes), "9.22EB");
  EXPECT_EQ(NumberText(int64_t{-8000000000}, util::Unit::kBytes),
            "-8000000000B");
  EXPECT_EQ(DeltaText(int64_t{-8000000000}, util::Unit::kBytes), "-8.00GB");
}

DataColumn Column(std::string name, util::Unit unit) {
  return {.name = std::move(name), .unit = unit};
}

TEST(CellTextTest, RatesHaveUnitsOfTheirOwn) {
  const DataColumn flops = Column("peak_flops_per_second", util::Unit::kCount);
  EXPECT_EQ(NumberText(989.5e12, flops), "989.50 TFLOP/s");
  EXPECT_EQ(NumberText(int64_t{451}, flops), "451 FLOP/s");
  EXPECT_EQ(NumberText(0.25, flops), "0.25 FLOP/s");
  EXPECT_EQ(NumberText(1e23, flops), "1e+23 FLOP/s");
  EXPECT_EQ(NumberText(2e18, flops), "2.00 EFLOP/s");
  const DataColumn bytes = Column("copy_bytes_per_second", util::Unit::kBytes);
  EXPECT_EQ(NumberText(3.35e12, bytes), "3.35 TB/s");
  EXPECT_EQ(NumberText(2500.0, bytes), "2.50 KB/s");
}

TEST(CellTextTest, FloatOperationsHaveAUnitOfTheirOwn) {
  EXPECT_EQ(NumberText(int64_t{515400000000},
                       Column("float_ops", util::Unit::kCount)),
            "515.40 GFLOP");
  // Columns of views use the reference's units.
  EXPECT_EQ(NumberText(int64_t{515400000000},
                       Column("self_float_ops", util::Unit::kCount)),
            "515.40b");
}

TEST(CellTextTest, OtherColumnsHaveTheUnitOfTheTable) {
  EXPECT_EQ(NumberText(int64_t{10440}, Column("runs", util::Unit::kCount)),
            "10.44k");
  EXPECT_EQ(NumberText(2.5, Column("x_per_second", util::Unit::kNumber)),
            "2.5");
  EXPECT_EQ(
      NumberText(DataCell(), Column("bytes_per_second", util::Unit::kBytes)),
      "-");
  EXPECT_EQ(NumberText(NAN, Column("flops_per_second", util::Unit::kCount)),
            "-");
}

TEST(CellTextTest, Differences) {
  EXPECT_EQ(DeltaText(int64_t{90}, util::Unit::kMicros), "+90us");
  EXPECT_EQ(DeltaText(int64_t{-4541}, util::Unit::kMicros), "-4.54ms");
  EXPECT_EQ(DeltaText(-4541.0, util::Unit::kMicros), "-4.54ms");
  EXPECT_EQ(DeltaText(int64_t{0}, util::Unit::kBytes), "0B");
  EXPECT_EQ(DeltaText(0.2, util::Unit::kShare), "+20.0%");
  EXPECT_EQ(DeltaText(-0.2, util::Unit::kShare), "-20.0%");
  EXPECT_EQ(DeltaText(INT64_MIN, util::Unit::kNumber), "-9223372036854775807");
  EXPECT_EQ(DeltaText(DataCell(), util::Unit::kShare), "-");
}

TEST(CellTextTest, NumberOfACell) {
  EXPECT_EQ(NumberOf(int64_t{7}), 7);
  EXPECT_EQ(NumberOf(0.5), 0.5);
  EXPECT_EQ(NumberOf("7"), 0);
  EXPECT_TRUE(IsNothing(DataCell()));
  EXPECT_FALSE(IsNothing(""));
}

TEST(CellTextTest, NumbersBeyondIntegersHaveFourDigits) {
  EXPECT_EQ(NumberText(9e15, util::Unit::kCount), "9000000.00b");
  EXPECT_EQ(NumberText(1e17, util::Unit::kCount), "1e+17");
  EXPECT_EQ(DeltaText(-1e17, util::Unit::kMicros), "-1e+17");
}

TEST(CellTextTest, DifferencesWithoutDigits) {
  EXPECT_EQ(DeltaText(NAN, util::Unit::kMicros), "-");
  EXPECT_EQ(DeltaText(-INFINITY, util::Unit::kShare), "-");
  EXPECT_EQ(DeltaText("text", util::Unit::kMicros), "-");
}

}  // namespace
}  // namespace tfprof::tables
