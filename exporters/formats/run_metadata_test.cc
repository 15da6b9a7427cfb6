#include "exporters/formats/run_metadata.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/node_stats.h"
#include "exporters/exporters_testing.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"
#include "loaders/tensorflow/run_metadata/run_metadata.h"
#include "profile/profile_builder.h"
#include "proto/run_metadata.pb.h"
#include "util/files/sink.h"

namespace tfprof::exporters {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class WriteRunMetadataTest : public ::testing::Test {
 protected:
  // A record with this memory and these allocations.
  profile::RecordRef Record(std::vector<profile::MemoryDetail> memory,
                            std::vector<profile::Allocation> allocations = {}) {
    const uint64_t offset = details_->executions.size() + 1;
    details_->executions[offset] = {std::move(memory), std::move(allocations)};
    return profile::MakeRecordRef(input_, offset);
  }

  // Writes step 0 of the profile in `maker_`.
  proto::RunMetadata Write() {
    profile_ = maker_.Build();
    util::StringSink sink;
    losses_ = WriteRunMetadata(profile_, *profile_.FindStep(0), sink);
    bytes_ = sink.text();
    proto::RunMetadata metadata;
    EXPECT_TRUE(metadata.ParseFromString(bytes_));
    return metadata;
  }
  // "device: name start+duration, …" of each device of the file.
  static std::vector<std::string> Lines(const proto::RunMetadata& metadata) {
    std::vector<std::string> lines;
    for (const proto::DeviceStepStats& device :
         metadata.step_stats().dev_stats()) {
      std::vector<std::string> nodes;
      for (const proto::NodeExecStats& node : device.node_stats()) {
        EXPECT_EQ(node.all_end_rel_micros(), node.op_end_rel_micros());
        nodes.push_back(fmt::format("{} {}+{}", node.node_name(),
                                    node.all_start_micros(),
                                    node.op_end_rel_micros()));
      }
      lines.push_back(
          fmt::format("{}: {}", device.device(), fmt::join(nodes, ", ")));
    }
    return lines;
  }

