#include "advisor/checkers/steps/step_time_testing.h"
#include "fmt/format.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using WaitsTest = StepTimeTest;

TEST_F(WaitsTest, TransfersThatNothingHides) {
  RanOn(Node("a", "MatMul"), kCpu, 1000, 2000);
  AddRecord("RecvTensor", "[1000B] edge_1_x from /job:ps/cpu:0 to /job:w/cpu:0",
            kCpu, 2000, 4000);  // 3000 of it alone
  AddRecord("RecvTensor", "[24B] edge_2_y from /job:ps/cpu:0 to /job:w/cpu:0",
            kCpu, 5000, 1000);  // none of it alone
  AddRecord("RecvTensor", "edge_3_z from /job:v/cpu:0 to /job:w/cpu:0", kCpu,
            10000, 1000);
  RanOn(Node("b", "MatMul"), kCpu, 6000, 4000);
  // The step: 1000 to 11000.
  EXPECT_THAT(
      Check("OverlapChecker:exposed_communication,slow_link"),
      ElementsAre(
          "/job:w: only communicates for 40.0% of the step (4.00ms of "
          "10.00ms); "
          "in sum RecvTensor 6.00ms",
          "from /job:ps/cpu:0 to /job:w/cpu:0: 2 transfers, 5.00ms in all for "
          "1.02KB, the longest 4.00ms (edge_1_x)",
          "from /job:v/cpu:0 to /job:w/cpu:0: 1 transfer, 1.00ms in all, the "
          "longest 1.00ms (edge_3_z)"));
  EXPECT_EQ(findings_[0].saving_micros, 4000);
  EXPECT_EQ(findings_[1].rule, "slow_link");
  EXPECT_EQ(findings_[1].severity, Finding::Severity::kInfo);
}

TEST_F(WaitsTest, HiddenTransfersAreFine) {
  RanOn(Node("a", "MatMul"), kCpu, 1000, 8500);
  AddRecord("RecvTensor", "[1000B] edge_1_x from /job:ps/cpu:0 to /job:w/cpu:0",
            kCpu, 1000, 10000);  // 1500 of 10000 alone
  EXPECT_THAT(Check("OverlapChecker:exposed_communication,slow_link"),
              IsEmpty());
}

TEST_F(WaitsTest, ReceivesAndCollectivesOfAGraph) {
  Node("r", "_Recv");
  RanOn(Node("a", "MatMul"), kCpu, 1000, 6000);
  AddRecord("r", "r = _Recv(edge_5_b @/job:ps/device:CPU:0)", kCpu, 7000, 2000);
  // A node that only run metadata has; its label contains its op.
  builder_.AddNode("all", "all", profile::kNoRecord);
  AddRecord("all", "[cpu 1.3MB] all = HorovodAllreduce(g)", kCpu, 9000, 2000);
  EXPECT_THAT(
      Check("OverlapChecker:exposed_communication,slow_link"),
      ElementsAre(
          "/job:w: only communicates for 40.0% of the step (4.00ms of "
          "10.00ms); "
          "in sum HorovodAllreduce 2.00ms, _Recv 2.00ms",
          "HorovodAllreduce on /job:w/device:cpu:0: 1 transfer, 2.00ms in all, "
          "the longest 2.00ms (all)",
          "from /job:ps/device:cpu:0 to /job:w/device:cpu:0: 1 transfer, "
          "2.00ms in all, the longest 2.00ms (edge_5_b)"));
}

TEST_F(WaitsTest, DroppedExecutionsAreNoted) {
  builder_.SetMaxMemory(1);
  RanOn(Node("a", "MatMul"), kCpu, 1000, 5000);
  builder_.FinishStep(0);
  EXPECT_THAT(Check("OverlapChecker:exposed_communication,slow_link"),
              IsEmpty());
  EXPECT_THAT(notes_, ElementsAre("Missing single executions, which "
                                  "--max_memory dropped. Skip OverlapChecker"));
}

TEST_F(WaitsTest, HealthyProfilesHaveNoFinding) {
  for (const auto& files : HealthyProfiles()) {
    EXPECT_THAT(
        CheckFiles(files, "OverlapChecker:exposed_communication,slow_link"),
        IsEmpty())
        << files[0];
  }
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(WaitsTest, AWorkerThatWaitsForItsParameterServer) {
  EXPECT_THAT(
      CheckFiles(kWorker, "OverlapChecker:exposed_communication,slow_link"),
      ElementsAre(
          "/job:worker/replica:0/task:0: only communicates for 22.5% of the "
          "step (729us of 3.24ms); in sum RecvTensor 806us",
          "from /job:ps/replica:0/task:0/device:cpu:0 to "
          "/job:worker/replica:0/task:0/device:cpu:0: 2 transfers, 806us in "
          "all for 448B, the longest 675us (edge_11_w2/read)"));
}

// A saved profile has no transfers.
TEST_F(WaitsTest, TheSameWithoutItsTransfers) {
  EXPECT_THAT(CheckFiles({"ps_worker/profile.pb.gz"}, "OverlapChecker"),
              IsEmpty());
}

TEST_F(WaitsTest, GpusWithoutTransfersAreFine) {
  EXPECT_THAT(CheckFiles(kSyntheticGpu,
                         "OverlapChecker:exposed_communication,slow_link"),
              IsEmpty());
  EXPECT_THAT(
      CheckFiles(kNoStreams, "OverlapChecker:exposed_communication,slow_link"),
      IsEmpty());
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(WaitsTest, TheThresholdIsAnOption) {
  RanOn(Node("a", "MatMul"), kCpu, 1000, 8500);
  AddRecord("RecvTensor", "[1000B] edge_1_x from /job:ps/cpu:0 to /job:w/cpu:0",
            kCpu, 1000, 10000);
  const profile::Profile profile = Build();
  EXPECT_THAT(
      CheckProfile(profile, "OverlapChecker:exposed_communication,slow_link"),
      IsEmpty());
  EXPECT_EQ(
      CheckProfile(profile, "OverlapChecker:exposed_communication,slow_link",
                   {{"exposed", 0.1}})
          .size(),
      2u);
  EXPECT_EQ(findings_[0].threshold, 0.1);
}

TEST_F(WaitsTest, ThreeLinksAreListedByTime) {
  RanOn(Node("a", "MatMul"), kCpu, 1000, 1000);
  for (int64_t i = 0; i < 4; ++i) {
    AddRecord("RecvTensor",
              fmt::format("edge_1_x from /job:p{}/cpu:0 to /job:w/cpu:0", i),
              kCpu, 2000, 1000 + 100 * i);
  }
  const std::vector<std::string> texts =
      Check("OverlapChecker:exposed_communication,slow_link");
  ASSERT_EQ(texts.size(), 4u);
  EXPECT_EQ(texts[1].substr(0, 16), "from /job:p3/cpu");
  EXPECT_EQ(texts[3].substr(0, 16), "from /job:p1/cpu");
}

TEST_F(WaitsTest, ParameterServersAreNotJudged) {
  RanOn(Node("a", "Assign"), "/job:ps/cpu:0", 1000, 1000);
  AddRecord("RecvTensor", "edge_1_x from /job:w/cpu:0 to /job:ps/cpu:0",
            "/job:ps/cpu:0", 2000, 9000);
  EXPECT_THAT(Check("OverlapChecker:exposed_communication,slow_link"),
              IsEmpty());
}

}  // namespace
}  // namespace tfprof::advisor
