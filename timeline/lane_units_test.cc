#include "timeline/lane_units.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/device_names.h"
#include "profile/profile.h"

namespace tfprof::timeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns, for each name, the process, name and kind of its unit, the kind of
// its lane, and "*" for an accelerator.
std::vector<std::string> UnitsOf(const std::vector<std::string>& names) {
  profile::GraphTables graph;
  for (const std::string& name : names) tensorflow::DeviceLane(name, graph);
  tensorflow::FinishDeviceLanes({}, graph);
  const LaneUnits units(graph);
  std::vector<std::string> texts;
  for (profile::DeviceId d = 0; d < graph.devices.size(); ++d) {
    const LaneUnit& unit = units.all()[units.of_device(d)];
    std::string text = graph.lanes.process(unit.process).name;
    for (const std::string_view part :
         {std::string_view(unit.name), std::string_view(unit.kind),
          profile::LaneKindName(graph.lanes[graph.lanes.OfDevice(d)].kind)}) {
      text.append(" | ").append(part);
    }
    texts.push_back(text + (unit.accelerator ? " *" : ""));
  }
  return texts;
}

TEST(LaneUnitsTest, OneGpuUnderManyNames) {
  EXPECT_THAT(
      UnitsOf({"/job:w/task:0/device:CPU:0", "/job:w/task:0/device:GPU:0",
               "/device:GPU:0/stream:all", "/device:GPU:0/stream:14",
               "/device:GPU:0/stream:14<MemcpyH2D>",
               "/device:GPU:0/stream:14<Memset>", "/device:GPU:0/memcpy",
               "/device:GPU:0/sync", "/device:GPU:0/stream:"}),
      ElementsAre(
          "/job:w/task:0 | /job:w/task:0/device:cpu:0 | cpu | compute",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | gpu | launches *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | gpu | kernels *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | gpu | kernels *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | gpu | copies *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | gpu | other *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | gpu | copies *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | gpu | other *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | gpu | other *"));
}

TEST(LaneUnitsTest, OldNamesAndOtherDevices) {
  EXPECT_THAT(UnitsOf({"/job:w/gpu:0", "/gpu:0/stream:all",
                       "/job:w/device:GPU:1:stream:all", "/job:w/device:TPU:0",
                       "/job:w/host:CPU"}),
              ElementsAre("/job:w | /job:w/gpu:0 | gpu | launches *",
                          "/job:w | /job:w/gpu:0 | gpu | kernels *",
                          "/job:w | /job:w/device:gpu:1 | gpu | kernels *",
                          "/job:w | /job:w/device:tpu:0 | tpu | compute *",
                          "/job:w | /job:w/host:cpu | cpu | compute"));
}

TEST(LaneUnitsTest, StreamsWithoutATask) {
  // There is only one task, so the stream belongs to it.
  EXPECT_THAT(UnitsOf({"/job:w/cpu:0", "/gpu:0/stream:all"}),
              ElementsAre("/job:w | /job:w/cpu:0 | cpu | compute",
                          "/job:w | /gpu:0 | gpu | kernels *"));
  // Two tasks have such a GPU, so the owner of the stream is unknown.
  EXPECT_THAT(
      UnitsOf(
          {"/job:w/task:0/gpu:0", "/job:w/task:1/gpu:0", "/gpu:0/stream:all"}),
      ElementsAre("/job:w/task:0 | /job:w/task:0/gpu:0 | gpu | launches *",
                  "/job:w/task:1 | /job:w/task:1/gpu:0 | gpu | launches *",
                  " | /gpu:0 | gpu | kernels *"));
  // Only one of two tasks has such a GPU.
  EXPECT_THAT(
      UnitsOf({"/job:w/task:0/cpu:0", "/job:w/task:1/gpu:0", "/gpu:0/memcpy"}),
      ElementsAre("/job:w/task:0 | /job:w/task:0/cpu:0 | cpu | compute",
                  "/job:w/task:1 | /job:w/task:1/gpu:0 | gpu | launches *",
                  "/job:w/task:1 | /job:w/task:1/gpu:0 | gpu | copies *"));
}

TEST(LaneUnitsTest, ACpuThatCommunicatesIsNoAccelerator) {
  profile::GraphTables graph;
  const profile::LaneId ops = tensorflow::DeviceLane("/job:w/cpu:0", graph);
  const profile::LaneId transfers =
      tensorflow::LaneOfOutside("RecvTensor", ops, graph);
  EXPECT_NE(transfers, ops);
  EXPECT_EQ(tensorflow::LaneOfOutside("RecvTensor", ops, graph), transfers);
  EXPECT_EQ(tensorflow::LaneOfOutside("MatMul", ops, graph), ops);
  const LaneUnits units(graph);
  EXPECT_EQ(units.of(transfers), units.of(ops));
  EXPECT_FALSE(units.has_accelerators());
}

TEST(LaneUnitsTest, LanesWithoutADeviceAreOneUnitOfTheirProcess) {
  profile::GraphTables graph;
  profile::Process process;
  process.rank = 3;
  const profile::ProcessId rank = graph.lanes.AddProcess(process);
  const profile::LaneId a =
      graph.lanes.Add({.process = rank, .kind = profile::LaneKind::kCompute});
  const profile::LaneId b =
      graph.lanes.Add({.process = rank, .kind = profile::LaneKind::kLaunches});
  const profile::LaneId c =
      graph.lanes.Add({.kind = profile::LaneKind::kCompute});
  const LaneUnits units(graph);
  EXPECT_EQ(units.of(a), units.of(b));
  EXPECT_EQ(units.all()[units.of(a)].name, "rank 3");
  EXPECT_EQ(units.all()[units.of(c)].name, "(no process)");
}

TEST(LaneUnitsTest, NoLanesNoUnits) {
  EXPECT_THAT(LaneUnits(profile::GraphTables()).all(), IsEmpty());
}

TEST(LaneUnitsTest, RanksThatAreNotInTheFiles) {
  profile::GraphTables graph;
  graph.lanes.AddProcess({});
  EXPECT_EQ(MissingRanks(graph.lanes), 0);
  profile::Process process;
  process.job_ranks = 4;
  graph.lanes.AddProcess(std::move(process));
  EXPECT_EQ(MissingRanks(graph.lanes), 2);
  EXPECT_EQ(MissingRanksText(2, 2),
            "2 of the 4 ranks of the job are not in the files");
}

}  // namespace
}  // namespace tfprof::timeline
