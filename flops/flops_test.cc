#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/small_model.h"
#include "flops/einsum.h"
#include "flops/flops_column.h"
#include "flops/formulas.h"
#include "flops/graph_flops.h"
#include "flops/static_shapes.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/input_file.h"
#include "loaders/load_context.h"
#include "loaders/tensorflow/graph_def/graph_def.h"
#include "loaders/tensorflow/run_metadata/run_metadata.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"

namespace tfprof {
namespace {

using Outcome = Flops::Outcome;
using Shape = std::vector<int64_t>;
using testing::ElementsAre;

template <typename Message>
std::string Bytes(std::string_view text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(std::string(text),
                                                            &message))
      << text;
  return message.SerializeAsString();
}

// An operation that owns what it points to.
struct Op {
  std::string_view op;
  std::vector<Shape> inputs;
  Shape output;
  // (key, AttrValue in text form)
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
      values.push_back(Bytes<AttrValue>(text));
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

// ---- formulas

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
  // Rounded down, as the op log does.
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

// Any numbers as dimensions, any bytes as attributes.
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

// ---- Einsum

int64_t Einsum(std::string_view equation, std::vector<Shape> operands) {
  const std::vector<Dims> dims(operands.begin(), operands.end());
  const Flops flops = EinsumFlops(equation, dims);
  return flops.outcome == Outcome::kKnown ? flops.value : -1;
}

TEST(EinsumTest, Equations) {
  EXPECT_EQ(Einsum("ij,jk->ik", {{4, 5}, {5, 6}}), 2 * 4 * 5 * 6);
  EXPECT_EQ(Einsum(" ij , jk -> ik ", {{4, 5}, {5, 6}}), 2 * 4 * 5 * 6);
  EXPECT_EQ(Einsum("...ij,...jk->...ik", {{2, 1, 4, 5}, {3, 5, 6}}),
            2 * 2 * 3 * 4 * 5 * 6);
  EXPECT_EQ(Einsum("ij,ij->ij", {{4, 5}, {4, 5}}), 20);
  EXPECT_EQ(Einsum("ijk,jl->il", {{4, 5, 6}, {5, 7}}),
            4 * 5 * 6 - 4 * 5 + 2 * 4 * 5 * 7);
  EXPECT_EQ(Einsum("ij->j", {{4, 5}}), 15);
  EXPECT_EQ(Einsum("ij->ji", {{4, 5}}), 0);
  EXPECT_EQ(Einsum("ii->", {{4, 4}}), 3);
  EXPECT_EQ(Einsum(",->", {{1}, {1}}), 1);  // scalars
}

TEST(EinsumTest, WhatDoesNotFit) {
  EXPECT_EQ(Einsum("", {{4}}), -1);
  EXPECT_EQ(Einsum("ij,jk", {{4, 5}, {5, 6}}), -1);
  EXPECT_EQ(Einsum("ij->i", {{4, 5}, {5}}), -1);
  EXPECT_EQ(Einsum("ij,j->i", {{4, 5}}), -1);
  EXPECT_EQ(Einsum("ij->i", {{4}}), -1);
  EXPECT_EQ(Einsum("i->i", {{4, 5}}), -1);
  EXPECT_EQ(Einsum("ii->i", {{4, 5}}), -1);
  EXPECT_EQ(Einsum("ij,jk->ik", {{4, 5}, {7, 6}}), -1);
  EXPECT_EQ(Einsum("i,i,i->i", {{4}, {4}, {4}}), -1);
  EXPECT_EQ(Einsum("i1->i", {{4, 5}}), -1);
  EXPECT_EQ(Einsum("......->...", {{4}}), -1);
}

// ---- shapes

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

// ---- graphs

Profile Graph(std::string_view text, std::string_view run = "") {
  LoadContext context;
  EXPECT_TRUE(LoadGraphDef(InputFile::FromBytes("graph", Bytes<GraphDef>(text)),
                           context)
                  .ok());
  if (!run.empty()) {
    EXPECT_TRUE(
        LoadRunMetadata(InputFile::FromBytes("run", Bytes<RunMetadata>(run)), 0,
                        context)
            .ok());
  }
  EXPECT_EQ(context.log.damaged(), false);
  return std::move(context.builder).Build();
}

struct NodeFlops {
  int64_t flops;
  FlopsOrigin origin;
  friend bool operator==(const NodeFlops&, const NodeFlops&) = default;
};
std::ostream& operator<<(std::ostream& out, const NodeFlops& f) {
  return out << f.flops << " (" << static_cast<int>(f.origin) << ")";
}

NodeFlops Of(const Profile& profile, std::string_view name) {
  const GraphFlops flops = ComputeGraphFlops(profile);
  const NodeId n = profile.nodes().Find(profile.strings().Find(name));
  EXPECT_NE(n, kNone) << name;
  return {flops.flops[n], flops.origin[n]};
}

// `_output_shapes` of one output, or several.
std::string Outputs(std::initializer_list<Shape> shapes) {
  std::string text = "attr { key: '_output_shapes' value { list {";
  for (const Shape& shape : shapes) {
    text += " shape {";
    for (const int64_t dim : shape)
      text += fmt::format(" dim {{ size: {} }}", dim);
    text += " }";
  }
  return text + " } } } ";
}

TEST(GraphFlopsTest, TheSmallModelOfTheReference) {
  const Profile profile = SmallModel();
  const GraphFlops flops = ComputeGraphFlops(profile);
  for (NodeId n = 0; n < profile.nodes().size(); ++n) {
    if (profile.nodes().FloatOps(n) == 0) continue;
    EXPECT_EQ(flops.flops[n], profile.nodes().FloatOps(n));
  }
}

TEST(GraphFlopsTest, TheOutputThatTheGraphNames) {
  const Profile profile =
      Graph("node { name: 's' op: 'Split' " + Outputs({{2, 3}, {4, 5}}) +
            "} node { name: 'n' op: 'Neg' input: 's:1' } "
            "node { name: 'm' op: 'Neg' input: 's:2' }");
  EXPECT_EQ(Of(profile, "n"), (NodeFlops{20, FlopsOrigin::kGraph}));
  EXPECT_EQ(Of(profile, "m"), (NodeFlops{0, FlopsOrigin::kNoShapes}));
  EXPECT_EQ(Of(profile, "s"), (NodeFlops{0, FlopsOrigin::kNoFormula}));
}

// A ProfileProto of TensorFlow has output 0 for every edge.
TEST(GraphFlopsTest, AnOutputInDoubtHasNoShape) {
  ProfileBuilder builder;
  GraphTables& graph = builder.mutable_graph();
  AddNodeWithInputs(builder, "s", "Split", {}, {2, 3});
  builder.AddOutputShape(1, graph.shapes.Intern(Shape{4, 5}));
  AddNodeWithInputs(builder, "same", "Split", {}, {2, 3});
  builder.AddOutputShape(1, graph.shapes.Intern(Shape{2, 3}));
  AddNodeWithInputs(builder, "n", "Neg", {"s"}, {2, 3});
  AddNodeWithInputs(builder, "m", "Neg", {"same"}, {2, 3});
  graph.nodes.misses_outputs = true;
  const Profile profile = std::move(builder).Build();
  EXPECT_EQ(Of(profile, "n"), (NodeFlops{0, FlopsOrigin::kNoShapes}));
  EXPECT_EQ(Of(profile, "m"), (NodeFlops{6, FlopsOrigin::kGraph}));
}

TEST(GraphFlopsTest, ShapesThatNodesState) {
  const Profile profile = Graph(R"(
    node { name: 'c' op: 'Const' attr { key: 'value' value { tensor {
        tensor_shape { dim { size: 2 } dim { size: 3 } } } } } }
    node { name: 'p' op: 'Placeholder' attr { key: 'shape' value { shape {
        dim { size: 7 } } } } }
    node { name: 'open' op: 'Placeholder' attr { key: 'shape' value { shape {
        dim { size: -1 } } } } }
    node { name: 'variable' op: 'VarHandleOp' attr { key: 'shape' value {
        shape { dim { size: 7 } } } } }
    node { name: 'of_c' op: 'Square' input: 'c' }
    node { name: 'of_p' op: 'Square' input: 'p' }
    node { name: 'of_open' op: 'Square' input: 'open' }
    node { name: 'of_variable' op: 'Square' input: 'variable' })");
  EXPECT_EQ(Of(profile, "of_c"), (NodeFlops{6, FlopsOrigin::kGraph}));
  EXPECT_EQ(Of(profile, "of_p"), (NodeFlops{7, FlopsOrigin::kGraph}));
  EXPECT_EQ(Of(profile, "of_open"), (NodeFlops{0, FlopsOrigin::kNoShapes}));
  // The handle is a scalar, whatever it leads to.
  EXPECT_EQ(Of(profile, "of_variable"), (NodeFlops{0, FlopsOrigin::kNoShapes}));
}

std::string Ran(std::string_view name, int slot, Shape shape) {
  std::string dims;
  for (const int64_t dim : shape)
    dims += fmt::format("dim {{ size: {} }} ", dim);
  return fmt::format(
      "node_stats {{ node_name: '{}' all_start_micros: 1 op_end_rel_micros: 1 "
      "output {{ slot: {} tensor_description {{ shape {{ {} }} }} }} }} ",
      name, slot, dims);
}

TEST(GraphFlopsTest, ShapesOfARun) {
  const std::string graph = "node { name: 'x' op: 'Op' " + Outputs({{-1, 3}}) +
                            "} node { name: 'n' op: 'Neg' input: 'x' } ";
  const auto run = [](const std::string& stats) {
    return "step_stats { dev_stats { device: '/cpu:0' " + stats + "} }";
  };
  EXPECT_EQ(Of(Graph(graph), "n"), (NodeFlops{0, FlopsOrigin::kNoShapes}));
  EXPECT_EQ(Of(Graph(graph, run(Ran("x", 0, {5, 3}))), "n"),
            (NodeFlops{15, FlopsOrigin::kRunTime}));
  // The first that recorded one counts.
  EXPECT_EQ(
      Of(Graph(graph, run(Ran("x", 0, {5, 3}) + Ran("x", 0, {9, 3}))), "n"),
      (NodeFlops{15, FlopsOrigin::kRunTime}));
  // Another slot, another rank, another dimension where the graph knows.
  for (const std::string& stats : {Ran("x", 1, {5, 3}), Ran("x", 0, {5, 3, 1}),
                                   Ran("x", 0, {5, 4}), Ran("y", 0, {5, 3})}) {
    EXPECT_EQ(Of(Graph(graph, run(stats)), "n"),
              (NodeFlops{0, FlopsOrigin::kNoShapes}))
        << stats;
  }
}

// ---- functions

// A function of one argument of shape [2, 3].
std::string Function(std::string_view name, const std::string& nodes) {
  return fmt::format(
      "function {{ signature {{ name: '{}' input_arg {{ name: 'a' }} }} "
      "attr {{ key: '_input_shapes' value {{ list {{ shape {{ "
      "dim {{ size: 2 }} dim {{ size: 3 }} }} }} }} }} {} }} ",
      name, nodes);
}
std::string Body(std::string_view name, std::string_view op,
                 std::string_view input, std::string_view rest = "") {
  return fmt::format("node_def {{ name: '{}' op: '{}' input: '{}' {} }} ", name,
                     op, input, rest);
}
std::string Calls(std::string_view key, std::string_view function) {
  return fmt::format("attr {{ key: '{}' value {{ func {{ name: '{}' }} }} }} ",
                     key, function);
}
std::string CallNode(std::string_view name, std::string_view op,
                     const std::string& attributes) {
  return fmt::format("node {{ name: '{}' op: '{}' {} }} ", name, op,
                     attributes);
}

TEST(FunctionFlopsTest, BodiesBranchesAndLoops) {
  const Profile profile = Graph(
      CallNode("call", "PartitionedCall", Calls("f", "six")) +
      CallNode("named", "thirty", "") +
      CallNode("if", "If",
               Calls("then_branch", "six") + Calls("else_branch", "thirty")) +
      CallNode("while", "While",
               Calls("cond", "six") + Calls("body", "thirty")) +
      CallNode("case", "StatelessCase",
               "attr { key: 'branches' value { list { func { name: 'six' } "
               "func { name: 'twice' } } } }") +
      CallNode("nested", "StatefulPartitionedCall", Calls("f", "twice")) +
      "library {" + Function("six", Body("n", "Neg", "a")) +
      Function("thirty", Body("s", "Softmax", "a")) +
      Function("twice",
               Body("x", "PartitionedCall", "a", Calls("f", "thirty")) +
                   Body("y", "thirty", "a")) +
      "}");
  EXPECT_EQ(Of(profile, "call"), (NodeFlops{6, FlopsOrigin::kGraph}));
  EXPECT_EQ(Of(profile, "named"), (NodeFlops{30, FlopsOrigin::kGraph}));
  EXPECT_EQ(Of(profile, "if"), (NodeFlops{30, FlopsOrigin::kGraph}));
  EXPECT_EQ(Of(profile, "while"), (NodeFlops{36, FlopsOrigin::kGraph}));
  EXPECT_EQ(Of(profile, "case"), (NodeFlops{60, FlopsOrigin::kGraph}));
  EXPECT_EQ(Of(profile, "nested"), (NodeFlops{60, FlopsOrigin::kGraph}));
}

TEST(FunctionFlopsTest, WhatHasNoFigureMakesACallPartial) {
  const Profile profile = Graph(
      CallNode("missing", "PartitionedCall", Calls("f", "nowhere")) +
      CallNode("unsaid", "PartitionedCall", "") +
      CallNode("shapeless", "PartitionedCall", Calls("f", "open")) +
      "library {" +
      Function("open", Body("n", "Neg", "a") + Body("m", "Neg", "b:y:0")) +
      "}");
  EXPECT_EQ(Of(profile, "missing"), (NodeFlops{0, FlopsOrigin::kPartOfCall}));
  EXPECT_EQ(Of(profile, "unsaid"), (NodeFlops{0, FlopsOrigin::kPartOfCall}));
  EXPECT_EQ(Of(profile, "shapeless"), (NodeFlops{6, FlopsOrigin::kPartOfCall}));
}

TEST(FunctionFlopsTest, InputsInsideABody) {
  const Profile profile = Graph(
      CallNode("call", "PartitionedCall", Calls("f", "f")) + "library {" +
      Function("f", Body("split", "Split", "a", Outputs({{2, 1}, {2, 2}})) +
                        Body("left", "Neg", "split:output:0") +
                        Body("right", "Neg", "split:output:1") +
                        // Without shapes of its own.
                        Body("sum", "AddV2", "left:y:0', input: 'a")) +
      "}");
  // 2 + 4 + 6; left has no `_output_shapes`, it is like its input.
  EXPECT_EQ(Of(profile, "call"), (NodeFlops{12, FlopsOrigin::kGraph}));
}

TEST(FunctionFlopsTest, ArgumentShapesInEitherPlace) {
  const Profile profile =
      Graph(CallNode("call", "f", "") + R"(library { function {
        signature { name: 'f' input_arg { name: 'a' } input_arg { name: 'b' } }
        arg_attr { key: 1 value { attr { key: '_output_shapes' value {
          list { shape { dim { size: 5 } } } } } } }
        node_def { name: 'n' op: 'Neg' input: 'b' } } })");
  EXPECT_EQ(Of(profile, "call"), (NodeFlops{5, FlopsOrigin::kGraph}));
}

