#include "loaders/gpu_trace/names.h"

#include <gtest/gtest.h>

namespace tfprof::gpu_trace {
namespace {

TEST(Names, CallsLoseTheirVersion) {
  EXPECT_EQ(CallName("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(CallName("cuMemcpy2D_v2"), "cuMemcpy2D");
  EXPECT_EQ(CallName("cuMemcpy2D"), "cuMemcpy2D");
  EXPECT_EQ(CallName("_v"), "_v");
  EXPECT_EQ(CallName("v1"), "v1");
  EXPECT_EQ(CallName("12"), "12");
  EXPECT_EQ(CallName(""), "");
}

TEST(Names, OperationsEndBeforeTheirDetails) {
  EXPECT_EQ(OperationOf("aten::mm, seq = 3, op_id = 17"), "aten::mm");
  EXPECT_EQ(OperationOf("aten::mm, op_id = 17, seq = 3"), "aten::mm");
  EXPECT_EQ(OperationOf("a, b"), "a, b");
  EXPECT_EQ(OperationOf("f(a,b), c, sizes = []"), "f(a,b), c");
  EXPECT_EQ(OperationOf("a, seq = "), "a");
  EXPECT_EQ(OperationOf("a, seq ="), "a, seq =");
  EXPECT_EQ(OperationOf(", sizes = []"), "");
}

}  // namespace
}  // namespace tfprof::gpu_trace
