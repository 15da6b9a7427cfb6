#include "util/radix_sort.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "util/run/cancellation.h"

namespace tfprof::util {
namespace {

uint64_t Self(uint64_t value) { return value; }

TEST(RadixSortTest, SortsNumbersOfAllSizes) {
  std::vector<uint64_t> rows = {
      5, std::numeric_limits<uint64_t>::max(), 0, 1ull << 40, 2047, 2048, 1};
  std::vector<uint64_t> sorted = rows;
  std::sort(sorted.begin(), sorted.end());
  RadixSort(rows, Self);
  EXPECT_EQ(rows, sorted);
}

TEST(RadixSortTest, KeepsTheOrderOfEqualNumbers) {
  std::vector<std::pair<uint32_t, int>> rows;
  for (int i = 0; i < 5000; ++i) {
    rows.push_back({static_cast<uint32_t>(i) * 7919u % 4099u / 3u, i});
  }
  auto sorted = rows;
  std::sort(sorted.begin(), sorted.end());
  RadixSort(rows, [](const auto& row) { return uint64_t{row.first}; });
  EXPECT_EQ(rows, sorted);
}

TEST(RadixSortTest, LeavesRowsOfOneNumberAndNoRows) {
  std::vector<uint64_t> zeros = {0, 0};
  RadixSort(zeros, Self);
  EXPECT_EQ(zeros, (std::vector<uint64_t>{0, 0}));
  std::vector<uint64_t> none;
  RadixSort(none, Self);
  EXPECT_TRUE(none.empty());
}

TEST(RadixSortTest, SaysThatItWasCancelled) {
  std::vector<uint64_t> rows = {2, 1};
  Cancellation cancellation;
  EXPECT_TRUE(RadixSort(rows, Self, &cancellation));
  cancellation.Request();
  EXPECT_FALSE(RadixSort(rows, Self, &cancellation));
  EXPECT_EQ(rows, (std::vector<uint64_t>{1, 2}));
}

}  // namespace
}  // namespace tfprof::util
