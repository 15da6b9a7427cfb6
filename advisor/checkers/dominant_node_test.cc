#include "advisor/checkers/step_time_testing.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kChecker = "DominantNodeChecker";

using DominantNodeTest = StepTimeTest;

TEST_F(DominantNodeTest, OneNodeWithMostOfTheSteps) {
  const NodeId svd = Node("monitor/Svd", "Svd"), relu = Node("r", "Relu");
  Ran(relu, 1000, 1000, 0, kCpu);
  Ran(svd, 2000, 8000, 0, kCpu);
  Ran(relu, 1000, 1000, 1, kCpu);
  EXPECT_THAT(Check(kChecker),
              ElementsAre("monitor/Svd (Svd) takes 80.0% of the wall time of 2 "
                          "steps (8.00ms of 10.00ms, a sum of op times)"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
  EXPECT_NEAR(findings_[0].value, 0.8, 1e-9);
}

TEST_F(DominantNodeTest, EvenWork) {
  for (int i = 0; i < 4; ++i) {
    Ran(Node("n" + std::to_string(i), "MatMul"), 1000 + 2000 * i, 2000, 0,
        kCpu);
  }
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(DominantNodeTest, ShortStepsAreNotJudged) {
  Ran(Node("a", "MatMul"), 1000, 900, 0, kCpu);
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(DominantNodeTest, AGraphAlone) {
  Node("a", "MatMul");
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

}  // namespace
}  // namespace tfprof
