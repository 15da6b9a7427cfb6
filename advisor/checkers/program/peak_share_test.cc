#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PeakShareTest : public CallsCheckTest {
 protected:
  void Product(std::string_view type, int64_t micros,
               std::string_view kernel = "gemm") {
    model_.Gpu(0, "NVIDIA H100 80GB HBM3");
    const profile::NodeId node = model_.Op("aten::mm");
    const std::string types =
        "[\"" + std::string(type) + "\", \"" + std::string(type) + "\"]";
    model_.Add({.name = "aten::mm",
                .node = node,
                .lane = model_.Ops(),
                .start = 0,
                .duration = 1000,
                .arguments = {{"Input Dims", "[[4096,4096],[4096,4096]]"},
                              {"Input type", types}}});
    model_.Add({.name = std::string(kernel),
                .node = node,
                .lane = model_.Stream(0, 7, profile::LaneKind::kKernels),
                .start = 2000,
                .duration = micros * kTicks});
  }
};

// 137.4 Gflop: 139 us at the peak.
TEST_F(PeakShareTest, AnOperationFarFromThePeak) {
  Product("c10::BFloat16", 1389);
  EXPECT_THAT(CheckTrace("PeakShareChecker"),
              ElementsAre("aten::mm: takes 100.0% of the accelerator's time "
                          "(1.39ms) and reaches 10.0% of the peak of "
                          "computing"));
  EXPECT_EQ(findings_[0].subject, "aten::mm");
  EXPECT_EQ(findings_[0].saving_micros, 1250);
}

// Kernels of a replayed graph: nothing on the host has their shapes.
TEST_F(PeakShareTest, RunsWithoutShapesHaveNoRate) {
  const auto replay = [this](int64_t micros) {
    model_.Add({.name = "gemm",
                .node = model_.Op("graph/aten::mm", "aten::mm"),
                .lane = model_.Stream(0, 7, profile::LaneKind::kKernels),
                .start = 1'400'000,
                .duration = micros * kTicks});
  };
  Product("c10::BFloat16", 200);  // near the peak
  replay(150);
  EXPECT_THAT(CheckTrace("PeakShareChecker"), IsEmpty());
  model_ = timeline::TraceModel();
  Product("c10::BFloat16", 1389);
  replay(611);
  EXPECT_THAT(CheckTrace("PeakShareChecker"),
              ElementsAre("aten::mm: takes 100.0% of the accelerator's time "
                          "(2.00ms) and reaches 10.0% of the peak of "
                          "computing; 611us of it has no shapes and is not "
                          "judged"));
  EXPECT_EQ(findings_[0].saving_micros, 1250);
  model_ = timeline::TraceModel();
  Product("c10::BFloat16", 1389);
  replay(2000);
  EXPECT_THAT(CheckTrace("PeakShareChecker"), IsEmpty());
}

TEST_F(PeakShareTest, AnOperationNearThePeakIsFine) {
  Product("c10::BFloat16", 200);
  EXPECT_THAT(CheckTrace("PeakShareChecker"), IsEmpty());
}

// 62 Tflop/s: near the peak of 32-bit operations, which is 67.
TEST_F(PeakShareTest, ProductsOf32Bits) {
  Product("float", 2200);
  EXPECT_THAT(CheckTrace("PeakShareChecker"),
              ElementsAre(HasSubstr("products with 32-bit operands take 100.0% "
                                    "of the accelerator's time (2.20ms of "
                                    "2.20ms), at 15 times less")));
}

TEST_F(PeakShareTest, Tf32IsFine) {
  Product("float", 2200, "sm90_xmma_gemm_f32f32_TF32f32");
  EXPECT_THAT(CheckTrace("PeakShareChecker"), IsEmpty());
}

TEST_F(PeakShareTest, WhatIsFasterThan32BitsAllowUsesTf32) {
  Product("float", 400);
  EXPECT_THAT(CheckTrace("PeakShareChecker"), IsEmpty());
}

// Without shapes, the names of kernels show the type.
TEST_F(PeakShareTest, KernelsOf32Bits) {
  model_.Gpu(0, "NVIDIA H100 80GB HBM3");
  Run("aten::mm", "ampere_sgemm_128x128_tn", profile::LaneKind::kKernels, 0,
      3000);
  Run("aten::mm", "sm90_xmma_gemm_bf16bf16_bf16f32_f32",
      profile::LaneKind::kKernels, 3000, 7000);
  EXPECT_THAT(
      CheckTrace("PeakShareChecker"),
      ElementsAre("products with 32-bit operands take 30.0% of the "
                  "accelerator's busy time (3.00ms of 10.00ms), without "
                  "its tensor cores: aten::mm 3.00ms; the kernel with "
                  "most of it is ampere_sgemm_128x128_tn"));
  EXPECT_EQ(findings_[0].rule, "fp32_products");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
  EXPECT_EQ(findings_[0].saving_micros, 2625);
}

