#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {
namespace stage_waits_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// Four ranks that are stages of a pipeline. In each of two steps of 1000 us,
// each receives a tensor from its neighbours for each micro-batch.
class StageWaitsTest : public CallsCheckTest {
 protected:
  struct Shape {
    int64_t micro_batches = 4;
    int64_t wait = 60;        // of each receive
    int64_t slow_stage = -1;  // it does not wait
    int64_t slow_link = -1;   // the lower rank of a link that needs 100 us more
  };

  std::vector<std::string> Pipeline(const Shape& shape) {
    constexpr int64_t kStages = 4, kStep = 1000;
    for (int64_t rank = 0; rank < kStages; ++rank) {
      model_.NextRank(rank);
      for (int64_t step = 0; step < 2; ++step) {
        int64_t now = kStep * step;
        for (int64_t m = 0; m < shape.micro_batches; ++m) {
          for (const int64_t peer : {rank - 1, rank + 1}) {
            if (peer < 0 || peer >= kStages) continue;
            const bool slow = std::min(rank, peer) == shape.slow_link;
            const int64_t time =
                rank == shape.slow_stage ? 1 : shape.wait + (slow ? 100 : 0);
            Transfer("recv", "Src Rank", peer, now, time);
            now += time;
          }
        }
        Kernel("aten::mm", now,
               rank == shape.slow_stage ? kStep * (step + 1) - now : 40);
      }
    }
    StepInterval(0, 0, kStep);
    StepInterval(1, kStep, 2 * kStep);
    return CheckTrace("StageWaitChecker");
  }

 private:
  void Transfer(std::string_view kind, std::string_view side, int64_t peer,
                int64_t start, int64_t micros) {
    model_.Add({.name = "ncclDevKernel_SendRecv(ncclDevKernelArgs)",
                .node = model_.Op("record_param_comms"),
                .lane = model_.Stream(0, 20, profile::LaneKind::kCommunication),
                .start = start * kTicks,
                .duration = micros * kTicks,
                .arguments = {{"Collective name", std::string(kind)},
                              {std::string(side), std::to_string(peer)}}});
  }
};

TEST_F(StageWaitsTest, ABubble) {
  EXPECT_THAT(
      Pipeline({}),
      ElementsAre(
          "stages of the pipeline wait for their neighbours for 36.0% "
          "of their time (720us of 2.00ms); with 4 stages and 4 "
          "micro-batches per step, the schedule has a bubble of up to 43%"));
  EXPECT_EQ(findings_[0].rule, "pipeline_bubble");
  EXPECT_THAT(findings_[0].advice, StartsWith("Use more micro-batches"));
  EXPECT_EQ(findings_[0].saving_micros, 180);
}

TEST_F(StageWaitsTest, MoreThanTheBubble) {
  EXPECT_THAT(
      Pipeline({.micro_batches = 16, .wait = 20}),
      ElementsAre(HasSubstr("with 4 stages and 16 micro-batches per "
                            "step, the schedule has a bubble of up to 16%")));
  EXPECT_THAT(findings_[0].advice, StartsWith("Balance the pipeline"));
}

TEST_F(StageWaitsTest, ASlowStage) {
  EXPECT_THAT(Pipeline({.micro_batches = 16, .wait = 25, .slow_stage = 3}),
              ElementsAre(HasSubstr("; rank 3 computes longest, 984us per "
                                    "step")));
  EXPECT_THAT(findings_[0].advice, HasSubstr("move layers from rank 3"));
}

TEST_F(StageWaitsTest, AStageIsMissing) {
  profile::LaneTable& lanes = model_.builder().mutable_graph().lanes;
  profile::Process process;
  process.job_ranks = 8;  // fewer are recorded
  lanes.AddProcess(std::move(process));
  EXPECT_THAT(Pipeline({.micro_batches = 16, .wait = 20}),
              ElementsAre(HasSubstr("of the 8 ranks of the job")));
  EXPECT_THAT(findings_[0].advice, StartsWith("Record all ranks"));
}

TEST_F(StageWaitsTest, ASlowLink) {
  EXPECT_THAT(
      Pipeline({.wait = 20, .slow_link = 1}),
      ElementsAre(HasSubstr("; transfers between rank 1 and rank 2 take "
                            "much longer than the others")));
  EXPECT_THAT(findings_[0].advice, StartsWith("Look at the network"));
}

TEST_F(StageWaitsTest, ASmallBubbleIsFine) {
  EXPECT_THAT(Pipeline({.micro_batches = 16, .wait = 5}), IsEmpty());
}

}  // namespace stage_waits_test
}  // namespace
}  // namespace tfprof::advisor
