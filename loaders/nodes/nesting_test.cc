#include "loaders/nodes/nesting.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <tuple>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/tables/string_pool.h"

namespace tfprof::loaders {
namespace {

using ::testing::ElementsAre;

TEST(NestTest, ChildrenAreSubtractedFromTheirDirectParent) {
  const Nesting nesting = Nest(std::vector<Span>{{0, 100}, {10, 50}, {20, 5}});
  EXPECT_THAT(nesting.parent, ElementsAre(profile::kNone, 0, 1));
  EXPECT_THAT(nesting.self, ElementsAre(50, 45, 5));
}

TEST(NestTest, OrderOfTheFileDoesNotMatterForDifferentStarts) {
  const Nesting nesting = Nest(std::vector<Span>{{20, 5}, {10, 50}, {0, 100}});
  EXPECT_THAT(nesting.parent, ElementsAre(1, 2, profile::kNone));
  EXPECT_THAT(nesting.order, ElementsAre(2, 1, 0));
}

TEST(NestTest, OfTwoThatStartTogetherTheLongerContainsTheOther) {
  EXPECT_THAT(Nest(std::vector<Span>{{0, 5}, {0, 9}}).parent,
              ElementsAre(1, profile::kNone));
}

TEST(NestTest, OfTwoEqualSpansTheFirstContainsTheSecond) {
  const Nesting nesting = Nest(std::vector<Span>{{0, 5}, {0, 5}});
  EXPECT_THAT(nesting.parent, ElementsAre(profile::kNone, 0));
  EXPECT_THAT(nesting.self, ElementsAre(0, 5));
}

TEST(NestTest, SpanThatOutlivesItsFunctionBelongsToWhatContainsIt) {
  // Span 1 opens in span 2 and ends after it.
  const Nesting nesting =
      Nest(std::vector<Span>{{0, 100}, {15, 60}, {10, 10}, {30, 5}});
  EXPECT_THAT(nesting.parent, ElementsAre(profile::kNone, 0, 0, 1));
  EXPECT_THAT(nesting.self, ElementsAre(30, 55, 10, 5));
}

TEST(NestTest, OverlappingSpansWithoutAContainerHaveNoParent) {
  EXPECT_THAT(Nest(std::vector<Span>{{0, 10}, {5, 10}}).parent,
              ElementsAre(profile::kNone, profile::kNone));
}

TEST(NestTest, NeighboursThatTouchDoNotNest) {
  EXPECT_THAT(Nest(std::vector<Span>{{0, 10}, {10, 0}, {10, 5}}).parent,
              ElementsAre(profile::kNone, 2, profile::kNone));
}

TEST(NestTest, ManySpansAreInTheSameOrderAsFew) {
  // Starts of all signs, many of which are equal.
  std::mt19937_64 random(1);
  std::vector<Span> spans;
  for (int i = 0; i < 20000; ++i) {
    spans.push_back({(static_cast<int64_t>(random() % 2001) - 1000) << 50,
                     static_cast<int64_t>(random() % 4) - 1});
  }
  const std::vector<uint32_t> order = Nest(spans).order;
  ASSERT_EQ(order.size(), spans.size());
  const auto key = [&](uint32_t i) {
    return std::tuple(spans[i].start, -std::max<int64_t>(0, spans[i].duration),
                      i);
  };
  for (size_t k = 1; k < order.size(); ++k) {
    ASSERT_LT(key(order[k - 1]), key(order[k])) << k;
  }
}

TEST(NestTest, NegativeDurationCountsAsEmpty) {
  const Nesting nesting = Nest(std::vector<Span>{{0, 10}, {5, -3}});
  EXPECT_THAT(nesting.parent, ElementsAre(profile::kNone, 0));
  EXPECT_THAT(nesting.self, ElementsAre(10, 0));
}

TEST(NestTest, EndsDoNotOverflow) {
  const Nesting nesting =
      Nest(std::vector<Span>{{INT64_MAX - 5, 100}, {INT64_MAX - 2, INT64_MAX}});
  EXPECT_THAT(nesting.parent, ElementsAre(profile::kNone, 0));
}

TEST(NestTest, NothingIsNested) {
  EXPECT_TRUE(Nest(std::vector<Span>{}).order.empty());
}

// Checks the definition, in quadratic time.
TEST(NestTest, ParentIsTheLastEarlierSpanThatContainsIt) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<Span> spans(1 + random() % 12);
    for (Span& span : spans) {
      span = {static_cast<int64_t>(random() % 10),
              static_cast<int64_t>(random() % 8)};
    }
    const Nesting nesting = Nest(spans);
    for (size_t at = 0; at < spans.size(); ++at) {
      const Span& span = spans[nesting.order[at]];
      uint32_t parent = profile::kNone;
      for (size_t earlier = 0; earlier < at; ++earlier) {
        const Span& other = spans[nesting.order[earlier]];
        if (span.start < other.start + other.duration &&
            span.start + span.duration <= other.start + other.duration) {
          parent = nesting.order[earlier];
        }
      }
      EXPECT_EQ(nesting.parent[nesting.order[at]], parent);
    }
  }
}

