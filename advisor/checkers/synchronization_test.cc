#include "advisor/checkers/trace_checkers_testing.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using SynchronizationTest = TraceCheckTest;

TEST_F(SynchronizationTest, TheHostWaits) {
  Kernel("aten::mm", 0, 100);
  Launch("cudaStreamSynchronize", 20, 70);
  Launch("cudaLaunchKernel", 0, 5);
  HostOp("aten::mm", 0, 100);
  EXPECT_THAT(CheckTrace("SynchronizationChecker"),
              ElementsAre("the host waits for accelerators for 70.0% of its "
                          "time (70us of 100us), in 1 calls: "
                          "cudaStreamSynchronize 70us"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kCritical);
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

TEST_F(SynchronizationTest, ShortWaitsAreFine) {
  Kernel("aten::mm", 0, 100);
  Launch("cudaStreamSynchronize", 20, 5);
  Launch("cudaMemcpyAsync", 40, 50);
  HostOp("aten::mm", 0, 100);
  HostOp("aten::_local_scalar_dense", 10, 2);
  EXPECT_THAT(CheckTrace("SynchronizationChecker"), IsEmpty());
}

}  // namespace
}  // namespace tfprof
