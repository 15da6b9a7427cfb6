#include "loaders/gpu_trace/gpu_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/self_time_rules.h"
#include "loaders/core/load_testing.h"

namespace tfprof::gpu_trace {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

// A trace under construction, and the context that it is added to.
class GpuTraceTest : public ::testing::Test {
 protected:
  GpuTraceTest() {
    context_.builder.SetRules(accounting::SelfTimeRules());
    trace_ = NewTrace("f.db");
  }

  static GpuTrace NewTrace(const std::string& path) {
    GpuTrace trace;
    trace.file = loaders::InputFile::FromBytes(path, "x");
    return trace;
  }

  profile::StringId Intern(std::string_view text) {
    return context_.builder.mutable_graph().strings.Intern(text);
  }

  uint32_t AddHost(std::string_view name, int64_t start, int64_t end,
                   HostKind kind, int64_t thread = 1, int64_t process = 9) {
    const profile::StringId text = Intern(name);
    trace_.host.push_back({.start = start,
                           .end = end,
                           .op = text,
                           .text = text,
                           .thread = trace_.Thread(process, thread),
                           .kind = kind});
    return static_cast<uint32_t>(trace_.host.size() - 1);
  }

  void AddWork(std::string_view name, int64_t start, int64_t end,
               uint32_t launch, const WorkLane& lane = {}) {
    trace_.work.push_back({.start = start,
                           .end = end,
                           .name = Intern(name),
                           .lane = trace_.Lane(lane),
                           .launch = launch});
  }

  profile::Profile Build(std::vector<GpuTrace> traces) {
    AddGpuTraces(std::move(traces), context_);
    return std::move(context_.builder).Build();
  }
  profile::Profile Build() {
    std::vector<GpuTrace> traces;
    traces.push_back(std::move(trace_));
    return Build(std::move(traces));
  }

  // The names of all lanes, after those of their devices.
  static std::multiset<std::string> Lanes(const profile::Profile& profile) {
    std::multiset<std::string> names;
    const profile::LaneTable& lanes = profile.lanes();
    for (profile::LaneId lane = 0; lane < lanes.size(); ++lane) {
      std::string name = lanes.physical(lanes[lane].physical).name;
      name += '/';
      name += profile.graph().strings.Get(lanes[lane].name);
      names.insert(std::move(name));
    }
    return names;
  }

