#include "flops/formulas.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flops/flops_testing.h"
#include "gtest/gtest.h"

namespace tfprof::flops {
namespace {
namespace formulas_test {

using Outcome = Flops::Outcome;
using Shape = std::vector<int64_t>;

// An operation that owns its data.
struct Op {
  std::string_view op;
  std::vector<Shape> inputs;
  Shape output;
  // Pairs of (key, AttrValue in text form).
  std::vector<std::pair<std::string, std::string>> attributes = {};

  Flops Compute() const {
    const Formula* formula = FindFormula(op);
    EXPECT_NE(formula, nullptr) << op;
    Operation operation;
    operation.num_inputs = inputs.size();
    for (size_t i = 0; i < inputs.size() && i < Operation::kMaxInputs; ++i) {
      operation.inputs[i] = inputs[i];
    }
    operation.output = output;
    std::vector<std::string> values;
    for (const auto& [key, text] : attributes) {
      values.push_back(AttrBytes(text));
    }
    for (size_t i = 0; i < values.size(); ++i) {
      operation.attributes.push_back({attributes[i].first, values[i]});
    }
    EXPECT_TRUE(attributes.empty() || formula->needs_attributes) << op;
    return formula->compute(operation);
  }

  int64_t value() const {
    const Flops flops = Compute();
    EXPECT_EQ(flops.outcome, Outcome::kKnown) << op;
    return flops.value;
  }
  Outcome outcome() const {
    const Flops flops = Compute();
    EXPECT_TRUE(flops.outcome == Outcome::kKnown || flops.value == 0);
    return flops.outcome;
  }
};

TEST(FormulasTest, EveryOpIsFoundOnce) {
  std::vector<std::string_view> all;
  for (const Formula& formula : Formulas()) {
    std::string_view ops = formula.ops;
    while (!ops.empty()) {
      const size_t end = std::min(ops.find(' '), ops.size());
      EXPECT_EQ(FindFormula(ops.substr(0, end)), &formula);
      all.push_back(ops.substr(0, end));
      ops.remove_prefix(std::min(end + 1, ops.size()));
    }
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
  EXPECT_EQ(FindFormula("Relu"), nullptr);
  EXPECT_EQ(FindFormula(""), nullptr);
}

TEST(FormulasTest, ElementwiseAndReductions) {
  EXPECT_EQ((Op{"Mul", {{4, 1}, {3}}, {4, 3}}.value()), 12);
  EXPECT_EQ((Op{"Neg", {{2, 3}}, {2, 3}}.value()), 6);
  EXPECT_EQ((Op{"Softmax", {{2, 3}}, {2, 3}}.value()), 30);
  EXPECT_EQ((Op{"L2Loss", {{2, 3}}, {1}}.value()), 17);
  EXPECT_EQ((Op{"Mean", {{2, 3}, {1}}, {2}}.value()), 6);
  EXPECT_EQ((Op{"Sum", {{2, 3}, {1}}, {2}}.value()), 4);
  EXPECT_EQ((Op{"AddN", {{2, 3}, {2, 3}, {2, 3}}, {2, 3}}.value()), 12);
  EXPECT_EQ((Op{"AddN", {}, {}}.value()), 0);
}

// A sum over no elements has more outputs than inputs.
TEST(FormulasTest, NothingIsNegative) {
  EXPECT_EQ((Op{"Sum", {{0, 3}, {1}}, {3}}.value()), 0);
  EXPECT_EQ((Op{"L2Loss", {{0}}, {1}}.value()), 0);
}

TEST(FormulasTest, MatricesByTransposition) {
  EXPECT_EQ((Op{"MatMul", {{25, 16}, {16, 9}}, {25, 9}}.value()), 7200);
  EXPECT_EQ(
      (Op{"MatMul", {{16, 25}, {16, 9}}, {25, 9}, {{"transpose_a", "b: true"}}}
           .value()),
      7200);
  EXPECT_EQ((Op{"BatchMatMulV2",
                {{3, 16, 25}, {16, 9}},
                {3, 25, 9},
                {{"adj_x", "b: true"}}}
                 .value()),
            3 * 7200);
  EXPECT_EQ((Op{"MatMul", {{25}, {16, 9}}, {25, 9}}.outcome()),
            Outcome::kNotSupported);
  EXPECT_EQ((Op{"MatMul", {{-1, 16}, {16, 9}}, {-1, 9}}.outcome()),
            Outcome::kNoShapes);
}

TEST(FormulasTest, GradientsOfConvolutionsByLayout) {
  const Shape filter = {3, 3, 4, 8};
  const std::pair<std::string, std::string> last = {"strides",
                                                    "list { i: [1, 2, 2, 1] }"};
  const std::pair<std::string, std::string> first = {
      "strides", "list { i: [1, 1, 2, 2] }"};
  // 2 x 1 x 10 x 10 x filter / 4
  EXPECT_EQ((Op{"Conv2DBackpropInput", {{4}, filter}, {1, 10, 10, 4}, {last}}
                 .value()),
            14400);
  EXPECT_EQ((Op{"Conv2DBackpropInput",
                {{4}, filter},
                {1, 4, 10, 10},
                {first, {"data_format", "s: 'NCHW'"}}}
                 .value()),
            14400);
  EXPECT_EQ(
      (Op{"Conv2DBackpropFilter", {{1, 10, 10, 4}}, filter, {last}}.value()),
      14400);
  // The result is rounded down, as in op logs.
  EXPECT_EQ((Op{"Conv2DBackpropInput",
                {{4}, {1, 1, 1, 1}},
                {1, 3, 3, 1},
                {{"strides", "list { i: [1, 2, 2, 1] }"}}}
                 .value()),
            4);
  for (const std::string strides :
       {"list { i: [1, 0, 1, 1] }", "list { i: [1, 2] }", "i: 7"}) {
    EXPECT_EQ((Op{"Conv2DBackpropInput",
                  {{4}, filter},
                  {1, 10, 10, 4},
                  {{"strides", strides}}}
                   .outcome()),
              Outcome::kNotSupported)
        << strides;
  }
  EXPECT_EQ((Op{"Conv2DBackpropInput",
                {{4}, filter},
                {1, 10, 10, 1, 4},
                {last, {"data_format", "s: 'NCHW_VECT_C'"}}}
                 .outcome()),
            Outcome::kNotSupported);
}

TEST(FormulasTest, Pools) {
  const std::pair<std::string, std::string> ksize = {
      "ksize", "list { i: [1, 2, 3, 1] }"};
  EXPECT_EQ((Op{"MaxPool", {{9}}, {5, 4}, {ksize}}.value()), 120);
  EXPECT_EQ((Op{"MaxPoolGrad", {{9}, {5, 4}}, {9}, {ksize}}.value()), 140);
  EXPECT_EQ((Op{"AvgPoolGrad", {{4}, {5, 4}}, {9}, {ksize}}.value()), 240);
  EXPECT_EQ((Op{"MaxPool", {{9}}, {5, 4}}.outcome()), Outcome::kNotSupported);
}

TEST(FormulasTest, StopsAtTheLargestNumber) {
  const int64_t huge = int64_t{1} << 62;
  EXPECT_EQ((Op{"Mul", {{1}, {1}}, {huge, 2}}.value()), kMaxFlops);
  EXPECT_EQ((Op{"Mul", {{1}, {1}}, {huge, huge, 0}}.value()), 0);
  EXPECT_EQ((Op{"Sum", {{huge, huge}, {1}}, {huge}}.value()), kMaxFlops);
  EXPECT_EQ((Op{"L2Loss", {{huge}}, {1}}.value()), kMaxFlops);
  EXPECT_EQ((Op{"Conv2D", {{1}, {huge, 3, 1, 1}}, {huge}}.value()), kMaxFlops);
  EXPECT_EQ((Op{"Conv2DBackpropInput",
                {{4}, {1, 1, huge, 1}},
                {1, 1, huge, huge},
                {{"strides", "list { i: [1, 1, 1, 1] }"}}}
                 .value()),
            kMaxFlops);
}

// Dimensions may be any numbers, and attributes any bytes.
TEST(FormulasTest, AnyInputIsGood) {
  std::mt19937 random(1);
  const auto number = [&](uint32_t below) { return random() % below; };
  for (int i = 0; i < 20000; ++i) {
    const Formula& formula = Formulas()[number(Formulas().size())];
    std::vector<Shape> shapes(4);
    for (Shape& shape : shapes) {
      shape.resize(number(7));
      for (int64_t& dim : shape) {
        dim = number(3) == 0 ? static_cast<int64_t>(random()) << number(33)
                             : number(9) - int64_t{1};
      }
    }
    std::string bytes(number(12), '\0');
    for (char& c : bytes) c = static_cast<char>(number(40));
    Operation operation;
    operation.num_inputs = number(5);
    operation.inputs = {shapes[0], shapes[1], shapes[2]};
    operation.output = shapes[3];
    for (const std::string_view key :
         {"strides", "ksize", "data_format", "equation", "adj_x"}) {
      operation.attributes.push_back({key, bytes});
    }
    const Flops flops = formula.compute(operation);
    ASSERT_GE(flops.value, 0) << formula.ops;
  }
}

TEST(FormulasTest, KnownShapesHaveARankAndNoNegativeDimension) {
  EXPECT_TRUE(IsKnown(Shape{1}));
  EXPECT_TRUE(IsKnown(Shape{3, 0}));
  EXPECT_FALSE(IsKnown(Shape{}));
  EXPECT_FALSE(IsKnown(Shape{3, -1}));
}

TEST(FormulasTest, OpsAreFoundByTheirWholeNames) {
  for (const std::string_view op : {"add", "Add ", "Ad", "Conv2D Conv3D"}) {
    EXPECT_EQ(FindFormula(op), nullptr) << op;
  }
  EXPECT_EQ(FindFormula("Add"), FindFormula("AddV2"));
}

TEST(FormulasTest, AFigureNeedsTheShapesOfItsFormula) {
  EXPECT_EQ((Op{"Mul", {{2}, {2}}, {-1}}.outcome()), Outcome::kNoShapes);
  EXPECT_EQ((Op{"Neg", {{}}, {2}}.outcome()), Outcome::kNoShapes);
  // An elementwise operation uses only its output, a reduction both shapes.
  EXPECT_EQ((Op{"Mul", {{}, {}}, {2, 3}}.value()), 6);
  EXPECT_EQ((Op{"Sum", {{2, 3}, {1}}, {}}.outcome()), Outcome::kNoShapes);
  EXPECT_EQ((Op{"Mean", {{2, 3}, {1}}, {}}.outcome()), Outcome::kNoShapes);
  EXPECT_EQ((Op{"L2Loss", {{}}, {1}}.outcome()), Outcome::kNoShapes);
  EXPECT_EQ((Op{"AddN", {{}, {2}}, {2}}.outcome()), Outcome::kNoShapes);
  EXPECT_EQ((Op{"MatMul", {{2, 3}, {3, 4}}, {}}.outcome()), Outcome::kNoShapes);
  EXPECT_EQ((Op{"Conv2D", {{1}, {}}, {2}}.outcome()), Outcome::kNoShapes);
}

TEST(FormulasTest, ConvolutionsByTheirFilters) {
  const Shape filter2d = {3, 2, 4, 8}, filter3d = {3, 2, 2, 4, 8};
  EXPECT_EQ((Op{"Conv2D", {{9}, filter2d}, {5, 7}}.value()),
            2 * 35 * 3 * 2 * 4);
  EXPECT_EQ((Op{"Conv3D", {{9}, filter3d}, {5, 7}}.value()),
            2 * 35 * 3 * 2 * 2 * 4);
  EXPECT_EQ((Op{"DepthwiseConv2dNative", {{9}, filter2d}, {5, 7}}.value()),
            2 * 35 * 3 * 2);
  EXPECT_EQ((Op{"Conv2D", {{9}, {3, 2}}, {5, 7}}.outcome()),
            Outcome::kNotSupported);
}

// Gradients multiply for each element of the gradient input.
TEST(FormulasTest, GradientsOfOtherConvolutions) {
  const Shape filter = {3, 2, 2, 4, 8}, gradient = {5, 7};
  EXPECT_EQ((Op{"Conv3DBackpropInputV2", {{5}, filter, gradient}, {9}}.value()),
            2 * 35 * 3 * 2 * 2 * 4);
  EXPECT_EQ(
      (Op{"Conv3DBackpropFilterV2", {{9}, {5}, gradient}, filter}.value()),
      2 * 35 * 3 * 2 * 2 * 4);
  EXPECT_EQ(
      (Op{"DepthwiseConv2dNativeBackpropInput", {{4}, filter, gradient}, {9}}
           .value()),
      2 * 35 * 3 * 2);
}

TEST(FormulasTest, AnImageWithoutChannelsHasNoGradient) {
  const std::pair<std::string, std::string> strides = {
      "strides", "list { i: [1, 1, 1, 1] }"};
  EXPECT_EQ(
      (Op{"Conv2DBackpropInput", {{4}, {3, 3, 0, 8}}, {1, 10, 10, 0}, {strides}}
           .value()),
      0);
}

TEST(FormulasTest, PoolsNeedAKnownWindowAndLayout) {
  const std::pair<std::string, std::string> ksize = {
      "ksize", "list { i: [1, 2, 2, 1] }"};
  EXPECT_EQ((Op{"AvgPool", {{9}}, {5, 4}, {ksize, {"data_format", "s: 'NCHW'"}}}
                 .value()),
            80);
  EXPECT_EQ((Op{"AvgPool",
                {{9}},
                {5, 4},
                {ksize, {"data_format", "s: 'NCHW_VECT_C'"}}}
                 .outcome()),
            Outcome::kNotSupported);
  EXPECT_EQ(
      (Op{"AvgPool", {{9}}, {5, 4}, {{"ksize", "list { i: [1, -2, 2, 1] }"}}}
           .outcome()),
      Outcome::kNotSupported);
  EXPECT_EQ((Op{"AvgPool", {{9}}, {}, {ksize}}.outcome()), Outcome::kNoShapes);
}

TEST(FormulasTest, AnEinsumHasAsManyOperandsAsItsEquation) {
  const auto einsum = [](std::vector<Shape> inputs,
                         const std::string& equation) {
    return Op{"Einsum",
              std::move(inputs),
              {4, 6},
              {{"equation", "s: '" + equation + "'"}}};
  };
  EXPECT_EQ(einsum({{4, 5}, {5, 6}}, "ij,jk->ik").value(), 2 * 4 * 5 * 6);
  // A third input is a control input.
  EXPECT_EQ(einsum({{4, 5}, {5, 6}, {}}, "ij,jk->ik").value(), 2 * 4 * 5 * 6);
  EXPECT_EQ(einsum({{4}, {4}, {4}}, "a,b,c,d->a").outcome(),
            Outcome::kNotSupported);
  EXPECT_EQ((Op{"Einsum", {{4, 5}}, {4}}.outcome()), Outcome::kNotSupported);
}

}  // namespace formulas_test
}  // namespace
}  // namespace tfprof::flops
