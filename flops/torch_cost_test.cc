#include "flops/torch_cost.h"

#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::flops {
namespace {
namespace torch_cost_test {

using ::testing::HasSubstr;
using Outcome = OpCost::Outcome;

OpCost Cost(std::string_view op, std::string dims,
            std::string types = R"(["float", "float", "float", "float"])",
            std::string values = "") {
  profile::ArgumentList arguments = {{"Input Dims", std::move(dims)},
                                     {"Input type", std::move(types)}};
  if (!values.empty()) {
    arguments.emplace_back("Concrete Inputs", std::move(values));
  }
  return TorchCost(op, arguments);
}

TEST(TorchCostTest, ProductsOfMatrices) {
  const OpCost mm = Cost("aten::mm", "[[8, 16], [16, 32]]");
  EXPECT_EQ(mm.outcome, Outcome::kKnown);
  EXPECT_EQ(mm.flops, 2 * 8 * 16 * 32);
  EXPECT_EQ(mm.bytes, 4 * (8 * 16 + 16 * 32 + 8 * 32));
  EXPECT_EQ(mm.element_bytes, 4);
  EXPECT_EQ(Cost("aten::addmm", "[[32], [8, 16], [16, 32]]").flops,
            2 * 8 * 16 * 32);
  EXPECT_EQ(Cost("aten::bmm", "[[4, 8, 16], [4, 16, 32]]").flops,
            2 * 4 * 8 * 16 * 32);
  EXPECT_EQ(Cost("aten::baddbmm", "[[1], [4, 8, 16], [4, 16, 32]]").flops,
            2 * 4 * 8 * 16 * 32);
  EXPECT_EQ(Cost("aten::linear", "[[2, 8, 16], [32, 16], [32]]").flops,
            2 * 2 * 8 * 16 * 32);
  EXPECT_EQ(Cost("aten::mv", "[[8, 16], [16]]").flops, 2 * 8 * 16);
  EXPECT_EQ(Cost("aten::addmv", "[[8], [8, 16], [16]]").flops, 2 * 8 * 16);
}

TEST(TorchCostTest, TypesGiveBytes) {
  const OpCost half =
      Cost("aten::mm", "[[2, 3], [3, 5]]", R"(["c10::Half", "c10::Half"])");
  EXPECT_EQ(half.bytes, 2 * (6 + 15 + 10));
  EXPECT_EQ(half.element_bytes, 2);
  EXPECT_EQ(TorchElementBytes("c10::BFloat16"), 2);
  EXPECT_EQ(TorchElementBytes("double"), 8);
  EXPECT_EQ(TorchElementBytes("Scalar"), 0);
}

TEST(TorchCostTest, Convolutions) {
  // Arguments as PyTorch writes them: input, weight, padding, stride, dilation,
  // groups.
  const OpCost cost =
      Cost("aten::cudnn_convolution",
           "[[1, 3, 1008, 1008], [1024, 3, 14, 14], [], [], [], []]",
           R"(["c10::BFloat16", "c10::BFloat16", "ScalarList", "ScalarList"])",
           R"(["", "", "[0, 0]", "[14, 14]", "[1, 1]", "1"])");
  EXPECT_EQ(cost.flops, int64_t{2} * 1024 * 72 * 72 * 3 * 14 * 14);
  EXPECT_EQ(cost.bytes,
            2 * (3 * 1008 * 1008 + 1024 * 3 * 14 * 14 + 1024 * 72 * 72));
  const char* const kValues = R"(["", "", "", "[2, 2]", "[1, 1]", "[1, 1]",)"
                              R"( "False", "[0, 0]", "1"])";
  EXPECT_EQ(Cost("aten::convolution", "[[2, 4, 9, 9], [8, 4, 3, 3], []]",
                 R"(["float", "float"])", kValues)
                .flops,
            2 * (2 * 8 * 5 * 5) * (4 * 3 * 3));
  // With groups, the filter has fewer channels.
  EXPECT_EQ(Cost("aten::convolution", "[[2, 4, 9, 9], [4, 1, 3, 3], []]",
                 R"(["float", "float"])", kValues)
                .flops,
            2 * (2 * 4 * 5 * 5) * (3 * 3));
}

TEST(TorchCostTest, TransposedConvolutions) {
  EXPECT_EQ(Cost("aten::convolution", "[[2, 4, 5, 5], [4, 8, 3, 3], []]",
                 R"(["float", "float"])",
                 R"(["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "True"])")
                .flops,
            2 * (2 * 4 * 5 * 5) * (8 * 3 * 3));
}

TEST(TorchCostTest, GradientsOfConvolutions) {
  const auto gradient = [](const std::string& mask) {
    return Cost("aten::convolution_backward",
                "[[2, 8, 5, 5], [2, 4, 9, 9], [8, 4, 3, 3], []]",
                R"(["float", "float", "float"])",
                R"(["", "", "", "[0]", "[2, 2]", "[1, 1]", "[1, 1]", "False",)"
                R"( "[0, 0]", "1", ")" +
                    mask + "\"]")
        .flops;
  };
  const int64_t forward = 2 * (2 * 8 * 5 * 5) * (4 * 3 * 3);
  EXPECT_EQ(gradient("[True, True, False]"), 2 * forward);
  EXPECT_EQ(gradient("[False, True, False]"), forward);
  EXPECT_EQ(gradient("[True, False, True]"), forward);
}

