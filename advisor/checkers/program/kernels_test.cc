#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using TraceKernelsTest = CallsCheckTest;

TEST_F(TraceKernelsTest, ShortKernelsAndTheGapsAfterThem) {
  for (int64_t i = 0; i < 4; ++i) Kernel("aten::add", 20 * i, 5);
  Kernel("aten::mm", 80, 20);
  EXPECT_THAT(CheckTrace("ShortKernelChecker:short_kernels"),
              ElementsAre("gpu:0: short kernels and the gaps after them take "
                          "80.0% of its time (80us of 100us); 4 of 5 kernels "
                          "are shorter than 10us; most are of aten::add 4"));
  EXPECT_EQ(findings_[0].saving_micros, 60);
}

TEST_F(TraceKernelsTest, LongKernelsAndLongGapsDoNotCount) {
  Kernel("aten::mm", 0, 50);
  Kernel("aten::mm", 60, 50);
  Kernel("aten::add", 115, 5);
  Kernel("aten::add", 200, 5);  // 80 after the last one
  EXPECT_THAT(CheckTrace("ShortKernelChecker:short_kernels"), IsEmpty());
}

// One launch starts all kernels of a replayed graph.
TEST_F(TraceKernelsTest, KernelsOfAGraphAreFine) {
  const int launch = Launch("cudaGraphLaunch", 0);
  for (int64_t i = 0; i < 20; ++i) Kernel("aten::add", 10 + 8 * i, 5, launch);
  EXPECT_THAT(CheckTrace("ShortKernelChecker:short_kernels"), IsEmpty());
}

// With CUDA_LAUNCH_BLOCKING=1, the host waits in each launch.
TEST_F(TraceKernelsTest, LaunchesThatWait) {
  for (int64_t i = 0; i < 30; ++i) {
    Kernel("aten::mm", 100 * i + 5, 50,
           Launch("cudaLaunchKernel", 100 * i, /*micros=*/60));
  }
  EXPECT_THAT(CheckTrace("ShortKernelChecker:blocking_launches"),
              ElementsAre("gpu:0: each launch waits until its kernel is done "
                          "(30 of 30 kernels of 20us or more), so the host "
                          "never works ahead"));
}

TEST_F(TraceKernelsTest, LaunchesThatDoNotWait) {
  for (int64_t i = 0; i < 30; ++i) {
    Kernel("aten::mm", 100 * i + 5, 50, Launch("cudaLaunchKernel", 100 * i));
    // Short kernels may end before their launch returns.
    Kernel("aten::add", 100 * i + 62, 2,
           Launch("cudaLaunchKernel", 100 * i + 60));
  }
  EXPECT_THAT(CheckTrace("ShortKernelChecker:blocking_launches"), IsEmpty());
}

// What a device does in a thousandth of a step says nothing about the step.
TEST_F(TraceKernelsTest, OneShortKernelInALongStep) {
  Kernel("aten::add", 20, 5);
  StepInterval(0, 0, 5000);
  EXPECT_THAT(CheckTrace("ShortKernelChecker:short_kernels"), IsEmpty());
}

TEST_F(TraceKernelsTest, TheAdviceIsForTheFramework) {
  const auto advice = [this](std::string_view op) {
    for (int64_t i = 0; i < 4; ++i) Kernel(op, 20 * i, 5);
    CheckTrace("ShortKernelChecker:short_kernels");
    model_ = timeline::TraceModel();
    return findings_.back().advice;
  };
  EXPECT_THAT(advice("aten::add"), testing::HasSubstr("torch.compile"));
  EXPECT_THAT(advice("Relu"), testing::HasSubstr("jit_compile"));
  EXPECT_THAT(advice("f"), testing::Not(testing::HasSubstr("torch")));
}

TEST_F(TraceKernelsTest, ShortKernelsBesideALongOneCostNothing) {
  Kernel("aten::mm", 0, 100);
  for (int64_t i = 0; i < 9; ++i) Kernel("aten::add", 10 * i, 5);
  EXPECT_THAT(CheckTrace("ShortKernelChecker:short_kernels"), IsEmpty());
}

}  // namespace
}  // namespace tfprof::advisor