  loaders::LoadContext context_;
  GpuTrace trace_;
};

TEST_F(GpuTraceTest, TimesFitInOrderAndInRange) {
  EXPECT_TRUE(Fits({5, 5}));
  EXPECT_TRUE(Fits({-5, kMost - 5}));
  EXPECT_FALSE(Fits({5, 4}));
  EXPECT_FALSE(Fits({std::nullopt, 4}));
  EXPECT_FALSE(Fits({4, std::nullopt}));
  EXPECT_FALSE(Fits({-5, kMost})) << "the duration does not fit";
}

TEST_F(GpuTraceTest, EqualRowsHaveOneNumber) {
  EXPECT_EQ(trace_.Thread(1, 2), 0u);
  EXPECT_EQ(trace_.Thread(1, 3), 1u);
  EXPECT_EQ(trace_.Thread(2, 2), 2u);
  EXPECT_EQ(trace_.Thread(1, 2), 0u);
  const WorkLane one = {.device = 1}, two = {.device = 2};
  EXPECT_EQ(trace_.Lane(one), 0u);
  EXPECT_EQ(trace_.Lane(two), 1u);
  EXPECT_EQ(trace_.Lane(one), 0u);
  EXPECT_EQ(trace_.lanes.size(), 2u);
}

TEST_F(GpuTraceTest, RangesNestOnTheirThreadAndHoldWork) {
  AddHost("outer", 0, 100, HostKind::kRange);
  AddHost("inner", 10, 40, HostKind::kRange);
  const uint32_t in_inner = AddHost("launch", 20, 25, HostKind::kCall);
  const uint32_t in_outer = AddHost("launch", 50, 55, HostKind::kCall);
  const uint32_t outside = AddHost("launch", 200, 205, HostKind::kCall);
  const uint32_t elsewhere =
      AddHost("other call", 20, 25, HostKind::kCall, /*thread=*/2);
  AddWork("k", 1000, 1001, in_inner);
  AddWork("k", 1001, 1003, in_outer);
  AddWork("k", 1003, 1007, outside);
  AddWork("k", 1007, 1015, elsewhere);
  AddWork("k", 1015, 1031, profile::kNone);
  const profile::Profile profile = Build();
  EXPECT_THAT(loaders::WorkOf(profile),
              ElementsAre(Pair("inner", 1), Pair("k", 16), Pair("launch", 4),
                          Pair("other call", 8), Pair("outer", 2)));
  EXPECT_EQ(profile.links().size(), 4u);
}

TEST_F(GpuTraceTest, ARangeHoldsItsFirstAndItsLastNanosecond) {
  AddHost("range", 10, 20, HostKind::kRange);
  AddWork("k", 100, 101, AddHost("before", 9, 12, HostKind::kCall));
  AddWork("k", 101, 103, AddHost("first", 10, 12, HostKind::kCall));
  AddWork("k", 103, 107, AddHost("last", 20, 30, HostKind::kCall));
  AddWork("k", 107, 115, AddHost("after", 21, 30, HostKind::kCall));
  EXPECT_THAT(
      loaders::WorkOf(Build()),
      ElementsAre(Pair("after", 8), Pair("before", 1), Pair("range", 6)));
}

TEST_F(GpuTraceTest, OfRangesThatCrossTheLaterOneIsTheInnerOne) {
  AddHost("first", 0, 100, HostKind::kRange);
  AddHost("second", 50, 150, HostKind::kRange);
  AddWork("k", 200, 201, AddHost("call", 20, 30, HostKind::kCall));
  AddWork("k", 201, 203, AddHost("call", 60, 70, HostKind::kCall));
  AddWork("k", 203, 207, AddHost("call", 120, 130, HostKind::kCall));
  EXPECT_THAT(loaders::WorkOf(Build()),
              ElementsAre(Pair("first", 1), Pair("second", 6)));
}

TEST_F(GpuTraceTest, OfRangesThatBeginTogetherTheShorterOneIsTheInnerOne) {
  AddHost("short", 0, 50, HostKind::kRange);
  AddHost("long", 0, 100, HostKind::kRange);
  AddWork("k", 200, 201, AddHost("call", 20, 30, HostKind::kCall));
  EXPECT_THAT(loaders::WorkOf(Build()), ElementsAre(Pair("short", 1)));
}

TEST_F(GpuTraceTest, RangesThatMayEndOnAnotherThreadHoldNoWork) {
  AddHost("async", 0, 100, HostKind::kAsyncRange);
  AddWork("k", 200, 201, AddHost("call", 20, 30, HostKind::kCall));
  const profile::Profile profile = Build();
  EXPECT_THAT(loaders::WorkOf(profile), ElementsAre(Pair("call", 1)));
  EXPECT_THAT(Lanes(profile), UnorderedElementsAre("cpu:0/thread 1 ranges",
                                                   "cpu:0/thread 1 launches",
                                                   "gpu:0/stream 0"));
}

TEST_F(GpuTraceTest, AGraphHasOneLaunchForAllItsKernels) {
  AddHost("step", 0, 100, HostKind::kRange);
  const uint32_t launch = AddHost("graph launch", 20, 30, HostKind::kCall);
  for (int64_t i = 0; i < 5; ++i) {
    AddWork("node", 100 + i * 10, 107 + i * 10, launch);
  }
  const profile::Profile profile = Build();
  EXPECT_THAT(loaders::WorkOf(profile), ElementsAre(Pair("step", 35)));
  EXPECT_EQ(profile.links().size(), 5u);
}

TEST_F(GpuTraceTest, LanesAreDevicesStreamsAndKinds) {
  trace_.models = {{3, "Some GPU"}};
  const uint32_t launch = AddHost("call", 0, 1, HostKind::kCall);
  const auto lane = [](int64_t stream, profile::LaneKind kind) {
    return WorkLane{.device = 3, .process = -1, .stream = stream, .kind = kind};
  };
  AddWork("k", 10, 11, launch, lane(7, profile::LaneKind::kKernels));
  AddWork("k", 11, 12, launch, lane(7, profile::LaneKind::kKernels));
  AddWork("c", 12, 13, launch, lane(7, profile::LaneKind::kCopies));
  AddWork("n", 13, 14, launch, lane(-1, profile::LaneKind::kCommunication));
  const profile::Profile profile = Build();
  EXPECT_THAT(Lanes(profile),
              UnorderedElementsAre("cpu:0/thread 1 launches", "gpu:3/stream 7",
                                   "gpu:3/stream 7 copies",
                                   "gpu:3/stream communication"));
  const profile::LaneTable& lanes = profile.lanes();
  ASSERT_EQ(lanes.num_processes(), 1u);
  EXPECT_EQ(lanes.process(0).process_id, 9)
      << "lanes without a process are of the only one";
  for (profile::PhysicalId id = 0; id < lanes.num_physical(); ++id) {
    EXPECT_EQ(lanes.physical(id).model,
              lanes.physical(id).label == "gpu:3" ? "Some GPU" : "");
  }
}

TEST_F(GpuTraceTest, ProcessesOfOneFileAreInTheNamesOfTheirLanes) {
  AddHost("call", 0, 1, HostKind::kCall, 1, /*process=*/5);
  AddHost("call", 0, 1, HostKind::kCall, 1, /*process=*/6);
  AddHost("call", 0, 1, HostKind::kCall, 1, /*process=*/-1);
  const profile::Profile profile = Build();
  EXPECT_THAT(Lanes(profile),
              UnorderedElementsAre("cpu:0/process 5 thread 1 launches",
                                   "cpu:0/process 6 thread 1 launches",
                                   "cpu:0/thread 1 launches"));
}

TEST_F(GpuTraceTest, TracesOfSeveralFilesHaveProcessesAndClocksOfTheirOwn) {
  AddHost("call", 0, 10, HostKind::kCall);
  AddWork("k", 20, 25, 0);
  GpuTrace first = std::move(trace_);
  trace_ = NewTrace("dir/g.db");
  trace_.label = "second";
  AddHost("call", 0, 10, HostKind::kCall);
  AddWork("k", 20, 27, 0);
  std::vector<GpuTrace> traces;
  traces.push_back(std::move(first));
  traces.push_back(std::move(trace_));
  const profile::Profile profile = Build(std::move(traces));
  EXPECT_THAT(loaders::WorkOf(profile), ElementsAre(Pair("call", 12)));
  EXPECT_EQ(profile.links().size(), 2u);
  EXPECT_THAT(Lanes(profile),
              UnorderedElementsAre(
                  "f.db cpu:0/thread 1 launches", "f.db gpu:0/stream 0",
                  "second cpu:0/thread 1 launches", "second gpu:0/stream 0"));
  const profile::LaneTable& lanes = profile.lanes();
  ASSERT_EQ(lanes.num_processes(), 2u);
  EXPECT_EQ(lanes.process(0).label, "f.db");
  EXPECT_EQ(lanes.process(1).label, "second");
  for (profile::LaneId lane = 0; lane < lanes.size(); ++lane) {
    EXPECT_EQ(lanes[lane].clock, lanes[lane].process);
  }
}

TEST_F(GpuTraceTest, RangesThatCountUpAreSteps) {
  for (int64_t step = 3; step < 5; ++step) {
    const int64_t start = step * 1000;
    AddHost("step " + std::to_string(step), start, start + 900,
            HostKind::kRange);
    const uint32_t launch =
        AddHost("launch", start + 10, start + 20, HostKind::kCall);
    AddWork("k", start + 100, start + 800, launch);
  }
  // The mean of two steps.
  const profile::Profile profile = Build();
  EXPECT_THAT(loaders::WorkOf(profile),
              ElementsAre(Pair("step 3", 350), Pair("step 4", 350)));
  const profile::StepIntervals& steps = profile.step_intervals();
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[1].step, 4);
  EXPECT_EQ(steps[1].start, 4000);
  EXPECT_EQ(steps[1].end, 4900);
  EXPECT_EQ(profile.strings().Get(steps[1].name), "step 4");
}

