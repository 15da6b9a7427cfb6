#include "loaders/tensorflow/device_names.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"

namespace tfprof::tensorflow {
namespace {

// Spec 3.2.
TEST(DeviceNamesTest, Classification) {
  struct Case {
    std::string name;
    bool canonical, stream, gpu, cpu;
  };
  const Case cases[] = {
      {"/job:w/replica:0/task:0/device:GPU:0", true, false, true, false},
      {"/job:w/replica:0/task:0/device:CPU:0", true, false, false, true},
      {"/gpu:0", true, false, true, false},
      {"/CPU:17", true, false, false, true},
      {"/device:cpu:123456789012345678901", true, false, false, true},
      {"gpu:0", false, false, true, false},
      {"/device:gpu:", false, false, true, false},
      {"/device:gpu:0x", false, false, true, false},
      {"/device:gpu:-1", false, false, true, false},
      {"/device:gpu:0 ", false, false, true, false},
      {"/device:gpu:0/stream:all", false, true, true, false},
      {"/job:w/device:GPU:0:stream:all", false, true, true, false},
      {"/job:w/device:GPU:0:STREAM:ALL", false, true, true, false},
      {"/device:gpu:0/stream:16", false, false, true, false},
      {"/device:gpu:0/memcpy", false, false, true, false},
      {"/job:w/device:TPU:0", false, false, false, false},
      {"/job:w/device:XLA_GPU:0", false, false, true, false},
      {"/job:w/device:XLA_CPU:0", false, false, false, true},
      {"/host:CPU", false, false, false, true},
      {"/host:CPU:0", false, false, false, true},
      {"/stream:all/cpu:0", true, true, false, true},
      {"/gpu:0/cpu:1", true, false, true, true},
      {"a\n/cpu:0", false, false, false, true},
      {"", false, false, false, false},
  };
  for (const Case& c : cases) {
    const profile::Device d = ClassifyDevice(c.name);
    EXPECT_EQ(d.canonical, c.canonical) << c.name;
    EXPECT_EQ(d.accelerator_stream, c.stream) << c.name;
    EXPECT_EQ(d.on_gpu, c.gpu) << c.name;
    EXPECT_EQ(d.on_cpu, c.cpu) << c.name;
  }
}

TEST(DeviceNamesTest, HostDevice) {
  EXPECT_EQ(HostDevice("/job:w/device:gpu:12"), "/job:w/device:cpu:0");
  EXPECT_EQ(HostDevice("/gpu:1/gpu:22"), "/cpu:0/cpu:0");
  EXPECT_EQ(HostDevice("/device:cpu:3"), "/device:cpu:3");
  EXPECT_EQ(HostDevice("/gpu:"), "/gpu:");
}

TEST(DeviceNamesTest, Parts) {
  struct Case {
    std::string_view name, base, task, local, pseudo;
  };
  const Case cases[] = {
      {"/job:w/task:0/device:gpu:0", "/job:w/task:0/device:gpu:0",
       "/job:w/task:0", "gpu:0", ""},
      {"/job:w/gpu:1/stream:14<memcpyh2d>", "/job:w/gpu:1", "/job:w", "gpu:1",
       "stream:14<memcpyh2d>"},
      {"/job:w/device:gpu:1:stream:all", "/job:w/device:gpu:1", "/job:w",
       "gpu:1", "stream:all"},
      {"/gpu:0/memcpy", "/gpu:0", "", "gpu:0", "memcpy"},
      {"/gpu:0/sync", "/gpu:0", "", "gpu:0", "sync"},
      {"/host:cpu", "/host:cpu", "", "host:cpu", ""},
      {"odd", "odd", "", "odd", ""},
      {"", "", "", "", ""},
  };
  for (const Case& c : cases) {
    const DeviceNameParts parts = SplitDeviceName(c.name);
    EXPECT_EQ(parts.base, c.base) << c.name;
    EXPECT_EQ(parts.task, c.task) << c.name;
    EXPECT_EQ(parts.local, c.local) << c.name;
    EXPECT_EQ(parts.pseudo, c.pseudo) << c.name;
  }
}

TEST(DeviceNamesTest, KindsAndStreams) {
  struct Case {
    std::string name;
    profile::LaneKind kind;
    int64_t stream;
  };
  const Case cases[] = {
      {"/job:w/device:CPU:0", profile::LaneKind::kCompute,
       profile::Lane::kNoStream},
      {"/job:w/device:GPU:0", profile::LaneKind::kLaunches,
       profile::Lane::kNoStream},
      {"/job:w/device:TPU:0", profile::LaneKind::kCompute,
       profile::Lane::kNoStream},
      {"/job:w/device:XLA_GPU:0", profile::LaneKind::kCompute,
       profile::Lane::kNoStream},
      {"/device:GPU:0/stream:all", profile::LaneKind::kKernels,
       profile::Lane::kNoStream},
      {"/device:GPU:0:stream:all", profile::LaneKind::kKernels,
       profile::Lane::kNoStream},
      {"/device:GPU:0/stream:14", profile::LaneKind::kKernels, 14},
      {"/device:GPU:0/stream:x", profile::LaneKind::kKernels,
       profile::Lane::kUnnumberedStream},
      {"/device:GPU:0/stream:-3", profile::LaneKind::kKernels,
       profile::Lane::kUnnumberedStream},
      {"/device:GPU:0/stream:14<MemcpyH2D>", profile::LaneKind::kCopies, 14},
      {"/device:GPU:0/stream:14<Memset>", profile::LaneKind::kOther, 14},
      {"/device:GPU:0/stream:<MemcpyH2D>", profile::LaneKind::kOther,
       profile::Lane::kNoStream},
      {"/device:GPU:0/stream:", profile::LaneKind::kOther,
       profile::Lane::kNoStream},
      {"/device:GPU:0/memcpy", profile::LaneKind::kCopies,
       profile::Lane::kNoStream},
      {"/device:GPU:0/sync", profile::LaneKind::kOther,
       profile::Lane::kNoStream},
      {"", profile::LaneKind::kCompute, profile::Lane::kNoStream},
  };
  for (const Case& c : cases) {
    profile::GraphTables graph;
    const profile::Lane& lane = graph.lanes[DeviceLane(c.name, graph)];
    EXPECT_EQ(lane.kind, c.kind) << c.name;
    EXPECT_EQ(lane.stream, c.stream) << c.name;
  }
}

TEST(DeviceNamesTest, OneLaneWhateverTheCase) {
  profile::GraphTables graph;
  const profile::LaneId a = DeviceLane("/job:w/Device:GPU:0", graph);
  EXPECT_EQ(DeviceLane("/job:w/device:gpu:0", graph), a);
  const profile::LaneId b = DeviceLane("/job:w/device:gpu:0/stream:all", graph);
  EXPECT_NE(b, a);
  const profile::LaneId c = DeviceLane("/job:v/device:gpu:0", graph);
  EXPECT_EQ(graph.devices.size(), 3u);
  EXPECT_EQ(graph.lanes.size(), 3u);
  EXPECT_EQ(graph.devices.name(graph.lanes[a].device), "/job:w/device:gpu:0");
  EXPECT_TRUE(graph.devices[graph.lanes[a].device].canonical);
  // There is one process for each task, with its own clock.
  EXPECT_EQ(graph.lanes.num_processes(), 2u);
  EXPECT_EQ(graph.lanes[a].process, graph.lanes[b].process);
  EXPECT_EQ(graph.lanes.process(graph.lanes[a].process).name, "/job:w");
  EXPECT_NE(graph.lanes[c].process, graph.lanes[a].process);
  EXPECT_NE(graph.lanes[c].clock, graph.lanes[a].clock);
}

// A device that was added before keeps its attributes.
TEST(DeviceNamesTest, KnownDeviceGetsItsLane) {
  profile::GraphTables graph;
  const profile::DeviceId device = graph.devices.Intern("/gpu:0");
  EXPECT_EQ(graph.lanes.OfDevice(device), profile::kNone);
  const profile::LaneId lane = DeviceLane("/gpu:0", graph);
  EXPECT_EQ(graph.lanes[lane].device, device);
  EXPECT_EQ(graph.lanes.OfDevice(device), lane);
}

TEST(DeviceLaneTest, NamesOfOneGpuAreOnePhysicalDevice) {
  profile::GraphTables graph;
  const auto physical = [&](const char* name) {
    return graph.lanes[DeviceLane(name, graph)].physical;
  };
  const profile::PhysicalId gpu = physical("/job:w/task:1/device:GPU:0");
  EXPECT_EQ(physical("/job:w/task:1/gpu:0/stream:all"), gpu);
  EXPECT_EQ(physical("/job:w/task:1/device:GPU:0/memcpy"), gpu);
  EXPECT_NE(physical("/job:w/task:2/device:GPU:0"), gpu);
  EXPECT_NE(physical("/device:GPU:0/stream:all"), gpu);
  EXPECT_EQ(graph.lanes.physical(gpu).label, "gpu:0");
  EXPECT_EQ(graph.lanes.physical(gpu).name, "/job:w/task:1/device:gpu:0");
}

TEST(DeviceLaneTest, TheJobOfATask) {
  profile::GraphTables graph;
  const auto process = [&](const char* name) {
    return graph.lanes.process(graph.lanes[DeviceLane(name, graph)].process);
  };
  const profile::Process worker = process("/job:worker/replica:0/task:1/cpu:0");
  EXPECT_EQ(worker.job, "worker");
  EXPECT_EQ(worker.label, "worker/1");
  EXPECT_FALSE(worker.parameter_server);
  EXPECT_TRUE(process("/job:ps/replica:0/task:0/cpu:0").parameter_server);
  EXPECT_FALSE(process("/job:psi/task:0/cpu:0").parameter_server);
  EXPECT_EQ(process("/job:ps/cpu:0").label, "ps");
  EXPECT_EQ(process("/replica:0/task:0/cpu:0").job, "");
  EXPECT_EQ(process("/replica:0/task:0/cpu:0").label, "/replica:0/task:0");
  EXPECT_EQ(process("/cpu:0").job, "");
}

TEST(DeviceLaneTest, TheDirectionOfCopies) {
  profile::GraphTables graph;
  const auto copies = [&](const char* name) {
    return graph.lanes[DeviceLane(name, graph)].copies;
  };
  EXPECT_EQ(copies("/gpu:0/stream:15<MemcpyD2H>"), profile::CopyKind::kToHost);
  EXPECT_EQ(copies("/gpu:0/memcpy"), profile::CopyKind::kUnknown);
  EXPECT_EQ(copies("/gpu:0/stream:all"), profile::CopyKind::kUnknown);
}

// Makes steps with this many records on the lanes "stream:all", "stream:7" and
// "stream:8"; returns which lanes repeat others.
std::vector<bool> Repeating(
    const std::vector<std::vector<int>>& steps_of_lanes) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  profile::GraphTables& graph = builder.mutable_graph();
  std::vector<profile::LaneId> lanes;
  for (const char* name :
       {"/gpu:0/stream:all", "/gpu:0/stream:7", "/gpu:0/stream:8"}) {
    lanes.push_back(DeviceLane(name, graph));
  }
  const profile::NodeId node =
      builder.AddNode("a", "MatMul", profile::kNoRecord);
  for (size_t step = 0; step < steps_of_lanes.size(); ++step) {
    for (size_t lane = 0; lane < lanes.size(); ++lane) {
      for (int i = 0; i < steps_of_lanes[step][lane]; ++i) {
        builder.AddExecutions(static_cast<int64_t>(step),
                              {{.node = node,
                                .lane = lanes[lane],
                                .start = 10 * (i + 1),
                                .duration = 5}},
                              {});
      }
    }
  }
  builder.FinishAllSteps();
  FinishDeviceLanes(builder.finished_steps(), graph);
  std::vector<bool> repeating;
  for (const profile::LaneId lane : lanes) {
    repeating.push_back(graph.lanes[lane].repeats != profile::kNone);
  }
  return repeating;
}

TEST(RepeatingLanesTest, StreamsThatHaveAllRecordsCount) {
  EXPECT_EQ(Repeating({{3, 2, 1}, {2, 0, 2}}),
            std::vector<bool>({true, false, false}));
}

TEST(RepeatingLanesTest, StreamsThatLackOneInAStepRepeat) {
  EXPECT_EQ(Repeating({{3, 2, 1}, {2, 0, 1}}),
            std::vector<bool>({false, true, true}));
}

TEST(RepeatingLanesTest, OneSideAloneRepeatsNothing) {
  EXPECT_EQ(Repeating({{3, 0, 0}}), std::vector<bool>({false, true, true}));
  EXPECT_EQ(Repeating({{0, 1, 2}}), std::vector<bool>({false, false, false}));
}

TEST(SecondViewTest, IsTheCpuOfItsTask) {
  profile::GraphTables graph;
  const profile::LaneId cpu =
      DeviceLane("/job:localhost/replica:0/task:0/device:CPU:0", graph);
  const profile::LaneId view = DeviceLane("/host:CPU", graph);
  FinishDeviceLanes({}, graph);
  EXPECT_EQ(graph.lanes[view].repeats, cpu);
  EXPECT_EQ(graph.lanes[view].physical, graph.lanes[cpu].physical);
  EXPECT_EQ(graph.lanes[cpu].repeats, profile::kNone);
}

TEST(SecondViewTest, OfSeveralTasksIsNotCountedEither) {
  profile::GraphTables graph;
  const profile::LaneId first =
      DeviceLane("/job:worker/replica:0/task:0/device:CPU:0", graph);
  DeviceLane("/job:worker/replica:0/task:1/device:CPU:0", graph);
  const profile::LaneId view = DeviceLane("/host:CPU", graph);
  FinishDeviceLanes({}, graph);
  EXPECT_EQ(graph.lanes[view].repeats, first);
  EXPECT_NE(graph.lanes[view].physical, graph.lanes[first].physical);
}

TEST(SecondViewTest, AloneItCounts) {
  profile::GraphTables graph;
  const profile::LaneId view = DeviceLane("/host:CPU", graph);
  FinishDeviceLanes({}, graph);
  EXPECT_EQ(graph.lanes[view].repeats, profile::kNone);
}

TEST(LaneOfOutsideTest, TransfersHaveALaneOfTheirOwn) {
  profile::GraphTables graph;
  const profile::LaneId stream = DeviceLane("/gpu:0/stream:14", graph);
  const profile::LaneId copies =
      LaneOfOutside("edge_5_x:MEMCPYHtoD", stream, graph);
  EXPECT_NE(copies, stream);
  EXPECT_EQ(graph.lanes[copies].kind, profile::LaneKind::kCopies);
  EXPECT_EQ(graph.lanes[copies].device, graph.lanes[stream].device);
  EXPECT_EQ(graph.lanes[copies].physical, graph.lanes[stream].physical);
  const profile::LaneId memcpy = DeviceLane("/gpu:0/memcpy", graph);
  EXPECT_EQ(LaneOfOutside("edge_5_x:MEMCPYHtoD", memcpy, graph), memcpy);
  EXPECT_EQ(LaneOfOutside("_SOURCE", stream, graph), stream);
}

}  // namespace
}  // namespace tfprof::tensorflow
