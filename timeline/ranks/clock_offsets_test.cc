#include "timeline/ranks/clock_offsets.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/device_names.h"
#include "loaders/tensorflow/profile_testing.h"
#include "timeline/bounds.h"
#include "timeline/ranks/matched_events.h"
#include "timeline/trace_testing.h"

namespace tfprof::timeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

constexpr int64_t kDay = int64_t{86'400'000'000'000};

// The time of a collective in a rank, on the true clock.
struct InRank {
  int64_t start;
  int64_t end;
};

// Returns a profile of ranks that recorded the same collectives. `ahead` is
// added to the true times of each rank.
profile::Profile Ranks(const std::vector<int64_t>& ahead,
                       const std::vector<std::vector<InRank>>& collectives,
                       const std::string& kernel) {
  TraceModel model;
  for (size_t rank = 0; rank < ahead.size(); ++rank) {
    model.NextRank(static_cast<int64_t>(rank));
    const profile::LaneId lane =
        model.Stream(0, 7, profile::LaneKind::kCommunication);
    for (const std::vector<InRank>& of : collectives) {
      model.Add({.name = kernel,
                 .lane = lane,
                 .start = of[rank].start + ahead[rank],
                 .duration = of[rank].end - of[rank].start});
    }
  }
  return std::move(model).Build();
}

TEST(ClockOffsetsTest, EndsOfAnAllReduceBoundTheOffset) {
  const profile::Profile profile =
      Ranks({0, 1000}, {{{100, 200}, {180, 205}}}, "ncclDevKernel_AllReduce");
  const ClockOffsets clocks = EstimateClockOffsets(profile, {0});
  ASSERT_THAT(clocks.clocks, SizeIs(2));
  const ProfileClock& other = clocks.clocks[1];
  // The collective was recorded from 1180 to 1205. It ends after 100 and begins
  // before 200.
  EXPECT_THAT(other.low, Optional(100 - 1205));
  EXPECT_THAT(other.high, Optional(200 - 1180));
  EXPECT_EQ(other.offset, (-1105 - 980) / 2 - 1);
  EXPECT_EQ(other.matches, 2);
}

TEST(ClockOffsetsTest, TimesThatFitStayAsTheyWere) {
  const profile::Profile profile =
      Ranks({0, 10}, {{{100, 200}, {150, 205}}}, "ncclDevKernel_AllReduce");
  const ClockOffsets clocks = EstimateClockOffsets(profile, {0});
  ASSERT_THAT(clocks.clocks, SizeIs(2));
  EXPECT_EQ(clocks.clocks[1].offset, 0);
  EXPECT_TRUE(clocks.clocks[1].low.has_value());
  EXPECT_FALSE(clocks.any_moved());
  EXPECT_THAT(ClockNotes(profile, clocks), IsEmpty());
}

TEST(ClockOffsetsTest, ABroadcastSaysNothing) {
  const profile::Profile profile =
      Ranks({0, 1000}, {{{100, 200}, {180, 205}}}, "ncclDevKernel_Broadcast");
  const ClockOffsets clocks = EstimateClockOffsets(profile, {0});
  EXPECT_FALSE(clocks.clocks[1].low.has_value());
  EXPECT_FALSE(clocks.any_moved());
}

