#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class GraphLaunchTest : public CallsCheckTest {
 protected:
  // A step with a kernel of an operator and a replay; times in microseconds.
  void Replay(int64_t kernels, int64_t unnamed) {
    Kernel("aten::mm", 0, 100);
    Kernel("cudaGraphLaunch", 100, kernels);
    model_.builder().AddGraphReplay({.step = 0,
                                     .process = model_.process(),
                                     .launches = 1,
                                     .kernels = 2,
                                     .time = kernels * kTicks,
                                     .unnamed_launches = unnamed > 0 ? 1 : 0,
                                     .unnamed_kernels = unnamed > 0 ? 2 : 0,
                                     .unnamed_time = unnamed * kTicks});
  }
};

TEST_F(GraphLaunchTest, TimeThatNothingNames) {
  Replay(300, 300);
  EXPECT_THAT(
      CheckTrace("GraphLaunchChecker"),
      ElementsAre("75.0% of the accelerators' time (300us of 400us) is 2 "
                  "kernels of 1 graph launch, and nothing in the profile says "
                  "which operations they are"));
  EXPECT_EQ(findings_[0].rule, "graph_launches");
  EXPECT_EQ(findings_[0].value, 0.75);
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
  EXPECT_THAT(findings_[0].advice, HasSubstr("--enable-profile-cuda-graph"));
}

TEST_F(GraphLaunchTest, LittleTimeIsMentionedToo) {
  Replay(300, 4);
  ASSERT_EQ(CheckTrace("GraphLaunchChecker").size(), 1u);
  EXPECT_EQ(findings_[0].value, 0.01);
}

TEST_F(GraphLaunchTest, NamedReplaysAreFine) {
  Replay(300, 0);
  EXPECT_THAT(CheckTrace("GraphLaunchChecker"), IsEmpty());
}

TEST_F(GraphLaunchTest, WithoutReplays) {
  Kernel("aten::mm", 0, 100);
  EXPECT_THAT(CheckTrace("GraphLaunchChecker"), IsEmpty());
}

}  // namespace
}  // namespace tfprof::advisor
