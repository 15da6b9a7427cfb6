#include "advisor/checkers/program/step_time_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using HostBoundTest = StepTimeTest;

TEST_F(HostBoundTest, AcceleratorsWaitForTheHost) {
  const profile::NodeId a = Node("a", "MatMul"), b = Node("b", "Relu");
  RanOn(Node("in", "IteratorGetNext"), kCpu, 1000, 4000);  // 3000 before a
  Kernel(a, 3500, 2500, 4000, 3000);  // kernel from 4000 to 7000
  RanOn(Node("shape", "Shape"), kCpu, 7500, 500);
  Kernel(b, 8000, 1000, 9000, 2000);  // 1000 until it starts
  // The step: 1000 to 11000; waiting: 3000 + 500 + 1000.
  EXPECT_THAT(
      Check("IdleChecker:host_bound"),
      ElementsAre("/job:w: accelerators wait for the host for 45.0% of the "
                  "step (4.50ms of 10.00ms): 35.0% while ops run on a CPU, "
                  "10.0% while ops are started; most of it IteratorGetNext "
                  "3.00ms, Relu 1.00ms, MatMul 500us"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
  EXPECT_EQ(findings_[0].saving_micros, 4500);
  EXPECT_THAT(findings_[0].advice, HasSubstr("input pipeline"));
}

TEST_F(HostBoundTest, HostThatWorksAheadIsFine) {
  const profile::NodeId a = Node("a", "MatMul");
  RanOn(Node("in", "IteratorGetNext"), kCpu, 1000, 10000);
  Kernel(a, 3500, 500, 4000, 7000);  // 3000 of 10000 before it
  EXPECT_THAT(Check("IdleChecker:host_bound"), IsEmpty());
}

// The host is idle at the same time, so it is not the cause.
TEST_F(HostBoundTest, IdleHostAndIdleAcceleratorIsNotHostBound) {
  const profile::NodeId a = Node("a", "MatMul");
  Kernel(a, 1000, 10, 1010, 1000);
  Kernel(a, 9000, 10, 9010, 1000);
  EXPECT_THAT(Check("IdleChecker:host_bound"), IsEmpty());
  const profile::Profile none;
  EXPECT_THAT(CheckProfile(none, "IdleChecker:host_bound"), IsEmpty());
}

TEST_F(HostBoundTest, HealthyProfilesHaveNoFinding) {
  for (const auto& files : HealthyProfiles()) {
    EXPECT_THAT(CheckFiles(files, "IdleChecker:host_bound"), IsEmpty())
        << files[0];
  }
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(HostBoundTest, AWorkerIsNotBoundByItsHost) {
  EXPECT_THAT(CheckFiles(kWorker, "IdleChecker:host_bound"), IsEmpty());
}

TEST_F(HostBoundTest, ASyntheticGpu) {
  EXPECT_THAT(CheckFiles(kSyntheticGpu, "IdleChecker:host_bound"),
              ElementsAre(HasSubstr(
                  "for 52.4% of the step (16.07ms of 30.70ms): 2.2% "
                  "while ops run on a CPU, 50.1% while ops are started; "
                  "most of it MatMul 12.72ms")));
}

TEST_F(HostBoundTest, AGpuWithoutStreams) {
  EXPECT_THAT(CheckFiles(kNoStreams, "IdleChecker:host_bound"), IsEmpty());
  EXPECT_THAT(notes_,
              ElementsAre("Missing GPU stream records. Skip IdleChecker"));
}

TEST_F(HostBoundTest, LaunchesMayBeTheReason) {
  const profile::NodeId a = Node("a", "MatMul");
  for (int64_t i = 0; i < 5; ++i) {
    // 1500 of 2000 until the kernel of 500 begins.
    Kernel(a, 1000 + 2000 * i, 1500, 2500 + 2000 * i, 500);
  }
  EXPECT_THAT(Check("IdleChecker:host_bound"),
              ElementsAre(HasSubstr(": 0.0% while ops run on a CPU, 75.0% "
                                    "while ops are started; most of it MatMul "
                                    "7.50ms")));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kCritical);
  EXPECT_THAT(findings_[0].advice, HasSubstr("more slowly"));
}

TEST_F(HostBoundTest, TheThresholdIsAnOption) {
  const profile::NodeId a = Node("a", "MatMul");
  RanOn(Node("in", "IteratorGetNext"), kCpu, 1000, 10000);
  Kernel(a, 3500, 500, 4000, 7000);
  const profile::Profile profile = Build();
  EXPECT_EQ(
      CheckProfile(profile, "IdleChecker:host_bound", {{"host_bound", 0.2}})
          .size(),
      1u);
  EXPECT_EQ(findings_[0].threshold, 0.2);
}

TEST_F(HostBoundTest, OneBusyAcceleratorIsEnough) {
  const profile::NodeId a = Node("a", "MatMul");
  RanOn(Node("in", "IteratorGetNext"), kCpu, 1000, 10000);
  Kernel(a, 1000, 10, 1010, 500);
  RanOn(a, "/device:GPU:1/stream:all", 1000, 10000);
  EXPECT_THAT(Check("IdleChecker:host_bound"), IsEmpty());
}

}  // namespace
}  // namespace tfprof::advisor
