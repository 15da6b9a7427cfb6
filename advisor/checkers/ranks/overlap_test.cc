#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using CommunicationOverlapTest = CallsCheckTest;

TEST_F(CommunicationOverlapTest, CommunicationThatNothingHides) {
  Kernel("aten::mm", 0, 60);
  Run("c10d::allreduce_", "ncclDevKernel", profile::LaneKind::kCommunication,
      50, 50);
  EXPECT_THAT(CheckTrace("OverlapChecker:communication_overlap"),
              ElementsAre("gpu:0: communicates and computes nothing for 40.0% "
                          "of its time (40us of 100us); 20.0% of the "
                          "communication is hidden; most of it "
                          "c10d::allreduce_ 40us"));
  EXPECT_EQ(findings_[0].saving_micros, 40);
  EXPECT_THAT(findings_[0].advice,
              testing::StartsWith("Start communication earlier"));
}

// Nothing is left beside which it could run.
TEST_F(CommunicationOverlapTest, MoreCommunicationThanComputationCanHide) {
  Kernel("aten::mm", 0, 60);
  Run("c10d::allreduce_", "ncclDevKernel", profile::LaneKind::kCommunication,
      50, 500);
  CheckTrace("OverlapChecker:communication_overlap");
  ASSERT_EQ(findings_.size(), 1u);
  EXPECT_EQ(findings_[0].saving_micros, 490);
  EXPECT_THAT(findings_[0].advice,
              testing::StartsWith("Computation can hide at most 50us of it: "
                                  "send less"));
}

// Their start costs more than their data.
TEST_F(CommunicationOverlapTest, ManyShortExchanges) {
  Kernel("aten::mm", 0, 1000);
  for (int64_t i = 0; i < 30; ++i) {
    Run("c10d::allreduce_", "ncclDevKernel", profile::LaneKind::kCommunication,
        1000 + 50 * i, 40);
  }
  EXPECT_THAT(CheckTrace("OverlapChecker:communication_overlap"),
              ElementsAre(testing::EndsWith(
                  "; 30 exchanges per step are shorter than 100us")));
  EXPECT_THAT(findings_[0].advice,
              testing::StartsWith("Exchange more at a time"));
}

// Before the step nothing is lost in it.
TEST_F(CommunicationOverlapTest, SavesWhatIsInsideOfSteps) {
  for (const int64_t start : {0, 200}) {
    Kernel("aten::mm", start, 100);
    Run("c10d::allreduce_", "ncclDevKernel", profile::LaneKind::kCommunication,
        start + 100, 100);
  }
  StepInterval(0, 200, 400);
  CheckTrace("OverlapChecker:communication_overlap");
  ASSERT_EQ(findings_.size(), 1u);
  EXPECT_EQ(findings_[0].saving_micros, 100);
}

TEST_F(CommunicationOverlapTest, HiddenCommunicationIsFine) {
  Kernel("aten::mm", 0, 100);
  Run("c10d::allreduce_", "ncclDevKernel", profile::LaneKind::kCommunication,
      50, 50);
  EXPECT_THAT(CheckTrace("OverlapChecker:communication_overlap"), IsEmpty());
}

}  // namespace
}  // namespace tfprof::advisor
