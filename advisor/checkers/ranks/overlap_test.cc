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

// The exchanges of two sizes take their usual time in most steps, and much
// longer in one of five.
class LateRankTest : public CallsCheckTest {
 protected:
  std::string Text(int64_t job_ranks, int64_t late = 6000) {
    profile::LaneTable& lanes = model_.builder().mutable_graph().lanes;
    lanes.mutable_process(model_.process()).job_ranks = job_ranks;
    for (int64_t i = 0; i < 10; ++i) {
      const int64_t start = 15000 * i;
      const int64_t wait = i % 5 == 0 ? late : 0;
      Kernel("aten::mm", start, 5000);
      Collective("allreduce", 0, start + 5000, 2000 + wait, 20'000'000);
      Collective("allreduce", 0, start + 14000, 1000, 10'000'000);
      StepInterval(i, start, start + 15000);
    }
    const std::vector<std::string> texts =
        CheckTrace("OverlapChecker:communication_overlap");
    return texts.empty() ? "" : texts[0];
  }
};

TEST_F(LateRankTest, ARankIsLateThatWasNotRecorded) {
  EXPECT_THAT(Text(4),
              testing::EndsWith(
                  "; 1.20ms of it per step is waiting: the same exchanges take "
                  "less when the other ranks are ready; 3 of the 4 ranks of "
                  "the job are not in the files"));
  EXPECT_THAT(findings_[0].advice,
              testing::StartsWith("Another rank is late, or its link is slow; "
                                  "3 of the 4 ranks"));
}

TEST_F(LateRankTest, TheJobDoesNotSayHowManyRanksItHas) {
  EXPECT_THAT(Text(-1), testing::EndsWith("when the other ranks are ready"));
}

// Nobody waits if each exchange takes the time of its bytes.
TEST_F(LateRankTest, NobodyIsLate) {
  EXPECT_THAT(Text(2, /*late=*/0),
              testing::EndsWith("; 1 of the 2 ranks of the job is not in the "
                                "files"));
  EXPECT_THAT(findings_[0].advice,
              testing::StartsWith("Record all ranks: only then"));
}

TEST_F(CommunicationOverlapTest, HiddenCommunicationIsFine) {
  Kernel("aten::mm", 0, 100);
  Run("c10d::allreduce_", "ncclDevKernel", profile::LaneKind::kCommunication,
      50, 50);
  EXPECT_THAT(CheckTrace("OverlapChecker:communication_overlap"), IsEmpty());
}

}  // namespace
}  // namespace tfprof::advisor
