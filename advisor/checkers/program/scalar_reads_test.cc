#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using ScalarReadTest = CallsCheckTest;

TEST_F(ScalarReadTest, SingleNumbersOfTheDevice) {
  Kernel("aten::mm", 0, 100);
  for (int64_t i = 0; i < 20; ++i) {
    HostOp("aten::item", 10 * i, 3);
    HostOp("aten::_local_scalar_dense", 10 * i, 2);
  }
  EXPECT_THAT(CheckTrace("ScalarReadChecker"),
              ElementsAre("the host reads 20 single numbers of accelerators in "
                          "each step, and waits for each"));
}

TEST_F(ScalarReadTest, SingleNumbersCostTheIdleTime) {
  for (int64_t i = 0; i < 20; ++i) {
    Kernel("aten::mm", 10 * i, 2);
    HostOp("aten::_local_scalar_dense", 10 * i, 2);
  }
  EXPECT_THAT(CheckTrace("ScalarReadChecker"),
              ElementsAre("the host reads 20 single numbers of accelerators in "
                          "each step, and waits for each; accelerators are "
                          "idle after them for 79.2% of their time"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kCritical);
  EXPECT_EQ(findings_[0].saving_micros, 152);
}

// The step count of an optimizer is in host memory.
TEST_F(ScalarReadTest, NumbersOfTheHostAreRead) {
  for (int64_t i = 0; i < 20; ++i) {
    Kernel("aten::mm", 100 * i, 99, Launch("cudaLaunchKernel", 100 * i));
    HostOp("aten::_local_scalar_dense", 100 * i + 10, 2);
  }
  Launch("cudaDeviceSynchronize", 1900, 100);
  EXPECT_THAT(CheckTrace("ScalarReadChecker"), IsEmpty());
}

TEST_F(ScalarReadTest, ReadsThatWaitCount) {
  for (int64_t i = 0; i < 20; ++i) {
    Kernel("aten::mm", 100 * i, 60, Launch("cudaLaunchKernel", 100 * i));
    HostOp("aten::_local_scalar_dense", 100 * i + 10, 60);
    Launch("cudaStreamSynchronize", 100 * i + 20, 45);
  }
  EXPECT_THAT(CheckTrace("ScalarReadChecker"),
              Contains("the host reads 20 single numbers of accelerators in "
                       "each step, and waits for each; accelerators are idle "
                       "after them for 38.8% of their time"));
}

// Idle time that no read has caused is not theirs.
TEST_F(ScalarReadTest, IdleTimeAfterOtherCallsIsNotCounted) {
  for (int64_t i = 0; i < 20; ++i) {
    Kernel("aten::mm", 100 * i, 30, Launch("cudaLaunchKernel", 100 * i));
    Kernel("aten::mm", 100 * i + 50, 20, Launch("cudaLaunchKernel", 100 * i));
    HostOp("aten::_local_scalar_dense", 100 * i + 55, 20);
    Launch("cudaStreamSynchronize", 100 * i + 56, 18);
  }
  EXPECT_THAT(CheckTrace("ScalarReadChecker"),
              Contains(HasSubstr("idle after them for 28.9% of their time")));
}

TEST_F(ScalarReadTest, ShortWaitsAreFine) {
  Kernel("aten::mm", 0, 100);
  Launch("cudaStreamSynchronize", 20, 5);
  Launch("cudaMemcpyAsync", 40, 50);
  HostOp("aten::mm", 0, 100);
  HostOp("aten::_local_scalar_dense", 10, 2);
  EXPECT_THAT(CheckTrace("ScalarReadChecker"), IsEmpty());
}

}  // namespace
}  // namespace tfprof::advisor
