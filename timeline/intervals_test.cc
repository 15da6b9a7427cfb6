#include "timeline/intervals.h"

#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof {
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
  EXPECT_EQ(Micros(busy), 19);
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
  const Overlap overlap(set);
  EXPECT_EQ(overlap.Micros(0, 10), 0);
  EXPECT_EQ(overlap.Micros(0, 15), 5);
  EXPECT_EQ(overlap.Micros(15, 35), 10);
  EXPECT_EQ(overlap.Micros(20, 30), 0);
  EXPECT_EQ(overlap.Micros(0, 100), 30);
}

}  // namespace
}  // namespace tfprof
