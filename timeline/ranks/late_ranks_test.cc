#include "timeline/ranks/late_ranks.h"

#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "timeline/trace_testing.h"

namespace tfprof::timeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LateRanksTest : public testing::Test {
 protected:
  // Adds a part in a collective to the last process that was added.
  void Add(int64_t start, int64_t end,
           std::string_view name = "ncclDevKernel_AllReduce") {
    model_.Add({.name = std::string(name),
                .lane = model_.Stream(0, 7, profile::LaneKind::kCommunication),
                .start = start,
                .duration = end - start});
  }
  // "1 waits 100-180 for 2" for each entry, by process.
  std::vector<std::string> Waits() {
    const profile::Profile profile = std::move(model_).Build();
    const ClockOffsets clocks = EstimateClockOffsets(profile, {0});
    std::vector<std::string> texts;
    for (const RankWait& wait :
         FindRankWaits(profile, {0}, RanksOfLanes(profile), clocks)) {
      EXPECT_EQ(profile.lanes()[wait.lane].process, wait.process);
      texts.push_back(fmt::format("{} waits {}-{} for {}", wait.process,
                                  wait.time.start, wait.time.end, wait.late));
    }
    return texts;
  }

  TraceModel model_;
};

TEST_F(LateRanksTest, AllWaitForTheLastOne) {
  model_.NextRank(0);
  Add(100, 200);
  model_.NextRank(1);
  Add(180, 200);
  model_.NextRank(2);
  Add(150, 200);
  EXPECT_THAT(Waits(),
              ElementsAre("1 waits 100-180 for 2", "2 waits 180-180 for 2",
                          "3 waits 150-180 for 2"));
}

TEST_F(LateRanksTest, EachCollectiveHasItsLateRank) {
  model_.NextRank(0);
  Add(100, 200);
  Add(350, 400);
  model_.NextRank(1);
  Add(180, 200);
  Add(300, 400);
  EXPECT_THAT(Waits(),
              ElementsAre("1 waits 100-180 for 2", "2 waits 180-180 for 2",
                          "1 waits 350-350 for 1", "2 waits 300-350 for 1"));
}

TEST_F(LateRanksTest, TheFirstOfThoseThatAreEquallyLateIsLate) {
  model_.NextRank(0);
  Add(100, 200);
  model_.NextRank(1);
  Add(100, 200);
  EXPECT_THAT(Waits(),
              ElementsAre("1 waits 100-100 for 1", "2 waits 100-100 for 1"));
}

// The clocks contradict each other, so times are as recorded.
TEST_F(LateRanksTest, AWaitEndsWithThePart) {
  model_.NextRank(0);
  Add(100, 200);
  Add(1000, 1100);
  model_.NextRank(1);
  Add(300, 310);
  Add(900, 950);
  EXPECT_THAT(Waits(),
              ElementsAre("1 waits 100-200 for 2", "2 waits 300-300 for 2",
                          "1 waits 1000-1000 for 1", "2 waits 900-950 for 1"));
}

// A wait is a time on the clock of the process.
TEST_F(LateRanksTest, ClocksAreAligned) {
  constexpr int64_t kAhead = 1'000'000;
  model_.NextRank(0);
  Add(100, 200);
  model_.NextRank(1);
  // The true time is 180 to 201; the bounds of the clock are narrow enough to
  // tell who is late.
  Add(180 + kAhead, 201 + kAhead);
  const std::vector<std::string> waits = Waits();
  ASSERT_EQ(waits.size(), 2);
  EXPECT_EQ(waits[1], fmt::format("2 waits {0}-{0} for 2", 180 + kAhead));
}

TEST_F(LateRanksTest, ABroadcastMakesNobodyWait) {
  model_.NextRank(0);
  Add(100, 200, "ncclDevKernel_Broadcast");
  model_.NextRank(1);
  Add(180, 200, "ncclDevKernel_Broadcast");
  EXPECT_THAT(Waits(), IsEmpty());
}

constexpr char kSendRecv[] = "ncclDevKernel_SendRecv";

// NCCL runs an all-to-all as sends and receives.
TEST_F(LateRanksTest, SendsAndReceivesInWhichAllTakePartAreAnExchange) {
  model_.NextRank(0);
  Add(100, 200, kSendRecv);
  Add(300, 400, kSendRecv);
  model_.NextRank(1);
  Add(180, 200, kSendRecv);
  Add(300, 400, kSendRecv);
  EXPECT_THAT(Waits(),
              ElementsAre("1 waits 100-180 for 2", "2 waits 180-180 for 2",
                          "1 waits 300-300 for 1", "2 waits 300-300 for 1"));
}

TEST_F(LateRanksTest, SendsAndReceivesOfAPipelineAreNone) {
  model_.NextRank(0);
  Add(100, 200, kSendRecv);
  Add(300, 400, kSendRecv);
  model_.NextRank(1);
  Add(180, 200, kSendRecv);
  Add(500, 600, kSendRecv);
  EXPECT_THAT(Waits(), IsEmpty());
}

TEST_F(LateRanksTest, EachRankMaySendAnotherNumberOfElements) {
  for (const int rank : {0, 1}) {
    model_.NextRank(rank);
    model_.Add({.name = "ncclDevKernel_SendRecv",
                .lane = model_.Stream(0, 7, profile::LaneKind::kCommunication),
                .start = 100 + 80 * rank,
                .duration = 100 - 80 * rank,
                .arguments = {{"Collective name", "all_to_allv"},
                              {"In msg nelems", rank == 0 ? "10" : "20"}}});
  }
  EXPECT_THAT(Waits(),
              ElementsAre("1 waits 100-180 for 2", "2 waits 180-180 for 2"));
}

TEST_F(LateRanksTest, CollectivesWhoseNumberDiffersAreLeftOut) {
  model_.NextRank(0);
  Add(100, 200);
  Add(300, 400);
  model_.NextRank(1);
  Add(180, 200);
  EXPECT_THAT(Waits(), IsEmpty());
}

TEST_F(LateRanksTest, ServersOfParametersAndUnknownProcessesAreNoRanks) {
  profile::LaneTable& lanes = model_.graph().lanes;
  const auto add = [&](profile::Process process) {
    const profile::ProcessId id = lanes.AddProcess(std::move(process));
    lanes.Add({.process = id, .kind = profile::LaneKind::kCommunication});
    return id;
  };
  const profile::ProcessId named = add({.name = "/job:worker"});
  const profile::ProcessId ranked = add({.rank = 3});
  const profile::ProcessId numbered = add({.process_id = 17});
  add({});
  add({.name = "/job:ps", .parameter_server = true});
  lanes.Add({});
  const profile::Profile profile = std::move(model_).Build();
  EXPECT_THAT(RanksOfLanes(profile),
              ElementsAre(named, ranked, numbered, profile::kNone,
                          profile::kNone, profile::kNone));
}

}  // namespace
}  // namespace tfprof::timeline
