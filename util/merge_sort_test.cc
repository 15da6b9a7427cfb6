#include "util/merge_sort.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "util/run/cancellation.h"

namespace tfprof::util {
namespace {

using Row = std::pair<int, size_t>;  // a key, and the place before sorting

std::vector<Row> RandomRows(size_t n) {
  std::mt19937 random(7);
  std::vector<Row> rows;
  for (size_t i = 0; i < n; ++i) {
    rows.emplace_back(static_cast<int>(random() % 1000), i);
  }
  return rows;
}

bool ByKey(const Row& a, const Row& b) { return a.first < b.first; }

TEST(MergeSortTest, SortsAndKeepsTheOrderOfEqualRows) {
  for (const size_t n : {0, 1, 2, 1000, 16384, 16385, 40000, 65536, 100003}) {
    std::vector<Row> rows = RandomRows(n);
    std::vector<Row> expected = rows;
    std::stable_sort(expected.begin(), expected.end(), ByKey);
    EXPECT_TRUE(MergeSort({}, rows, ByKey)) << n;
    EXPECT_EQ(rows, expected) << n;
  }
}

TEST(MergeSortTest, ACancellationEndsItWithAllRows) {
  Cancellation cancellation;
  std::vector<Row> rows = RandomRows(200000);
  const std::vector<Row> before = rows;
  size_t calls = 0;
  EXPECT_FALSE(MergeSort({.threads = 0, .cancellation = &cancellation}, rows,
                         [&](const Row& a, const Row& b) {
                           if (++calls == 3000000) cancellation.Request();
                           return ByKey(a, b);
                         }));
  EXPECT_GE(calls, 3000000u);
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.second < b.second; });
  EXPECT_EQ(rows, before);
}

}  // namespace
}  // namespace tfprof::util
