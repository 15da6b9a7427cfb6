#include "advisor/checkers/program/device_check_testing.h"
#include "advisor/checkers/steps/step_time_testing.h"

namespace tfprof::advisor {
namespace {
namespace siblings_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kChecker = "SiblingChecker";
// Most tests need only one step.
const std::map<std::string, double> kOneStep = {{"min_steps", 1}};

class SiblingTest : public CallsCheckTest {
 protected:
  void SetUp() override { model_.kernels_are_runs = true; }

  // A kernel of the operation `name`.
  void Node(std::string_view name, std::string_view op, int64_t micros,
            int64_t step = 0) {
    model_.Add({.name = "kernel",
                .node = model_.Op(name, op),
                .lane = model_.Stream(device_, 7, profile::LaneKind::kKernels),
                .start = now_,
                .duration = micros * kTicks,
                .step = step});
    now_ += micros * kTicks;
  }
  // Layers with a product each, of which one is slow.
  void Layers(int count, int slow, int64_t slow_micros, int64_t step = 0) {
    for (int i = 0; i < count; ++i) {
      const std::string layer = "model/layer_" + std::to_string(i);
      Node(layer + "/up", "MatMul", i == slow ? slow_micros : 100 + i, step);
      Node(layer + "/act", "Gelu", 10, step);
    }
  }

  int64_t now_ = 0;
  int device_ = 0;
};

TEST_F(SiblingTest, OneLayerTakesMuchLonger) {
  Layers(8, 3, 1000);
  EXPECT_THAT(CheckTrace(kChecker, kOneStep),
              ElementsAre("model/layer_3 takes 1.01ms per step on the "
                          "accelerator, 8.9 times the median of its 7 "
                          "siblings (114us); most of it is up (1.00ms)"));
  EXPECT_EQ(findings_[0].rule, "outlier_sibling");
  EXPECT_EQ(findings_[0].subject, "model/layer_3");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
  EXPECT_EQ(findings_[0].saving_micros, 896);
}

// Each device has the whole model: its step loses its own part only.
TEST_F(SiblingTest, TimesAreThoseOfADevice) {
  Layers(8, 3, 1000);
  device_ = 1;
  Layers(8, 3, 1000);
  EXPECT_THAT(CheckTrace(kChecker, kOneStep),
              ElementsAre("model/layer_3 takes 1.01ms per step on each of 2 "
                          "accelerators, 8.9 times the median of its 7 "
                          "siblings (114us); most of it is up (1.00ms)"));
  EXPECT_EQ(findings_[0].saving_micros, 896);
}

TEST_F(SiblingTest, TheFirstRunsSayLittle) {
  Layers(8, 3, 1000);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

TEST_F(SiblingTest, EqualLayersAreFine) {
  Layers(8, 3, 110);
  EXPECT_THAT(CheckTrace(kChecker, kOneStep), IsEmpty());
}

TEST_F(SiblingTest, FewPartsAreNotCompared) {
  Layers(3, 1, 1000);
  EXPECT_THAT(CheckTrace(kChecker, kOneStep), IsEmpty());
}

TEST_F(SiblingTest, PartsThatAllDifferAreFine) {
  for (int i = 0; i < 6; ++i) {
    Node("stage_" + std::to_string(i) + "/conv", "Conv2D", 100 << i);
  }
  EXPECT_THAT(CheckTrace(kChecker, kOneStep), IsEmpty());
}

TEST_F(SiblingTest, OneSlowStepIsNoSlowLayer) {
  for (int step = 0; step < 5; ++step) {
    Layers(8, 3, step == 2 ? 9000 : 103, step);
  }
  EXPECT_THAT(CheckTrace(kChecker, kOneStep), IsEmpty());
}

TEST_F(SiblingTest, ThePartOfALayerCountsToo) {
  for (int i = 0; i < 6; ++i) {
    const std::string layer = "h." + std::to_string(i);
    Node(layer + "/attention/probs", "MatMul", i == 4 ? 500 : 100);
    Node(layer + "/mlp/up", "MatMul", 900);
  }
  EXPECT_THAT(CheckTrace(kChecker, kOneStep),
              ElementsAre(HasSubstr("h.4/attention takes 500us per step")));
}

// Numbers of operations have no meaning in a graph.
TEST_F(SiblingTest, OperationsWithNumbersAreNoSiblings) {
  for (int i = 0; i < 8; ++i) {
    Node("model/MatMul_" + std::to_string(i), "MatMul", i == 3 ? 1000 : 100);
  }
  EXPECT_THAT(CheckTrace(kChecker, kOneStep), IsEmpty());
}

TEST_F(SiblingTest, AStageWithMoreLayersIsFine) {
  for (int stage = 0; stage < 4; ++stage) {
    for (int layer = 0; layer < (stage == 2 ? 18 : 2); ++layer) {
      Node("stage_" + std::to_string(stage) + "/norm" +
               std::string(static_cast<size_t>(layer), 'x'),
           "Norm", 100);
    }
  }
  EXPECT_THAT(CheckTrace(kChecker, kOneStep), IsEmpty());
}

TEST_F(SiblingTest, RangesOfAHost) {
  for (int i = 0; i < 5; ++i) {
    HostOp("expert_" + std::to_string(i), int64_t{1000} * i,
           i == 1 ? 700 : 100);
  }
  EXPECT_THAT(CheckTrace(kChecker, kOneStep),
              ElementsAre(HasSubstr("expert_1 takes 700us per step, 7.0 times "
                                    "the median of its 4 siblings (100us)")));
}

// TensorFlow 1 gives names only: eight parts, of which one takes longer.
class SiblingNameTest : public StepTimeTest {
 protected:
  void Parts(const std::string& op) {
    for (int i = 0; i < 8; ++i) {
      const std::string name = "layer" + std::to_string(i) + "/" + op;
      const profile::NodeId node =
          builder_.AddNode(name, name, profile::kNoRecord);
      for (int64_t step = 0; step < 3; ++step) {
        Ran(node, 1000 * (i + 1), i == 3 ? 900 : 100 + i, step, kCpu);
      }
    }
  }
};

// It takes as long as another task makes it wait.
TEST_F(SiblingNameTest, AReceiveIsNoSlowPart) {
  Parts("_Recv");
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(SiblingNameTest, AnotherOperationIs) {
  Parts("Softmax");
  EXPECT_THAT(Check(kChecker), ElementsAre(HasSubstr("layer3")));
}

}  // namespace siblings_test
}  // namespace
}  // namespace tfprof::advisor
