#include "advisor/advisor_testing.h"
#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {
namespace layout_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kChecker[] = "LayoutChecker:nhwc_time";
constexpr char kCopies[] = "LayoutChecker:layout_copies";
constexpr char kCpu[] = "/job:localhost/replica:0/task:0/device:CPU:0";

class LayoutTest : public AdvisorTest {};

// The data type that a test returns together with data_format.
constexpr std::string_view kHalf("\x30\x13", 2);
constexpr std::string_view kFloat("\x30\x01", 2);

// data_format is NHWC; T is half for odd offsets.
class NhwcTypes : public tensorflow::DataFormats {
 public:
  std::vector<std::pair<std::string_view, std::string_view>> Attributes(
      uint64_t offset) const override {
    return {{"data_format", "\x12\x04NHWC"},
            {"T", offset % 2 == 1 ? kHalf : kFloat}};
  }
};

// 100 of 1000 us; the fixture's offset 0 is NHWC, 1 is NCHW.
TEST_F(LayoutTest, Nhwc) {
  Ran(Node("bn", "FusedBatchNormV3", 0), 1000, 100);
  Ran(Node("conv", "Conv2D", 1), 1100, 700);
  Ran(Node("add", "AddV2", 0), 1800, 200);
  EXPECT_THAT(Check(kChecker),
              ElementsAre("NHWC operations take 100us per step, 10.0% of the "
                          "accelerator time, most in FusedBatchNormV3"));
  EXPECT_EQ(findings_[0].rule, "nhwc_time");
  EXPECT_NEAR(findings_[0].value, 0.1, 1e-9);
  EXPECT_EQ(findings_[0].saving_micros, 0);
}

TEST_F(LayoutTest, LittleTimeInNhwc) {
  Ran(Node("bn", "FusedBatchNormV3", 0), 1000, 99);
  Ran(Node("conv", "Conv2D", 1), 1100, 901);
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(LayoutTest, NhwcOnACpu) {
  Ran(Node("conv", "Conv2D", 0), 1000, 100, 0, kCpu);
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(LayoutTest, TensorCoresWantNhwc) {
  const uint32_t types = builder_.AddInput(std::make_shared<NhwcTypes>());
  Ran(builder_.AddNode("half", "Conv2D", profile::MakeRecordRef(types, 1)),
      1000, 900);
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(LayoutTest, FloatsOfTheSameFormat) {
  const uint32_t types = builder_.AddInput(std::make_shared<NhwcTypes>());
  Ran(builder_.AddNode("wide", "Conv2D", profile::MakeRecordRef(types, 2)),
      1000, 900);
  EXPECT_THAT(Check(kChecker), SizeIs(1));
}

TEST_F(LayoutTest, TheOptimizerChangedTheLayout) {
  Ran(Node("conv", "Conv2D", 0), 1000, 100);
  Ran(Node("conv-0-TransposeNHWCToNCHW-LayoutOptimizer", "Transpose"), 1100,
      100);
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

// The op view has 4.13 of 26.60 ms in these convolutions.
TEST_F(LayoutTest, RealConvolutionsOnAGpu) {
  EXPECT_THAT(CheckFiles({"synth_gpu/graph.pb.gz", "synth_gpu/run_meta_0.gz"},
                         kChecker),
              ElementsAre("NHWC operations take 4.13ms per step, 15.5% of the "
                          "accelerator time, most in Conv2DBackpropFilter"));
}

TEST_F(LayoutTest, RealProfilesWithoutGpu) {
  for (const char* name :
       {"conv_resnet/profile.pb", "ps_worker/profile.pb.gz",
        "transformer/profile.pb.gz", "code_deep/profile.pb.gz"}) {
    EXPECT_THAT(CheckFiles({name}, kChecker), IsEmpty()) << name;
  }
}

class LayoutCopiesTest : public CallsCheckTest {};

TEST_F(LayoutCopiesTest, TransposesBetweenConvolutions) {
  Kernel("aten::cudnn_convolution", 0, 600);
  Run("aten::contiguous", "cudnn::ops::nchwToNhwcKernel",
      profile::LaneKind::kKernels, 600, 300);
  Run("aten::copy_", "batched_transpose_32x32", profile::LaneKind::kKernels,
      900, 100);
  EXPECT_THAT(CheckTrace(kCopies),
              ElementsAre("gpu:0: changes the layout of tensors for 40.0% of "
                          "its busy time (400us of 1.00ms), 2 times per step: "
                          "aten::contiguous 300us, aten::copy_ 100us"));
  EXPECT_EQ(findings_[0].rule, "layout_copies");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
  EXPECT_EQ(findings_[0].saving_micros, 400);
}

TEST_F(LayoutCopiesTest, OtherKernelsAreFine) {
  Kernel("aten::cudnn_convolution_transpose", 0, 600);
  Kernel("loop_transpose_fusion", 600, 300);
  Kernel("triton_poi_fused_add_transpose_view_0", 600, 300);
  Kernel("aten::copy_", 900, 300);
  EXPECT_THAT(CheckTrace(kCopies), IsEmpty());
}

TEST_F(LayoutCopiesTest, OnAHostAlone) {
  HostOp("aten::convolution", 0, 800);
  HostOp("aten::copy_", 800, 200);
  EXPECT_THAT(CheckTrace(kCopies),
              ElementsAre("cpu:0: copies tensors to another layout or type for "
                          "20.0% of its wall time (200us of 1.00ms): "
                          "aten::copy_"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
}

TEST_F(LayoutCopiesTest, AFewAreFine) {
  Kernel("aten::mm", 0, 950);
  Kernel("transpose", 950, 50);
  EXPECT_THAT(CheckTrace(kCopies), IsEmpty());
}

constexpr char kAllCopies[] = "LayoutChecker:device_copies";

TEST_F(LayoutCopiesTest, CastsAndJoins) {
  Kernel("aten::mm", 0, 700);
  Run("aten::copy_", "vectorized_elementwise_kernel",
      profile::LaneKind::kKernels, 700, 200);
  Kernel("aten::cat", 900, 100);
  EXPECT_THAT(CheckTrace(kAllCopies),
              ElementsAre("gpu:0: copies tensors within its memory for 30.0% "
                          "of its busy time (300us of 1.00ms), 2 times per "
                          "step: aten::copy_ 200us, aten::cat 100us"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
  EXPECT_EQ(findings_[0].saving_micros, 300);
}

TEST_F(LayoutCopiesTest, FillingATensorIsNoCopy) {
  Kernel("aten::mm", 0, 500);
  Kernel("aten::fill_", 500, 500);
  EXPECT_THAT(CheckTrace(kAllCopies), IsEmpty());
}

TEST_F(LayoutCopiesTest, SomeCopiesAreFine) {
  Kernel("aten::mm", 0, 820);
  Kernel("aten::cat", 820, 180);
  EXPECT_THAT(CheckTrace(kAllCopies), IsEmpty());
}

}  // namespace layout_test
}  // namespace
}  // namespace tfprof::advisor
