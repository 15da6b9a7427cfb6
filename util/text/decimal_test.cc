#include "util/text/decimal.h"

#include <limits>
#include <string>

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

TEST(Decimal, WholeNumbers) {
  EXPECT_EQ(ParseDecimal("0"), 0);
  EXPECT_EQ(ParseDecimal("-17"), -17);
  EXPECT_EQ(ParseDecimal("+5"), 5);
  EXPECT_EQ(ParseDecimal("1795233189198784", 3), 1795233189198784000);
}

TEST(Decimal, MicrosWithDecimalsAreExactNanos) {
  EXPECT_EQ(ParseDecimal("4375870513570.478", 3), 4375870513570478);
  EXPECT_EQ(ParseDecimal("1712195495505582.988", 3), 1712195495505582988);
  EXPECT_EQ(ParseDecimal("0.001", 3), 1);
  EXPECT_EQ(ParseDecimal("-0.5", 3), -500);
}

TEST(Decimal, SmallerPartsAreRoundedHalfAwayFromZero) {
  EXPECT_EQ(ParseDecimal("43499.688999999998", 3), 43499689);
  EXPECT_EQ(ParseDecimal("0.0004", 3), 0);
  EXPECT_EQ(ParseDecimal("0.0005", 3), 1);
  EXPECT_EQ(ParseDecimal("-0.0005", 3), -1);
  EXPECT_EQ(ParseDecimal("0.00049999999999999999999999", 3), 0);
}

TEST(Decimal, Exponents) {
  EXPECT_EQ(ParseDecimal("9.9999999999999995e-07", 3), 0);
  EXPECT_EQ(ParseDecimal("9.9999999999999995e-07", 6), 1);
  EXPECT_EQ(ParseDecimal("1.5e3"), 1500);
  EXPECT_EQ(ParseDecimal("1.5E+03"), 1500);
  EXPECT_EQ(ParseDecimal("25e-1"), 3);
  EXPECT_EQ(ParseDecimal("0e999999999999999999999"), 0);
  EXPECT_EQ(ParseDecimal("1e-999999999999999999999"), 0);
}

TEST(Decimal, ManyDigits) {
  EXPECT_EQ(ParseDecimal("0.12345678901234567890123", 3), 123);
  EXPECT_EQ(ParseDecimal("00000000000000000000000000012"), 12);
  EXPECT_EQ(ParseDecimal("12" + std::string(200, '0') + "e-200"), 12);
}

TEST(Decimal, TheLimitsFit) {
  EXPECT_EQ(ParseDecimal("9223372036854775807"),
            std::numeric_limits<int64_t>::max());
  EXPECT_EQ(ParseDecimal("9223372036854775808"), std::nullopt);
  EXPECT_EQ(ParseDecimal("1e18", 3), std::nullopt);
  EXPECT_EQ(ParseDecimal("99999999999999999999999"), std::nullopt);
}

TEST(Decimal, WhatIsNoNumber) {
  for (const char* text : {"", "-", ".", "NaN", "Infinity", "1 2", "0x10", "1e",
                           "1e+", "1.2.3", "--1", "1e5x", "null"}) {
    EXPECT_EQ(ParseDecimal(text), std::nullopt) << text;
  }
}

TEST(Decimal, AMissingDigitBesideThePoint) {
  EXPECT_EQ(ParseDecimal(".5", 1), 5);
  EXPECT_EQ(ParseDecimal("5."), 5);
}

TEST(ParseDecimalTest, DigitsBelowTheIntegerMayBeCut) {
  EXPECT_EQ(ParseDecimalCut("43499.688999999998", 3), 43499688);
  EXPECT_EQ(ParseDecimalCut("-1.9"), -1);
  EXPECT_EQ(ParseDecimalCut("1.5e1"), 15);
}

}  // namespace
}  // namespace tfprof::util
