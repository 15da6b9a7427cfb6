#include <cstdint>

#include "advisor/checkers/program/step_time_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using DeviceIdleTest = StepTimeTest;

TEST_F(DeviceIdleTest, IdleAccelerator) {
  const profile::NodeId a = Node("a", "MatMul"), b = Node("b", "Relu");
  const profile::NodeId input = Node("in", "IteratorGetNext");
  RanOn(input, kCpu, 1000, 10000);  // the step: 1000 to 11000
  Kernel(a, 2000, 5, 2000, 3000);   // 30 %
  RanOn(a, kMemcpy, 4000, 1500);    // 500 of it alone: 5 %
  Kernel(b, 9000, 5, 9000, 2000);   // 20 %
  EXPECT_THAT(
      Check("IdleChecker:idle_accelerator,idle_host"),
      ElementsAre("/job:w/device:gpu:0: idle for 45.0% of the step (4.50ms of "
                  "10.00ms); compute 50.0%, only copies 5.0%; longest gap "
                  "3.50ms at 4.50ms of step 0, from a (MatMul) to b (Relu)"));
  ASSERT_THAT(findings_, SizeIs(1));
  EXPECT_EQ(findings_[0].rule, "idle_accelerator");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
  EXPECT_EQ(findings_[0].saving_micros, 4500);
  EXPECT_DOUBLE_EQ(findings_[0].value, 0.45);
  EXPECT_EQ(findings_[0].evidence,
            "graph -step 0 -max_depth 100000 -output "
            "timeline:outfile=timeline.json");
}

TEST_F(DeviceIdleTest, AcceleratorThatIdlesForLessIsFine) {
  const profile::NodeId a = Node("a", "MatMul");
  RanOn(Node("in", "IteratorGetNext"), kCpu, 1000, 10000);
  Kernel(a, 2000, 5, 2000, 7000);  // idle for exactly 30 %
  EXPECT_THAT(Check("IdleChecker:idle_accelerator,idle_host"), IsEmpty());
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(DeviceIdleTest, IdleIsOfAllSteps) {
  const profile::NodeId a = Node("a", "MatMul");
  const profile::NodeId input = Node("in", "IteratorGetNext");
  for (const int64_t step : {3, 4}) {
    RanOn(input, kCpu, 1000, 10000, step);
    Kernel(a, 2000, 5, 2000, step == 3 ? 8000 : 2000, step);
  }
  RanOn(input, kCpu, 1000, 500, 5);  // too short to be judged
  // 2 of 10 ms and 8 of 10 ms.
  EXPECT_THAT(
      Check("IdleChecker:idle_accelerator,idle_host"),
      ElementsAre("/job:w/device:gpu:0: idle for 50.0% of 2 steps (5.00ms of "
                  "10.00ms); compute 50.0%; longest gap 7.00ms at 3.00ms of "
                  "step 4, from a (MatMul) to the end of the step"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kCritical);
}

TEST_F(DeviceIdleTest, ATaskWithoutAcceleratorsIsJudgedAsAWhole) {
  RanOn(Node("a", "MatMul"), "/job:w/cpu:0", 1000, 4000);
  RanOn(Node("b", "MatMul"), "/job:w/cpu:1", 4000, 2000);
  RanOn(Node("c", "MatMul"), "/job:w/cpu:0", 9000, 1000);
  EXPECT_THAT(
      Check("IdleChecker:idle_accelerator,idle_host"),
      ElementsAre("/job:w: idle for 33.3% of the step (3.00ms of 9.00ms); "
                  "compute 66.7%; longest gap 3.00ms at 5.00ms of step 0, from "
                  "b (MatMul) to c (MatMul)"));
  EXPECT_EQ(findings_[0].rule, "idle_host");
}

TEST_F(DeviceIdleTest, BusyCpusAreFine) {
  RanOn(Node("a", "MatMul"), "/job:w/cpu:0", 1000, 4000);
  RanOn(Node("b", "MatMul"), "/job:w/cpu:1", 4000, 3500);
  RanOn(Node("c", "MatMul"), "/job:w/cpu:0", 9000, 1000);
  EXPECT_THAT(Check("IdleChecker:idle_accelerator,idle_host"), IsEmpty());
}

TEST_F(DeviceIdleTest, ParameterServersIdleByDesign) {
  RanOn(Node("a", "Assign"), "/job:ps/task:0/cpu:0", 1000, 10);
  RanOn(Node("b", "Assign"), "/job:ps/task:0/cpu:0", 9000, 10);
  EXPECT_THAT(Check("IdleChecker:idle_accelerator,idle_host"), IsEmpty());
}

TEST_F(DeviceIdleTest, WithoutStreamsIdleTimeIsUnknown) {
  const profile::NodeId a = Node("a", "MatMul");
  RanOn(a, kGpu, 1000, 10);
  RanOn(a, kGpu, 9000, 10);
  EXPECT_THAT(Check("IdleChecker:idle_accelerator,idle_host"), IsEmpty());
  EXPECT_THAT(notes_,
              ElementsAre("Missing GPU stream records. Skip IdleChecker"));
}

TEST_F(DeviceIdleTest, HealthyProfilesHaveNoFinding) {
  for (const auto& files : HealthyProfiles()) {
    EXPECT_THAT(CheckFiles(files, "IdleChecker:idle_accelerator,idle_host"),
                IsEmpty())
        << files[0];
  }
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(DeviceIdleTest, AWorkerThatWaitsForItsParameterServer) {
  EXPECT_THAT(
      CheckFiles(kWorker, "IdleChecker:idle_accelerator,idle_host"),
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

TEST_F(DeviceIdleTest, ASyntheticGpu) {
  EXPECT_THAT(
      CheckFiles(kSyntheticGpu, "IdleChecker:idle_accelerator,idle_host"),
      ElementsAre(HasSubstr(
          "device:gpu:0: idle for 55.1% of the step (16.92ms of 30.70ms);"
          " compute 44.7%, only copies 0.1%; longest gap 11.03ms at "
          "12.94ms of step 0, from MatMul to concat_2 (ConcatV2)")));
}

TEST_F(DeviceIdleTest, AGpuWithoutStreams) {
  EXPECT_THAT(CheckFiles(kNoStreams, "IdleChecker:idle_accelerator,idle_host"),
              IsEmpty());
  EXPECT_THAT(notes_,
              ElementsAre("Missing GPU stream records. Skip IdleChecker"));
}

TEST_F(DeviceIdleTest, TheThresholdIsAnOption) {
  const profile::NodeId a = Node("a", "MatMul");
  RanOn(Node("in", "IteratorGetNext"), kCpu, 1000, 10000);
  Kernel(a, 2000, 5, 2000, 7000);
  const profile::Profile profile = Build();
  EXPECT_THAT(CheckProfile(profile, "IdleChecker:idle_accelerator,idle_host",
                           {{"idle", 0.25}}),
              SizeIs(1));
  EXPECT_EQ(findings_[0].threshold, 0.25);
}

TEST_F(DeviceIdleTest, AGpuWithoutKernelsIsNotJudged) {
  RanOn(Node("in", "IteratorGetNext"), kCpu, 1000, 10000);
  RanOn(Node("a", "MatMul"), kMemcpy, 1000, 10);
  EXPECT_THAT(Check("IdleChecker:idle_accelerator,idle_host"), IsEmpty());
}

}  // namespace
}  // namespace tfprof::advisor
