#include "advisor/checkers/trace_checkers_testing.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using TraceIdleTest = TraceCheckTest;

TEST_F(TraceIdleTest, NothingWasLaunched) {
  Kernel("aten::mm", 100, 100, Launch("aten::mm", 90));
  // Idle from 200 to 300, of which 90 before the launch.
  Kernel("aten::add", 300, 100, Launch("aten::add", 290));
  EXPECT_THAT(CheckTrace("TraceIdleChecker"),
              ElementsAre(HasSubstr("gpu:0: idle for 30.0% of its time (90us "
                                    "of 300us) with nothing launched; most of "
                                    "it before aten::add 90us"),
                          HasSubstr("1 gaps of 100us and more take 33.3%")));
  EXPECT_EQ(findings_[0].rule, "launch_bound");
  EXPECT_EQ(findings_[0].saving_micros, 90);
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
}

TEST_F(TraceIdleTest, WorkThatWaitsIsNotTheHostsFault) {
  Kernel("aten::mm", 100, 100, Launch("aten::mm", 90));
  Kernel("aten::add", 290, 100, Launch("aten::add", 120));
  EXPECT_THAT(CheckTrace("TraceIdleChecker"), IsEmpty());
}

TEST_F(TraceIdleTest, LongGaps) {
  Kernel("aten::mm", 0, 100);
  Kernel("aten::add", 600, 300);
  Kernel("aten::mul", 950, 50);
  EXPECT_THAT(CheckTrace("TraceIdleChecker"),
              ElementsAre("gpu:0: 1 gaps of 100us and more take 50.0% of its "
                          "time (500us of 1.00ms), the longest 500us; most of "
                          "it before aten::add 500us"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kCritical);
}

TEST_F(TraceIdleTest, ThresholdsAreOptions) {
  Kernel("aten::mm", 0, 100);
  Kernel("aten::add", 600, 400);
  EXPECT_THAT(CheckTrace("TraceIdleChecker", {{"gap", 501}}), IsEmpty());
}

}  // namespace
}  // namespace tfprof
