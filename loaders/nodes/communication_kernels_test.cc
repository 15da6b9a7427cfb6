#include "loaders/nodes/communication_kernels.h"

#include "gtest/gtest.h"

namespace tfprof::loaders {
namespace {

TEST(CommunicationKernelsTest, LibrariesBeginAnIdentifier) {
  EXPECT_TRUE(IsCommunicationKernel("ncclDevKernel_AllReduce"));
  EXPECT_TRUE(IsCommunicationKernel("ncclDevKernel_Generic(args)"));
  EXPECT_TRUE(IsCommunicationKernel("void NCCL_x<int>()"));
  EXPECT_TRUE(IsCommunicationKernel("rcclKernel"));
  EXPECT_TRUE(IsCommunicationKernel("rcclAllReduce"));
  EXPECT_FALSE(IsCommunicationKernel("my_nccl"));
  EXPECT_FALSE(IsCommunicationKernel("void "));
  EXPECT_FALSE(IsCommunicationKernel("ccl"));
  EXPECT_FALSE(IsCommunicationKernel(""));
}

TEST(CommunicationKernelsTest, CollectivesOfOtherLibraries) {
  for (const char* name :
       {"multimem_all_reduce_kernel<bf16>", "two_shot_all_reduce_kernel<bf16>",
        "void one_shot_all_reduce_kernel<c10::BFloat16>",
        "void vllm::cross_device_reduce_1stage<half, 8>(vllm::RankData*)",
        "void aiter::cross_device_reduce_2stage<half, 2>",
        "quickreduce::allreduce_prototype_twoshot<quickreduce::AllReduce>",
        "flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot",
        "mscclpp::allreduce", "deep_ep::intranode::dispatch<8>"}) {
    EXPECT_TRUE(IsCommunicationKernel(name)) << name;
  }
  EXPECT_FALSE(IsCommunicationKernel("void reduce_kernel<512, 1>"));
  EXPECT_FALSE(IsCommunicationKernel("gemm_symmetric"));
}

}  // namespace
}  // namespace tfprof::loaders
