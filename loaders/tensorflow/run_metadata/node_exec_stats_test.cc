#include "loaders/tensorflow/run_metadata/node_exec_stats.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/binary_testing.h"
#include "proto/run_metadata.pb.h"

namespace tfprof::tensorflow {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A record with the memory of two allocators, three outputs and memory_stats.
constexpr char kRecord[] = R"pb(
  node_name: "a:label"
  all_start_micros: 100
  op_end_rel_micros: 7
  all_end_rel_micros: 9
  timeline_label: "a = Op(b)"
  memory {
    allocator_name: "GPU_0_bfc"
    total_bytes: 64
    peak_bytes: 32
    live_bytes: 16
    allocator_bytes_in_use: 500
    allocation_records { alloc_micros: 101 alloc_bytes: 64 }
    allocation_records { alloc_micros: 106 alloc_bytes: -48 }
  }
  memory {
    allocator_name: "cpu"
    total_bytes: 8
    peak_bytes: 8
    allocator_bytes_in_use: 9999
    allocation_records { alloc_micros: 1 alloc_bytes: 8 }
  }
  output {
    slot: 1
    tensor_description {
      shape {
        dim { size: 3 }
        dim { size: 4 }
      }
      allocation_description { requested_bytes: 40 allocated_bytes: 64 ptr: 77 }
    }
  }
  output {
    slot: 0
    tensor_description { allocation_description { requested_bytes: 5 } }
  }
  output {
    slot: 2
    tensor_description { shape {} }
  }
  memory_stats { temp_memory_size: 1000 persistent_memory_size: 200 })pb";

std::string Record(std::string_view text) {
  return loaders::Binary<proto::NodeExecStats>(text);
}

NodeExecSums SumsOf(std::string_view record) {
  NodeExecSums sums;
  util::WireReader reader(record);
  EXPECT_TRUE(ReadNodeExecSums(reader, sums));
  return sums;
}

TEST(ReadNodeExecSumsTest, TimesAndName) {
  const std::string record = Record(kRecord);
  const NodeExecSums sums = SumsOf(record);
  EXPECT_EQ(sums.node_name, "a:label");
  EXPECT_EQ(sums.start_micros, 100);
  EXPECT_EQ(sums.duration_micros, 7);  // of the op, not of all
}

TEST(ReadNodeExecSumsTest, MemoryOfAllAllocatorsAndOfMemoryStats) {
  const std::string record = Record(kRecord);
  const NodeExecSums sums = SumsOf(record);
  EXPECT_EQ(sums.requested_bytes, 64 + 8 + 1200);
  EXPECT_EQ(sums.peak_bytes, 32 + 8 + 1200);
  EXPECT_EQ(sums.residual_bytes, 16 + 200);
  EXPECT_EQ(sums.gpu_allocators, 1);
}

// The larger of requested and allocated bytes counts. An output without an
// allocation does not count.
TEST(ReadNodeExecSumsTest, Outputs) {
  const std::string record = Record(kRecord);
  EXPECT_EQ(SumsOf(record).output_bytes, 64 + 5);
}

TEST(ReadNodeExecSumsTest, AnEmptyRecord) {
  const NodeExecSums sums = SumsOf("");
  EXPECT_EQ(sums.node_name, "");
  EXPECT_EQ(sums.start_micros, 0);
  EXPECT_EQ(sums.requested_bytes, 0);
}

TEST(ReadNodeExecSumsTest, SumsWrap) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const std::string record =
      Record("memory { total_bytes: " + std::to_string(kMax) +
             " } memory { total_bytes: 1 }");
  EXPECT_EQ(SumsOf(record).requested_bytes,
            std::numeric_limits<int64_t>::min());
}

TEST(ReadNodeExecSumsTest, EveryTruncationIsDamageOrARecord) {
  const std::string record = Record(kRecord);
  // The cuts that leave whole fields.
  std::vector<size_t> whole = {0};
  util::WireReader fields(record);
  while (fields.Next()) whole.push_back(fields.good_bytes());
  for (size_t size = 0; size < record.size(); ++size) {
    NodeExecSums sums;
    util::WireReader reader(std::string_view(record).substr(0, size));
    EXPECT_EQ(ReadNodeExecSums(reader, sums),
              std::find(whole.begin(), whole.end(), size) != whole.end())
        << size;
  }
}