TEST_F(GpuTraceTest, AHostThatDoesNotWaitHasTheStepsOfItsDevices) {
  for (int64_t step = 0; step < 3; ++step) {
    AddHost("step " + std::to_string(step), step * 10, step * 10 + 9,
            HostKind::kRange);
    const uint32_t launch =
        AddHost("launch", step * 10 + 1, step * 10 + 2, HostKind::kCall);
    AddWork("k", 100 + step * 500, 600 + step * 500, launch);
  }
  const profile::Profile profile = Build();
  const profile::StepIntervals& steps = profile.step_intervals();
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[1].start, 600);
  EXPECT_EQ(steps[1].end, 1100);
  EXPECT_EQ(context_.log.entries().size(), 1u);
  EXPECT_THAT(Lanes(profile), testing::Contains("cpu:0/thread 1 ranges"));
}

TEST_F(GpuTraceTest, LaunchesWithoutKernelsAreSaid) {
  AddHost("cudaLaunchKernel", 0, 10, HostKind::kCall);
  AddHost("cudaMemcpyAsync", 20, 30, HostKind::kCall);
  AddWork("c", 30, 40, 1, {.kind = profile::LaneKind::kCopies});
  Build();
  ASSERT_EQ(context_.log.entries().size(), 1u);
  EXPECT_EQ(context_.log.entries()[0].kind, "kernels are not in the file");
  EXPECT_EQ(context_.log.entries()[0].count, 1);
}

