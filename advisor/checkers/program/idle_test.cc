#include <cstdint>

#include "advisor/checkers/steps/step_time_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using DeviceIdleTest = StepTimeTest;

TEST_F(DeviceIdleTest, ATaskWithoutAcceleratorsIsJudgedAsAWhole) {
  RanOn(Node("a", "MatMul"), "/job:w/cpu:0", 1000, 4000);
  RanOn(Node("b", "MatMul"), "/job:w/cpu:1", 4000, 2000);
  RanOn(Node("c", "MatMul"), "/job:w/cpu:0", 9000, 1000);
  EXPECT_THAT(
      Check("IdleChecker"),
      ElementsAre("/job:w: idle for 33.3% of the step (3.00ms of 9.00ms); "
                  "compute 66.7%; longest gap 3.00ms at 5.00ms of step 0, from "
                  "b (MatMul) to c (MatMul)"));
  EXPECT_EQ(findings_[0].rule, "idle_host");
}

TEST_F(DeviceIdleTest, BusyCpusAreFine) {
  RanOn(Node("a", "MatMul"), "/job:w/cpu:0", 1000, 4000);
  RanOn(Node("b", "MatMul"), "/job:w/cpu:1", 4000, 3500);
  RanOn(Node("c", "MatMul"), "/job:w/cpu:0", 9000, 1000);
  EXPECT_THAT(Check("IdleChecker"), IsEmpty());
}

TEST_F(DeviceIdleTest, ParameterServersIdleByDesign) {
  RanOn(Node("a", "Assign"), "/job:ps/task:0/cpu:0", 1000, 10);
  RanOn(Node("b", "Assign"), "/job:ps/task:0/cpu:0", 9000, 10);
  EXPECT_THAT(Check("IdleChecker"), IsEmpty());
}

TEST_F(DeviceIdleTest, WithoutStreamsIdleTimeIsUnknown) {
  const profile::NodeId a = Node("a", "MatMul");
  RanOn(a, kGpu, 1000, 10);
  RanOn(a, kGpu, 9000, 10);
  EXPECT_THAT(Check("IdleChecker"), IsEmpty());
  EXPECT_THAT(notes_,
              ElementsAre("Missing GPU stream records. Skip IdleChecker"));
}

