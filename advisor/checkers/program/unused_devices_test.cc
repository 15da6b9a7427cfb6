#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {
namespace unused_devices_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kChecker = "UnusedDeviceChecker";

using UnusedDeviceTest = CallsCheckTest;

TEST_F(UnusedDeviceTest, OneOfFourWorks) {
  Kernel("aten::mm", 0, 100);
  for (int gpu = 1; gpu < 4; ++gpu) model_.Gpu(gpu);
  EXPECT_THAT(CheckTrace(kChecker),
              ElementsAre("3 of 4 gpu devices did nothing in the recording "
                          "(gpu:1, gpu:2, gpu:3); one did all the work"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
}

TEST_F(UnusedDeviceTest, ItIsAWarningIfSeveralWork) {
  Kernel("aten::mm", 0, 100, -1, 0);
  Kernel("aten::mm", 0, 100, -1, 1);
  model_.Gpu(2);
  EXPECT_THAT(CheckTrace(kChecker),
              ElementsAre("1 of 3 gpu devices did nothing in the recording "
                          "(gpu:2); the others did all the work"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
}

// The properties are of gpu:0, and the work is on "gpu:2": the number of an
// agent, which is the same device.
TEST_F(UnusedDeviceTest, NumbersOfAgentsAreNoDevices) {
  const profile::PhysicalId gpu = model_.Gpu(0, "AMD Instinct MI300X");
  model_.graph().lanes.mutable_physical(gpu).memory_bytes = 192'000'000'000;
  Kernel("aten::mm", 0, 100, -1, 2);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

TEST_F(UnusedDeviceTest, ADeviceThatOnlyCopiesDoesNotShareTheWork) {
  Kernel("aten::mm", 0, 100, -1, 0);
  Run("MemcpyH2D", "MemcpyH2D", profile::LaneKind::kCopies, 0, 10, -1, 8, 1);
  model_.Gpu(2);
  CheckTrace(kChecker);
  ASSERT_EQ(findings_.size(), 1u);
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
}

TEST_F(UnusedDeviceTest, AllWork) {
  Kernel("aten::mm", 0, 100, -1, 0);
  Kernel("aten::mm", 0, 100, -1, 1);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

TEST_F(UnusedDeviceTest, DevicesOfOtherProcessesDoNotCount) {
  Kernel("aten::mm", 0, 100);
  model_.NextRank(1);
  model_.Gpu(1);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

}  // namespace unused_devices_test
}  // namespace
}  // namespace tfprof::advisor