TEST(ReadNodeExecSumsTest, DamageInsideAMessageIsReportedToo) {
  // memory, output and memory_stats have a field that is longer than they are.
  for (const std::string_view record :
       {"\x32\x02\x0a\x7f", "\x3a\x02\x1a\x7f", "\x62\x02\x0a\x7f",
        "\x3a\x04\x1a\x02\x22\x7f", "\x3a\x06\x1a\x04\x22\x02\x0a\x7f"}) {
    NodeExecSums sums;
    util::WireReader reader(record);
    EXPECT_FALSE(ReadNodeExecSums(reader, sums));
    EXPECT_FALSE(reader.damaged());
  }
}

TEST(ReadNodeExecTextTest, NameAndLabel) {
  const std::string record = Record(kRecord);
  const profile::RecordText text = ReadNodeExecText(record);
  EXPECT_EQ(text.name, "a:label");
  EXPECT_EQ(text.label, "a = Op(b)");
  EXPECT_EQ(ReadNodeExecText("").label, "");
}

TEST(ReadNodeExecDetailTest, HasTheSumsInParts) {
  const std::string record = Record(kRecord);
  const NodeExecSums sums = SumsOf(record);
  for (const bool on_cpu : {false, true}) {
    const profile::ExecutionDetail detail = ReadNodeExecDetail(record, on_cpu);
    ASSERT_THAT(detail.memory, SizeIs(1));
    const profile::MemoryDetail& m = detail.memory[0];
    EXPECT_EQ(m.micros, 107);
    EXPECT_EQ(m.requested_bytes, sums.requested_bytes);
    EXPECT_EQ(m.peak_bytes, sums.peak_bytes);
    EXPECT_EQ(m.residual_bytes, sums.residual_bytes);
    EXPECT_EQ(m.output_bytes, sums.output_bytes);
    EXPECT_EQ(m.host_temp_bytes, on_cpu ? 1000 : 0);
    EXPECT_EQ(m.host_persistent_bytes, on_cpu ? 200 : 0);
    EXPECT_EQ(m.accelerator_temp_bytes, on_cpu ? 0 : 1000);
    EXPECT_EQ(m.accelerator_persistent_bytes, on_cpu ? 0 : 200);
  }
}

// Only GPU allocators are read; the reference shows no history of others.
TEST(ReadNodeExecDetailTest, AllocationsAndBytesInUse) {
  const std::string record = Record(kRecord);
  const profile::ExecutionDetail detail =
      ReadNodeExecDetail(record, /*on_cpu=*/false);
  EXPECT_EQ(detail.memory[0].allocator_bytes_in_use, 500);
  ASSERT_THAT(detail.allocations, SizeIs(2));
  EXPECT_EQ(detail.allocations[0].micros, 101);
  EXPECT_EQ(detail.allocations[0].bytes, 64);
  EXPECT_EQ(detail.allocations[1].bytes, -48);
}

TEST(ReadNodeExecDetailTest, OutputsAsInTheRecord) {
  const std::string record = Record(kRecord);
  const profile::ExecutionDetail detail =
      ReadNodeExecDetail(record, /*on_cpu=*/false);
  const std::vector<profile::MemoryDetail::Output>& outputs =
      detail.memory[0].outputs;
  ASSERT_THAT(outputs, SizeIs(2));
  EXPECT_EQ(outputs[0].slot, 1);
  EXPECT_EQ(outputs[0].bytes, 64);
  EXPECT_EQ(outputs[0].ptr, 77u);
  EXPECT_EQ(outputs[1].slot, 0);
  EXPECT_EQ(outputs[1].bytes, 5);
}

TEST(ReadNodeExecShapesTest, ShapesOfTheOutputsThatHaveOne) {
  const std::string record = Record(kRecord);
  const std::vector<profile::SeenShape> shapes = ReadNodeExecShapes(record);
  ASSERT_THAT(shapes, SizeIs(2));
  EXPECT_EQ(shapes[0].slot, 1);
  EXPECT_THAT(shapes[0].dims, ElementsAre(3, 4));
  // A scalar.
  EXPECT_EQ(shapes[1].slot, 2);
  EXPECT_THAT(shapes[1].dims, ElementsAre(1));
  EXPECT_THAT(ReadNodeExecShapes(""), IsEmpty());
}

TEST(ReadNodeExecShapesTest, AnUnknownRankHasNoSizes) {
  const std::string record =
      Record("output { tensor_description { shape { unknown_rank: true } } }");
  const std::vector<profile::SeenShape> shapes = ReadNodeExecShapes(record);
  ASSERT_THAT(shapes, SizeIs(1));
  EXPECT_THAT(shapes[0].dims, IsEmpty());
}

}  // namespace
}  // namespace tfprof::tensorflow
