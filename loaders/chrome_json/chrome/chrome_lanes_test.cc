#include "loaders/chrome_json/chrome/chrome_lanes.h"

#include <vector>

#include "gtest/gtest.h"

namespace tfprof::chrome_json {
namespace {

TEST(ChromeLanesTest, ThreadsOfTheHost) {
  for (const char* process : {"", "MainProcess", "/host:CPU", "/usr/bin/x"}) {
    const LaneRole role = RoleOfLane(process, "main");
    EXPECT_EQ(role.kind, profile::LaneKind::kCompute) << process;
    EXPECT_EQ(role.device, "cpu:0");
  }
  EXPECT_TRUE(RoleOfLane("/host:CPU", "").device_name);
  EXPECT_FALSE(RoleOfLane("MainProcess", "").device_name);
}

TEST(ChromeLanesTest, DevicesOfTensorFlow1) {
  LaneRole role = RoleOfLane("/device:GPU:0/stream:13 Compute", "");
  EXPECT_EQ(role.kind, profile::LaneKind::kKernels);
  EXPECT_EQ(role.device, "gpu:0");
  EXPECT_EQ(role.stream, 13);
  EXPECT_EQ(RoleOfLane("/gpu:1/stream:12 Compute", "").device, "gpu:1");
  EXPECT_EQ(RoleOfLane("/device:GPU:0/stream:14<MemcpyHtoD> Compute", "").kind,
            profile::LaneKind::kCopies);
  role = RoleOfLane("/job:localhost/replica:0/task:0/device:GPU:0 Compute", "");
  EXPECT_EQ(role.kind, profile::LaneKind::kLaunches);
  EXPECT_EQ(role.device, "gpu:0");
  role = RoleOfLane("/job:localhost/replica:0/task:0/device:CPU:0 Compute", "");
  EXPECT_EQ(role.kind, profile::LaneKind::kCompute);
  EXPECT_EQ(role.device, "cpu:0");
  EXPECT_EQ(RoleOfLane("/device:GPU:0/stream:13 Tensors", "").kind,
            profile::LaneKind::kOther);
  EXPECT_EQ(RoleOfLane("/device:GPU:0/sync Compute", "").kind,
            profile::LaneKind::kOther);
}

TEST(ChromeLanesTest, DevicesOfXla) {
  const char kGpu[] = "/device:GPU:0 (pid 3)";
  EXPECT_EQ(RoleOfLane(kGpu, "Stream #13(Kernel)").kind,
            profile::LaneKind::kKernels);
  EXPECT_EQ(RoleOfLane(kGpu, "Stream #13(Kernel)").stream, 13);
  EXPECT_EQ(RoleOfLane(kGpu, "Stream #4(MemcpyH2D)").kind,
            profile::LaneKind::kCopies);
  EXPECT_EQ(RoleOfLane(kGpu, "XLA Modules").kind, profile::LaneKind::kOther);
  EXPECT_EQ(RoleOfLane("/device:TPU:1", "XLA Ops").device, "tpu:1");
  EXPECT_EQ(DeviceKind("tpu:1"), "tpu");
}

TEST(ChromeLanesTest, LanesThatRepeatStreams) {
  std::vector<LaneRole> roles = {
      RoleOfLane("/device:GPU:0/stream:13 Compute", ""),
      RoleOfLane("/device:GPU:0/stream:all Compute", ""),
      RoleOfLane("/device:GPU:1/stream:all Compute", ""),
      RoleOfLane("/device:GPU:1/memcpy Compute", ""),
      RoleOfLane("/device:TPU:0", "XLA Ops"),
      RoleOfLane("/device:TPU:0", "Steps")};
  ResolveRoles(roles);
  EXPECT_EQ(roles[1].kind, profile::LaneKind::kOther);
  EXPECT_EQ(roles[2].kind, profile::LaneKind::kKernels);
  EXPECT_EQ(roles[3].kind, profile::LaneKind::kCopies);
  EXPECT_EQ(roles[4].kind, profile::LaneKind::kKernels);
  EXPECT_EQ(roles[5].kind, profile::LaneKind::kOther);
}

}  // namespace
}  // namespace tfprof::chrome_json
