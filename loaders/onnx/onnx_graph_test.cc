#include "loaders/onnx/onnx_graph.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/onnx/onnx_testing.h"

namespace tfprof::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(OnnxGraphTest, NodesAndTensors) {
  OnnxMaker maker;
  maker.Node("/fc/Gemm", "Gemm", {"x", "w", ""}, {"y"},
             {{"namespace", ": Net/fc: Linear/gemm: aten"},
              {"pkg.torch.onnx.stack_trace", "File"},
              {"other", "ignored"}});
  maker.Initializer("w", {10, 32});
  maker.Initializer("scale", {});
  maker.Input("x", {-1, 32});
  maker.Shape("y", {4, 10});
  const std::string bytes = maker.Graph();
  OnnxGraph graph;
  ASSERT_TRUE(ReadOnnxGraph(bytes, graph));
  ASSERT_THAT(graph.nodes, SizeIs(1));
  EXPECT_EQ(graph.nodes[0].name, "/fc/Gemm");
  EXPECT_EQ(graph.nodes[0].op, "Gemm");
  EXPECT_THAT(graph.nodes[0].inputs, ElementsAre("x", "w", ""));
  EXPECT_THAT(graph.nodes[0].outputs, ElementsAre("y"));
  EXPECT_EQ(graph.nodes[0].name_space, ": Net/fc: Linear/gemm: aten");
  EXPECT_EQ(graph.nodes[0].stack_trace, "File");
  EXPECT_EQ(graph.nodes[0].field, 0u);
  ASSERT_THAT(graph.initializers, SizeIs(2));
  EXPECT_THAT(graph.initializers[0].dims, ElementsAre(10, 32));
  EXPECT_EQ(graph.initializers[0].data_type, 1);
  EXPECT_THAT(graph.initializers[1].dims, ElementsAre(1));  // a scalar
  ASSERT_THAT(graph.inputs, SizeIs(1));
  EXPECT_THAT(graph.inputs[0].dims, ElementsAre(-1, 32));
  ASSERT_THAT(graph.values, SizeIs(1));
  EXPECT_THAT(graph.values[0].dims, ElementsAre(4, 10));
}

TEST(OnnxGraphTest, GraphsInAttributes) {
  OnnxMaker body;
  body.Node("inner", "Add", {"a"}, {"b"});
  OnnxMaker maker;
  maker.Node("if", "If", {"c"}, {"d"}, {}, body.Graph());
  const std::string bytes = maker.Graph();
  OnnxGraph graph;
  ASSERT_TRUE(ReadOnnxGraph(bytes, graph));
  ASSERT_THAT(graph.nodes[0].subgraphs, SizeIs(1));
  EXPECT_EQ(graph.nodes[0].subgraphs[0], body.Graph());
}

TEST(OnnxGraphTest, ASparseInitializer) {
  // values { name: "s" dims: 3 } dims: [10, 20]
  const std::string bytes("\x7a\x0b\x0a\x05\x42\x01s\x08\x03\x1a\x02\x0a\x14",
                          13);
  OnnxGraph graph;
  ASSERT_TRUE(ReadOnnxGraph(bytes, graph));
  ASSERT_THAT(graph.initializers, SizeIs(1));
  EXPECT_EQ(graph.initializers[0].name, "s");
  EXPECT_THAT(graph.initializers[0].dims, ElementsAre(10, 20));
}

TEST(OnnxModelTest, TheMainGraph) {
  OnnxMaker maker;
  maker.Node("n", "Relu", {}, {});
  const std::string bytes = maker.Model();
  OnnxModel model;
  ASSERT_TRUE(ReadOnnxModel(bytes, model));
  EXPECT_TRUE(model.has_graph);
  EXPECT_EQ(model.producer, "pytorch");
  EXPECT_EQ(model.graph, maker.Graph());
}

TEST(OnnxModelTest, AModelThatIsCutOffInItsGraph) {
  OnnxMaker maker;
  maker.Node("n", "Relu", {}, {});
  maker.Node("m", "Relu", {}, {});
  const std::string whole = maker.Model();
  const std::string_view bytes =
      std::string_view(whole).substr(0, whole.size() - 6);
  OnnxModel model;
  EXPECT_FALSE(ReadOnnxModel(bytes, model));
  ASSERT_TRUE(model.has_graph);
  OnnxGraph graph;
  EXPECT_FALSE(ReadOnnxGraph(model.graph, graph));
  ASSERT_THAT(graph.nodes, SizeIs(1));
  EXPECT_EQ(graph.nodes[0].name, "n");
}

TEST(OnnxModelTest, NoGraph) {
  OnnxModel model;
  EXPECT_TRUE(ReadOnnxModel("", model));
  EXPECT_FALSE(model.has_graph);
}

TEST(WeightTypeTest, ShapesAndIndicesAreNoWeights) {
  EXPECT_TRUE(IsWeightType(1));   // FLOAT
  EXPECT_TRUE(IsWeightType(3));   // INT8, quantized
  EXPECT_TRUE(IsWeightType(16));  // BFLOAT16
  EXPECT_FALSE(IsWeightType(7));  // INT64
  EXPECT_FALSE(IsWeightType(9));  // BOOL
}

}  // namespace
}  // namespace tfprof::onnx
