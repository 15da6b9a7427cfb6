#include "timeline/own_time.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::timeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class OwnTimeTest : public testing::Test {
 protected:
  OwnTimeTest() {
    lanes_.Add({.calls_nest = true});
    lanes_.Add({.calls_nest = true});
    lanes_.Add({.calls_nest = false});
  }
  void Add(int64_t start, int64_t end, profile::LaneId lane = 0) {
    runs_.push_back({.start = start,
                     .end = end,
                     .record = static_cast<uint32_t>(runs_.size()),
                     .lane = lane});
  }
  // "run start-end" for each piece.
  std::vector<std::string> Pieces() const {
    std::vector<std::string> pieces;
    VisitOwnTime(
        runs_, NestingLanes(runs_, lanes_),
        [&](const DeviceRun& run, int64_t start, int64_t end) {
          pieces.push_back(fmt::format("{} {}-{}", run.record, start, end));
        });
    return pieces;
  }

  profile::LaneTable lanes_;
  std::vector<DeviceRun> runs_;
};

TEST_F(OwnTimeTest, ALoopHasTheTimeBetweenItsOperations) {
  Add(0, 100);
  Add(10, 40);
  Add(20, 30);
  Add(40, 90);
  EXPECT_THAT(NestingLanes(runs_, lanes_), ElementsAre(0));
  EXPECT_THAT(Pieces(), UnorderedElementsAre("0 0-10", "1 10-20", "2 20-30",
                                             "1 30-40", "3 40-90", "0 90-100"));
}

TEST_F(OwnTimeTest, RunsThatStartTogether) {
  Add(0, 40);
  Add(0, 100);
  Add(0, 70);
  EXPECT_THAT(Pieces(), UnorderedElementsAre("0 0-40", "2 40-70", "1 70-100"));
}

TEST_F(OwnTimeTest, OtherLanesAndOtherRunsKeepTheirTime) {
  Add(0, 100);
  Add(10, 40, 1);
  Add(0, 50, 2);
  Add(20, 30, 2);
  Add(100, 110);
  Add(105, 105);
  EXPECT_THAT(NestingLanes(runs_, lanes_), IsEmpty());
  EXPECT_THAT(Pieces(), UnorderedElementsAre("0 0-100", "1 10-40", "2 0-50",
                                             "3 20-30", "4 100-110"));
}

// The kernels of a GPU may overlap on a stream.
TEST_F(OwnTimeTest, RunsThatCrossAreBesideEachOther) {
  Add(0, 100);
  Add(10, 40);
  Add(90, 120);
  EXPECT_THAT(NestingLanes(runs_, lanes_), IsEmpty());
  EXPECT_THAT(Pieces(), UnorderedElementsAre("0 0-100", "1 10-40", "2 90-120"));
}

// Each moment belongs to the run that started last, the shortest of several.
TEST_F(OwnTimeTest, AsAProgramThatAsksForEachMoment) {
  std::mt19937 random(3);
  int nesting = 0;
  for (int round = 0; round < 2'000; ++round) {
    runs_.clear();
    for (int i = 0; i < 8; ++i) {
      const auto start = static_cast<int64_t>(random() % 20);
      Add(start, start + static_cast<int64_t>(random() % 15), random() % 2);
    }
    std::ranges::stable_sort(runs_, {}, &DeviceRun::start);
    bool crosses = false, overlaps = false;
    std::map<int64_t, const DeviceRun*> expected;  // by time, on lane 0
    for (const DeviceRun& run : runs_) {
      if (run.lane != 0) continue;
      for (const DeviceRun& before : runs_) {
        if (&before >= &run) break;
        if (before.lane != 0 || before.end <= run.start ||
            before.end == before.start || run.end == run.start) {
          continue;
        }
        overlaps = true;
        crosses |= before.start < run.start && before.end < run.end;
      }
      for (int64_t time = run.start; time < run.end; ++time) {
        const DeviceRun*& last = expected[time];
        if (last == nullptr || std::tuple(run.start, -run.end) >=
                                   std::tuple(last->start, -last->end)) {
          last = &run;
        }
      }
    }
    const std::vector<profile::LaneId> lanes = NestingLanes(runs_, lanes_);
    EXPECT_EQ(std::ranges::count(lanes, 0u), overlaps && !crosses ? 1 : 0);
    if (!overlaps || crosses) continue;
    ++nesting;
    std::map<int64_t, const DeviceRun*> found;
    const auto use = [&](const DeviceRun& run, int64_t start, int64_t end) {
      if (run.lane != 0) return;
      for (; start < end; ++start) {
        EXPECT_TRUE(found.emplace(start, &run).second);
      }
    };
    VisitOwnTime(runs_, lanes, use);
    EXPECT_EQ(found, expected);
    // What does not wait was used.
    found.clear();
    OwnTime own_time(lanes, use);
    for (const DeviceRun& run : runs_) {
      const auto time = static_cast<int64_t>(random() % 20);
      if (!own_time.Waits(0, std::min(time, run.start), run.start)) {
        for (const auto& [moment, of] : expected) {
          if (moment < std::min(time, run.start)) {
            EXPECT_EQ(found.contains(moment), true);
          }
        }
      }
      own_time.Add(run);
    }
    own_time.Finish();
    EXPECT_EQ(found, expected);
  }
  EXPECT_GT(nesting, 100);
}

}  // namespace
}  // namespace tfprof::timeline
