#include "timeline/first_fit.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::timeline {
namespace {

TEST(FirstFitTest, TheFirstFreeRow) {
  FirstFit rows(FirstFit::Fit::kApart, 0);
  EXPECT_EQ(rows.Place(10, 20), 0u);
  EXPECT_EQ(rows.Place(15, 30), 1u);
  EXPECT_EQ(rows.Place(20, 40), 2u);  // row 0 ended at 20, not before it
  EXPECT_EQ(rows.Place(21, 22), 0u);
  EXPECT_EQ(rows.rows(), 3u);
}

TEST(FirstFitTest, TouchingIntervalsShareARow) {
  FirstFit rows(FirstFit::Fit::kTouching, INT64_MIN);
  EXPECT_EQ(rows.Place(10, 20), 0u);
  EXPECT_EQ(rows.Place(20, 40), 0u);
}

TEST(FirstFitTest, NothingStartsBeforeTheOrigin) {
  FirstFit rows(FirstFit::Fit::kApart, 0);
  EXPECT_EQ(rows.Place(0, 5), 1u);
  EXPECT_EQ(rows.Place(-7, -3), 2u);
}

TEST(FirstFitTest, AsASearchThroughAllRows) {
  uint32_t x = 1;
  const auto random = [&](uint32_t below) {
    x = x * 1664525 + 1013904223;
    return static_cast<int64_t>((x >> 8) % below);
  };
  FirstFit rows(FirstFit::Fit::kTouching, 0);
  std::vector<int64_t> ends = {0};
  for (int i = 0; i < 3000; ++i) {
    const int64_t start = i / 3 + random(5);
    const int64_t end = start + random(200);
    size_t expected = 0;
    while (expected < ends.size() && ends[expected] > start) ++expected;
    if (expected == ends.size()) ends.push_back(0);
    ends[expected] = end;
    ASSERT_EQ(rows.Place(start, end), expected) << i;
  }
  EXPECT_GT(ends.size(), 64u);
}

TEST(FirstFitTest, AnEndWithoutLimit) {
  FirstFit rows(FirstFit::Fit::kTouching, 0);
  EXPECT_EQ(rows.Place(1, INT64_MAX), 0u);
  EXPECT_EQ(rows.Place(2, 3), 1u);
}

}  // namespace
}  // namespace tfprof::timeline
