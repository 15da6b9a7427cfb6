#include "flops/static_shapes.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flops/flops_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::flops {
namespace {
namespace static_shapes_test {

using Shape = std::vector<int64_t>;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(StaticShapesTest, Inferred) {
  const auto infer = [](std::string_view op, Shape a, Shape b) {
    const Dims inputs[] = {a, b};
    return InferOutputShape(op, inputs, {});
  };
  EXPECT_THAT(infer("AddV2", {4, 1}, {3}), ElementsAre(4, 3));
  EXPECT_THAT(infer("AddV2", {4, 2}, {3}), ElementsAre());
  EXPECT_THAT(infer("Identity", {4, 2}, {}), ElementsAre(4, 2));
  EXPECT_THAT(infer("MatMul", {4, 2}, {2, 5}), ElementsAre(4, 5));
  EXPECT_THAT(infer("MatMul", {4}, {2, 5}), ElementsAre());
  EXPECT_THAT(infer("BatchMatMulV2", {3, 4, 2}, {2, 5}), ElementsAre(3, 4, 5));
  EXPECT_THAT(infer("BatchMatMulV2", {3, 4, 2}, {7, 2, 5}), ElementsAre());
  EXPECT_THAT(infer("BatchMatMulV2", {3, 1, 4, 2}, {7, 2, 5}),
              ElementsAre(3, 7, 4, 5));
  EXPECT_THAT(infer("Reshape", {4}, {1}), ElementsAre());
  EXPECT_THAT(infer("AddV2", {-1}, {1}), ElementsAre());
}

TEST(StaticShapesTest, TransposedMatrices) {
  const std::string yes = AttrBytes("b: true");
  const Shape a = {2, 4}, b = {5, 2};
  const Dims inputs[] = {a, b};
  EXPECT_THAT(InferOutputShape("MatMul", inputs,
                               {{"transpose_a", yes}, {"transpose_b", yes}}),
              ElementsAre(4, 5));
  EXPECT_THAT(InferOutputShape("BatchMatMulV2", inputs,
                               {{"adj_x", yes}, {"adj_y", yes}}),
              ElementsAre(4, 5));
  // MatMul and BatchMatMul have different attributes.
  EXPECT_THAT(InferOutputShape("MatMul", inputs, {{"adj_x", yes}}),
              ElementsAre(2, 2));
}

TEST(StaticShapesTest, AnOperationWithoutInputsHasNoShape) {
  EXPECT_THAT(InferOutputShape("Identity", {}, {}), IsEmpty());
  const Shape a = {3};
  const Dims one[] = {a};
  EXPECT_THAT(InferOutputShape("AddV2", one, {}), IsEmpty());
  EXPECT_THAT(InferOutputShape("Relu", one, {}), ElementsAre(3));
}

TEST(StaticShapesTest, AScalarTakesTheOtherShape) {
  const Shape scalar = {1}, matrix = {2, 3};
  const Dims first[] = {scalar, matrix}, second[] = {matrix, scalar};
  EXPECT_THAT(InferOutputShape("Mul", first, {}), ElementsAre(2, 3));
  EXPECT_THAT(InferOutputShape("Mul", second, {}), ElementsAre(2, 3));
}

TEST(StaticShapesTest, RanksBeyondThoseOfTensorsAreUnknown) {
  const Shape largest(kMaxRank, 1), larger(kMaxRank + 1, 1);
  const Dims fits[] = {largest}, too_large[] = {larger};
  EXPECT_EQ(InferOutputShape("Identity", fits, {}), largest);
  EXPECT_THAT(InferOutputShape("Identity", too_large, {}), IsEmpty());
}

TEST(StaticShapesTest, OpsThatHaveTheirShapeAsAnAttribute) {
  for (const std::string_view op :
       {"Const", "Placeholder", "PlaceholderWithDefault", "Variable",
        "VariableV2"}) {
    EXPECT_TRUE(StatesItsShape(op)) << op;
  }
  for (const std::string_view op : {"VarHandleOp", "Identity", "const", ""}) {
    EXPECT_FALSE(StatesItsShape(op)) << op;
  }
}

TEST(StaticShapesTest, OutputShapesOfEachOutput) {
  const std::string two = AttrBytes(
      "list { shape { dim { size: 2 } } shape { unknown_rank: true } }");
  EXPECT_THAT(StaticOutputShapes("Split", {{"_output_shapes", two}}),
              ElementsAre(ElementsAre(2), IsEmpty()));
  EXPECT_THAT(StaticOutputShapes("Split", {}), IsEmpty());
}

TEST(StaticShapesTest, TheValueOfAConstantHasAShape) {
  const std::string value =
      AttrBytes("tensor { tensor_shape { dim { size: 2 } dim { size: 3 } } }");
  EXPECT_THAT(StaticOutputShapes("Const", {{"value", value}}),
              ElementsAre(ElementsAre(2, 3)));
  EXPECT_THAT(StaticOutputShapes("Identity", {{"value", value}}), IsEmpty());
}

TEST(StaticShapesTest, AKnownOutputShapeComesFirst) {
  const std::string known = AttrBytes("list { shape { dim { size: 7 } } }");
  const std::string open = AttrBytes("list { shape { dim { size: -1 } } }");
  const std::string shape = AttrBytes("shape { dim { size: 2 } }");
  EXPECT_THAT(StaticOutputShapes("Placeholder",
                                 {{"_output_shapes", known}, {"shape", shape}}),
              ElementsAre(ElementsAre(7)));
  EXPECT_THAT(StaticOutputShapes("Placeholder",
                                 {{"_output_shapes", open}, {"shape", shape}}),
              ElementsAre(ElementsAre(2)));
  // No dimension is known, so the result stays as it is.
  EXPECT_THAT(StaticOutputShapes("Placeholder", {{"_output_shapes", open}}),
              ElementsAre(ElementsAre(-1)));
}

}  // namespace static_shapes_test
}  // namespace
}  // namespace tfprof::flops