TEST(FindInsideTimesTest, AreThoseOfTheNesting) {
  std::mt19937 random(5);
  for (const bool sorted : {true, false}) {
    std::vector<Span> spans;
    std::vector<profile::LaneEvent> events;
    for (int i = 0; i < 300; ++i) {
      const auto start = static_cast<int64_t>(sorted ? 2 * i : random() % 600);
      spans.push_back({start, static_cast<int64_t>(random() % 40)});
      events.push_back({.start = start, .duration = spans.back().duration});
    }
    const Nesting nesting = Nest(spans);
    InsideTimes inside;
    for (uint32_t i = 0; i < spans.size(); ++i) {
      const auto is_child = [&](uint32_t parent) { return parent == i; };
      if (std::any_of(nesting.parent.begin(), nesting.parent.end(), is_child)) {
        inside.push_back({i, spans[i].duration - nesting.self[i]});
      }
    }
    EXPECT_GT(inside.size(), 10u);
    EXPECT_EQ(FindInsideTimes(spans), inside);
    EXPECT_EQ(FindInsideTimes(events), inside);
    EXPECT_EQ(Nest(events).parent, nesting.parent);
    EXPECT_EQ(Nest(events).order, nesting.order);
  }
}

// Each span overlaps all earlier ones and ends after them.
TEST(NestTest, ManyOverlappingSpansTakeLinearTime) {
  std::vector<Span> spans;
  for (int64_t i = 0; i < 500'000; ++i) spans.push_back({i, 1'000'000});
  EXPECT_EQ(Nest(spans).parent.back(), profile::kNone);
}

TEST(AncestorsTest, FindsWhatAWalkFinds) {
  std::mt19937 random(1);
  std::vector<uint32_t> parent = {profile::kNone};
  std::vector<uint32_t> ends = {1000};
  for (uint32_t i = 1; i < 200; ++i) {
    parent.push_back(random() % i);
    ends.push_back(random() % (ends[parent[i]] + 1));
  }
  Ancestors ancestors(parent);
  for (uint32_t time = 0; time < 1100; ++time) {
    const auto ended = [&](uint32_t i) { return ends[i] < time; };
    const uint32_t at = random() % 200;
    uint32_t expected = at;
    while (expected != profile::kNone && ended(expected)) {
      expected = parent[expected];
    }
    EXPECT_EQ(ancestors.First(at, ended), expected);
  }
}

TEST(AncestorsTest, ADeepNestTakesLinearTime) {
  constexpr uint32_t kDeep = 500'000;
  std::vector<uint32_t> parent = {profile::kNone};
  for (uint32_t i = 1; i < kDeep; ++i) parent.push_back(i - 1);
  Ancestors ancestors(parent);
  for (uint32_t i = 0; i < kDeep; ++i) {
    ASSERT_EQ(ancestors.First(kDeep - 1, [](uint32_t) { return true; }),
              profile::kNone);
  }
}

}  // namespace
}  // namespace tfprof::loaders
