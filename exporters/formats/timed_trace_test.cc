#include "exporters/formats/timed_trace.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/profile_testing.h"
#include "timeline/trace_testing.h"

namespace tfprof::exporters {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr char kGpu[] = "/job:localhost/replica:0/task:0/device:GPU:0";

// The records at offsets 1 and 2 allocate, the record at 3 frees; the last
// record has the bytes in use of the allocator.
class Allocations : public profile::DetailReader {
 public:
  profile::AttributeList Attributes(uint64_t) const override { return {}; }
  profile::ExecutionDetail Execution(uint64_t offset, bool) const override {
    profile::ExecutionDetail detail;
    if (offset == 1) detail.allocations = {{.micros = 10, .bytes = 100}};
    if (offset == 2) detail.allocations = {{.micros = 5, .bytes = 40}};
    if (offset == 3) {
      detail.allocations = {{.micros = 12, .bytes = -100}};
      detail.memory.emplace_back().micros = 20;
      detail.memory.back().allocator_bytes_in_use = 4096;
    }
    return detail;
  }
  bool record_is_group() const override { return false; }
};

class MemoryCountersTest : public tensorflow::ProfileTest {
 protected:
  profile::Profile Made() {
    const auto input = builder_.AddInput(std::make_shared<Allocations>());
    const profile::LaneId lane =
        tensorflow::DeviceLane(kGpu, builder_.mutable_graph());
    const profile::NodeId node = Node("a", "Op");
    for (int64_t i = 1; i <= 3; ++i) {
      profile::ExecutionRecord execution;
      execution.node = node;
      execution.record =
          profile::MakeRecordRef(input, static_cast<uint64_t>(i));
      execution.lane = lane;
      execution.start = 10 * i;
      execution.duration = 5;
      builder_.AddExecutions(0, {execution}, {});
    }
    return Build();
  }
};

TEST_F(MemoryCountersTest, ChangesAddUpAndLevelsAreAsRecorded) {
  const profile::Profile profile = Made();
  const TimedTrace trace(profile, {.memory = true});
  const std::vector<TimedCounter> counters = trace.Counters();
  ASSERT_THAT(counters, SizeIs(2));
  EXPECT_EQ(counters[0].name, "gpu:0 allocator, in use");
  EXPECT_EQ(counters[0].unit, "bytes");
  EXPECT_THAT(counters[0].samples, ElementsAre(Pair(20'000, 4096)));
  EXPECT_EQ(counters[1].name, "gpu:0 allocated by ops");
  EXPECT_THAT(
      counters[1].samples,
      ElementsAre(Pair(5'000, 40), Pair(10'000, 140), Pair(12'000, 40)));
}

TEST_F(MemoryCountersTest, NoneWithoutTheOption) {
  const profile::Profile profile = Made();
  EXPECT_THAT(TimedTrace(profile, {}).Counters(), IsEmpty());
}

TEST(TimedTraceTest, ClocksAreMoved) {
  timeline::TraceModel model;
  const profile::LaneId first = model.Ops();
  model.Add({.name = "a", .lane = first, .start = 100, .duration = 5});
  model.NextRank(1);
  const profile::LaneId second = model.Ops();
  const profile::ProcessId process = model.process();
  model.Add({.name = "b", .lane = second, .start = 9'000, .duration = 5});
  const profile::Profile profile = std::move(model).Build();
  timeline::ClockOffsets clocks;
  clocks.of_lane = {0, -8'500};
  clocks.of_process = std::vector<int64_t>(process + 1, 0);
  clocks.of_process[process] = -8'500;
  timeline::ProfileClock& clock = clocks.clocks.emplace_back();
  clock.process = process;
  clock.offset = -8'500;
  clock.low = -9'000;
  const TimedTrace trace(profile, {.clocks = &clocks});
  ASSERT_THAT(trace.tracks().all(), SizeIs(2));
  EXPECT_EQ(trace.tracks().Events(trace.tracks().all()[0])[0].start, 100);
  EXPECT_EQ(trace.tracks().Events(trace.tracks().all()[1])[0].start, 500);
  EXPECT_EQ(trace.LabelOf(process),
            "clock moved by -8.5 us (between -9 and any)");
  EXPECT_EQ(trace.LabelOf(0), "");
}

}  // namespace
}  // namespace tfprof::exporters
