#include "timeline/intervals.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::timeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(IntervalsTest, OverlappingAndTouchingOnesBecomeOne) {
  Intervals busy;
  AddInterval(busy, 10, 20);
  AddInterval(busy, 12, 15);
  AddInterval(busy, 20, 25);
  AddInterval(busy, 26, 30);
  EXPECT_THAT(busy, ElementsAre(Interval{10, 25}, Interval{26, 30}));
  EXPECT_EQ(Length(busy), 19);
}

TEST(IntervalsTest, LengthsHaveNoUnit) {
  const Intervals set = {{10, 20}, {30, 35}};
  EXPECT_EQ(Length(set), 15);
  EXPECT_EQ(Length(set), Length(set));
  EXPECT_EQ(set[0].length(), 10);
  EXPECT_EQ(Overlap(set).Length(15, 32), 7);
}

TEST(IntervalsTest, Sets) {
  const Intervals a = {{0, 10}, {20, 30}, {40, 50}};
  const Intervals b = {{5, 25}, {30, 35}, {44, 46}, {48, 60}};
  EXPECT_THAT(Union(a, b), ElementsAre(Interval{0, 35}, Interval{40, 60}));
  EXPECT_THAT(Intersect(a, b), ElementsAre(Interval{5, 10}, Interval{20, 25},
                                           Interval{44, 46}, Interval{48, 50}));
  EXPECT_THAT(Subtract(a, b), ElementsAre(Interval{0, 5}, Interval{25, 30},
                                          Interval{40, 44}, Interval{46, 48}));
  EXPECT_THAT(Subtract(b, a), ElementsAre(Interval{10, 20}, Interval{30, 35},
                                          Interval{50, 60}));
  EXPECT_THAT(Subtract({{0, 3}, {4, 6}, {7, 9}}, {{1, 8}}),
              ElementsAre(Interval{0, 1}, Interval{8, 9}));
  EXPECT_EQ(Union(a, {}), a);
  EXPECT_EQ(Subtract(a, {}), a);
  EXPECT_THAT(Intersect(a, {}), IsEmpty());
}

TEST(IntervalsTest, UnionOfManySets) {
  UnionOfMany all;
  all.Add({{20, 30}, {40, 50}});
  all.Add({});
  all.Add({{5, 22}, {60, 70}});
  all.Add({{45, 55}});
  EXPECT_THAT(std::move(all).Take(),
              ElementsAre(Interval{5, 30}, Interval{40, 55}, Interval{60, 70}));
  EXPECT_THAT(UnionOfMany().Take(), IsEmpty());
}

TEST(IntervalsTest, OverlapOfManyWithOneSet) {
  const Intervals set = {{10, 20}, {30, 50}};
  Overlap overlap(set);
  EXPECT_EQ(overlap.Length(0, 10), 0);
  EXPECT_EQ(overlap.Length(0, 15), 5);
  EXPECT_EQ(overlap.Length(15, 35), 10);
  EXPECT_EQ(overlap.Length(20, 30), 0);
  EXPECT_EQ(overlap.Length(0, 100), 30);
}

// A simple model: a set of the moments 0 … 63 as bits.
uint64_t BitsOf(const Intervals& intervals) {
  uint64_t bits = 0;
  for (const Interval& i : intervals) {
    for (int64_t at = i.start; at < i.end; ++at) bits |= uint64_t{1} << at;
  }
  return bits;
}

// Converts the bits to intervals that are sorted, not empty and do not touch.
Intervals IntervalsOf(uint64_t bits) {
  Intervals intervals;
  for (int64_t at = 0; at < 64; ++at) {
    if ((bits >> at & 1) == 0) continue;
    if (!intervals.empty() && intervals.back().end == at) {
      ++intervals.back().end;
    } else {
      intervals.push_back({at, at + 1});
    }
  }
  return intervals;
}

TEST(IntervalsTest, SetsAreThoseOfTheModel) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    // Use dense, sparse and empty sets.
    const uint64_t x = random() & (i % 3 == 0 ? random() : ~uint64_t{0});
    const uint64_t y = i % 7 == 0 ? 0 : random() & random();
    const Intervals a = IntervalsOf(x), b = IntervalsOf(y);
    ASSERT_EQ(BitsOf(a), x);
    ASSERT_EQ(Length(a), std::popcount(x));
    ASSERT_EQ(Union(a, b), IntervalsOf(x | y));
    ASSERT_EQ(Subtract(a, b), IntervalsOf(x & ~y));
    // Touching neighbours stay separate only at an end in `a` or `b`.
    ASSERT_EQ(BitsOf(Intersect(a, b)), x & y);
    UnionOfMany all;
    for (const Intervals& set : {b, a, IntervalsOf(random())}) all.Add(set);
    const Intervals many = std::move(all).Take();
    ASSERT_EQ(many, IntervalsOf(BitsOf(many)));
    ASSERT_EQ(BitsOf(many) & (x | y), x | y);
    Overlap overlap(a);
    const auto start = static_cast<int64_t>(random() % 64);
    const auto end = start + static_cast<int64_t>(random() % (65 - start));
    uint64_t window = 0;
    for (int64_t at = start; at < end; ++at) window |= uint64_t{1} << at;
    ASSERT_EQ(overlap.Length(start, end), std::popcount(x & window));
  }
}