TEST(FunctionFlopsTest, AFunctionThatCallsItself) {
  const Profile profile = Graph(
      CallNode("self", "f", "") + CallNode("mutual", "g", "") + "library {" +
      Function("f", Body("n", "Neg", "a") + Body("c", "f", "a")) +
      Function("g", Body("n", "Neg", "a") + Body("c", "h", "a")) +
      Function("h", Body("n", "Softmax", "a") + Body("c", "g", "a")) + "}");
  EXPECT_EQ(Of(profile, "self"), (NodeFlops{6, FlopsOrigin::kPartOfCall}));
  EXPECT_EQ(Of(profile, "mutual"), (NodeFlops{36, FlopsOrigin::kPartOfCall}));
}

// Each calls the next one twice: as deep as a stack overflow would need, and
// 2^100000 calls.
TEST(FunctionFlopsTest, DeepAndWideCalls) {
  constexpr int kDepth = 100000;
  GraphDef graph;
  NodeDef& call = *graph.add_node();
  call.set_name("call");
  call.set_op("f0");
  for (int i = 0; i < kDepth; ++i) {
    FunctionDef& function = *graph.mutable_library()->add_function();
    function.mutable_signature()->set_name(fmt::format("f{}", i));
    for (const char* name : {"x", "y"}) {
      NodeDef& node = *function.add_node_def();
      node.set_name(name);
      node.set_op(fmt::format("f{}", i + 1));
    }
  }
  FunctionDef& last = *graph.mutable_library()->add_function();
  last.mutable_signature()->set_name(fmt::format("f{}", kDepth));
  NodeDef& constant = *last.add_node_def();
  constant.set_name("c");
  constant.set_op("Const");
  (*constant.mutable_attr())["value"].mutable_tensor()->mutable_tensor_shape();
  NodeDef& node = *last.add_node_def();
  node.set_name("n");
  node.set_op("Neg");
  node.add_input("c:output:0");
  LoadContext context;
  ASSERT_TRUE(
      LoadGraphDef(InputFile::FromBytes("graph", graph.SerializeAsString()),
                   context)
          .ok());
  const Profile profile = std::move(context.builder).Build();
  EXPECT_EQ(Of(profile, "call"), (NodeFlops{kMaxFlops, FlopsOrigin::kGraph}));
}

