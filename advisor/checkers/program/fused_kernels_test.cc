#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {
namespace fused_kernels_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kChecker = "FusedKernelChecker";

class FusedKernelsTest : public CallsCheckTest {
 protected:
  // A kernel of a node with this name.
  void KernelOf(std::string_view node, std::string_view op, int64_t start,
                int64_t micros) {
    model_.Add({.name = "kernel",
                .node = model_.Op(node, op),
                .lane = model_.Stream(0, 7, profile::LaneKind::kKernels),
                .start = start * kTicks,
                .duration = micros * kTicks});
  }
};

TEST_F(FusedKernelsTest, AttentionOfSeveralKernels) {
  Kernel("aten::mm", 0, 600);
  Kernel("aten::bmm", 600, 200);
  Kernel("aten::_softmax", 800, 100);
  Kernel("aten::bmm", 900, 100);
  EXPECT_THAT(CheckTrace(kChecker),
              ElementsAre("gpu:0: computes attention with products and a "
                          "softmax for 40.0% of its busy time (400us of "
                          "1.00ms), 3 times per step: aten::bmm 300us, "
                          "aten::_softmax 100us"));
  EXPECT_EQ(findings_[0].rule, "unfused_attention");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
  EXPECT_EQ(findings_[0].saving_micros, 200);
}

TEST_F(FusedKernelsTest, ProductsWithoutASoftmaxAreNoAttention) {
  Kernel("aten::mm", 0, 100);
  Kernel("aten::bmm", 100, 900);
  Kernel("aten::_softmax", 1000, 10);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

TEST_F(FusedKernelsTest, ALittleAttentionIsFine) {
  Kernel("aten::mm", 0, 900);
  Kernel("aten::bmm", 900, 100);
  Kernel("aten::_softmax", 1000, 50);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

TEST_F(FusedKernelsTest, AnOptimizerOfManyKernels) {
  Kernel("aten::mm", 0, 500);
  KernelOf("Optimizer.step#AdamW.step/aten::_foreach_add_",
           "aten::_foreach_add_", 500, 300);
  KernelOf("Optimizer.step#AdamW.step/aten::_foreach_mul_",
           "aten::_foreach_mul_", 800, 200);
  EXPECT_THAT(CheckTrace(kChecker),
              ElementsAre("gpu:0: runs the optimizer for 50.0% of its busy "
                          "time (500us of 1.00ms), 2 times per step: "
                          "aten::_foreach_add_ 300us, aten::_foreach_mul_ "
                          "200us"));
  EXPECT_EQ(findings_[0].rule, "optimizer_time");
  EXPECT_THAT(findings_[0].advice, HasSubstr("fused=True"));
}

TEST_F(FusedKernelsTest, AFusedOptimizerIsFine) {
  Kernel("aten::mm", 0, 500);
  KernelOf("Optimizer.step#AdamW.step/aten::_fused_adamw_",
           "aten::_fused_adamw_", 500, 500);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

// A kernel for each of `count` tensors, 3 us long, with gaps of 2 us.
class KernelLoopTest : public FusedKernelsTest {
 protected:
  std::vector<std::string> Loop(int64_t count) {
    Kernel("aten::mm", 0, 2000);
    for (int64_t i = 0; i < count; ++i) {
      KernelOf("Optimizer.step#SGD.step/aten::add_", "aten::add_", 2002 + 5 * i,
               3);
    }
    return CheckTrace(kChecker);
  }
};

TEST_F(KernelLoopTest, ManyTensors) {
  EXPECT_THAT(Loop(120),
              ElementsAre("gpu:0: the optimizer runs 120 kernels per step that "
                          "are shorter than 10us; they and the gaps after them "
                          "take 23.0% of its time (598us of 2.60ms); most are "
                          "of aten::add_ 120"));
  EXPECT_EQ(findings_[0].rule, "kernel_loop");
  EXPECT_EQ(findings_[0].saving_micros, 299);
}

TEST_F(KernelLoopTest, AFewTensors) { EXPECT_THAT(Loop(90), IsEmpty()); }

}  // namespace fused_kernels_test
}  // namespace
}  // namespace tfprof::advisor
