#include "accounting/counted_memory.h"

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/rules_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::accounting {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Each record has one allocation, whose size in bytes is the record's offset.
class Reader : public profile::DetailReader {
 public:
  explicit Reader(bool record_is_group) : record_is_group_(record_is_group) {}
  profile::AttributeList Attributes(uint64_t) const override { return {}; }
  profile::ExecutionDetail Execution(uint64_t offset,
                                     bool on_cpu) const override {
    profile::ExecutionDetail detail;
    detail.memory.emplace_back().requested_bytes = static_cast<int64_t>(offset);
    detail.memory.back().host_temp_bytes = on_cpu;
    detail.allocations.push_back({0, static_cast<int64_t>(offset)});
    return detail;
  }
  bool record_is_group() const override { return record_is_group_; }

 private:
  const bool record_is_group_;
};

class CountedMemoryTest : public RulesTest {
 protected:
  profile::ExecutionRecord Recorded(uint32_t input, profile::LaneId lane,
                                    int64_t start, uint64_t offset) const {
    profile::ExecutionRecord record = Ran(lane, start, 1);
    record.record = profile::MakeRecordRef(input, offset);
    return record;
  }
  // Returns the requested bytes in the first group of step 0.
  static std::vector<int64_t> Requested(const profile::Profile& profile) {
    const profile::ExecutionDetail detail =
        CountedMemory(profile, *profile.FindStep(0), 0);
    std::vector<int64_t> bytes;
    for (const profile::MemoryDetail& m : detail.memory) {
      bytes.push_back(m.requested_bytes);
    }
    EXPECT_EQ(detail.allocations.size(), bytes.size());
    return bytes;
  }

  const uint32_t executions_ =
      builder_.AddInput(std::make_shared<Reader>(false));
  const uint32_t groups_ = builder_.AddInput(std::make_shared<Reader>(true));
};

TEST_F(CountedMemoryTest, CountsRecordsOfTheOwnDeviceThatHaveAStart) {
  builder_.AddExecutions(
      0,
      {Recorded(executions_, gpu_, 5, 1), Recorded(executions_, stream_, 5, 2),
       Recorded(executions_, gpu_, profile::kNoStart, 3),
       Ran(gpu_, 6, 1),  // no record
       Recorded(executions_, gpu_, 7, 4)},
      {});
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_THAT(Requested(profile), ElementsAre(1, 4));
  const profile::ExecutionDetail detail =
      CountedMemory(profile, *profile.FindStep(0), 0);
  EXPECT_EQ(detail.memory[0].host_temp_bytes, 0);
  EXPECT_EQ(detail.allocations[1].bytes, 4);
}

TEST_F(CountedMemoryTest, ARecordOfAGroupCountsOnce) {
  // Add records of two files, one of which has single executions.
  builder_.AddGroups(
      0, {{.node = n_}},
      {Recorded(groups_, gpu_, 5, 10), Recorded(groups_, stream_, 5, 10),
       Recorded(groups_, gpu_, profile::kNoStart, 20)});
  builder_.AddExecutions(0, {Recorded(executions_, gpu_, 9, 1)}, {});
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_THAT(Requested(profile), ElementsAre(10, 20, 1));
}

TEST_F(CountedMemoryTest, TemporaryMemoryOfACpuIsHostMemory) {
  const profile::LaneId cpu =
      AddLane("/cpu:0", {.canonical = true, .on_cpu = true});
  builder_.AddExecutions(0, {Recorded(executions_, cpu, 5, 1)}, {});
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_EQ(
      CountedMemory(profile, *profile.FindStep(0), 0).memory[0].host_temp_bytes,
      1);
}

TEST_F(CountedMemoryTest, DroppedExecutionsHaveNoMemory) {
  builder_.SetMaxMemory(1);
  builder_.AddExecutions(0, {Recorded(executions_, gpu_, 5, 1)}, {});
  const profile::Profile profile = std::move(builder_).Build();
  EXPECT_THAT(Requested(profile), IsEmpty());
}

}  // namespace
}  // namespace tfprof::accounting
