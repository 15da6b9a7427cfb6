#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RankSkewTest : public CallsCheckTest {
 protected:
  void Rank(int64_t rank, int64_t compute, int64_t communication) {
    model_.NextRank(rank);
    Kernel("aten::mm", 0, compute);
    Run("allreduce", "ncclDevKernel", profile::LaneKind::kCommunication,
        compute, communication);
  }
};

TEST_F(RankSkewTest, ARankComputesLonger) {
  Rank(0, 1000, 500);
  Rank(1, 1000, 500);
  Rank(2, 1400, 100);
  EXPECT_THAT(CheckTrace("SkewChecker:rank_skew,device_skew"),
              ElementsAre("rank 2 computes 1.40ms, 1.40 times the median of "
                          "the other 2 ranks (1.00ms); it communicates for "
                          "100us, the rank that waits most for 500us"));
  EXPECT_EQ(findings_[0].saving_micros, 400);
}

TEST_F(RankSkewTest, ARankHasAnotherDevice) {
  for (int rank = 0; rank < 3; ++rank) {
    Rank(rank, rank == 2 ? 1400 : 1000, 100);
    model_.Gpu(0, rank == 2 ? "A100" : "H100");
  }
  EXPECT_THAT(CheckTrace("SkewChecker:rank_skew"),
              ElementsAre(HasSubstr("; it runs on A100, rank 0 on H100")));
  EXPECT_THAT(findings_[0].advice, HasSubstr("devices of one model"));
}

TEST_F(RankSkewTest, AnAcceleratorOfOneProcessComputesLonger) {
  for (int gpu = 0; gpu < 4; ++gpu) {
    Kernel("aten::mm", 0, gpu == 3 ? 1500 : 1000, -1, gpu);
    Run("allreduce", "ncclDevKernel", profile::LaneKind::kCommunication,
        gpu == 3 ? 1500 : 1000, gpu == 3 ? 100 : 600, -1, -1, gpu);
  }
  EXPECT_THAT(CheckTrace("SkewChecker:rank_skew,device_skew"),
              ElementsAre("gpu:3 computes 1.50ms, 1.50 times the median of the "
                          "other 3 devices (1.00ms); it communicates for "
                          "100us, the device that waits most for 600us"));
  EXPECT_EQ(findings_[0].rule, "device_skew");
  EXPECT_EQ(findings_[0].subject, "gpu:3");
}

TEST_F(RankSkewTest, AcceleratorsWithOtherWorkAreNotCompared) {
  Kernel("aten::mm", 0, 1000, -1, 0);
  for (int i = 0; i < 9; ++i) Kernel("aten::mm", int64_t{1000} * i, 900, -1, 1);
  EXPECT_THAT(CheckTrace("SkewChecker:rank_skew,device_skew"), IsEmpty());
}

// A recorder may have another device for the operations of the same chip.
TEST_F(RankSkewTest, OnlyDevicesOfOneKindAreCompared) {
  for (int gpu = 0; gpu < 4; ++gpu) {
    for (int i = 0; i < 5; ++i) {
      Kernel("aten::mm", int64_t{1000} * i, gpu == 2 ? 900 : 500, -1, gpu);
    }
  }
  Kernel("allreduce", 0, 20, -1, 4);
  model_.graph().lanes.mutable_physical(model_.Gpu(4)).kind = "xla_gpu";
  EXPECT_THAT(CheckTrace("SkewChecker:device_skew"),
              ElementsAre(HasSubstr("gpu:2 computes 4.50ms, 1.80 times")));
}

TEST_F(RankSkewTest, TheSlowOneOfTwo) {
  Rank(0, 1000, 500);
  Rank(1, 1500, 100);
  ASSERT_EQ(CheckTrace("SkewChecker:rank_skew,device_skew").size(), 1u);
  EXPECT_EQ(findings_[0].subject, "rank 1");
  EXPECT_NEAR(findings_[0].value, 1.5, 1e-9);
  EXPECT_EQ(findings_[0].saving_micros, 500);
}

TEST_F(RankSkewTest, EvenRanksAreFine) {
  Rank(0, 1000, 500);
  Rank(1, 1050, 450);
  EXPECT_THAT(CheckTrace("SkewChecker:rank_skew,device_skew"), IsEmpty());
}

// The profiler of rank 1 began later.
TEST_F(RankSkewTest, RanksThatRecordedOtherNumbersOfSteps) {
  const auto add = [this](int64_t slow) {
    for (int64_t rank = 0; rank < 2; ++rank) {
      model_.NextRank(rank);
      for (int64_t step = 2 * rank; step < 4; ++step) {
        StepInterval(step, step * 2000, (step + 1) * 2000);
        Kernel("aten::mm", step * 2000, rank == 1 ? slow : 900);
      }
    }
  };
  add(900);
  EXPECT_THAT(CheckTrace("SkewChecker:rank_skew"), IsEmpty());
  model_ = timeline::TraceModel();
  add(1800);
  EXPECT_THAT(CheckTrace("SkewChecker:rank_skew"),
              ElementsAre("rank 1 computes 1.80ms in a step, on average, 2.00 "
                          "times the other rank (900us)"));
  EXPECT_EQ(findings_[0].saving_micros, 900);
}

TEST_F(RankSkewTest, ProcessesWithoutRanksAreNotCompared) {
  Rank(-1, 1000, 500);
  Rank(-1, 3000, 500);
  EXPECT_THAT(CheckTrace("SkewChecker:rank_skew,device_skew"), IsEmpty());
}

}  // namespace
}  // namespace tfprof::advisor
