#include "advisor/advisor_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using AcceleratorUtilizationTest = AdvisorTest;

TEST_F(AcceleratorUtilizationTest, BusyAcceleratorIsNotLow) {
  Ran(Node("a", "Conv2D", 1), 10, 5);
  Ran(Node("b", "Conv2D", 1), 15, 5);
  EXPECT_THAT(Check("AcceleratorUtilizationChecker"),
              ElementsAre("device: /job:localhost/replica:0/task:0/device:"
                          "gpu:0 utilization: 1.00"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
}

TEST_F(AcceleratorUtilizationTest, UtilizationIsOfTheLastStepOfEachDevice) {
  const profile::NodeId a = Node("a", "Conv2D");
  Ran(a, 10, 10, 0);
  Ran(a, 100, 5, 7);
  Ran(Node("b", "Conv2D"), 145, 5, 7);
  Ran(Node("c", "Conv2D"), 10, 4, 7, "/device:GPU:1");
  EXPECT_THAT(
      Check("AcceleratorUtilizationChecker"),
      ElementsAre("device: /device:gpu:1 utilization: 1.00",
                  "device: /job:localhost/replica:0/task:0/device:gpu:0 low "
                  "utilization: 0.20"));
}

TEST_F(AcceleratorUtilizationTest, WithoutKernelsTheReferenceAloneSaysLow) {
  RanOn(Node("a", "Conv2D"), "/job:w/device:GPU:0", 10, 100);
  EXPECT_THAT(Check("AcceleratorUtilizationChecker"), SizeIs(1));
  EXPECT_TRUE(findings_[0].reference_text_only);
}

TEST_F(AcceleratorUtilizationTest, CpusHaveNoUtilization) {
  Ran(Node("a", "Conv2D"), 10, 5, 0, "/device:CPU:0");
  EXPECT_THAT(Check("AcceleratorUtilizationChecker"), IsEmpty());
}

TEST_F(AcceleratorUtilizationTest, TheThresholdIsAnOption) {
  Ran(Node("a", "Conv2D"), 10, 4);
  Ran(Node("b", "Conv2D"), 18, 2);  // 6 of 10 microseconds
  const profile::Profile profile = Build();
  CheckProfile(profile, "AcceleratorUtilizationChecker");
  CheckProfile(profile, "AcceleratorUtilizationChecker",
               {{"low_utilization", 0.7}});
  ASSERT_EQ(findings_.size(), 2u);
  EXPECT_EQ(findings_[0].rule, "utilization");
  EXPECT_EQ(findings_[1].rule, "low_utilization");
  EXPECT_EQ(findings_[1].severity, Finding::Severity::kWarning);
  EXPECT_EQ(findings_[1].threshold, 0.7);
  EXPECT_DOUBLE_EQ(findings_[1].value, 0.6);
}

TEST_F(AcceleratorUtilizationTest, WhatNeverRanHasNoUtilization) {
  Node("a", "Conv2D");
  EXPECT_THAT(Check("AcceleratorUtilizationChecker"), IsEmpty());
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(AcceleratorUtilizationTest, WithoutASpanThereIsNoUtilization) {
  Ran(Node("a", "Conv2D"), 10, 0);
  EXPECT_THAT(Check("AcceleratorUtilizationChecker"), SizeIs(1));
  EXPECT_EQ(findings_[0].value, 1);
}

}  // namespace
}  // namespace tfprof::advisor