  Maker maker_;
  std::shared_ptr<FakeRecords> details_ = std::make_shared<FakeRecords>();
  uint32_t input_ = maker_.builder().AddInput(details_);
  profile::Profile profile_;
  RunMetadataLosses losses_;
  std::string bytes_;
};

TEST_F(WriteRunMetadataTest, AStepInWhichNothingRan) {
  maker_.builder().AddStep(0);
  const proto::RunMetadata metadata = Write();
  EXPECT_TRUE(metadata.has_step_stats());
  EXPECT_THAT(Lines(metadata), IsEmpty());
}

TEST_F(WriteRunMetadataTest, ExecutionsByDevice) {
  const profile::NodeId a = maker_.Node("a"), b = maker_.Node("b");
  maker_.Run(a, kCpu1, 100, 10);
  maker_.Run(b, kCpu0, 200, 20);
  maker_.Run(a, kCpu1, 150, 5);
  EXPECT_THAT(Lines(Write()), ElementsAre("/device:cpu:1: a 100+10, a 150+5",
                                          "/device:cpu:0: b 200+20"));
  EXPECT_EQ(losses_.rebuilt, 3);
  EXPECT_EQ(losses_.no_device, 0);
  EXPECT_EQ(losses_.other_devices, 0);
}

TEST_F(WriteRunMetadataTest, AMissingStartIsZero) {
  maker_.Run(maker_.Node("a"), kCpu0, profile::kNoStart, 7);
  const proto::RunMetadata metadata = Write();
  ASSERT_EQ(metadata.step_stats().dev_stats_size(), 1);
  EXPECT_EQ(metadata.step_stats().dev_stats(0).node_stats(0).all_start_micros(),
            0);
}

TEST_F(WriteRunMetadataTest, ExecutionsOfNoNode) {
  profile::GraphTables& graph = maker_.builder().mutable_graph();
  maker_.Run(maker_.Node("a"), kCpu0, 100, 10);
  maker_.builder().AddOutside(0, {.name = graph.strings.Intern("RecvTensor"),
                                  .lane = tensorflow::DeviceLane(kCpu0, graph),
                                  .start = 50,
                                  .duration = 3});
  EXPECT_THAT(Lines(Write()),
              ElementsAre("/device:cpu:0: a 100+10, RecvTensor 50+3"));
}

// A reader uses the first canonical device that it finds as the node's.
TEST_F(WriteRunMetadataTest, ADeviceIsRepeatedAfterTheCanonicalOne) {
  const profile::NodeId other = maker_.Node("other"), n = maker_.Node("n");
  maker_.Run(other, kCpu0, 10, 1);
  maker_.Run(n, kCpu1, 20, 2);
  maker_.Run(n, kCpu0, 30, 4);
  EXPECT_THAT(Lines(Write()),
              ElementsAre("/device:cpu:0: other 10+1", "/device:cpu:1: n 20+2",
                          "/device:cpu:0: n 30+4"));
}

TEST_F(WriteRunMetadataTest, MemoryOfACpu) {
  const profile::RecordRef record = Record({{.micros = 110,
                                             .host_temp_bytes = 10,
                                             .host_persistent_bytes = 20,
                                             .requested_bytes = 100,
                                             .peak_bytes = 90,
                                             .residual_bytes = 50}});
  maker_.Run(maker_.Node("a"), kCpu0, 100, 10, record);
  const proto::RunMetadata metadata = Write();
  const proto::NodeExecStats& stats =
      metadata.step_stats().dev_stats(0).node_stats(0);
  // The sums of a node are these and the sums in memory_stats.
  EXPECT_EQ(stats.memory(0).ShortDebugString(),
            "allocator_name: \"cpu\" total_bytes: 70 peak_bytes: 60 "
            "live_bytes: 30");
  EXPECT_EQ(stats.memory_stats().ShortDebugString(),
            "temp_memory_size: 10 persistent_memory_size: 20");
  EXPECT_EQ(stats.output_size(), 0);
  EXPECT_EQ(losses_.unmatched_sums, 0);
}

TEST_F(WriteRunMetadataTest, AllocationsAreThoseOfTheFirstExecution) {
  const profile::RecordRef record =
      Record({{.micros = 110, .allocator_bytes_in_use = 9},
              {.micros = 220, .requested_bytes = 5}},
             {{101, 64}, {109, -64}});
  const profile::NodeId a = maker_.Node("a");
  maker_.Run(a, kGpu, 100, 10, record);
  maker_.Run(a, kGpu, 200, 20, record);
  const proto::RunMetadata metadata = Write();
  const proto::DeviceStepStats& device = metadata.step_stats().dev_stats(0);
  EXPECT_EQ(device.node_stats(0).memory(0).ShortDebugString(),
            "allocator_name: \"GPU\" allocator_bytes_in_use: 9 "
            "allocation_records { alloc_micros: 101 alloc_bytes: 64 } "
            "allocation_records { alloc_micros: 109 alloc_bytes: -64 }");
  EXPECT_EQ(device.node_stats(1).memory(0).ShortDebugString(),
            "allocator_name: \"cpu\" total_bytes: 5");
  EXPECT_EQ(losses_.unmatched_sums, 0);
}

TEST_F(WriteRunMetadataTest, OutputsAndTheRestOfTheirBytes) {
  const profile::RecordRef record =
      Record({{.micros = 110,
               .output_bytes = 100,
               .outputs = {{.slot = 2, .bytes = 60, .ptr = 7}}}});
  maker_.Run(maker_.Node("a"), kCpu0, 100, 10, record);
  const proto::RunMetadata metadata = Write();
  const proto::NodeExecStats& stats =
      metadata.step_stats().dev_stats(0).node_stats(0);
  ASSERT_EQ(stats.output_size(), 2);
  // 40 bytes belong to an output of the same slot that the profile lacks.
  EXPECT_EQ(stats.output(0).slot(), 2);
  const auto& rest =
      stats.output(0).tensor_description().allocation_description();
  EXPECT_EQ(rest.requested_bytes(), 40);
  EXPECT_EQ(rest.allocated_bytes(), 40);
  const auto& own =
      stats.output(1).tensor_description().allocation_description();
  EXPECT_EQ(own.requested_bytes(), 60);
  EXPECT_EQ(own.ptr(), 7u);
}

// The accounting turned 0 into 1 microsecond. The time of the memory is the
// end.
TEST_F(WriteRunMetadataTest, ADurationOfZeroIsRestored) {
  maker_.Run(maker_.Node("zero"), kCpu0, 100, 1, Record({{.micros = 100}}));
  maker_.Run(maker_.Node("one"), kCpu0, 200, 1, Record({{.micros = 201}}));
  EXPECT_THAT(Lines(Write()),
              ElementsAre("/device:cpu:0: zero 100+0, one 200+1"));
}

TEST_F(WriteRunMetadataTest, MemoryThatDoesNotBelongToTheExecutions) {
  maker_.Run(maker_.Node("a"), kCpu0, 100, 1,
             Record({{.micros = 101}, {.micros = 300}}));
  Write();
  EXPECT_EQ(losses_.unmatched_sums, 1);
}

TEST_F(WriteRunMetadataTest, ANodeWithoutAnyExecution) {
  const profile::NodeId a = maker_.Node("a");
  maker_.builder().AddStep(0);
  profile::GroupSums sums;
  sums.node = a;
  sums.run_count = 2;
  maker_.builder().AddGroups(0, {sums}, {{.node = a}});
  EXPECT_THAT(Lines(Write()), IsEmpty());
  EXPECT_EQ(losses_.no_device, 1);
}

// Records of a RunMetadata.
class ExecRecords : public FakeRecords {
 public:
  std::string_view NodeExecStats(uint64_t) const override {
    return "\x0a\x03own\x50\x09";  // a name and a thread
  }
};

TEST_F(WriteRunMetadataTest, RecordsOfARunMetadataAreCopied) {
  const uint32_t input =
      maker_.builder().AddInput(std::make_shared<ExecRecords>());
  maker_.Run(maker_.Node("own"), kCpu0, 100, 10,
             profile::MakeRecordRef(input, 5));
  const proto::RunMetadata metadata = Write();
  const proto::NodeExecStats& stats =
      metadata.step_stats().dev_stats(0).node_stats(0);
  EXPECT_EQ(stats.ShortDebugString(), "node_name: \"own\" thread_id: 9");
  EXPECT_EQ(losses_.rebuilt, 0);
}

TEST_F(WriteRunMetadataTest, LoadingTheFileGivesTheSameStatistics) {
  const profile::NodeId a = maker_.Node("a"), b = maker_.Node("b");
  maker_.Run(b, kCpu0, 10, 1);
  maker_.Run(a, kGpu, 100, 10,
             Record({{.micros = 110,
                      .accelerator_temp_bytes = 3,
                      .requested_bytes = 64,
                      .peak_bytes = 32,
                      .residual_bytes = 5,
                      .output_bytes = 8}}));
  maker_.Run(a, std::string(kGpu) + "/stream:all", 105, 50);
  const proto::RunMetadata metadata = Write();
  loaders::LoadContext context;
  context.builder.AddNode("a", "Op", profile::kNoRecord);
  context.builder.AddNode("b", "Op", profile::kNoRecord);
  ASSERT_TRUE(tensorflow::LoadRunMetadata(
                  loaders::InputFile::FromBytes("f", bytes_), 0, context)
                  .ok());
  const profile::Profile again = std::move(context.builder).Build();
  const accounting::StatsTable stats = accounting::ComputeNodeStats(again, 0);
  EXPECT_EQ(stats[a][accounting::kCpuMicros], 10);
  EXPECT_EQ(stats[a][accounting::kAcceleratorMicros], 50);
  EXPECT_EQ(stats[a][accounting::kRequestedBytes], 64);
  EXPECT_EQ(stats[a][accounting::kPeakBytes], 32);
  EXPECT_EQ(stats[a][accounting::kResidualBytes], 5);
  EXPECT_EQ(stats[a][accounting::kOutputBytes], 8);
  EXPECT_EQ(stats[b][accounting::kCpuMicros], 1);
}

TEST(RunMetadataLossesTest, AddUp) {
  RunMetadataLosses sum = {.rebuilt = 1, .no_device = 2};
  sum += {.rebuilt = 10, .other_devices = 3, .unmatched_sums = 4};
  EXPECT_EQ(sum.rebuilt, 11);
  EXPECT_EQ(sum.no_device, 2);
  EXPECT_EQ(sum.other_devices, 3);
  EXPECT_EQ(sum.unmatched_sums, 4);
}

}  // namespace
}  // namespace tfprof::exporters
