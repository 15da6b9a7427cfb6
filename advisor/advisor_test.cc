// The reference's checkers together, as `advise` runs them.

#include "advisor/advisor_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The data is from the reference's test (spec 17.6), the report from spec
// 18.10.
TEST_F(AdvisorTest, TwoConvolutionsOnAGpu) {
  Ran(Node("n1", "Conv2D"), 10, 2);
  Ran(Node("n2", "Conv2D", 1), 20, 2);
  EXPECT_THAT(
      Check(),
      ElementsAre("device: /job:localhost/replica:0/task:0/device:gpu:0 low "
                  "utilization: 0.33",
                  "Found operation using NHWC data_format on GPU. Maybe NCHW "
                  "is faster.",
                  "top 1 operation type: Conv2D, cpu: 4us, accelerator: 4us, "
                  "total: 8us (100.00%)"));
  EXPECT_THAT(notes_, ElementsAre("Missing op_log (code traces) for "
                                  "ExpensiveOperationChecker"));
  ASSERT_THAT(findings_, SizeIs(3));
  EXPECT_EQ(findings_[0].rule, "low_utilization");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
  EXPECT_NEAR(findings_[0].value, 4.0 / 12, 1e-9);
  EXPECT_EQ(findings_[0].threshold, 0.5);
}

TEST_F(AdvisorTest, NothingToRead) {
  EXPECT_THAT(Check(), IsEmpty());
  EXPECT_THAT(
      notes_,
      ElementsAre("Missing RunMetadata info. Skip ExpensiveOperationChecker",
                  "Missing run_meta for ExpensiveOperationChecker",
                  "Missing op_log (code traces) for "
                  "ExpensiveOperationChecker"));
}

}  // namespace
}  // namespace tfprof::advisor
