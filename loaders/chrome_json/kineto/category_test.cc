#include "loaders/chrome_json/kineto/category.h"

#include "gtest/gtest.h"

namespace tfprof::kineto {
namespace {

using Category = KinetoCategory;

TEST(KinetoCategory, NamesOfAllYears) {
  EXPECT_EQ(KinetoCategoryOf("cpu_op"), Category::kOp);
  EXPECT_EQ(KinetoCategoryOf("Operator"), Category::kOp);
  EXPECT_EQ(KinetoCategoryOf("cuda_driver"), Category::kLaunch);
  EXPECT_EQ(KinetoCategoryOf("Runtime"), Category::kLaunch);
  EXPECT_EQ(KinetoCategoryOf("mtia_runtime"), Category::kLaunch);
  EXPECT_EQ(KinetoCategoryOf("kernel"), Category::kKernel);
  EXPECT_EQ(KinetoCategoryOf("mtia_ccp_events"), Category::kKernel);
  EXPECT_EQ(KinetoCategoryOf("Memcpy"), Category::kCopy);
  EXPECT_EQ(KinetoCategoryOf("gpu_memset"), Category::kSet);
}

TEST(KinetoCategory, OtherNames) {
  EXPECT_EQ(KinetoCategoryOf(""), Category::kUnknown);
  EXPECT_EQ(KinetoCategoryOf("CPU_OP"), Category::kUnknown);
}

TEST(KinetoCategory, ArrowsToGradients) {
  EXPECT_TRUE(IsForwardBackward("fwdbwd"));
  EXPECT_TRUE(IsForwardBackward("forward_backward"));
  EXPECT_FALSE(IsForwardBackward("ac2g"));
}

TEST(KinetoCategory, ArgumentsThatAreFacts) {
  for (const std::string_view name :
       {"correlation", "device", "stream", "kernel", "name", "CallFrom",
        "Input Dims", "Sequence number", "Fwd thread id", "Call stack",
        "Module Hierarchy", "Bytes", "Device Type", "Device Id",
        "Total Allocated", "Total Reserved"}) {
    EXPECT_TRUE(ReadsArgument(name)) << name;
  }
  for (const std::string_view name :
       {"", "Ev Idx", "External id", "Input Strides", "grid"}) {
    EXPECT_FALSE(ReadsArgument(name)) << name;
  }
}

TEST(KinetoCategory, NumbersOfCalls) {
  EXPECT_EQ(WithoutCallNumber("sglang_profiler::moe_340"),
            "sglang_profiler::moe");
  EXPECT_EQ(WithoutCallNumber("sglang_profiler::moe_2_340"),
            "sglang_profiler::moe_2");
  EXPECT_EQ(WithoutCallNumber("sglang_profiler::moe"), "sglang_profiler::moe");
  EXPECT_EQ(WithoutCallNumber("sglang_profiler::_340"),
            "sglang_profiler::_340");
  EXPECT_EQ(WithoutCallNumber("sage_fwd_1"), "sage_fwd_1");
}

}  // namespace
}  // namespace tfprof::kineto