TEST(IntervalsTest, EmptySets) {
  EXPECT_EQ(Length({}), 0);
  EXPECT_THAT(Union({}, {}), IsEmpty());
  EXPECT_THAT(Subtract({}, {{0, 5}}), IsEmpty());
  EXPECT_THAT(Intersect({}, {}), IsEmpty());
  const Intervals none;
  EXPECT_EQ(Overlap(none).Length(0, 100), 0);
  UnionOfMany all;
  all.Add({});
  EXPECT_THAT(std::move(all).Take(), IsEmpty());
}

TEST(IntervalsTest, OneInsideTheOther) {
  EXPECT_THAT(Union({{0, 100}}, {{10, 20}, {30, 40}}),
              ElementsAre(Interval{0, 100}));
  EXPECT_THAT(
      Subtract({{0, 100}}, {{10, 20}, {30, 40}}),
      ElementsAre(Interval{0, 10}, Interval{20, 30}, Interval{40, 100}));
  EXPECT_THAT(Subtract({{10, 20}, {30, 40}}, {{0, 100}}), IsEmpty());
  // Equal sets leave nothing.
  EXPECT_THAT(Subtract({{10, 20}}, {{10, 20}}), IsEmpty());
}

// An interval does not include its end, so ends may equal starts.
TEST(IntervalsTest, NeighboursDoNotOverlap) {
  EXPECT_THAT(Intersect({{0, 10}}, {{10, 20}}), IsEmpty());
  EXPECT_THAT(Subtract({{0, 10}}, {{10, 20}}), ElementsAre(Interval{0, 10}));
  EXPECT_THAT(Union({{0, 10}}, {{10, 20}}), ElementsAre(Interval{0, 20}));
}

TEST(IntervalsTest, LongTimesDoNotOverflow) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const Intervals all = {{1, kMax}};
  EXPECT_EQ(Length(all), kMax - 1);
  EXPECT_EQ(Overlap(all).Length(0, kMax), kMax - 1);
  EXPECT_THAT(Subtract(all, {{5, kMax - 5}}),
              ElementsAre(Interval{1, 5}, Interval{kMax - 5, kMax}));
}

TEST(IntervalsTest, ACollectorTakesIntervalsInAnyOrder) {
  IntervalCollector collector;
  collector.Add(50, 60);
  collector.Add(10, 20);
  collector.Add(15, 30);
  collector.Add(5, 5);
  EXPECT_THAT(std::move(collector).Take(),
              ElementsAre(Interval{10, 30}, Interval{50, 60}));
}

TEST(IntervalsTest, ACollectorKeepsLittleMoreThanTheUnion) {
  IntervalCollector collector;
  for (int64_t i = 0; i < 200'000; ++i) {
    collector.Add(1000 * (i % 7), 1000 * (i % 7) + 1 + i % 900);
  }
  EXPECT_EQ(std::move(collector).Take().size(), 7u);
}

// An interval of a later group may contain some of an earlier one.
TEST(IntervalsTest, ACollectorJoinsGroups) {
  IntervalCollector collector;
  collector.Add(10, 11);
  collector.Add(20, 21);
  for (int64_t i = 0; i < 100'000; ++i) {
    collector.Add(1000 + 10 * i, 1005 + 10 * i);
  }
  collector.Add(5, 30);
  const Intervals all = std::move(collector).Take();
  ASSERT_EQ(all.size(), 100'001u);
  EXPECT_EQ(all[0], (Interval{5, 30}));
}

// The groups of a collector may be anywhere: one after the other as in steps,
// or all over the recording.
TEST(IntervalsTest, ACollectorOfManyGroupsIsTheUnion) {
  std::mt19937 random(7);
  for (const int64_t step : {int64_t{0}, int64_t{10}, int64_t{2'000}}) {
    IntervalCollector collector;
    Intervals all;
    for (int64_t i = 0; i < 150'000; ++i) {
      const int64_t start =
          i / 1'000 * step + static_cast<int64_t>(random() % 1'000'000);
      const int64_t end = start + static_cast<int64_t>(random() % 4);
      collector.Add(start, end);
      if (end > start) all.push_back({start, end});
    }
    UnionOfMany expected;
    for (const Interval& of : all) expected.Add({of});
    EXPECT_EQ(std::move(collector).Take(), std::move(expected).Take());
  }
}

}  // namespace
}  // namespace tfprof::timeline