TEST(ClockOffsetsTest, TheTruthIsInsideOfTheBounds) {
  std::mt19937_64 random(7);
  const auto up_to = [&](int64_t most) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(most + 1));
  };
  int moved = 0;
  for (int round = 0; round < 1000; ++round) {
    const size_t ranks = 2 + static_cast<size_t>(up_to(3));
    std::vector<int64_t> ahead;
    for (size_t r = 0; r < ranks; ++r) {
      ahead.push_back(up_to(2'000'000) - 1'000'000);
    }
    std::vector<std::vector<InRank>> collectives;
    int64_t now = 0;
    for (int64_t c = 0; c <= up_to(6); ++c) {
      std::vector<int64_t> starts;
      for (size_t r = 0; r < ranks; ++r) starts.push_back(now + up_to(50'000));
      const int64_t last = *std::max_element(starts.begin(), starts.end());
      std::vector<InRank> of;
      for (const int64_t start : starts) {
        of.push_back({start, last + up_to(10'000)});
        now = std::max(now, of.back().end);
      }
      collectives.push_back(of);
    }
    const profile::Profile profile =
        Ranks(ahead, collectives, "ncclKernel_AllReduce");
    const ClockOffsets clocks = EstimateClockOffsets(profile, {0});
    ASSERT_THAT(clocks.clocks, SizeIs(ranks));
    const auto ahead_of = [&](const ProfileClock& clock) {
      return ahead[static_cast<size_t>(
          profile.lanes().process(clock.process).rank)];
    };
    for (size_t c = 1; c < ranks; ++c) {
      const ProfileClock& clock = clocks.clocks[c];
      const int64_t truth = ahead_of(clocks.clocks[0]) - ahead_of(clock);
      ASSERT_TRUE(clock.low && clock.high);
      EXPECT_LE(*clock.low, truth) << round;
      EXPECT_GE(*clock.high, truth) << round;
      EXPECT_LE(*clock.low, clock.offset) << round;
      EXPECT_GE(*clock.high, clock.offset) << round;
      moved += clock.offset != 0;
    }
    // With these offsets no collective ends before another rank began it.
    for (const std::vector<InRank>& of : collectives) {
      for (size_t a = 0; a < ranks; ++a) {
        for (size_t b = 0; b < ranks; ++b) {
          const auto place = [&](size_t rank, int64_t time) {
            for (const ProfileClock& clock : clocks.clocks) {
              if (ahead_of(clock) == ahead[rank] &&
                  profile.lanes().process(clock.process).rank ==
                      static_cast<int64_t>(rank)) {
                return time + ahead[rank] + clock.offset;
              }
            }
            return time;
          };
          EXPECT_LE(place(a, of[a].start), place(b, of[b].end)) << round;
        }
      }
    }
  }
  EXPECT_GT(moved, 1000);
}

TEST(ClockOffsetsTest, AKernelDoesNotBeginBeforeItsLaunch) {
  TraceModel model;
  const int call = model.Add({.name = "launch",
                              .lane = model.Launches(),
                              .start = 100 * kDay,
                              .duration = 5});
  model.Add({.name = "next",
             .lane = model.Launches(),
             .start = 100 * kDay + 9,
             .duration = 5});
  const profile::LaneId gpu = model.Stream(0, 7, profile::LaneKind::kKernels);
  model.Add(
      {.name = "k", .lane = gpu, .start = 20, .duration = 3, .launch = call});
  const profile::Profile profile = std::move(model).Build();
  const ClockOffsets clocks = EstimateClockOffsets(profile, {0});
  ASSERT_THAT(clocks.clocks, SizeIs(2));
  EXPECT_TRUE(clocks.clocks[1].other_origin);
  EXPECT_THAT(clocks.clocks[1].low, Optional(100 * kDay - 20));
  EXPECT_EQ(clocks.OfLane(gpu), 100 * kDay - 20);
  EXPECT_THAT(ClockNotes(profile, clocks),
              ElementsAre(HasSubstr("it has another origin")));
}

TEST(ClockOffsetsTest, OtherOriginsWithoutMatchesAreAligned) {
  TraceModel model;
  const profile::LaneId host = model.Ops();
  model.Add({.name = "a", .lane = host, .start = 50 * kDay, .duration = 5});
  model.Add({.name = "b", .lane = host, .start = 50 * kDay + 9, .duration = 5});
  const profile::LaneId gpu = model.Stream(0, 7, profile::LaneKind::kKernels);
  model.Add({.name = "k", .lane = gpu, .start = 20, .duration = 3});
  const profile::Profile profile = std::move(model).Build();
  const ClockOffsets clocks = EstimateClockOffsets(profile, {0});
  EXPECT_EQ(clocks.OfLane(host), 0);
  EXPECT_EQ(clocks.OfLane(gpu), 50 * kDay - 20);
  EXPECT_THAT(ClockNotes(profile, clocks),
              ElementsAre(HasSubstr("the first starts are aligned")));
}

TEST(ClockOffsetsTest, ContradictionsMoveNothing) {
  // One rank's collectives are after the other's, in contradictory order: no
  // offset fits.
  const profile::Profile profile =
      Ranks({0, 0}, {{{0, 10}, {500, 510}}, {{1000, 1010}, {700, 710}}},
            "ncclKernel_AllReduce");
  const ClockOffsets clocks = EstimateClockOffsets(profile, {0});
  EXPECT_FALSE(clocks.any_moved());
  EXPECT_TRUE(clocks.clocks[1].contradictory);
  EXPECT_THAT(ClockNotes(profile, clocks),
              ElementsAre(HasSubstr("contradict each other")));
}

TEST(ClockOffsetsTest, CollectivesOfOtherNumbersAreNotMatched) {
  TraceModel model;
  for (int rank = 0; rank < 2; ++rank) {
    model.NextRank(rank);
    for (int i = 0; i <= rank; ++i) {
      model.Add({.name = "ncclKernel_AllReduce",
                 .lane = model.Stream(0, 7, profile::LaneKind::kCommunication),
                 .start = 5000 * rank + 100 * i,
                 .duration = 10});
    }
  }
  const profile::Profile profile = std::move(model).Build();
  EXPECT_FALSE(EstimateClockOffsets(profile, {0}).clocks[1].low.has_value());
}

TEST(ClockOffsetsTest, NothingHasNoClocks) {
  const profile::Profile profile = std::move(TraceModel()).Build();
  EXPECT_THAT(EstimateClockOffsets(profile, {}).clocks, IsEmpty());
}

TEST(SymmetricCollectiveTest, Names) {
  for (const auto& [name, kind] :
       std::vector<std::pair<std::string_view, std::string_view>>{
           {"ncclDevKernel_AllReduce_Sum_f32_RING_LL", "all-reduce"},
           {"HorovodAllreduce", "all-reduce"},
           {"NcclAllReduce", "all-reduce"},
           {"CollectiveReduceV2", "all-reduce"},
           {"all-reduce.3", "all-reduce"},
           {"gloo:all_gather", "all-gather"},
           {"reduce_scatter_tensor", "reduce-scatter"},
           {"all-to-all", "all-to-all"},
           {"all-reduce-start.3", ""},
           {"all-reduce-done.3", ""},
           {"ncclKernel_Broadcast", ""},
           {"RecvTensor", ""},
           {"", ""}}) {
    EXPECT_EQ(SymmetricCollective(name), kind) << name;
  }
}

TEST(OffsetBoundsTest, BoundsAreFollowed) {
  OffsetBounds bounds(3);
  bounds.AddOrder(0, 100, 1, 90);
  bounds.AddOrder(1, 100, 2, 70);
  EXPECT_THAT(bounds.Close(), IsEmpty());
  EXPECT_THAT(bounds.Between(0, 2).first, Optional(40));
  EXPECT_FALSE(bounds.Between(0, 2).second.has_value());
  EXPECT_THAT(bounds.Between(2, 0).second, Optional(-40));
}

TEST(OffsetBoundsTest, ContradictionsAreDroppedAndOthersKept) {
  OffsetBounds bounds(4);
  bounds.AddOrder(0, 10, 1, 0);
  bounds.AddOrder(1, 10, 0, 0);
  bounds.AddOrder(2, 5, 3, 0);
  EXPECT_THAT(bounds.Close(), ElementsAre(0, 1));
  EXPECT_FALSE(bounds.Between(0, 1).first.has_value());
  EXPECT_THAT(bounds.Between(2, 3).first, Optional(5));
}

TEST(OffsetBoundsTest, NanosecondsSince1970AreKept) {
  constexpr int64_t kIn2040 = 2'208'988'800'000'000'000;
  EXPECT_EQ(BoundedTime(kIn2040), kIn2040);
}

TEST(OffsetBoundsTest, TimesOfAnySizeAreHeld) {
  OffsetBounds bounds(3);
  bounds.AddOrder(0, BoundedTime(INT64_MAX), 1, BoundedTime(INT64_MIN));
  bounds.AddOrder(1, BoundedTime(INT64_MAX), 2, BoundedTime(INT64_MIN));
  EXPECT_THAT(bounds.Close(), IsEmpty());
  EXPECT_GT(bounds.Between(0, 2).first.value_or(0), int64_t{1} << 60);
}

}  // namespace
}  // namespace tfprof::timeline
