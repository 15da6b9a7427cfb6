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

TEST(KinetoCategory, KernelsOfCollectives) {
  EXPECT_TRUE(IsCommunicationKernel("ncclDevKernel_Generic(args)"));
  EXPECT_TRUE(IsCommunicationKernel("rcclAllReduce"));
  EXPECT_FALSE(IsCommunicationKernel("multimem_all_reduce_kernel<bf16>"));
}

}  // namespace
}  // namespace tfprof::kineto
