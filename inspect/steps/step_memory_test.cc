#include "inspect/steps/step_memory.h"

#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"

namespace tfprof::inspect {
namespace {

// Two nodes on a GPU, one on a CPU; the allocator of the GPU reports bytes.
profile::Profile WithMemory(size_t max_memory = 0) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  if (max_memory > 0) builder.SetMaxMemory(max_memory);
  const auto details = std::make_shared<FakeDetails>();
  for (const int64_t bytes : {300, 700, 0}) {
    profile::ExecutionDetail& detail = details->executions.emplace_back();
    detail.memory.push_back({.outputs = {}});
    detail.memory[0].allocator_bytes_in_use = bytes;
  }
  const uint32_t input = builder.AddInput(details);
  profile::GraphTables& graph = builder.mutable_graph();
  const profile::LaneId gpu = tensorflow::DeviceLane("/device:GPU:0", graph);
  const profile::LaneId cpu = tensorflow::DeviceLane("/device:CPU:0", graph);
  std::vector<profile::ExecutionRecord> records;
  for (uint32_t i = 0; i < 3; ++i) {
    records.push_back(
        {.node = builder.AddNode(std::string(1, static_cast<char>('a' + i)),
                                 "Op", profile::kNoRecord),
         .lane = i < 2 ? gpu : cpu,
         .start = 10 + 10 * i,
         .duration = 5,
         .record = profile::MakeRecordRef(input, i),
         .peak_bytes = i == 0 ? 90 : 20});
  }
  builder.AddExecutions(0, records, {});
  return std::move(builder).Build();
}

MemoryPeak PeakOf(const profile::Profile& profile, profile::NodeId n) {
  const auto peaks = MemoryPeaks(profile, *profile.FindStep(0));
  EXPECT_EQ(peaks.size(), profile.devices().size());
  return peaks[profile.nodes().device[n]];
}

TEST(StepMemoryTest, APeakIsTheLargestOfItsDevice) {
  const profile::Profile profile = WithMemory();
  EXPECT_EQ(PeakOf(profile, 0).allocator_bytes, 700);
  EXPECT_EQ(PeakOf(profile, 0).node_bytes, 90);
}

TEST(StepMemoryTest, RunsOfANodeHoldMemoryOneAfterTheOther) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  const uint32_t input = builder.AddInput(std::make_shared<FakeDetails>());
  const profile::LaneId cpu =
      tensorflow::DeviceLane("/device:CPU:0", builder.mutable_graph());
  const profile::NodeId node = builder.AddNode("a", "Op", profile::kNoRecord);
  std::vector<profile::ExecutionRecord> records;
  for (uint32_t i = 0; i < 3; ++i) {
    records.push_back({.node = node,
                       .lane = cpu,
                       .start = 10 * i,
                       .duration = 5,
                       .record = profile::MakeRecordRef(input, i),
                       .peak_bytes = 30 * (i + 1)});
  }
  builder.AddExecutions(0, records, {});
  const profile::Profile profile = std::move(builder).Build();
  EXPECT_EQ(PeakOfRun(*profile.FindStep(0), 0), 60);
  EXPECT_EQ(PeakOf(profile, 0).node_bytes, 60);
}

TEST(StepMemoryTest, AnAllocatorWithoutRecordsHasNoPeak) {
  const profile::Profile profile = WithMemory();
  EXPECT_EQ(PeakOf(profile, 2).allocator_bytes, 0);
  EXPECT_EQ(PeakOf(profile, 2).node_bytes, 20);
}

TEST(StepMemoryTest, AStepKeptAsSumsHasThePeaksOfItsNodes) {
  const profile::Profile profile = WithMemory(/*max_memory=*/1);
  ASSERT_TRUE(profile.FindStep(0)->aggregated);
  EXPECT_EQ(PeakOf(profile, 0).allocator_bytes, 0);
  EXPECT_EQ(PeakOf(profile, 0).node_bytes, 90);
}

}  // namespace
}  // namespace tfprof::inspect