TEST_F(PeakShareTest, ADeviceThatMayHaveNoTensorCores) {
  Run("dot", "cutlass_simt_sgemm_256x128", profile::LaneKind::kKernels, 0,
      3000);
  EXPECT_THAT(CheckTrace("PeakShareChecker"),
              ElementsAre(HasSubstr("without tensor cores")));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
}

// The device works for 3 of 10 ms: 0.3 of the saving is left.
TEST_F(PeakShareTest, AnIdleDeviceDoesNotBoundTheRun) {
  model_.Gpu(0, "NVIDIA H100 80GB HBM3");
  Run("aten::mm", "ampere_sgemm_128x128_tn", profile::LaneKind::kKernels, 0,
      3000);
  StepInterval(0, 0, 10'000);
  EXPECT_THAT(CheckTrace("PeakShareChecker"),
              ElementsAre(HasSubstr("the accelerator is idle for 70.0% of the "
                                    "time, so this saves little")));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
  EXPECT_EQ(findings_[0].saving_micros, 787);
}

// It has nothing to do for 7 of 10 ms, but the host waits for the other 3.
TEST_F(PeakShareTest, AnIdleDeviceMayBoundTheRunMeanwhile) {
  model_.Gpu(0, "NVIDIA H100 80GB HBM3");
  for (int64_t i = 0; i < 3; ++i) {
    model_.Add({.name = "ampere_sgemm_128x128_tn",
                .node = model_.Op("aten::mm"),
                .lane = model_.Stream(0, 7, profile::LaneKind::kKernels),
                .start = (100 + 1000 * i) * kTicks,
                .duration = 1000 * kTicks,
                .launch = Launch("aten::mm", 10 * i)});
  }
  HostOp("cudaDeviceSynchronize", 50, 3060);
  StepInterval(0, 0, 10'000);
  CheckTrace("PeakShareChecker");
  ASSERT_EQ(findings_.size(), 1u);
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kCritical);
  EXPECT_EQ(findings_[0].saving_micros, 2625);
}

TEST_F(PeakShareTest, Tf32IsForDevicesThatHaveIt) {
  const auto advice = [this](std::string_view model, std::string_view op) {
    model_.Gpu(0, model);
    Run(op, "sgemm_128x128", profile::LaneKind::kKernels, 0, 3000);
    CheckTrace("PeakShareChecker");
    model_ = timeline::TraceModel();
    return findings_.back().advice;
  };
  EXPECT_EQ(advice("Tesla V100-SXM2-16GB", "aten::mm"),
            "Use float16 (torch.autocast).");
  EXPECT_EQ(advice("AMD Instinct MI300X", "aten::mm"),
            "Use bfloat16 (torch.autocast).");
  EXPECT_EQ(advice("NVIDIA A100-SXM4-80GB", "aten::mm"),
            "Use bfloat16 (torch.autocast), or at least TF32 "
            "(torch.set_float32_matmul_precision('high'), "
            "torch.backends.cudnn.allow_tf32).");
  EXPECT_THAT(advice("Tesla V100-SXM2-16GB", "MatMul"),
              HasSubstr("tf.keras.mixed_precision"));
}

TEST_F(PeakShareTest, KernelsOnTensorCoresAreFine) {
  model_.Gpu(0, "NVIDIA H100 80GB HBM3");
  for (const char* kernel :
       {"cutlass_80_tensorop_s1688gemm_128x128",
        "sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n", "ampere_fp16_s16816gemm"}) {
    Run("aten::mm", kernel, profile::LaneKind::kKernels, 0, 3000);
  }
  EXPECT_THAT(CheckTrace("PeakShareChecker"), IsEmpty());
}

TEST_F(PeakShareTest, AFewKernelsOf32BitsAreFine) {
  Run("aten::mm", "ampere_sgemm_128x128_tn", profile::LaneKind::kKernels, 0,
      1100);
  EXPECT_THAT(CheckTrace("PeakShareChecker"), IsEmpty());
}

TEST_F(PeakShareTest, WhatIsMissing) {
  Kernel("aten::mm", 0, 100);
  EXPECT_THAT(CheckTrace("PeakShareChecker"), IsEmpty());
  EXPECT_THAT(notes_, ElementsAre("Missing peaks of the accelerators. Skip "
                                  "PeakShareChecker"));
}

TEST_F(PeakShareTest, WithoutShapes) {
  model_.Gpu(0, "NVIDIA H100 80GB HBM3");
  Kernel("aten::mm", 0, 100);
  EXPECT_THAT(CheckTrace("PeakShareChecker"), IsEmpty());
  EXPECT_THAT(notes_, ElementsAre("Missing shapes of operations. Skip "
                                  "PeakShareChecker"));
}

}  // namespace
}  // namespace tfprof::advisor
