#include "loaders/tensorflow/run_metadata/run_metadata.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"

namespace tfprof::tensorflow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Varint(uint64_t v) {
  std::string bytes;
  for (; v >= 0x80; v >>= 7) bytes += static_cast<char>(v | 0x80);
  return bytes + static_cast<char>(v);
}
std::string Field(uint32_t number, uint64_t value) {
  return Varint(util::VarintTag(number)) + Varint(value);
}
std::string Field(uint32_t number, std::string_view value) {
  return Varint(util::LengthTag(number)) + Varint(value.size()) +
         std::string(value);
}

class RunMetadataTest : public loaders::FolderTest {
 protected:
  absl::StatusOr<loaders::Loaded> LoadRunMeta(std::string_view text) {
    return loaders::LoadFlagged(
        {{"run_meta_path",
          Write("rm", loaders::Binary<proto::RunMetadata>(text))}});
  }
};

TEST_F(RunMetadataTest, ZeroDurationsAndMissingStarts) {
  const auto loaded = LoadRunMeta(R"(
    step_stats { dev_stats { device: "/cpu:0"
      node_stats { node_name: "a" all_start_micros: 10 }
      node_stats { node_name: "a" all_start_micros: 20 op_end_rel_micros: 5 }
      node_stats { node_name: "b:label" op_end_rel_micros: 100
                   memory { total_bytes: 1000 } }
      node_stats { node_name: "c" all_start_micros: -4 op_end_rel_micros: 9 }
    } })");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(Sum(*loaded, accounting::kCpuMicros), 6);
  EXPECT_EQ(Sum(*loaded, accounting::kRunCount), 2);
  EXPECT_EQ(Sum(*loaded, accounting::kRequestedBytes), 0);
  ASSERT_EQ(loaded->profile.nodes().size(), 3u);
  EXPECT_EQ(loaded->profile.node_name(1), "b");
  EXPECT_EQ(Count(*loaded, "node without a start time"), 2);
  EXPECT_EQ(loaded->log.entries()[0].texts[0],
            "b:label has no start time, skipping");
  EXPECT_FALSE(loaded->log.damaged());
}

TEST_F(RunMetadataTest, StreamsAndTheirAbsence) {
  constexpr char kScheduled[] = R"(
    dev_stats { device: "/job:w/device:GPU:0"
      node_stats { node_name: "a" all_start_micros: 10
                   op_end_rel_micros: 2 } })";
  constexpr char kStreams[] = R"(
    dev_stats { device: "/device:GPU:0/stream:all"
      node_stats { node_name: "a" all_start_micros: 11
                   op_end_rel_micros: 5 } }
    dev_stats { device: "/device:GPU:0/stream:16"
      node_stats { node_name: "a" all_start_micros: 11
                   op_end_rel_micros: 5 } })";
  auto loaded =
      LoadRunMeta("step_stats {" + std::string(kScheduled) + kStreams + "}");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(Sum(*loaded, accounting::kCpuMicros), 2);
  EXPECT_EQ(Sum(*loaded, accounting::kAcceleratorMicros), 5);
  EXPECT_FALSE(loaded->profile.graph().misses_accelerator_stream);
  loaded = LoadRunMeta("step_stats {" + std::string(kScheduled) + "}");
  ASSERT_TRUE(loaded.ok());
  EXPECT_TRUE(loaded->profile.graph().misses_accelerator_stream);
}

TEST_F(RunMetadataTest, TransfersAreFactsOutsideTheAccounting) {
  const auto loaded = LoadRunMeta(R"(
    step_stats { dev_stats { device: "/cpu:0"
      node_stats { node_name: "RecvTensor" all_start_micros: 1
                   op_end_rel_micros: 3 }
      node_stats { node_name: "_SOURCE" all_start_micros: 1 }
      node_stats { node_name: "edge_MEMCPYHtoD" all_start_micros: 1 }
      node_stats { node_name: "RecvTensor2" all_start_micros: 1
                   op_end_rel_micros: 3 }
    } })");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ASSERT_EQ(loaded->profile.nodes().size(), 1u);
  EXPECT_EQ(loaded->profile.node_name(0), "RecvTensor2");
  EXPECT_EQ(loaded->profile.FindStep(0)->num_outside(), 3u);
  EXPECT_EQ(Sum(*loaded, accounting::kCpuMicros), 3);
}

TEST_F(RunMetadataTest, NameAndLabelOfARecord) {
  const auto loaded = LoadRunMeta(R"(
    step_stats { dev_stats { device: "/gpu:0/memcpy"
      node_stats { node_name: "a:MEMCPYHtoD" all_start_micros: 1
                   timeline_label: "MEMCPYHtoD 64 bytes" }
      node_stats { node_name: "RecvTensor" all_start_micros: 1 }
    } })");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const profile::Profile& profile = loaded->profile;
  const profile::Step& step = *profile.FindStep(0);
  ASSERT_EQ(step.num_executions(), 1u);
  const profile::RecordText copy =
      profile.Text(static_cast<profile::RecordRef>(step.exec_record[0]));
  EXPECT_EQ(copy.name, "a:MEMCPYHtoD");
  EXPECT_EQ(copy.label, "MEMCPYHtoD 64 bytes");
  ASSERT_EQ(step.num_outside(), 1u);
  const profile::RecordText receive =
      profile.Text(static_cast<profile::RecordRef>(step.exec_record[1]));
  EXPECT_EQ(receive.name, "RecvTensor");
  EXPECT_EQ(receive.label, "");
  EXPECT_EQ(profile.Text(profile::kNoRecord).name, "");
}

