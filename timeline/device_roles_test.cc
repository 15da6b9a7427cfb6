#include "timeline/device_roles.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/device_names.h"
#include "profile/device_table.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;

using Role = DeviceRoles::Role;

// The task and name of the physical device, and the role.
std::vector<std::string> RolesOf(std::vector<std::string> names) {
  constexpr std::string_view kNames[] = {
      "host ops", "launches",      "kernels", "stream",
      "copies",   "stream copies", "other",   "nothing"};
  GraphTables graph;
  for (const std::string& name : names) DeviceLane(name, graph);
  const DeviceRoles roles(graph);
  std::vector<std::string> texts;
  for (DeviceId d = 0; d < graph.devices.size(); ++d) {
    const DeviceRoles::Unit& unit = roles.units()[roles.unit(d)];
    texts.push_back(roles.tasks()[unit.task].name + " | " + unit.name + " | " +
                    std::string(kNames[static_cast<size_t>(roles.role(d))]) +
                    (unit.accelerator ? " *" : ""));
  }
  return texts;
}

TEST(DeviceRolesTest, OneGpuUnderManyNames) {
  EXPECT_THAT(
      RolesOf({"/job:w/task:0/device:CPU:0", "/job:w/task:0/device:GPU:0",
               "/device:GPU:0/stream:all", "/device:GPU:0/stream:14",
               "/device:GPU:0/stream:14<MemcpyH2D>",
               "/device:GPU:0/stream:14<Memset>", "/device:GPU:0/memcpy",
               "/device:GPU:0/sync", "/device:GPU:0/stream:"}),
      ElementsAre(
          "/job:w/task:0 | /job:w/task:0/device:cpu:0 | host ops",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | launches *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | kernels *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | stream *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | stream copies *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | nothing *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | copies *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | nothing *",
          "/job:w/task:0 | /job:w/task:0/device:gpu:0 | nothing *"));
}

TEST(DeviceRolesTest, OldNamesAndOtherDevices) {
  EXPECT_THAT(RolesOf({"/job:w/gpu:0", "/gpu:0/stream:all",
                       "/job:w/device:GPU:1:stream:all", "/job:w/device:TPU:0",
                       "/job:w/host:CPU"}),
              ElementsAre("/job:w | /job:w/gpu:0 | launches *",
                          "/job:w | /job:w/gpu:0 | kernels *",
                          "/job:w | /job:w/device:gpu:1 | kernels *",
                          "/job:w | /job:w/device:tpu:0 | other",
                          "/job:w | /job:w/host:cpu | other"));
}

TEST(DeviceRolesTest, StreamsWithoutATask) {
  // The only task, though nothing was scheduled there.
  EXPECT_THAT(RolesOf({"/job:w/cpu:0", "/gpu:0/stream:all"}),
              ElementsAre("/job:w | /job:w/cpu:0 | host ops",
                          "/job:w | /gpu:0 | kernels *"));
  // Two tasks have such a GPU: whose they are is not known.
  EXPECT_THAT(RolesOf({"/job:w/task:0/gpu:0", "/job:w/task:1/gpu:0",
                       "/gpu:0/stream:all"}),
              ElementsAre("/job:w/task:0 | /job:w/task:0/gpu:0 | launches *",
                          "/job:w/task:1 | /job:w/task:1/gpu:0 | launches *",
                          " | /gpu:0 | kernels *"));
  // One of two.
  EXPECT_THAT(
      RolesOf({"/job:w/task:0/cpu:0", "/job:w/task:1/gpu:0", "/gpu:0/memcpy"}),
      ElementsAre("/job:w/task:0 | /job:w/task:0/cpu:0 | host ops",
                  "/job:w/task:1 | /job:w/task:1/gpu:0 | launches *",
                  "/job:w/task:1 | /job:w/task:1/gpu:0 | copies *"));
}

}  // namespace
}  // namespace tfprof
