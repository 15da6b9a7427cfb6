#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using SynchronizationTest = CallsCheckTest;

TEST_F(SynchronizationTest, AcceleratorsAreIdleAfterTheHostWaited) {
  Kernel("aten::mm", 10, 90, Launch("cudaLaunchKernel", 0));
  Launch("cudaStreamSynchronize", 20, 90);
  // Idle from 100 to 195; the call returns at 110, the next launch is at 190.
  Kernel("aten::mm", 195, 100, Launch("cudaLaunchKernel", 190));
  EXPECT_THAT(CheckTrace("SynchronizationChecker"),
              ElementsAre("after the host waited for them, accelerators are "
                          "idle for 28.1% of their time (80us of 285us); 1 "
                          "wait, 90us: cudaStreamSynchronize 90us"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
  EXPECT_EQ(findings_[0].saving_micros, 80);
}

TEST_F(SynchronizationTest, LongGapsAfterAWaitHaveAnotherReason) {
  Kernel("aten::mm", 10, 90, Launch("cudaLaunchKernel", 0));
  Launch("cudaStreamSynchronize", 20, 90);
  Kernel("aten::mm", 900, 100, Launch("cudaLaunchKernel", 890));
  EXPECT_THAT(CheckTrace("SynchronizationChecker"), IsEmpty());
}

TEST_F(SynchronizationTest, AHostThatWaitsForABusyDeviceLosesNothing) {
  Kernel("aten::mm", 10, 90, Launch("cudaLaunchKernel", 0));
  Kernel("aten::mm", 100, 100, Launch("cudaLaunchKernel", 5));
  Launch("cudaStreamSynchronize", 20, 180);
  HostOp("aten::mm", 0, 200);
  EXPECT_THAT(CheckTrace("SynchronizationChecker"), IsEmpty());
}

TEST_F(SynchronizationTest, SingleNumbersOfTheDevice) {
  Kernel("aten::mm", 0, 100);
  for (int64_t i = 0; i < 20; ++i) {
    HostOp("aten::item", 10 * i, 3);
    HostOp("aten::_local_scalar_dense", 10 * i, 2);
  }
  EXPECT_THAT(CheckTrace("SynchronizationChecker"),
              ElementsAre("the host reads 20 single numbers of accelerators in "
                          "each step, and waits for each"));
}

TEST_F(SynchronizationTest, SingleNumbersCostTheIdleTime) {
  for (int64_t i = 0; i < 20; ++i) {
    Kernel("aten::mm", 10 * i, 2);
    HostOp("aten::_local_scalar_dense", 10 * i, 2);
  }
  EXPECT_THAT(CheckTrace("SynchronizationChecker"),
              ElementsAre("the host reads 20 single numbers of accelerators in "
                          "each step, and waits for each; accelerators are "
                          "idle for 79.2% of their time"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kCritical);
  EXPECT_EQ(findings_[0].saving_micros, 152);
}

// The step count of an optimizer is in host memory.
TEST_F(SynchronizationTest, NumbersOfTheHostAreRead) {
  for (int64_t i = 0; i < 20; ++i) {
    Kernel("aten::mm", 100 * i, 99, Launch("cudaLaunchKernel", 100 * i));
    HostOp("aten::_local_scalar_dense", 100 * i + 10, 2);
  }
  Launch("cudaDeviceSynchronize", 1900, 100);
  EXPECT_THAT(CheckTrace("SynchronizationChecker"), IsEmpty());
}

TEST_F(SynchronizationTest, ReadsThatWaitCount) {
  for (int64_t i = 0; i < 20; ++i) {
    Kernel("aten::mm", 100 * i, 60, Launch("cudaLaunchKernel", 100 * i));
    HostOp("aten::_local_scalar_dense", 100 * i + 10, 60);
    Launch("cudaStreamSynchronize", 100 * i + 20, 45);
  }
  EXPECT_THAT(CheckTrace("SynchronizationChecker"),
              Contains("the host reads 20 single numbers of accelerators in "
                       "each step, and waits for each; accelerators are idle "
                       "for 38.8% of their time"));
}

TEST_F(SynchronizationTest, ShortWaitsAreFine) {
  Kernel("aten::mm", 0, 100);
  Launch("cudaStreamSynchronize", 20, 5);
  Launch("cudaMemcpyAsync", 40, 50);
  HostOp("aten::mm", 0, 100);
  HostOp("aten::_local_scalar_dense", 10, 2);
  EXPECT_THAT(CheckTrace("SynchronizationChecker"), IsEmpty());
}

}  // namespace
}  // namespace tfprof::advisor