TEST_F(RunMetadataTest, Memory) {
  const auto loaded = LoadRunMeta(R"(
    step_stats { dev_stats { device: "/cpu:0"
      node_stats { node_name: "a" all_start_micros: 1
        memory { allocator_name: "cpu" total_bytes: 100 peak_bytes: 50
                 live_bytes: 10 }
        memory { allocator_name: "other" total_bytes: 1 peak_bytes: 1
                 live_bytes: -3 }
        output { slot: 0 tensor_description { allocation_description {
                 requested_bytes: 30 allocated_bytes: 32 } } }
        output { slot: 1 tensor_description { allocation_description {
                 requested_bytes: 5 } } }
        output { slot: 2 }
        memory_stats { temp_memory_size: 1000 persistent_memory_size: 200 }
      } } })");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(Sum(*loaded, accounting::kRequestedBytes), 101 + 1200);
  EXPECT_EQ(Sum(*loaded, accounting::kPeakBytes), 51 + 1200);
  EXPECT_EQ(Sum(*loaded, accounting::kResidualBytes), 7 + 200);
  EXPECT_EQ(Sum(*loaded, accounting::kOutputBytes), 37);
}

TEST_F(RunMetadataTest, Coverage) {
  const auto loaded = loaders::LoadFlagged(
      {{"graph_path",
        Write("g", loaders::Binary<proto::GraphDef>(loaders::kGraph))},
       {"run_meta_path",
        Write("r", loaders::Binary<proto::RunMetadata>(loaders::kRunMeta))}});
  ASSERT_TRUE(loaded.ok());
  ASSERT_THAT(loaded->coverage, SizeIs(1));
  EXPECT_NEAR(loaded->coverage[0], 2.0 / 3, 1e-6);
}

TEST_F(RunMetadataTest, RunMetadataWithoutStepStats) {
  // With the graph the load succeeds, but the file still counts as damage.
  const auto loaded = loaders::LoadFlagged(
      {{"graph_path",
        Write("g", loaders::Binary<proto::GraphDef>(loaders::kGraph))},
       {"run_meta_path", Write("r", "")}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_TRUE(loaded->log.damaged());
  EXPECT_THAT(loaded->log.entries()[0].texts[0],
              HasSubstr("Invalid RunMetadata for step 0"));
  EXPECT_THAT(Steps(*loaded), IsEmpty());
}

TEST_F(RunMetadataTest, DamagedRecordsAreCounted) {
  constexpr int kBad = 20;
  std::string device = Field(1, "/cpu:0");
  for (int i = 0; i < kBad; ++i) {
    device += Field(2, Field(1, "good" + std::to_string(i)) + Field(2, 100));
    // Its name is longer than the record.
    device += Field(2, std::string("\x0a\x7f") + "bad");
  }
  const auto loaded = loaders::LoadFlagged(
      {{"run_meta_path", Write("r", Field(1, Field(1, device)))}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->profile.nodes().size(), size_t{kBad});
  EXPECT_EQ(Count(*loaded, "NodeExecStats dropped"), kBad);
  EXPECT_THAT(loaded->log.entries()[0].texts,
              SizeIs(loaders::ImportLog::kMaxTexts));
  EXPECT_THAT(loaded->log.entries()[0].texts[0],
              HasSubstr("length 127 exceeds the 3 bytes left"));
  EXPECT_TRUE(loaded->log.damaged());
}

TEST_F(RunMetadataTest, OutputShapesOfAnExecution) {
  const auto loaded = loaders::LoadFlagged(
      {{"run_meta_path", Write("r", loaders::Binary<proto::RunMetadata>(R"(
    step_stats { dev_stats { device: "/cpu:0" node_stats {
      node_name: "n" all_start_micros: 1
      output { slot: 1 tensor_description { shape { dim { size: 5 } } } }
      output { tensor_description { shape { } } }
      output { slot: 2 }
    } node_stats { node_name: "m" all_start_micros: 1 } } })"))}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const profile::Step& step = *loaded->profile.steps()[0];
  ASSERT_EQ(step.num_executions(), 2u);
  const auto shapes = loaded->profile.OutputShapes(
      static_cast<profile::RecordRef>(step.exec_record[0]));
  ASSERT_THAT(shapes, SizeIs(2));
  EXPECT_EQ(shapes[0].slot, 1);
  EXPECT_THAT(shapes[0].dims, ElementsAre(5));
  EXPECT_EQ(shapes[1].slot, 0);
  EXPECT_THAT(shapes[1].dims, ElementsAre(1));
  EXPECT_THAT(loaded->profile.OutputShapes(
                  static_cast<profile::RecordRef>(step.exec_record[1])),
              IsEmpty());
  EXPECT_THAT(loaded->profile.OutputShapes(profile::kNoRecord), IsEmpty());
}

}  // namespace
}  // namespace tfprof::tensorflow
