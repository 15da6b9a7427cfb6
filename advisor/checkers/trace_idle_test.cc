#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using TraceIdleTest = CallsCheckTest;

TEST_F(TraceIdleTest, NothingWasLaunched) {
  Kernel("aten::mm", 100, 100, Launch("aten::mm", 90));
  // Idle from 200 to 290, of which 80 before the launch.
  Kernel("aten::add", 290, 110, Launch("aten::add", 280));
  EXPECT_THAT(CheckTrace("IdleChecker:launch_bound,idle_gaps,input_gaps"),
              ElementsAre("gpu:0: in gaps shorter than 100us idle for 26.7% of "
                          "its time (80us of 300us) with nothing launched; "
                          "most of it before aten::add 80us"));
  EXPECT_EQ(findings_[0].rule, "launch_bound");
  EXPECT_EQ(findings_[0].saving_micros, 80);
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
}

TEST_F(TraceIdleTest, LongGapsNameWhatTheHostDid) {
  Kernel("aten::mm", 0, 100, Launch("cudaLaunchKernel", 0));
  HostOp("write_log", 150, 300);
  HostOp("flush", 200, 100);
  Kernel("aten::add", 500, 100, Launch("cudaLaunchKernel", 480));
  EXPECT_THAT(CheckTrace("IdleChecker:launch_bound,idle_gaps,input_gaps"),
              ElementsAre("gpu:0: idle for 66.7% of its time (400us of 600us) "
                          "in 1 gap of 100us and more, while the host ran "
                          "write_log 200us, flush 100us, nothing that was "
                          "recorded 95us; the longest takes 400us, and most "
                          "are before aten::add 400us"));
  EXPECT_EQ(findings_[0].rule, "idle_gaps");
}

TEST_F(TraceIdleTest, TheHostReadsInput) {
  Kernel("aten::mm", 0, 100, Launch("cudaLaunchKernel", 0));
  HostOp("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 150,
         300);
  Kernel("aten::batch_norm", 500, 100, Launch("cudaLaunchKernel", 480));
  EXPECT_THAT(CheckTrace("IdleChecker:launch_bound,idle_gaps,input_gaps"),
              SizeIs(1));
  EXPECT_EQ(findings_[0].rule, "input_gaps");
  EXPECT_THAT(findings_[0].advice, HasSubstr("num_workers"));
}

TEST_F(TraceIdleTest, NormalizationOfBatchesIsNoInput) {
  Kernel("aten::mm", 0, 100, Launch("cudaLaunchKernel", 0));
  HostOp("BatchNorm2d", 150, 300);
  Kernel("aten::add", 500, 100, Launch("cudaLaunchKernel", 480));
  EXPECT_THAT(CheckTrace("IdleChecker:launch_bound,idle_gaps,input_gaps"),
              SizeIs(1));
  EXPECT_EQ(findings_[0].rule, "idle_gaps");
}

TEST_F(TraceIdleTest, WorkThatWaitsIsNotTheHostsFault) {
  Kernel("aten::mm", 100, 100, Launch("aten::mm", 90));
  Kernel("aten::add", 290, 100, Launch("aten::add", 120));
  EXPECT_THAT(CheckTrace("IdleChecker:launch_bound,idle_gaps,input_gaps"),
              IsEmpty());
}

TEST_F(TraceIdleTest, LongGaps) {
  Kernel("aten::mm", 0, 100);
  Kernel("aten::add", 600, 300);
  Kernel("aten::mul", 950, 50);
  EXPECT_THAT(CheckTrace("IdleChecker:launch_bound,idle_gaps,input_gaps"),
              ElementsAre("gpu:0: idle for 50.0% of its time (500us of "
                          "1.00ms) in 1 gap of 100us and more; the longest "
                          "takes 500us, and most are before aten::add 500us"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kCritical);
}

TEST_F(TraceIdleTest, ThresholdsAreOptions) {
  Kernel("aten::mm", 0, 100);
  Kernel("aten::add", 600, 400);
  EXPECT_THAT(CheckTrace("IdleChecker:launch_bound,idle_gaps,input_gaps",
                         {{"gap", 501}}),
              IsEmpty());
}

}  // namespace
}  // namespace tfprof::advisor