// ---- columns

TEST(FlopsColumnTest, Sources) {
  ProfileBuilder builder;
  AddNodeWithInputs(builder, "logged", "Mul", {}, {2, 3});
  AddNodeWithInputs(builder, "computed", "Mul", {}, {2, 3});
  AddNodeWithInputs(builder, "open", "Mul", {}, {-1, 3});
  AddNodeWithInputs(builder, "huge", "Mul", {}, {kMaxFlops, 3});
  AddNodeWithInputs(builder, "other", "Relu", {}, {2, 3});
  builder.SetFloatOps(0, 100);
  const Profile profile = std::move(builder).Build();
  const GraphFlops graph = ComputeGraphFlops(profile);
  const auto column = [&](FlopsSource source) {
    return MakeFlopsColumn(profile, source, &graph);
  };
  EXPECT_THAT(column(FlopsSource::kOpLog).flops, ElementsAre(100, 0, 0, 0, 0));
  EXPECT_THAT(column(FlopsSource::kOff).flops, ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(column(FlopsSource::kAuto).flops,
              ElementsAre(100, 6, 0, kMaxFlops, 0));
  EXPECT_THAT(column(FlopsSource::kGraph).flops,
              ElementsAre(6, 6, 0, kMaxFlops, 0));
  const FlopsColumn::Counts counts = column(FlopsSource::kAuto).counts;
  EXPECT_EQ(counts.op_log, 1);
  EXPECT_EQ(counts.graph, 2);
  EXPECT_EQ(counts.no_shapes, 1);
  EXPECT_EQ(counts.saturated, 1);
  EXPECT_TRUE(counts.sum_is_too_large);
  EXPECT_EQ(column(FlopsSource::kGraph).counts.op_log, 0);
  EXPECT_FALSE(column(FlopsSource::kOpLog).counts.sum_is_too_large);
}

}  // namespace
}  // namespace tfprof
