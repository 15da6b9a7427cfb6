#include "advisor/advisor_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using OperationsTest = AdvisorTest;

TEST_F(OperationsTest, DataFormatMattersOnAcceleratorsOnly) {
  Ran(Node("a", "Conv2D", 0), 10, 5, 0, "/device:CPU:0");
  Ran(Node("b", "Conv2D", 1), 10, 5);
  Node("c", "Conv2D", 0);  // never ran
  EXPECT_THAT(Check("OperationChecker"), IsEmpty());
}

TEST_F(OperationsTest, BatchNormByNameWithoutTheFusedOp) {
  Node("layer/BatchNorm/mul", "Mul");
  EXPECT_THAT(
      Check("OperationChecker"),
      ElementsAre("Maybe use faster FusedBatchNorm instead of BatchNorm"));
}

TEST_F(OperationsTest, BatchNormWithTheFusedOp) {
  Node("layer/BatchNorm/mul", "Mul");
  Node("x", "FusedBatchNorm");
  EXPECT_THAT(Check("OperationChecker"), IsEmpty());
}

// The reference does not know later versions of the fused op: only its own
// report has the finding.
TEST_F(OperationsTest, BatchNormWithALaterFusedOp) {
  Node("layer/BatchNorm/mul", "Mul");
  Node("x", "FusedBatchNormV3");
  EXPECT_THAT(
      Check("OperationChecker"),
      ElementsAre("Maybe use faster FusedBatchNorm instead of BatchNorm"));
  ASSERT_EQ(findings_.size(), 1u);
  EXPECT_FALSE(findings_[0].IsReported());
}

TEST_F(OperationsTest, ChannelsLastOnAGpu) {
  Ran(Node("a", "Conv2D", 0), 10, 5);
  EXPECT_THAT(Check("OperationChecker"),
              ElementsAre("Found operation using NHWC data_format on GPU. "
                          "Maybe NCHW is faster."));
  EXPECT_EQ(findings_[0].rule, "nhwc_on_gpu");
}

TEST_F(OperationsTest, AnEmptyProfileHasNoOperations) {
  EXPECT_THAT(Check("OperationChecker"), IsEmpty());
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(OperationsTest, SeveralFindingsAreInTheReferencesOrder) {
  Node("layer/BatchNorm/mul", "Mul");
  Ran(Node("a", "Conv2D", 0), 10, 5);
  Check("OperationChecker");
  ASSERT_EQ(findings_.size(), 2u);
  EXPECT_EQ(findings_[0].rule, "unfused_batch_norm");
  EXPECT_EQ(findings_[1].rule, "nhwc_on_gpu");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
}

}  // namespace
}  // namespace tfprof::advisor
