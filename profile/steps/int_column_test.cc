#include "profile/steps/int_column.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::profile {
namespace {
namespace int_column_test {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(IntColumnTest, WidthFollowsTheSpan) {
  struct Case {
    std::vector<int64_t> values;
    size_t width;
  };
  const Case cases[] = {
      {{7}, 0},
      {{kMin, kMin}, 0},
      {{0, 255}, 1},
      {{1000, 1255, 1001}, 1},
      {{-3, 252}, 1},
      {{0, 256}, 2},
      {{-1, 65534}, 2},
      {{0, 65536}, 4},
      {{1700000000000000, 1700004294967295}, 4},
      {{0, int64_t{1} << 32}, 8},
      {{kMin, kMax, 0, -1, 1}, 8},
  };
  for (const Case& c : cases) {
    const IntColumn column(c.values);
    ASSERT_EQ(column.size(), c.values.size());
    EXPECT_EQ(column.bytes(), c.width * c.values.size()) << c.values.back();
    for (size_t i = 0; i < c.values.size(); ++i) {
      EXPECT_EQ(column[i], c.values[i]) << i;
    }
    const auto [low, high] = std::ranges::minmax(c.values);
    EXPECT_EQ(column.Range().low, low);
    EXPECT_EQ(column.Range().high, high);
  }
}

TEST(IntColumnTest, RowsToColumns) {
  struct Row {
    uint32_t id;
    bool flag;
    int64_t value;
  };
  std::vector<Row> rows;
  for (uint32_t i = 0; i < 1000; ++i) {
    rows.push_back({i, i == 700, i % 2 == 0 ? INT64_MIN : INT64_MAX});
  }
  const auto [id, flag, value, one] = IntColumn::OfRows(
      std::span<const Row>(rows), [](const Row& r) { return r.id; },
      [](const Row& r) { return r.flag; }, [](const Row& r) { return r.value; },
      [](const Row&) { return -3; });
  EXPECT_EQ(id.bytes(), 2000u);
  EXPECT_EQ(flag.bytes(), 1000u);
  EXPECT_EQ(value.bytes(), 8000u);
  EXPECT_EQ(one.bytes(), 0u);
  for (uint32_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(id[i], i);
    ASSERT_EQ(flag[i], i == 700);
    ASSERT_EQ(value[i], rows[i].value);
    ASSERT_EQ(one[i], -3);
  }
  const auto [none] = IntColumn::OfRows(std::span<const Row>(),
                                        [](const Row& r) { return r.id; });
  EXPECT_EQ(none.size(), 0u);
}

TEST(IntColumnTest, Repeat) {
  const IntColumn column = IntColumn::Repeat(3, -7);
  EXPECT_EQ(column.size(), 3u);
  EXPECT_EQ(column.bytes(), 0u);
  EXPECT_EQ(column[2], -7);
}

TEST(IntColumnTest, Empty) {
  EXPECT_EQ(IntColumn().size(), 0u);
  EXPECT_EQ(IntColumn(std::vector<int64_t>()).size(), 0u);
  EXPECT_EQ(IntColumn().bytes(), 0u);
}

TEST(IntColumnTest, EachRowIsReadTwice) {
  std::vector<int> reads(5, 0);
  const IntColumn column(reads.size(), [&](size_t i) -> int64_t {
    ++reads[i];
    return static_cast<int64_t>(i) * 1000;
  });
  EXPECT_EQ(reads, std::vector<int>({2, 2, 2, 2, 2}));
  EXPECT_EQ(column[4], 4000);
}

TEST(IntColumnTest, EqualValuesAreNotReadAgain) {
  int reads = 0;
  const IntColumn column(3, [&](size_t) -> int64_t {
    ++reads;
    return 7;
  });
  EXPECT_EQ(reads, 3);
  EXPECT_EQ(column[2], 7);
}

TEST(IntColumnTest, CopiesShareTheirValues) {
  IntColumn copy;
  {
    const IntColumn column({5, 300, -2});
    copy = column;
  }
  EXPECT_EQ(copy.size(), 3u);
  EXPECT_EQ(copy[0], 5);
  EXPECT_EQ(copy[1], 300);
  EXPECT_EQ(copy[2], -2);
}

// OfRows works on blocks of 256 rows.
TEST(IntColumnTest, ColumnsOfAnyNumberOfRows) {
  for (const size_t size : {1, 255, 256, 257, 512, 513}) {
    std::vector<int64_t> rows(size);
    for (size_t i = 0; i < size; ++i) rows[i] = static_cast<int64_t>(i) - 9;
    const auto [same, twice] = IntColumn::OfRows(
        std::span<const int64_t>(rows), [](int64_t v) { return v; },
        [](int64_t v) { return 2 * v; });
    ASSERT_EQ(same.size(), size);
    ASSERT_EQ(twice.size(), size);
    for (size_t i = 0; i < size; ++i) {
      ASSERT_EQ(same[i], rows[i]);
      ASSERT_EQ(twice[i], 2 * rows[i]);
    }
  }
}

TEST(IntColumnTest, RepeatsNoRow) {
  const IntColumn column = IntColumn::Repeat(0, 5);
  EXPECT_EQ(column.size(), 0u);
  EXPECT_EQ(column.bytes(), 0u);
}

TEST(IntColumnWriterTest, RowsComeInAnyOrder) {
  for (const int64_t high : {5, 200, 60'000, 70'000}) {
    IntRange range;
    range.Add(-7);
    range.Add(high);
    IntColumnWriter writer(3, range);
    writer.Set(2, high);
    writer.Set(0, -7);
    writer.Set(1, 0);
    const IntColumn column = std::move(writer).Finish();
    const IntColumn same(std::vector<int64_t>{-7, 0, high});
    EXPECT_EQ(column.bytes(), same.bytes());
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(column[i], same[i]);
  }
}

TEST(IntColumnWriterTest, HoldsTheFullRange) {
  constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
  constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();
  IntColumnWriter writer(2, {kLow, kHigh});
  writer.Set(0, kHigh);
  writer.Set(1, kLow);
  const IntColumn column = std::move(writer).Finish();
  EXPECT_EQ(column[0], kHigh);
  EXPECT_EQ(column[1], kLow);
}

TEST(IntColumnWriterTest, NoRowsAndEqualRowsTakeNoMemory) {
  EXPECT_EQ(IntColumnWriter(0, {}).Finish().size(), 0u);
  IntColumnWriter writer(2, {4, 4});
  writer.Set(0, 4);
  writer.Set(1, 4);
  const IntColumn column = std::move(writer).Finish();
  EXPECT_EQ(column.bytes(), 0u);
  EXPECT_EQ(column[1], 4);
}

TEST(IntRangeTest, JoinsOthers) {
  IntRange range;
  EXPECT_TRUE(range.empty());
  range.Add(IntRange{3, 5});
  range.Add(IntRange{});
  range.Add(-1);
  EXPECT_EQ(range.low, -1);
  EXPECT_EQ(range.high, 5);
}

}  // namespace int_column_test
}  // namespace
}  // namespace tfprof::profile
