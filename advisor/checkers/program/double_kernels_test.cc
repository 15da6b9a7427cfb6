#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {
namespace double_kernels_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kChecker = "DoubleKernelChecker";

class DoubleKernelsTest : public CallsCheckTest {
 protected:
  // 100 us of a kernel with this name beside 200 us of another.
  std::vector<std::string> With(std::string_view name) {
    Run("aten::mm", name, profile::LaneKind::kKernels, 0, 100);
    Kernel("aten::relu", 100, 200);
    return CheckTrace(kChecker);
  }
};

TEST_F(DoubleKernelsTest, AProduct) {
  EXPECT_THAT(With("ampere_dgemm_64x64_nn"),
              ElementsAre("gpu:0: computes with 64-bit floating-point numbers "
                          "for 33.3% of its busy time (100us of 300us), 1 time "
                          "per step: aten::mm 100us"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
  EXPECT_EQ(findings_[0].saving_micros, 50);
  EXPECT_THAT(findings_[0].advice, HasSubstr("float32"));
}

TEST_F(DoubleKernelsTest, ProductsOfAmd) {
  EXPECT_THAT(With("Cijk_Ailk_Bljk_DB_MT64x64x8"), SizeIs(1));
}

TEST_F(DoubleKernelsTest, ElementwiseKernels) {
  EXPECT_THAT(With("void at::native::vectorized_elementwise_kernel<4, "
                   "at::native::CUDAFunctor_add<double>, std::array<char*, 3>>"
                   "(int)"),
              SizeIs(1));
}

TEST_F(DoubleKernelsTest, NumbersForAllElements) {
  EXPECT_THAT(With("void at::native::multi_tensor_apply_kernel<"
                   "FusedOptimizerTensorListMetadata<4>, "
                   "FusedAdamMathFunctor<float, 4, (ADAM_MODE)1, false>, "
                   "float const*, double, double>"),
              IsEmpty());
}

TEST_F(DoubleKernelsTest, OtherNamesWithDouble) {
  EXPECT_THAT(With("gemm_double_buffer_f32"), IsEmpty());
}

TEST_F(DoubleKernelsTest, ALittleIsFine) {
  Run("aten::mm", "ampere_dgemm_64x64_nn", profile::LaneKind::kKernels, 0, 10);
  Kernel("aten::relu", 10, 200);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

}  // namespace double_kernels_test
}  // namespace
}  // namespace tfprof::advisor
