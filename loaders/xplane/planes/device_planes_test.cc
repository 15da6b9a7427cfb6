#include "loaders/xplane/planes/device_planes.h"

#include <string>

#include "gtest/gtest.h"
#include "loaders/xplane/xplane_testing.h"

namespace tfprof::xplane {
namespace {

TEST(DevicePlanesTest, NamesSayWhatAPlaneIs) {
  EXPECT_EQ(KindOfPlane("/host:CPU"), PlaneKind::kHost);
  EXPECT_EQ(KindOfPlane("/host:python-tracer"), PlaneKind::kHost);
  EXPECT_EQ(KindOfPlane("/host:CUPTI"), PlaneKind::kDriver);
  EXPECT_EQ(KindOfPlane("/host:metadata"), PlaneKind::kMetadata);
  EXPECT_EQ(KindOfPlane("/device:GPU:1"), PlaneKind::kGpu);
  EXPECT_EQ(KindOfPlane("/device:TPU:0 SparseCore 1"), PlaneKind::kTpu);
  EXPECT_EQ(KindOfPlane("/device:CUSTOM:Megascale Trace"), PlaneKind::kCustom);
  EXPECT_EQ(KindOfPlane("Task Environment"), PlaneKind::kEnvironment);
  EXPECT_EQ(KindOfPlane("anything"), PlaneKind::kHost);
}

TEST(DevicePlanesTest, LabelsEndInTheOrdinal) {
  EXPECT_EQ(DeviceLabel("/device:GPU:7"), "gpu:7");
  EXPECT_EQ(DeviceLabel("/device:TPU:0 SparseCore 1"), "tpu:0 sparsecore 1");
}

TEST(DevicePlanesTest, StreamsCountAndDerivedLinesDoNot) {
  EXPECT_EQ(UseOfLine(PlaneKind::kGpu, "Stream #134(Compute)"),
            LineUse::kStream);
  EXPECT_EQ(UseOfLine(PlaneKind::kGpu, "TensorFlow Ops"), LineUse::kDerived);
  EXPECT_EQ(UseOfLine(PlaneKind::kGpu, "XLA Ops"), LineUse::kDerived);
  EXPECT_EQ(UseOfLine(PlaneKind::kGpu, "Steps"), LineUse::kSteps);
  EXPECT_EQ(UseOfLine(PlaneKind::kTpu, "XLA Ops"), LineUse::kXlaOps);
  EXPECT_EQ(UseOfLine(PlaneKind::kTpu, "Async XLA Ops"), LineUse::kAsync);
  EXPECT_EQ(UseOfLine(PlaneKind::kTpu, "XLA Modules"), LineUse::kFacts);
  EXPECT_EQ(UseOfLine(PlaneKind::kHost, "python"), LineUse::kThread);
  EXPECT_EQ(UseOfLine(PlaneKind::kHost, "Host Threads/12"), LineUse::kLaunch);
  EXPECT_EQ(UseOfLine(PlaneKind::kDriver, "1234"), LineUse::kLaunch);
}

TEST(DevicePlanesTest, ReadsNumbersOfStreamsAndThreads) {
  EXPECT_EQ(StreamNumber("Stream #12(Kernel)"), 12);
  EXPECT_EQ(StreamNumber("Stream #2"), 2);
  EXPECT_EQ(StreamNumber("XLA Ops"), profile::Lane::kUnnumberedStream);
  EXPECT_EQ(ThreadNumber("tf_Compute/1105654971", 3), 1105654971);
  EXPECT_EQ(ThreadNumber("tf_Compute/-5", 3), -5);
  EXPECT_EQ(ThreadNumber("python", 3), 3);
}

TEST(DevicePlanesTest, CopiesHaveDirections) {
  EXPECT_TRUE(IsCopyName("MemcpyH2D"));
  EXPECT_TRUE(IsCopyName("Memset"));
  EXPECT_FALSE(IsCopyName("memcpy_kernel"));
  EXPECT_EQ(CopyKindOf("MemcpyH2D"), profile::CopyKind::kToDevice);
  EXPECT_EQ(CopyKindOf("MemcpyD2H"), profile::CopyKind::kToHost);
  EXPECT_EQ(CopyKindOf("MemcpyD2D"), profile::CopyKind::kOnDevice);
  EXPECT_EQ(CopyKindOf("MemcpyP2P"), profile::CopyKind::kToPeer);
  EXPECT_EQ(CopyKindOf("MemcpyOther"), profile::CopyKind::kUnknown);
}

profile::PhysicalDevice Capabilities(const XPlaneMaker& plane) {
  const auto file = XPlaneInput(XSpaceOf({plane.Bytes()}));
  loaders::ImportLog log;
  const XSpace space = ReadXSpace(*file, log);
  profile::PhysicalDevice device;
  ReadCapabilities(space.planes[0], device);
  return device;
}

TEST(ReadCapabilitiesTest, OfAGpu) {
  XPlaneMaker plane("/device:GPU:0");
  plane.PlaneStat(plane.Text("device_vendor", "AMD"));
  plane.PlaneStat(plane.Int("core_count", 304));
  plane.PlaneStat(plane.Int("compute_cap_major", 9));
  plane.PlaneStat(plane.Int("compute_cap_minor", 4));
  plane.PlaneStat(plane.Uint("memory_bandwidth", 2662400000000));
  plane.PlaneStat(plane.Uint("memory_size", 206141652992));
  const profile::PhysicalDevice device = Capabilities(plane);
  EXPECT_EQ(device.kind, "gpu");
  EXPECT_EQ(device.model, "AMD GPU, compute capability 9.4, 304 cores");
  EXPECT_EQ(device.peak_bytes_per_second, 2662400000000.0);
  EXPECT_EQ(device.memory_bytes, 206141652992);
  EXPECT_EQ(device.peak_flops_per_second, 0);
}

TEST(ReadCapabilitiesTest, OldRecordersKnewOneVendor) {
  EXPECT_EQ(Capabilities(XPlaneMaker("/device:GPU:0")).model, "NVIDIA GPU");
}

}  // namespace
}  // namespace tfprof::xplane
