#include "loaders/chrome_json/chrome/chrome_pipeline.h"

#include "gtest/gtest.h"

namespace tfprof::chrome_json {
namespace {

TEST(ChromePipelineTest, NumbersOfASlice) {
  const auto numbers = ReadPipelineNumbers(
      R"({"step": 17, "model_chunk": 0, "mb_id": 3, "seq_id": 2})");
  ASSERT_TRUE(numbers);
  EXPECT_EQ(numbers->step, 17);
  EXPECT_EQ(numbers->sequence, 2);
  EXPECT_EQ(numbers->micro_batch, 3);
  EXPECT_EQ(numbers->model_chunk, 0);
}

TEST(ChromePipelineTest, NumbersMayBeMissing) {
  const auto numbers = ReadPipelineNumbers(
      R"({"step": 17, "mb_id": null, "seq_id": 0, "model_chunk": -1})");
  ASSERT_TRUE(numbers);
  EXPECT_EQ(numbers->micro_batch, -1);
  EXPECT_EQ(numbers->model_chunk, -1);
  // But not the step or the sequence number.
  EXPECT_FALSE(ReadPipelineNumbers(R"({"step": 17, "mb_id": 0})"));
  EXPECT_FALSE(ReadPipelineNumbers(R"({"seq_id": 17, "mb_id": 0})"));
  EXPECT_FALSE(ReadPipelineNumbers(R"({"step": -1, "seq_id": 0})"));
  EXPECT_FALSE(ReadPipelineNumbers(R"({"step": 1, "seq_id": 99999999999})"));
  EXPECT_FALSE(ReadPipelineNumbers(R"({"step": "a", "seq_id": 0})"));
  EXPECT_FALSE(ReadPipelineNumbers(""));
  EXPECT_FALSE(ReadPipelineNumbers(R"({"seq_id": )"));
}

TEST(ChromePipelineTest, WorkersOfThreads) {
  const auto worker =
      WorkerOfThread("DP rank [12]", "7", "PP rank 3, TP rank 0, dp-comm");
  ASSERT_TRUE(worker);
  EXPECT_EQ(worker->dp, 12);
  EXPECT_EQ(worker->stage, 3);
  EXPECT_EQ(worker->kind, profile::LaneKind::kCommunication);
  const auto compute = WorkerOfThread("", "7", "PP rank 0, TP rank 5, compute");
  ASSERT_TRUE(compute);
  EXPECT_EQ(compute->dp, 7);
  EXPECT_EQ(compute->stage, 0);
  EXPECT_EQ(compute->kind, profile::LaneKind::kCompute);
  const auto other = WorkerOfThread("job a, dp=3", "7", "Stage 2");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->dp, 3);
  EXPECT_EQ(other->stage, 2);
}

TEST(ChromePipelineTest, OtherThreads) {
  EXPECT_FALSE(WorkerOfThread("python", "7", "PP rank 0"));
  EXPECT_FALSE(WorkerOfThread("DP rank [0]", "0", "MainThread"));
  EXPECT_FALSE(WorkerOfThread("DP rank [0]", "0", "app 1"));
  EXPECT_FALSE(WorkerOfThread("", "main", "PP rank 0"));
  EXPECT_FALSE(WorkerOfThread("DP rank [0]", "0", "PP rank"));
}

}  // namespace
}  // namespace tfprof::chrome_json