TEST_F(GpuTraceTest, CopiesSayWhereTheirMemoryIs) {
  AddWork("c", 30, 40, profile::kNone, {.kind = profile::LaneKind::kCopies});
  trace_.work[0].from = MemoryKind::kPageable;
  trace_.work[0].to = MemoryKind::kDevice;
  const profile::Profile profile = Build();
  const profile::Step& step = *profile.steps()[0];
  const profile::Transfer transfer =
      profile.TransferOf(static_cast<profile::RecordRef>(step.exec_record[0]));
  EXPECT_EQ(transfer.from, "Pageable");
  EXPECT_EQ(transfer.to, "Device");
}

TEST_F(GpuTraceTest, CountersKeepTheirSamples) {
  trace_.counters.push_back({.name = "gpu:0 clock", .samples = {{5, 1.5}}});
  AddHost("call", 0, 10, HostKind::kCall);
  const profile::Profile profile = Build();
  ASSERT_EQ(profile.counters().size(), 1u);
}

TEST_F(GpuTraceTest, AnEmptyTraceIsAnEmptyProfile) {
  EXPECT_EQ(Build().nodes().size(), 0u);
}

// Beside a trace of operations, which was loaded before.
TEST(GpuTraceClocksTest, AClockThatNothingRelatesIsSaid) {
  loaders::LoadContext context;
  context.builder.SetRules(accounting::SelfTimeRules());
  profile::LaneTable& lanes = context.builder.mutable_graph().lanes;
  lanes.Add({.process = lanes.AddProcess({}), .clock = 3});
  context.operations_file = "trace.json";
  GpuTrace trace;
  trace.label = "run.db";
  const uint32_t lane = trace.Lane({.device = 0, .process = 9, .stream = 7});
  trace.work = {{.start = 10,
                 .end = 20,
                 .name = context.builder.mutable_graph().strings.Intern("gemm"),
                 .lane = lane}};
  std::vector<GpuTrace> traces;
  traces.push_back(std::move(trace));
  AddGpuTraces(std::move(traces), context);
  EXPECT_EQ(context.builder.graph().lanes[1].clock, 4u);
  ASSERT_EQ(context.log.entries().size(), 1u);
  EXPECT_EQ(context.log.entries()[0].texts[0],
            "trace.json and run.db: nothing relates their clocks, so times of "
            "one are not compared with times of the other; if both are of one "
            "run, join them: tfprof trace.json --join run.db");
}

}  // namespace
}  // namespace tfprof::gpu_trace
