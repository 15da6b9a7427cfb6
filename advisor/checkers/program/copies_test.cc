#include "advisor/checkers/steps/step_time_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using CopiesTest = StepTimeTest;

TEST_F(CopiesTest, CopiesThatNothingHides) {
  const profile::NodeId a = Node("a", "MatMul");
  Kernel(a, 1000, 10, 2000, 9000);
  AddRecord("in:MEMCPYHtoD", "MEMCPYHtoD 4096 bytes", kMemcpy, 1000, 1500);
  AddRecord("in:MEMCPYHtoD", "MEMCPYHtoD 4096 bytes", kStream, 1000, 1500);
  AddRecord("MEMCPYHtoD", "MEMCPYHtoD 4000 bytes", kMemcpy, 4000,
            500);  // hidden
  AddRecord("MEMCPYDtoH", "", kMemcpy, 11000, 1000);
  // The step: 1000 to 12000; copies alone: 1000 + 1000.
  EXPECT_THAT(
      Check("CopyChecker:exposed_copies"),
      ElementsAre("/job:w/device:gpu:0: only copies for 18.2% of the step "
                  "(2.00ms of 11.00ms): 2 host to device in 2.00ms for 8.10KB, "
                  "1 device to host in 1.00ms; the longest 1.50ms for 4.10KB "
                  "(in)"));
  EXPECT_EQ(findings_[0].saving_micros, 2000);
}

TEST_F(CopiesTest, WhatIsFedIsCopied) {
  const profile::NodeId a = Node("a", "MatMul");
  RanOn(Node("x", "Placeholder"), kMemcpy, 1000, 4000);
  Kernel(a, 1000, 10, 5000, 6000);
  EXPECT_THAT(Check("CopyChecker:exposed_copies"),
              ElementsAre(HasSubstr("(x, fed)")));
  EXPECT_THAT(findings_[0].advice, HasSubstr("prefetch_to_device"));
}

TEST_F(CopiesTest, HiddenCopiesAreFine) {
  const profile::NodeId a = Node("a", "MatMul");
  Kernel(a, 1000, 10, 2000, 9000);
  AddRecord("MEMCPYHtoD", "MEMCPYHtoD 4096 bytes", kMemcpy, 1000, 5000);
  EXPECT_THAT(Check("CopyChecker:exposed_copies"),
              IsEmpty());  // 1000 of 10000 alone
}

TEST_F(CopiesTest, HealthyProfilesHaveNoFinding) {
  for (const auto& files : HealthyProfiles()) {
    EXPECT_THAT(CheckFiles(files, "CopyChecker:exposed_copies"), IsEmpty())
        << files[0];
  }
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(CopiesTest, ProfilesWithFewCopiesAreFine) {
  EXPECT_THAT(CheckFiles(kWorker, "CopyChecker:exposed_copies"), IsEmpty());
  EXPECT_THAT(CheckFiles(kSyntheticGpu, "CopyChecker:exposed_copies"),
              IsEmpty());
  EXPECT_THAT(CheckFiles(kNoStreams, "CopyChecker:exposed_copies"), IsEmpty());
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(CopiesTest, CopiesOfUnknownSizeHaveNoBytes) {
  const profile::NodeId a = Node("a", "MatMul");
  Kernel(a, 1000, 10, 5000, 5000);
  AddRecord("MEMCPYHtoD", "MEMCPYHtoD 4096 bytes", kMemcpy, 1000, 1000);
  AddRecord("MEMCPYHtoD", "", kMemcpy, 2000, 1000);
  EXPECT_THAT(
      Check("CopyChecker:exposed_copies"),
      ElementsAre("/job:w/device:gpu:0: only copies for 22.2% of the step "
                  "(2.00ms of 9.00ms): 2 host to device in 2.00ms; the longest "
                  "1.00ms for 4.10KB (MEMCPYHtoD)"));
}

TEST_F(CopiesTest, TheThresholdIsAnOption) {
  const profile::NodeId a = Node("a", "MatMul");
  Kernel(a, 1000, 10, 2000, 9000);
  AddRecord("MEMCPYHtoD", "MEMCPYHtoD 4096 bytes", kMemcpy, 1000, 1000);
  const profile::Profile profile = Build();
  EXPECT_THAT(CheckProfile(profile, "CopyChecker:exposed_copies"), IsEmpty());
  EXPECT_EQ(
      CheckProfile(profile, "CopyChecker:exposed_copies", {{"exposed", 0.05}})
          .size(),
      1u);
  EXPECT_EQ(findings_[0].threshold, 0.05);
}

TEST_F(CopiesTest, ShortStepsAreNotJudged) {
  AddRecord("MEMCPYHtoD", "MEMCPYHtoD 4096 bytes", kMemcpy, 1000, 500);
  const profile::Profile profile = Build();
  EXPECT_THAT(CheckProfile(profile, "CopyChecker:exposed_copies"), IsEmpty());
  EXPECT_EQ(
      CheckProfile(profile, "CopyChecker:exposed_copies", {{"min_step", 100}})
          .size(),
      1u);
}

TEST_F(CopiesTest, EachGpuHasItsFinding) {
  AddRecord("MEMCPYHtoD", "", "/device:GPU:0/memcpy", 1000, 4000);
  AddRecord("MEMCPYDtoD", "", "/device:GPU:1/memcpy", 1000, 8000);
  EXPECT_EQ(Check("CopyChecker:exposed_copies").size(), 2u);
  EXPECT_EQ(findings_[0].saving_micros, 4000);
  EXPECT_EQ(findings_[1].saving_micros, 8000);
  EXPECT_THAT(findings_[1].text, HasSubstr("1 on the device in 8.00ms"));
}

}  // namespace
}  // namespace tfprof::advisor
