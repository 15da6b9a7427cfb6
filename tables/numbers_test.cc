#include "tables/numbers.h"

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "fmt/printf.h"
#include "gtest/gtest.h"

namespace tfprof::tables {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

TEST(NumbersTest, CountsUpToBillions) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1000), "1.00k");
  EXPECT_EQ(FormatCount(10440), "10.44k");
  EXPECT_EQ(FormatCount(1000000), "1.00m");
  EXPECT_EQ(FormatCount(1000000000), "1.00b");
  EXPECT_EQ(FormatCount(2500000000000), "2500.00b");
}

TEST(NumbersTest, TimesUpToSeconds) {
  EXPECT_EQ(FormatMicros(13), "13us");
  EXPECT_EQ(FormatMicros(4541), "4.54ms");
  EXPECT_EQ(FormatMicros(1000000), "1.00sec");
  EXPECT_EQ(FormatMicros(7200000000), "7200.00sec");
}

TEST(NumbersTest, BytesUpToMegabytes) {
  EXPECT_EQ(FormatBytes(999), "999B");
  EXPECT_EQ(FormatBytes(2500), "2.50KB");
  EXPECT_EQ(FormatBytes(8000000000), "8000.00MB");
}

TEST(NumbersTest, TextsGoOnBehindMegabytes) {
  EXPECT_EQ(BytesText(2500), "2.50KB");
  EXPECT_EQ(BytesText(999999999), "1000.00MB");
  EXPECT_EQ(BytesText(8000000000), "8.00GB");
  EXPECT_EQ(BytesText(2500000000000), "2.50TB");
}

TEST(NumbersTest, TheUnitIsChosenBeforeRounding) {
  EXPECT_EQ(FormatBytes(999999), "1000.00KB");
  EXPECT_EQ(FormatMicros(999999), "1000.00ms");
  EXPECT_EQ(FormatCount(999999999), "1000.00m");
}

TEST(NumbersTest, NegativeNumbersAreInTheSmallestUnit) {
  EXPECT_EQ(FormatCount(-10440), "-10440");
  EXPECT_EQ(FormatMicros(-4541), "-4541us");
  EXPECT_EQ(FormatBytes(-5), "-5B");
  EXPECT_EQ(FormatBytes(kLeast), "-9223372036854775808B");
}

TEST(NumbersTest, TextIsAppended) {
  std::string text = "time ";
  AppendMicros(text, 7);
  AppendCount(text, 1);
  AppendBytes(text, 2000);
  EXPECT_EQ(text, "time 7us12.00KB");
}

// Formats like the reference, with printf.
std::string Printed(int64_t n) {
  const auto value = static_cast<double>(n);
  if (n >= 1000000000) return fmt::sprintf("%.2fb", value / 1e9);
  if (n >= 1000000) return fmt::sprintf("%.2fm", value / 1e6);
  if (n >= 1000) return fmt::sprintf("%.2fk", value / 1e3);
  return fmt::sprintf("%d", n);
}

TEST(NumbersTest, RoundsExactlyAsPrintfDoes) {
  // Between two hundredths, the double decides how to round.
  for (const int64_t unit : {1000, 1000000, 1000000000}) {
    for (int64_t i = 0; i < 2000; ++i) {
      const int64_t tie = unit + i * (unit / 100) + unit / 200;
      for (const int64_t n : {tie - 1, tie, tie + 1}) {
        EXPECT_EQ(FormatCount(n), Printed(n)) << n;
      }
    }
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const auto n = static_cast<int64_t>(random() >> (1 + random() % 63));
    EXPECT_EQ(FormatCount(n), Printed(n)) << n;
  }
  EXPECT_EQ(FormatCount(kMost), Printed(kMost));
}

TEST(NumbersTest, TicksOfAMicrosecondAreMicroseconds) {
  EXPECT_EQ(FormatTime(999, 1), FormatMicros(999));
  EXPECT_EQ(FormatTime(-5, 1), "-5us");
}

TEST(NumbersTest, ShortTicksHaveDecimalsBelowAMillisecond) {
  EXPECT_EQ(FormatTime(0, 1000), "0us");
  EXPECT_EQ(FormatTime(480, 1000), "0.48us");
  EXPECT_EQ(FormatTime(12345, 1000), "12.35us");
  EXPECT_EQ(FormatTime(12000, 1000), "12us");
  EXPECT_EQ(FormatTime(1234567, 1000), "1.24ms");
  EXPECT_EQ(FormatTime(-1234567, 1000), "-1.24ms");
  EXPECT_EQ(FormatTime(1500000, 1'000'000), "1.50us");
}

}  // namespace
}  // namespace tfprof::tables
