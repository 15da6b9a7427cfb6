#include "util/text/kernel_names.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

using ::testing::ElementsAre;

TEST(KernelNamesTest, LeavesOutNamespacesArgumentsAndParameters) {
  EXPECT_EQ(ShortKernelName("void (anonymous namespace)::softmax_forward<"
                            "float, float, 10, true>(float*, float const*, "
                            "int, bool const*)"),
            "softmax_forward");
  EXPECT_EQ(ShortKernelName("void lib::sub::reduceRows<float, 7>(lib::Params)"),
            "reduceRows");
  EXPECT_EQ(ShortKernelName("lib::(anonymous namespace)::spin(long)"), "spin");
  EXPECT_EQ(ShortKernelName("ncclDevKernel_AllReduce_Sum_f32_RING_LL("
                            "ncclDevKernelArgsStorage<4096ul>)"),
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  EXPECT_EQ(ShortKernelName("gather_rows(float*, int const*) [clone .kd]"),
            "gather_rows");
  EXPECT_EQ(ShortKernelName("loop_add_fusion.kd"), "loop_add_fusion");
  EXPECT_EQ(ShortKernelName("block_0/mm/void lib::fill<float>(float*, int)"),
            "block_0/mm/fill");
  EXPECT_EQ(ShortKernelName("(no launch)/void lib::fill<a/b>(float*, int)"),
            "(no launch)/fill");
}

TEST(KernelNamesTest, ShowsWhatAGeneralKernelComputes) {
  EXPECT_EQ(
      ShortKernelName("void ns::elementwise<4, ns::BinaryFunctor<float, float, "
                      "ns::inner::MulFunctor<float> >, ns::Array<char*, 3> >("
                      "int, ns::Array<char*, 3>)"),
      "elementwise<MulFunctor>");
  EXPECT_EQ(ShortKernelName(
                "void ns::elementwise<128, ns::impl<ns::neg_cuda(ns::Iterator&)"
                "::{lambda()#2}::operator()() const::{lambda(float)#1}>("
                "ns::Iterator&)::{lambda(int)#1}>(int, float)"),
            "elementwise<neg_cuda>");
  EXPECT_EQ(ShortKernelName("void reduce<512, 1, ReduceOp<float, wrapper_t<"
                            "float, sum_functor<float, float>::operator()("
                            "Iterator&)::{lambda(float, float)#1}>, 4> >(int)"),
            "reduce<sum_functor>");
  EXPECT_EQ(ShortKernelName("void apply<Metadata<2>, ListFunctor<float, 2>, "
                            "std::plus<float>, float>(Metadata<2>)"),
            "apply<ListFunctor, plus>");
}

TEST(KernelNamesTest, AKernelThatCallsItsArgumentHasItsName) {
  EXPECT_EQ(ShortKernelName("void cutlass::Kernel<cutlass_80_gemm_64x64_align4>"
                            "(cutlass_80_gemm_64x64_align4::Params)"),
            "cutlass_80_gemm_64x64_align4");
  EXPECT_EQ(ShortKernelName("void tile::kentry<tile::gfx9_t, 2, tile::Convert<"
                            "tile::Problem<float, 256> > >(tile::Args)"),
            "Convert");
  EXPECT_EQ(ShortKernelName("void cutlass::device_kernel<fa::enable_sm80<"
                            "fa::AttnForward<fa::Main<2> > > >(fa::Params)"),
            "AttnForward");
}

TEST(KernelNamesTest, AGeneralNameKeepsItsNamespace) {
  EXPECT_EQ(ShortKernelName("std::enable_if<!(false), void>::type "
                            "internal::gemv::kernel<int, float>(int)"),
            "gemv::kernel");
}

TEST(KernelNamesTest, ReadsMangledNames) {
  EXPECT_EQ(ShortKernelName("_ZN5aiter10add_kernelIDF16bLi256EEEvPT0_"),
            "add_kernel");
  EXPECT_EQ(ShortKernelName("_Z4scanPfS_i"), "scan");
  EXPECT_EQ(ShortKernelName("_ZN3cut6KernelINS_4conv4GemmINS_5ShapeEEEEEvT_"),
            "Gemm");
  EXPECT_EQ(ShortKernelName("_Z"), "_Z");
  EXPECT_EQ(ShortKernelName("_ZN9999x"), "_ZN9999x");
}

TEST(KernelNamesTest, NamesOfLibrariesEndAfterTheTile) {
  EXPECT_EQ(ShortKernelName("Cijk_Ailk_Bljk_BBS_BH_MT256x128x32_MI16x16x16x1_"
                            "SN_1LDSB1_APM1"),
            "Cijk_Ailk_Bljk_BBS_BH_MT256x128x32");
  EXPECT_EQ(ShortKernelName("sm90_xmma_gemm_bf16_tn_n_tilesize256x128x64_"
                            "warpgroupsize2x1x1_execute"),
            "sm90_xmma_gemm_bf16_tn_n_tilesize256x128x64");
  EXPECT_EQ(ShortKernelName("volta_sgemm_64x64_nn"), "volta_sgemm_64x64_nn");
  EXPECT_EQ(ShortKernelName("%add.2 = f32[5]{0} fusion(f32[5]{0} %copy)"),
            "add.2");
}

TEST(KernelNamesTest, OtherNamesStayAsTheyAre) {
  for (const std::string_view name :
       {"aten::mm",
        "autograd::engine::evaluate_function: MmBackward0",
        "jit(step)",
        "jit(f)/jit(main)/dot",
        "<built-in method apply of X>",
        "model.py(12): forward",
        "nn.Module: Linear_0",
        "Memcpy HtoD (Host)",
        "<string>(2): <module>",
        "a<b",
        "a>b",
        "f(",
        "x<y>>",
        "",
        "torch::autograd::AccumulateGrad",
        "PyTorch Profiler (0)",
        "_MT_",
        "Optimizer.step#Adam.step",
        "%",
        "while (a < b)"}) {
    EXPECT_EQ(ShortKernelName(name), name);
  }
}

TEST(KernelNamesTest, DeepAndLongNamesCostLittle) {
  std::string deep = "void f";
  for (int i = 0; i < 5000; ++i) deep += "<g";
  for (int i = 0; i < 5000; ++i) deep += '>';
  EXPECT_EQ(ShortKernelName(deep), "f");
  const std::string open = "void f" + std::string(10000, '<');
  EXPECT_EQ(ShortKernelName(open), open);
  const std::string long_name = "void f<" + std::string(1 << 20, 'x') + ">()";
  EXPECT_EQ(ShortKernelName(long_name), long_name);
}

TEST(KernelNamesTest, EqualShortNamesShowWhereTheyDiffer) {
  EXPECT_THAT(
      ShortKernelNames({"void f<float, 8>(float*)", "void f<half, 8>(half*)",
                        "void f<half, 16>(half*)", "void g<int>(int)"}),
      ElementsAre("f [float 8]", "f [half 8]", "f [half 16]", "g"));
  const std::string x(30, 'x');
  EXPECT_THAT(ShortKernelNames({"_Z3mulI1aEvT_" + x, "_Z3mulI1bEvT_" + x}),
              ElementsAre("mul [1 of 2]", "mul [2 of 2]"));
}

}  // namespace
}  // namespace tfprof::util
