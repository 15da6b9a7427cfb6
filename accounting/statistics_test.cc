#include "accounting/statistics.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::accounting {
namespace {

using ::testing::ElementsAre;

TEST(StatisticsTest, EachStatisticHasItsRow) {
  for (int s = 0; s < kNumStats; ++s) {
    EXPECT_EQ(StatisticOf(static_cast<Stat>(s)).stat, s);
  }
}

TEST(StatisticsTest, RowsAreComplete) {
  for (const Statistic& s : kStatistics) {
    EXPECT_FALSE(s.name.empty());
    EXPECT_FALSE(s.title.empty()) << s.name;
    EXPECT_FALSE(s.word.empty()) << s.name;
    EXPECT_TRUE(s.help.ends_with('.')) << s.name;
    EXPECT_TRUE(s.min_help.ends_with('.')) << s.name;
    EXPECT_TRUE(s.pprof_comment.ends_with('.')) << s.name;
    EXPECT_FALSE(s.report_doc.empty()) << s.name;
    EXPECT_EQ(s.min_option, "min_" + std::string(s.word));
    EXPECT_TRUE(SummingText(s.summing).ends_with('.')) << s.name;
  }
}

// A name for programs ends with its unit if it has one.
TEST(StatisticsTest, NamesSayTheUnit) {
  for (const Statistic& s : kStatistics) {
    EXPECT_EQ(s.name.ends_with("micros"), s.unit == util::Unit::kMicros)
        << s.name;
    EXPECT_EQ(s.name.ends_with("_bytes"), s.unit == util::Unit::kBytes)
        << s.name;
  }
}

// No word may refer to two statistics.
TEST(StatisticsTest, NamesAndWordsAreDistinct) {
  std::set<std::string_view> names, titles;
  std::set<int> places;
  for (const Statistic& s : kStatistics) {
    EXPECT_TRUE(names.insert(s.name).second) << s.name;
    if (s.word != s.name) {
      EXPECT_TRUE(names.insert(s.word).second) << s.word;
    }
    EXPECT_TRUE(titles.insert(s.title).second) << s.title;
    EXPECT_TRUE(places.insert(s.select_place).second) << s.select_place;
  }
}

TEST(StatisticsTest, BothNamesFindIt) {
  for (const Statistic& s : kStatistics) {
    EXPECT_EQ(FindStatistic(s.name), &s);
    EXPECT_EQ(FindStatistic(s.word), &s);
  }
  EXPECT_EQ(FindStatistic("bytes")->name, "requested_bytes");
  EXPECT_EQ(FindStatistic("params")->name, "parameters");
  EXPECT_EQ(FindStatistic("occurrence")->name, "runs");
  for (const char* none : {"", "byte", "Micros", "micros ", "device"}) {
    EXPECT_EQ(FindStatistic(none), nullptr) << none;
  }
}

// The dump of an empty line and the columns of the op view have this order.
TEST(StatisticsTest, ReferenceOrder) {
  EXPECT_THAT(kReferenceOrder,
              ElementsAre(kRequestedBytes, kPeakBytes, kResidualBytes,
                          kOutputBytes, kMicros, kAcceleratorMicros, kCpuMicros,
                          kParameters, kFloatOps, kRunCount));
}

}  // namespace
}  // namespace tfprof::accounting
