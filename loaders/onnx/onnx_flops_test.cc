#include "loaders/onnx/onnx_flops.h"

#include <limits>

#include "gtest/gtest.h"

namespace tfprof::onnx {
namespace {

TEST(OnnxFlopsTest, MatrixProducts) {
  const OnnxShape a = {4, 32, 64}, b = {64, 16}, y = {4, 32, 16};
  EXPECT_EQ(OnnxFloatOps("MatMul", {{a, b}}, {{y}}), 2 * 4 * 32 * 16 * 64);
  // The shape of the weights is missing, because the runtime packed them.
  EXPECT_EQ(OnnxFloatOps("MatMul", {{a}}, {{y}}), 2 * 4 * 32 * 16 * 64);
  // The first matrix is transposed.
  EXPECT_EQ(OnnxFloatOps("Gemm", {{{64, 8}, {64, 5}}}, {{{8, 5}}}),
            2 * 8 * 5 * 64);
  // One matrix is multiplied by many.
  EXPECT_EQ(OnnxFloatOps("MatMul", {{{8, 3}, {7, 3, 5}}}, {{{7, 8, 5}}}),
            2 * 7 * 8 * 5 * 3);
  EXPECT_EQ(OnnxFloatOps("MatMul", {{{3}, {3}}}, {{{1}}}), 0);
}

TEST(OnnxFlopsTest, Convolutions) {
  const OnnxShape x = {4, 3, 64, 64}, w = {16, 3, 3, 3}, y = {4, 16, 32, 32};
  const int64_t want = int64_t{2} * 4 * 16 * 32 * 32 * 3 * 3 * 3;
  EXPECT_EQ(OnnxFloatOps("Conv", {{x, w, {16}}}, {{y}}), want);
  EXPECT_EQ(OnnxFloatOps("Conv", {{x}}, {{y}}, w), want);
  EXPECT_EQ(OnnxFloatOps("Conv", {{x}}, {{y}}), 0);
  EXPECT_EQ(OnnxFloatOps("QLinearConv", {{x, {1}, {1}, w}}, {{y}}), want);
  EXPECT_EQ(OnnxFloatOps("ConvTranspose", {{y, w}}, {{x}}), want);
}

TEST(OnnxFlopsTest, ElementsAndUnknownOperators) {
  EXPECT_EQ(OnnxFloatOps("Add", {{{2, 3}, {1}}}, {{{2, 3}}}), 6);
  EXPECT_EQ(OnnxFloatOps("Softmax", {{{2, 3}}}, {{{2, 3}}}), 30);
  EXPECT_EQ(OnnxFloatOps("Gather", {{{2, 3}}}, {{{2, 3}}}), 0);
  EXPECT_EQ(OnnxFloatOps("Add", {}, {}), 0);
  EXPECT_EQ(OnnxFloatOps("MatMul", {}, {{{2, 3}}}), 0);
}

TEST(OnnxFlopsTest, HugeShapesSaturate) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const OnnxShape huge = {int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_EQ(OnnxFloatOps("Add", {}, {{huge}}), kMax);
  EXPECT_EQ(OnnxFloatOps("MatMul", {{{0, 0}}}, {{huge}}), 0);
}

}  // namespace
}  // namespace tfprof::onnx
