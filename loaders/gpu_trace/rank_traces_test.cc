#include "loaders/gpu_trace/rank_traces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace tfprof::gpu_trace {
namespace {

using profile::LaneKind;

// A process that launches one kernel.
void AddProcess(GpuTrace& trace, int64_t process, LaneKind kind) {
  trace.host.push_back({.start = process,
                        .end = process + 1,
                        .text = trace.texts.Add(std::to_string(process)),
                        .thread = trace.Thread(process, process),
                        .has_own_text = true});
  trace.work.push_back(
      {.start = process + 2,
       .end = process + 5,
       .lane = trace.Lane(
           {.device = process % 10, .process = process, .kind = kind}),
       .launch = static_cast<uint32_t>(trace.host.size() - 1)});
}

std::vector<GpuTrace> SplitOne(GpuTrace trace) {
  std::vector<GpuTrace> traces;
  traces.push_back(std::move(trace));
  return SplitRanks(std::move(traces));
}

TEST(RankTracesTest, ProcessesThatCommunicateAreRanks) {
  GpuTrace trace;
  AddProcess(trace, 701, LaneKind::kCommunication);
  AddProcess(trace, 700, LaneKind::kCommunication);
  // It belongs to the rank that started it, and one before all to the first.
  trace.host.push_back({.start = 1, .end = 2, .thread = trace.Thread(705, 1)});
  trace.host.push_back({.start = 1, .end = 2, .thread = trace.Thread(5, 1)});
  trace.samples.push_back({.time = 3, .thread = trace.Thread(701, 701)});
  const std::vector<GpuTrace> parts = SplitOne(std::move(trace));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].label, "process 700");
  EXPECT_EQ(parts[1].label, "process 701");
  EXPECT_EQ(parts[1].process, 701);
  for (const GpuTrace& part : parts) {
    EXPECT_EQ(part.clock, 0u);
    ASSERT_EQ(part.host.size(), 2u);
    ASSERT_EQ(part.work.size(), 1u);
    EXPECT_EQ(part.lanes[part.work[0].lane].process, part.process);
    ASSERT_NE(part.work[0].launch, profile::kNone);
    const HostEvent& launch = part.host[part.work[0].launch];
    EXPECT_EQ(part.threads[launch.thread].process, part.process);
    EXPECT_EQ(part.texts[launch.text], std::to_string(part.process));
  }
  EXPECT_EQ(parts[0].samples.size(), 0u);
  ASSERT_EQ(parts[1].samples.size(), 1u);
  EXPECT_EQ(parts[1].threads[parts[1].samples[0].thread].thread, 701);
}

TEST(RankTracesTest, OtherProcessesStayTogether) {
  GpuTrace one_rank;
  AddProcess(one_rank, 700, LaneKind::kCommunication);
  AddProcess(one_rank, 701, LaneKind::kKernels);
  EXPECT_EQ(SplitOne(std::move(one_rank)).size(), 1u);
  GpuTrace one_device;
  AddProcess(one_device, 700, LaneKind::kCommunication);
  AddProcess(one_device, 710, LaneKind::kCommunication);
  EXPECT_EQ(SplitOne(std::move(one_device)).size(), 1u);
  GpuTrace unknown;
  AddProcess(unknown, 700, LaneKind::kCommunication);
  unknown.lanes.push_back({.process = -1, .kind = LaneKind::kCommunication});
  EXPECT_EQ(SplitOne(std::move(unknown)).size(), 1u);
}

TEST(RankTracesTest, FilesHaveClocksAndNamesOfTheirOwn) {
  std::vector<GpuTrace> traces(2);
  traces[0].label = "a";
  AddProcess(traces[0], 1, LaneKind::kKernels);
  traces[1].label = "b";
  AddProcess(traces[1], 1, LaneKind::kCommunication);
  AddProcess(traces[1], 2, LaneKind::kCommunication);
  traces[1].clock = 1;
  const std::vector<GpuTrace> parts = SplitRanks(std::move(traces));
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].label, "a");
  EXPECT_EQ(parts[1].label, "b process 1");
  EXPECT_EQ(parts[0].clock, 0u);
  EXPECT_EQ(parts[2].clock, 1u);
}

}  // namespace
}  // namespace tfprof::gpu_trace
