#include <cstdint>

#include "advisor/checkers/steps/step_time_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using TinyOpsTest = StepTimeTest;

TEST_F(TinyOpsTest, TinyKernelsAndTheGapsAfterThem) {
  const profile::NodeId a = Node("a", "Add"), b = Node("b", "MatMul");
  // 100 kernels of 4 us, one every 20 us: 400 + 100 gaps of 16. Then 1000 of
  // work.
  for (int64_t i = 0; i < 100; ++i) {
    Kernel(a, 1000 + 20 * i, 3, 1004 + 20 * i, 4);
  }
  Kernel(b, 3000, 3, 3004, 1000);
  // The step: 1000 to 4004.
  EXPECT_THAT(
      Check("ShortKernelChecker:tiny_kernels,tiny_host_ops"),
      ElementsAre("/job:w/device:gpu:0: tiny kernels and the gaps after them "
                  "take 66.6% of the step (2.00ms of 3.00ms); 100 of 101 "
                  "kernels are shorter than 10us, gaps after them are 53.3%; "
                  "most are Add 100"));
  EXPECT_EQ(findings_[0].saving_micros, 1600);
  EXPECT_EQ(findings_[0].evidence,
            "op -step 0 -order_by occurrence -select "
            "accelerator_micros,occurrence");
}

TEST_F(TinyOpsTest, FewTinyKernelsAreFine) {
  const profile::NodeId a = Node("a", "Add"), b = Node("b", "MatMul");
  for (int64_t i = 0; i < 100; ++i) {
    Kernel(a, 1000 + 20 * i, 3, 1004 + 20 * i, 4);
  }
  Kernel(b, 3000, 3, 3004, 5000);  // 2000 of 7004
  EXPECT_THAT(Check("ShortKernelChecker:tiny_kernels,tiny_host_ops"),
              IsEmpty());
}

// A gap counts only after a tiny kernel.
TEST_F(TinyOpsTest, GapsAfterLongKernelsDoNotCount) {
  const profile::NodeId a = Node("a", "Add");
  for (int64_t i = 0; i < 100; ++i) {
    Kernel(a, 1000 + 30 * i, 3, 1004 + 30 * i, 10);
  }
  EXPECT_THAT(Check("ShortKernelChecker:tiny_kernels,tiny_host_ops"),
              IsEmpty());
}

TEST_F(TinyOpsTest, TinyOpsOfTheHost) {
  const profile::NodeId shape = Node("s", "Shape"), b = Node("b", "MatMul");
  // 200 ops of 2 us, one every 10 us, while the GPU waits: 2000, minus the last
  // gap.
  for (int64_t i = 0; i < 200; ++i) RanOn(shape, kCpu, 1000 + 10 * i, 2);
  Kernel(b, 3000, 10, 3010, 4990);
  EXPECT_THAT(
      Check("ShortKernelChecker:tiny_kernels,tiny_host_ops"),
      ElementsAre("/job:w: accelerators wait for tiny ops of the host for "
                  "28.5% of the step (1.99ms of 7.00ms); 200 of 200 ops on "
                  "CPUs are shorter than 5us; most are Shape 200"));
  EXPECT_EQ(findings_[0].rule, "tiny_host_ops");
  EXPECT_EQ(findings_[0].saving_micros, 199 * 8);
}

TEST_F(TinyOpsTest, TinyOpsBesideABusyAcceleratorAreFine) {
  const profile::NodeId shape = Node("s", "Shape"), b = Node("b", "MatMul");
  for (int64_t i = 0; i < 200; ++i) RanOn(shape, kCpu, 1000 + 10 * i, 2);
  Kernel(b, 1300, 10, 1310, 6690);
  EXPECT_THAT(Check("ShortKernelChecker:tiny_kernels,tiny_host_ops"),
              IsEmpty());
}

TEST_F(TinyOpsTest, TinyOpsOfACpuProfileAreFine) {
  const profile::NodeId shape = Node("s", "Shape");
  for (int64_t i = 0; i < 200; ++i) RanOn(shape, kCpu, 1000 + 10 * i, 2);
  EXPECT_THAT(Check("ShortKernelChecker:tiny_kernels,tiny_host_ops"),
              IsEmpty());
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(TinyOpsTest, HealthyProfilesHaveNoFinding) {
  for (const auto& files : HealthyProfiles()) {
    EXPECT_THAT(
        CheckFiles(files, "ShortKernelChecker:tiny_kernels,tiny_host_ops"),
        IsEmpty())
        << files[0];
  }
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(TinyOpsTest, ProfilesWithLargeKernelsAreFine) {
  EXPECT_THAT(
      CheckFiles(kWorker, "ShortKernelChecker:tiny_kernels,tiny_host_ops"),
      IsEmpty());
  EXPECT_THAT(CheckFiles(kSyntheticGpu,
                         "ShortKernelChecker:tiny_kernels,tiny_host_ops"),
              IsEmpty());
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(TinyOpsTest, AGpuWithoutStreams) {
  EXPECT_THAT(
      CheckFiles(kNoStreams, "ShortKernelChecker:tiny_kernels,tiny_host_ops"),
      IsEmpty());
  EXPECT_THAT(
      notes_,
      ElementsAre("Missing GPU stream records. Skip ShortKernelChecker"));
}

TEST_F(TinyOpsTest, WhatIsTinyIsAnOption) {
  const profile::NodeId a = Node("a", "Add");
  for (int64_t i = 0; i < 100; ++i) {
    Kernel(a, 1000 + 40 * i, 3, 1004 + 40 * i, 15);
  }
  const profile::Profile profile = Build();
  EXPECT_THAT(
      CheckProfile(profile, "ShortKernelChecker:tiny_kernels,tiny_host_ops"),
      IsEmpty());
  EXPECT_EQ(
      CheckProfile(profile, "ShortKernelChecker:tiny_kernels,tiny_host_ops",
                   {{"kernel", 16}})
          .size(),
      1u);
  // Kernels without the gaps take 1500 of 4000.
  EXPECT_EQ(
      CheckProfile(profile, "ShortKernelChecker:tiny_kernels,tiny_host_ops",
                   {{"kernel", 16}, {"kernel_gap", 1}})
          .size(),
      1u);
  EXPECT_EQ(findings_[1].saving_micros, 0);
}

TEST_F(TinyOpsTest, CopiesInAGapAreNoGap) {
  const profile::NodeId a = Node("a", "Add");
  for (int64_t i = 0; i < 100; ++i) {
    Kernel(a, 1000 + 40 * i, 3, 1004 + 40 * i, 4);
  }
  RanOn(a, kMemcpy, 1000, 4000);
  EXPECT_THAT(Check("ShortKernelChecker:tiny_kernels,tiny_host_ops"),
              IsEmpty());
}

}  // namespace
}  // namespace tfprof::advisor
