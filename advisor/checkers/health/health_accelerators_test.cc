#include "advisor/checkers/health/health_testing.h"

namespace tfprof::advisor {
namespace {

using HealthAcceleratorsTest = HealthTest;

TEST_F(HealthAcceleratorsTest, WithoutStepsNothingIsJudged) {
  Node("a", "Op");
  EXPECT_EQ(Verdict("KernelsChecker"), "");
}

TEST_F(HealthAcceleratorsTest, CpusNeedNoKernels) {
  RanOn(Node("a", "Op"), kCpuA, 10, 5);
  EXPECT_EQ(Verdict("KernelsChecker"), "ok: no node is on a GPU");
}

TEST_F(HealthAcceleratorsTest, AGpuWithoutKernels) {
  RanOn(Node("a", "Op"), "/device:gpu:0", 10, 5);
  EXPECT_EQ(Verdict("KernelsChecker"),
            "bad: no kernel was recorded, of 1 node on GPUs");
}

TEST_F(HealthAcceleratorsTest, AGpuWithKernels) {
  Ran(Node("a", "Op"), 10, 5);
  EXPECT_EQ(Verdict("KernelsChecker"),
            "ok: kernels of one GPU were recorded, 1 node on GPUs");
}

}  // namespace
}  // namespace tfprof::advisor
