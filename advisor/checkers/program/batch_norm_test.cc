#include "advisor/advisor_testing.h"

namespace tfprof::advisor {
namespace {
namespace batch_norm_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kChecker[] = "BatchNormChecker";
constexpr char kCpu[] = "/job:localhost/replica:0/task:0/device:CPU:0";

class BatchNormTest : public AdvisorTest {
 protected:
  void Op(const std::string& name, const std::string& op, int64_t micros,
          const std::vector<std::string>& inputs = {},
          const std::vector<int64_t>& shape = {}) {
    const profile::NodeId n = builder_.AddNode(name, op, profile::kNoRecord);
    int32_t position = 0;
    for (const std::string& input : inputs) {
      builder_.AddEdge(builder_.mutable_graph().strings.Intern(input),
                       position++, 0, 0);
    }
    if (!shape.empty()) {
      builder_.AddOutputShape(0, builder_.mutable_graph().shapes.Intern(shape));
    }
    if (micros == 0) return;
    Ran(n, start_, micros, 0, kCpu);
    start_ += micros;
  }
  // The nodes of tf.nn.batch_normalization, 400 us with the gradient.
  void BatchNorm(const std::string& layer, const std::string& input,
                 const std::vector<int64_t>& shape) {
    Op(layer + "moments/mean", "Mean", 100, {input});
    Op(layer + "batchnorm/Rsqrt", "Rsqrt", 10);
    Op(layer + "batchnorm/mul", "Mul", 20, {layer + "batchnorm/Rsqrt"});
    Op(layer + "batchnorm/mul_1", "Mul", 70, {input, layer + "batchnorm/mul"});
    Op(layer + "batchnorm/add_1", "AddV2", 100, {layer + "batchnorm/mul_1"},
       shape);
    Op("tower/gradients/" + layer + "batchnorm/mul_1_grad/Mul", "Mul", 100);
  }

  int64_t start_ = 1000;
};

// 400 of 1000 us.
TEST_F(BatchNormTest, UnfusedBatchNorm) {
  Op("conv", "Conv2D", 500);
  Op("other", "FusedBatchNormV3", 100);
  BatchNorm("bn/", "conv", {8, 4, 4, 2});
  EXPECT_THAT(Check(kChecker),
              ElementsAre("1 batch norm is not fused, 400us per step (40.0% of "
                          "the op time): bn/batchnorm"));
  EXPECT_EQ(findings_[0].rule, "unfused_batch_norm_time");
  EXPECT_NEAR(findings_[0].value, 0.4, 1e-9);
  EXPECT_EQ(findings_[0].saving_micros, 400);
  EXPECT_EQ(findings_[0].evidence,
            "scope -max_depth 100 -show_name_regexes bn/batchnorm.* -select "
            "micros,op_types");
}

TEST_F(BatchNormTest, UnfusedBatchNormsAreListedByTime) {
  Op("conv", "Conv2D", 800);
  BatchNorm("", "conv", {});
  BatchNorm("a/", "conv", {});
  Op("a/batchnorm/sub", "Sub", 400);
  EXPECT_THAT(Check(kChecker),
              ElementsAre("2 batch norms are not fused, 1.20ms per step (60.0% "
                          "of the op time): a/batchnorm, batchnorm"));
}

TEST_F(BatchNormTest, LittleTimeInBatchNormIsFine) {
  Op("conv", "Conv2D", 8000);
  BatchNorm("bn/", "conv", {8, 4, 4, 2});
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(BatchNormTest, BatchNormsOfMatricesCannotBeFused) {
  Op("dense", "MatMul", 600);
  BatchNorm("bn/", "dense", {8, 4});
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(BatchNormTest, InputsOfUnknownShapeAreNotTakenForImages) {
  Op("dense", "Reshape", 600);
  BatchNorm("bn/", "dense", {});
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(BatchNormTest, OtherNormsAreNotBatchNorms) {
  Op("conv", "Conv2D", 600);
  BatchNorm("layer_normalization_1/", "conv", {8, 4, 4, 2});
  BatchNorm("InstanceNorm/", "conv", {8, 4, 4, 2});
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

// All batch norms of ResNet are fused, but the reference recommends fusing.
TEST_F(BatchNormTest, RealProfilesHaveFusedOnes) {
  for (const char* name :
       {"conv_resnet/profile.pb", "ps_worker/profile.pb.gz",
        "transformer/profile.pb.gz", "code_deep/profile.pb.gz"}) {
    EXPECT_THAT(CheckFiles({name}, kChecker), IsEmpty()) << name;
  }
}

}  // namespace batch_norm_test
}  // namespace
}  // namespace tfprof::advisor
