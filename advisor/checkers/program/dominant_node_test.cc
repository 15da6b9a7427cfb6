#include "advisor/checkers/steps/step_time_testing.h"

namespace tfprof::advisor {
namespace {
namespace dominant_node_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kChecker = "DominantNodeChecker";

using DominantNodeTest = StepTimeTest;

TEST_F(DominantNodeTest, OneNodeWithMostOfTheSteps) {
  const profile::NodeId svd = Node("monitor/Svd", "Svd"),
                        relu = Node("r", "Relu");
  Ran(relu, 1000, 1000, 0, kCpu);
  Ran(svd, 2000, 8000, 0, kCpu);
  Ran(relu, 1000, 1000, 1, kCpu);
  EXPECT_THAT(Check(kChecker),
              ElementsAre("monitor/Svd (Svd) takes 80.0% of the wall time of 2 "
                          "steps (8.00ms of 10.00ms, a sum of op times)"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
  EXPECT_NEAR(findings_[0].value, 0.8, 1e-9);
}

// The time in which the host waits is not counted as work.
TEST_F(DominantNodeTest, OnlyTheTimeOfAcceleratorsCounts) {
  const profile::NodeId mm = Node("model/mm", "MatMul"),
                        add = Node("model/add", "Add");
  const profile::NodeId wait = Node("wait", "Wait");
  Ran(wait, 1000, 9900, 0, kCpu);
  RanOn(mm, kKernels, 1000, 8000);
  RanOn(add, kKernels, 9000, 2000);
  EXPECT_THAT(Check(kChecker),
              ElementsAre("model/mm (MatMul) takes 80.0% of the wall time of "
                          "the step (8.00ms of 10.00ms, on the accelerator)"));
}

// Products take most of the time of many programs; other operations do not.
TEST_F(DominantNodeTest, AKernelThatRarelyTakesMuch) {
  const profile::NodeId mm = Node("mm", "MatMul"),
                        gradient = Node("embedding", "EmbeddingGrad");
  RanOn(mm, kKernels, 1000, 4500);
  RanOn(gradient, kKernels, 5500, 4000);
  RanOn(Node("add", "Add"), kKernels, 9500, 1500);
  EXPECT_THAT(Check(kChecker),
              ElementsAre("embedding (EmbeddingGrad) takes 40.0% of the wall "
                          "time of the step (4.00ms of 10.00ms, on the "
                          "accelerator)"));
}

TEST_F(DominantNodeTest, AScopeOfManyOperations) {
  for (int i = 0; i < 10; ++i) {
    const std::string number = std::to_string(i);
    Ran(Node(i < 7 ? "model/beam/op" + number : "model/loss/op" + number,
             "MatMul"),
        1000 + 1000 * i, 1000, 0, kCpu);
  }
  EXPECT_THAT(Check(kChecker),
              ElementsAre("the scope model/beam takes 70.0% of the wall time "
                          "of the step (7.00ms of 10.00ms, a sum of op "
                          "times)"));
  EXPECT_EQ(findings_[0].rule, "dominant_scope");
}

// A backward pass takes more than a forward pass, so neither stands out.
TEST_F(DominantNodeTest, AScopeMustStandOut) {
  for (int i = 0; i < 10; ++i) {
    const std::string number = std::to_string(i);
    Ran(Node(i < 6 ? "model/backward/op" + number : "model/forward/op" + number,
             "MatMul"),
        1000 + 1000 * i, 1000, 0, kCpu);
  }
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

// Of a host that computes itself, one operation that rarely takes much.
TEST_F(DominantNodeTest, ASlowOperationOfAHost) {
  Ran(Node("tok/PyFunc", "PyFunc"), 1000, 3600, 0, kCpu);
  Ran(Node("mm", "MatMul"), 4600, 3200, 0, kCpu);
  Ran(Node("mm2", "MatMul"), 7800, 3200, 0, kCpu);
  EXPECT_THAT(Check(kChecker),
              ElementsAre("tok/PyFunc (PyFunc) takes 36.0% of the wall time of "
                          "the step (3.60ms of 10.00ms, a sum of op times)"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
  EXPECT_EQ(findings_[0].saving_micros, 3600);
}

TEST_F(DominantNodeTest, AWaitForAnotherTaskIsNoWork) {
  Ran(Node("w/read", "_Recv"), 1000, 6000, 0, kCpu);
  Ran(Node("mm", "MatMul"), 7000, 2000, 0, kCpu);
  Ran(Node("mm2", "MatMul"), 9000, 2000, 0, kCpu);
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

// Each of three branches has most of its time in its backward pass.
TEST_F(DominantNodeTest, OneOfEqualScopesIsNotTheWhole) {
  for (int i = 0; i < 3; ++i) {
    const std::string branch = "w" + std::to_string(i);
    Ran(Node(branch + "/forward", "Foo"), 1000, 1000, 0, kCpu);
    for (int k = 0; k < 3; ++k) {
      Ran(Node(branch + "/gradients/op" + std::to_string(k), "Foo"),
          2000 + 3000 * k, 2900, 0, kCpu);
    }
  }
  EXPECT_THAT(Check(kChecker), IsEmpty());
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

}  // namespace dominant_node_test
}  // namespace
}  // namespace tfprof::advisor