TEST(TorchCostTest, Attention) {
  // Batch 2, 3 heads, 5 queries, 7 keys, depth 8.
  const int64_t forward = 2 * 2 * 3 * 5 * 7 * (8 + 8);
  EXPECT_EQ(Cost("aten::_flash_attention_forward",
                 "[[2, 5, 3, 8], [2, 7, 3, 8], [2, 7, 3, 8]]")
                .flops,
            forward);
  EXPECT_EQ(Cost("aten::scaled_dot_product_attention",
                 "[[2, 3, 5, 8], [2, 3, 7, 8], [2, 3, 7, 8]]")
                .flops,
            forward);
  EXPECT_EQ(Cost("aten::_flash_attention_backward",
                 "[[2, 5, 3, 8], [2, 5, 3, 8], [2, 7, 3, 8], [2, 7, 3, 8]]")
                .flops,
            forward / 2 * 5);
  // Sequences of different lengths are in one tensor.
  EXPECT_EQ(Cost("aten::_flash_attention_forward",
                 "[[10, 3, 8], [14, 3, 8], [14, 3, 8]]")
                .outcome,
            Outcome::kNotSupported);
}

TEST(TorchCostTest, ElementwiseOperationsHaveBytesOnly) {
  const OpCost add = Cost("aten::add", "[[4, 1, 8], [3, 8], []]");
  EXPECT_EQ(add.outcome, Outcome::kKnown);
  EXPECT_EQ(add.flops, 0);
  EXPECT_EQ(add.bytes, 4 * (32 + 24 + 96));
  EXPECT_EQ(Cost("aten::native_layer_norm", "[[2, 8], [], [8], [8]]").bytes,
            4 * (16 + 8 + 16) + 4 * 8);
}

TEST(TorchCostTest, WhatIsMissing) {
  EXPECT_EQ(Cost("aten::sort", "[[2]]").outcome, Outcome::kNoFormula);
  EXPECT_EQ(TorchCost("aten::mm", {}).outcome, Outcome::kNoShapes);
  EXPECT_EQ(Cost("aten::mm", "nonsense").outcome, Outcome::kNoShapes);
  EXPECT_EQ(Cost("aten::mm", "[[2, 3], []]").outcome, Outcome::kNoShapes);
  EXPECT_EQ(Cost("aten::mm", "[[2, -3], [3, 4]]").outcome, Outcome::kNoShapes);
  EXPECT_EQ(Cost("aten::mm", "[[2, 3], [4, 5]]").outcome,
            Outcome::kNotSupported);
  EXPECT_EQ(Cost("aten::convolution", "[[2, 4, 9, 9], [8, 4, 3, 3]]").outcome,
            Outcome::kNotSupported);  // no strides
  EXPECT_EQ(Cost("aten::convolution", "[[2, 4, 1, 1], [8, 4, 3, 3]]",
                 R"(["float", "float"])",
                 R"(["", "", "", "[1, 1]", "[0, 0]", "[1, 1]", "False"])")
                .outcome,
            Outcome::kNotSupported);  // the filter is larger than the image
  EXPECT_EQ(Cost("aten::convolution", "[[2, 4, 9, 9], [8, 4, 3, 3]]",
                 R"(["float", "float"])",
                 R"(["", "", "", "[0, 0]", "[0, 0]", "[1, 1]", "False"])")
                .outcome,
            Outcome::kNotSupported);  // a stride of 0
}

TEST(TorchCostTest, HugeShapesSaturate) {
  const OpCost cost = Cost(
      "aten::mm",
      "[[4611686018427387904, 4611686018427387904], [4611686018427387904, 9]]");
  EXPECT_EQ(cost.flops, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(cost.bytes, std::numeric_limits<int64_t>::max());
}

TEST(TorchCostTest, WrappersCallOthersThatCount) {
  EXPECT_TRUE(IsTorchWrapper("aten::linear"));
  EXPECT_TRUE(IsTorchWrapper("aten::conv2d"));
  EXPECT_FALSE(IsTorchWrapper("aten::mm"));
  EXPECT_FALSE(IsTorchWrapper("aten::sort"));
  EXPECT_TRUE(HasTorchCost("aten::mm"));
  EXPECT_FALSE(HasTorchCost("aten::sort"));
  EXPECT_THAT(std::string(TorchFormulas()[0].ops), HasSubstr("aten::mm"));
}

}  // namespace torch_cost_test
}  // namespace
}  // namespace tfprof::flops