TEST_F(DeviceIdleTest, HealthyProfilesHaveNoFinding) {
  for (const auto& files : HealthyProfiles()) {
    EXPECT_THAT(CheckFiles(files, "IdleChecker"), IsEmpty()) << files[0];
  }
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(DeviceIdleTest, AWorkerThatWaitsForItsParameterServer) {
  EXPECT_THAT(
      CheckFiles(kWorker, "IdleChecker"),
      ElementsAre(
          "/job:worker/replica:0/task:0/device:cpu:0: idle for 72.7% of the "
          "step (2.36ms of 3.24ms); compute 4.8%, only communication 22.5%; "
          "longest gap 2.17ms at 116us of step 0, from "
          "random_uniform_1/RandomUniform (RandomUniform) to RecvTensor"));
}

// A saved profile has no transfers, and the finding says so.
TEST_F(DeviceIdleTest, TheSameWithoutItsTransfers) {
  EXPECT_THAT(
      CheckFiles({"ps_worker/profile.pb.gz"}, "IdleChecker"),
      ElementsAre(HasSubstr("; the profile has no record of transfers")));
}

TEST_F(DeviceIdleTest, AcceleratorsAreNotJudged) {
  EXPECT_THAT(CheckFiles(kSyntheticGpu, "IdleChecker"), IsEmpty());
}

TEST_F(DeviceIdleTest, AGpuWithoutStreams) {
  EXPECT_THAT(CheckFiles(kNoStreams, "IdleChecker"), IsEmpty());
  EXPECT_THAT(notes_,
              ElementsAre("Missing GPU stream records. Skip IdleChecker"));
}

TEST_F(DeviceIdleTest, TheThresholdIsAnOption) {
  RanOn(Node("a", "MatMul"), "/job:w/cpu:0", 1000, 7500);
  RanOn(Node("b", "MatMul"), "/job:w/cpu:0", 9500, 1500);
  const profile::Profile profile = Build();
  EXPECT_THAT(CheckProfile(profile, "IdleChecker", {{"idle", 0.05}}),
              SizeIs(1));
  EXPECT_EQ(findings_[0].threshold, 0.05);
}

TEST_F(DeviceIdleTest, AGpuWithoutKernelsIsNotJudged) {
  RanOn(Node("in", "IteratorGetNext"), kCpu, 1000, 10000);
  RanOn(Node("a", "MatMul"), kMemcpy, 1000, 10);
  EXPECT_THAT(Check("IdleChecker"), IsEmpty());
}

// WallChecker says what the host did.
using SingleOpsTest = StepTimeTest;

TEST_F(SingleOpsTest, TheHostRunsOperationsItself) {
  const profile::NodeId a = Node("a", "MatMul"), b = Node("b", "Relu");
  Kernel(a, 1000, 5, 1000, 3000);
  RanOn(Node("tokens", "PyFunc"), kCpu, 4000, 4000);
  Kernel(b, 8000, 5, 8000, 3000);
  EXPECT_THAT(Check("WallChecker"),
              ElementsAre(HasSubstr(
                  "idle for 40.0% of its wall time (4.00ms of 10.00ms) while "
                  "the host runs operations itself: PyFunc 4.00ms")));
  EXPECT_EQ(findings_[0].rule, "host_work");
}

TEST_F(SingleOpsTest, TheHostReadsInput) {
  const profile::NodeId a = Node("a", "MatMul"), b = Node("b", "Relu");
  Kernel(a, 1000, 5, 1000, 3000);
  RanOn(Node("next", "IteratorGetNext"), kCpu, 4000, 4000);
  Kernel(b, 8000, 5, 8000, 3000);
  EXPECT_THAT(Check("WallChecker"),
              ElementsAre(HasSubstr("waits for input, idle for 40.0%")));
}

TEST_F(SingleOpsTest, OpsAreLaunchedTooSlowly) {
  const profile::NodeId a = Node("a", "MatMul");
  for (int64_t i = 0; i < 20; ++i) {
    // 300 of 500 until the kernel of 200 begins.
    Kernel(a, 1000 + 500 * i, 300, 1300 + 500 * i, 200);
  }
  EXPECT_THAT(Check("WallChecker"), ElementsAre(HasSubstr("launches work")));
  EXPECT_EQ(findings_[0].rule, "launch_bound");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kCritical);
}

TEST_F(SingleOpsTest, TheFirstLaunchLoadsALibrary) {
  const profile::NodeId a = Node("a", "Conv2D");
  Kernel(a, 1000, 6000, 7000, 4000);
  EXPECT_THAT(Check("WallChecker"),
              ElementsAre(HasSubstr("for the first time: Conv2D 6.00ms")));
}

TEST_F(SingleOpsTest, NothingWasRecorded) {
  const profile::NodeId a = Node("a", "MatMul");
  Kernel(a, 1000, 10, 1010, 1000);
  Kernel(a, 9000, 10, 9010, 1000);
  EXPECT_THAT(Check("WallChecker"),
              ElementsAre(HasSubstr("and the file does not say why")));
}

TEST_F(SingleOpsTest, ABusyAcceleratorHasNoFinding) {
  const profile::NodeId a = Node("a", "MatMul");
  RanOn(Node("in", "IteratorGetNext"), kCpu, 1000, 10000);
  Kernel(a, 1000, 5, 1100, 9900);
  EXPECT_THAT(Check("WallChecker"), IsEmpty());
}

TEST_F(SingleOpsTest, ShortStepsAreNotJudged) {
  const profile::NodeId a = Node("a", "MatMul");
  RanOn(Node("tokens", "PyFunc"), kCpu, 1000, 900);
  Kernel(a, 1900, 5, 1900, 50);
  EXPECT_THAT(Check("WallChecker"), IsEmpty());
}

}  // namespace
}  // namespace tfprof::advisor
