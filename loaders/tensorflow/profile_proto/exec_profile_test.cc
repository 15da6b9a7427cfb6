#include "loaders/tensorflow/profile_proto/exec_profile.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/binary_testing.h"
#include "proto/tfprof_log.pb.h"

namespace tfprof::tensorflow {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class ExecProfileTest : public ::testing::Test {
 protected:
  bool Read(std::string_view text) {
    return ReadBytes(loaders::Binary<proto::ExecProfile>(text));
  }
  bool ReadBytes(const std::string& bytes) {
    return ReadExecProfile(bytes, kRef, devices_, sums_, records_);
  }
  // Formats each record as "device start+duration"; "-" for a missing start.
  std::vector<std::string> Records() const {
    std::vector<std::string> lines;
    for (const profile::ExecutionRecord& record : records_) {
      EXPECT_EQ(record.node, profile::kNone);
      EXPECT_EQ(record.record, kRef);
      lines.push_back(fmt::format(
          "{} {}",
          record.lane == profile::kNone ? "-" : devices_.name(record.lane),
          record.has_start()
              ? fmt::format("{}+{}", record.start, record.duration)
              : "-"));
    }
    return lines;
  }

  static constexpr profile::RecordRef kRef = 1234;
  profile::DeviceTable devices_;
  profile::GroupSums sums_;
  std::vector<profile::ExecutionRecord> records_;
};

TEST_F(ExecProfileTest, TimesOfDevices) {
  ASSERT_TRUE(Read(R"(
    run_count: 2 all_start_micros: 100 latest_end_micros: 160
    accelerator_execs { key: "/GPU:0/stream:all"
                        value { times { int64_values: [105, 7] } } }
    cpu_execs { key: "/GPU:0" value { times { int64_values: [100, 2] }
                                      times { int64_values: [150, 10] } } }
    devices: "/GPU:0" devices: "/GPU:0/stream:all")"));
  EXPECT_EQ(sums_.run_count, 2);
  EXPECT_TRUE(sums_.has_span);
  EXPECT_EQ(sums_.start, 100);
  EXPECT_EQ(sums_.end, 160);
  EXPECT_EQ(sums_.accelerator_time, 7);
  EXPECT_EQ(sums_.cpu_time, 12);
  // Names of devices are in lower case.
  EXPECT_THAT(Records(), ElementsAre("/gpu:0/stream:all 105+7", "/gpu:0 100+2",
                                     "/gpu:0 150+10"));
}

TEST_F(ExecProfileTest, DevicesWithoutTimesAreRecordsWithoutAStart) {
  ASSERT_TRUE(Read(R"(
    cpu_execs { key: "/cpu:0" value { times { int64_values: [5, 1] } } }
    devices: "/gpu:0/memcpy" devices: "/cpu:0")"));
  EXPECT_THAT(Records(), ElementsAre("/cpu:0 5+1", "/gpu:0/memcpy -"));
}

TEST_F(ExecProfileTest, AnEmptyProfileIsARecordAllTheSame) {
  ASSERT_TRUE(Read(""));
  EXPECT_THAT(Records(), ElementsAre("- -"));
  EXPECT_FALSE(sums_.has_span);
  EXPECT_EQ(sums_.run_count, 0);
}

TEST_F(ExecProfileTest, AStartOfZeroOrLessIsMissing) {
  ASSERT_TRUE(Read(R"(
    latest_end_micros: -7
    cpu_execs { key: "/cpu:0" value { times { int64_values: [0, 3] }
                                      times { int64_values: [-5, 4] } } })"));
  EXPECT_THAT(Records(), ElementsAre("/cpu:0 -", "/cpu:0 -"));
  // Their durations still count, as the file gives them.
  EXPECT_EQ(sums_.cpu_time, 7);
  EXPECT_FALSE(sums_.has_span);
  EXPECT_EQ(sums_.end, 0);
}

TEST_F(ExecProfileTest, RecordsAreAppended) {
  ASSERT_TRUE(Read("devices: '/cpu:0'"));
  ASSERT_TRUE(Read("devices: '/cpu:0'"));
  EXPECT_THAT(Records(), ElementsAre("/cpu:0 -", "/cpu:0 -"));
}

TEST_F(ExecProfileTest, MemoryAddsUp) {
  ASSERT_TRUE(Read(R"(
    memory_execs { requested_bytes: 10 peak_bytes: 20 residual_bytes: 30
                   output_bytes: 40 host_temp_bytes: 99 }
    memory_execs { requested_bytes: 1 peak_bytes: 2 residual_bytes: -3 })"));
  EXPECT_EQ(sums_.requested_bytes, 11);
  EXPECT_EQ(sums_.peak_bytes, 22);
  EXPECT_EQ(sums_.residual_bytes, 27);
  EXPECT_EQ(sums_.output_bytes, 40);
}

TEST_F(ExecProfileTest, TimesThatAreNoPairAreDamage) {
  EXPECT_FALSE(Read(
      "cpu_execs { key: '/cpu:0' value { times { int64_values: [5] } } }"));
  EXPECT_THAT(Records(), ElementsAre("- -"));
}

TEST_F(ExecProfileTest, DamageKeepsWhatIsBeforeIt) {
  EXPECT_FALSE(ReadBytes(loaders::Binary<proto::ExecProfile>("run_count: 3") +
                         "\x32\x7f"));
  EXPECT_EQ(sums_.run_count, 3);
  EXPECT_THAT(records_, SizeIs(1));
}

TEST(ExecProfileDetailTest, MemoryAndAllocations) {
  const std::string bytes = loaders::Binary<proto::ExecProfile>(R"(
    memory_execs { memory_micros: 7 host_temp_bytes: 1 host_persistent_bytes: 2
                   accelerator_temp_bytes: 3 accelerator_persistent_bytes: 4
                   requested_bytes: 5 peak_bytes: 6 residual_bytes: 8
                   output_bytes: 9 allocator_bytes_in_use: 10
                   output_memory { key: 1 value { bytes: 11 ptr: 12 } } }
    memory_execs { }
    allocations { alloc_micros: 13 alloc_bytes: -14 })");
  const profile::ExecutionDetail detail = ReadExecProfileDetail(bytes);
  ASSERT_THAT(detail.memory, SizeIs(2));
  const profile::MemoryDetail& m = detail.memory[0];
  EXPECT_EQ(m.micros, 7);
  EXPECT_EQ(m.host_temp_bytes, 1);
  EXPECT_EQ(m.host_persistent_bytes, 2);
  EXPECT_EQ(m.accelerator_temp_bytes, 3);
  EXPECT_EQ(m.accelerator_persistent_bytes, 4);
  EXPECT_EQ(m.requested_bytes, 5);
  EXPECT_EQ(m.peak_bytes, 6);
  EXPECT_EQ(m.residual_bytes, 8);
  EXPECT_EQ(m.output_bytes, 9);
  EXPECT_EQ(m.allocator_bytes_in_use, 10);
  ASSERT_THAT(m.outputs, SizeIs(1));
  EXPECT_EQ(m.outputs[0].slot, 1);
  EXPECT_EQ(m.outputs[0].bytes, 11);
  EXPECT_EQ(m.outputs[0].ptr, 12u);
  EXPECT_EQ(detail.memory[1].requested_bytes, 0);
  ASSERT_THAT(detail.allocations, SizeIs(1));
  EXPECT_EQ(detail.allocations[0].micros, 13);
  EXPECT_EQ(detail.allocations[0].bytes, -14);
}

TEST_F(ExecProfileTest, DamageInsideIsDamage) {
  const std::string memory = loaders::Binary<proto::ExecProfile>(R"(
    memory_execs { memory_micros: 9 peak_bytes: 300
                   output_memory { key: 0 value { bytes: 100 } } })");
  const std::string allocation = loaders::Binary<proto::ExecProfile>(
      "allocations { alloc_micros: 3 alloc_bytes: 900 }");
  for (std::string bytes : {memory, allocation}) {
    EXPECT_TRUE(ReadBytes(bytes));
    // The last number continues after the end of the record.
    bytes.back() = '\x80';
    EXPECT_FALSE(ReadBytes(bytes));
  }
}

}  // namespace
}  // namespace tfprof::tensorflow
