#include "loaders/onnx/onnx.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "loaders/onnx/format.h"
#include "loaders/onnx/onnx_testing.h"

namespace tfprof::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class OnnxTest : public ::testing::Test {
 protected:
  absl::Status LoadModel(std::string bytes) {
    return LoadOnnx(loaders::InputFile::FromBytes("m", std::move(bytes)),
                    context_);
  }
  const profile::GraphTables& graph() const { return context_.builder.graph(); }
  const profile::NodeTable& nodes() const { return graph().nodes; }
  std::string_view Text(profile::StringId id) const {
    return id == profile::kNone ? "" : graph().strings.Get(id);
  }
  profile::NodeId Find(std::string_view name) const {
    return nodes().Find(graph().strings.Find(name));
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const profile::StringId name : nodes().name)
      names.emplace_back(Text(name));
    return names;
  }
  std::vector<std::string> Sources(profile::NodeId n) const {
    std::vector<std::string> sources;
    for (uint32_t e = nodes().edge_begin[n]; e < nodes().edge_begin[n + 1];
         ++e) {
      sources.emplace_back(Text(nodes().edge_source[e]));
    }
    return sources;
  }

  loaders::LoadContext context_;
  OnnxMaker maker_;
};

TEST_F(OnnxTest, OperationsInputsAndParameters) {
  maker_.Input("x", {-1, 32});
  maker_.Initializer("fc.weight", {10, 32});
  maker_.Initializer("axes", {2}, /*data_type=*/7);
  maker_.Node("/net/fc/Gemm", "Gemm", {"x", "fc.weight"}, {"y"});
  maker_.Node("", "Softmax", {"y", "axes"}, {"p"});
  maker_.Shape("y", {4, 10});
  ASSERT_TRUE(LoadModel(maker_.Model()).ok());
  EXPECT_THAT(Names(), ElementsAre("net/fc/fc.weight", "axes", "x",
                                   "net/fc/Gemm", "Softmax_1"));
  const profile::NodeId gemm = Find("net/fc/Gemm");
  EXPECT_THAT(Sources(gemm), ElementsAre("x", "net/fc/fc.weight"));
  EXPECT_EQ(Text(nodes().op[gemm]), "Gemm");
  EXPECT_THAT(graph().shapes[nodes().OutputShapeOf(gemm, 0)],
              ElementsAre(4, 10));
  const profile::Scopes::Entry& scope = graph().scopes[nodes().scope[gemm]];
  EXPECT_EQ(Text(scope.name), "fc");
  EXPECT_EQ(Text(graph().scopes[scope.parent].name), "net");
  EXPECT_THAT(Sources(Find("Softmax_1")), ElementsAre("net/fc/Gemm", "axes"));
  EXPECT_EQ(graph().shapes.Parameters(
                nodes().parameter_shape[Find("net/fc/fc.weight")]),
            320);
  EXPECT_EQ(nodes().parameter_shape[Find("axes")], profile::kUnknownShape);
}

TEST_F(OnnxTest, OutputsOfANodeAndTensorsThatNothingMakes) {
  maker_.Node("split", "Split", {"from nowhere", ""}, {"a", "", "b"});
  maker_.Node("add", "Add", {"a", "b"}, {"c"});
  ASSERT_TRUE(LoadModel(maker_.Model()).ok());
  EXPECT_THAT(Sources(Find("split")), ElementsAre("from nowhere"));
  const profile::NodeId add = Find("add");
  EXPECT_THAT(Sources(add), ElementsAre("split", "split"));
  EXPECT_EQ(nodes().edge_output[nodes().edge_begin[add] + 1], 2);
  EXPECT_THAT(context_.tensor_producers,
              ElementsAre(Pair(graph().strings.Find("a"), Find("split")),
                          Pair(graph().strings.Find("b"), Find("split")),
                          Pair(graph().strings.Find("c"), add)));
}

TEST_F(OnnxTest, InitializersThatAreInputsToo) {
  maker_.Initializer("w", {3});
  maker_.Input("w", {3});
  maker_.Node("n", "Relu", {"w"}, {"y"});
  ASSERT_TRUE(LoadModel(maker_.Model()).ok());
  EXPECT_EQ(Text(nodes().op[Find("w")]), kOnnxInitializer);
  EXPECT_EQ(nodes().size(), 2u);
}

TEST_F(OnnxTest, NodesOfOneName) {
  maker_.Node("n", "Relu", {"x"}, {"y"});
  maker_.Node("n", "Relu", {"y"}, {"z"});
  ASSERT_TRUE(LoadModel(maker_.Model()).ok());
  EXPECT_THAT(Names(), ElementsAre("n", "n#2"));
  EXPECT_THAT(Sources(1), ElementsAre("n"));
}

TEST_F(OnnxTest, ScopesAndCallStacksOfTorch) {
  maker_.Node(
      "node_conv2d_1", "Conv", {"x"}, {"y"},
      {{"pkg.torch.onnx.name_scopes", "['', 'conv', 'conv.1', 'conv2d_1']"},
       {"pkg.torch.onnx.stack_trace",
        "File \"/src/net.py\", line 12, in forward\n  x = f(x)\n"
        "File \"/src/f.py\", line 3, in f"}});
  ASSERT_TRUE(LoadModel(maker_.Model()).ok());
  const profile::NodeId n = Find("conv/1/node_conv2d_1");
  ASSERT_NE(n, profile::kNone);
  EXPECT_TRUE(graph().has_code_traces);
  const std::vector<profile::FrameId> frames =
      graph().stacks.Frames(nodes().stack[n]);
  ASSERT_EQ(frames.size(), 2u);
  const profile::Frame& outer = graph().stacks.frame(frames[0]);
  EXPECT_EQ(Text(outer.file), "/src/net.py");
  EXPECT_EQ(outer.lineno, 12);
  EXPECT_EQ(Text(outer.line), "x = f(x)");
  EXPECT_EQ(Text(graph().stacks.frame(frames[1]).function), "f");
}

TEST_F(OnnxTest, GraphsInAttributes) {
  OnnxMaker body;
  body.Node("/loop/Add", "Add", {"x"}, {"y"});
  maker_.Node("/Loop", "Loop", {"x"}, {"z"}, {}, body.Graph());
  ASSERT_TRUE(LoadModel(maker_.Model()).ok());
  EXPECT_THAT(Names(), ElementsAre("Loop", "loop/Add"));
}

TEST_F(OnnxTest, AModelThatIsCutOff) {
  maker_.Node("n", "Relu", {"x"}, {"y"});
  maker_.Node("m", "Relu", {"y"}, {"z"});
  const std::string bytes = maker_.Model();
  ASSERT_TRUE(LoadModel(bytes.substr(0, bytes.size() - 6)).ok());
  EXPECT_THAT(Names(), ElementsAre("n"));
  EXPECT_EQ(loaders::CountOf(context_.log, "ONNX model cut short"), 1);
}

TEST_F(OnnxTest, NoGraph) {
  const absl::Status status = LoadModel(std::string("\x08\x07", 2));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no graph in 2 bytes"));
}

TEST_F(OnnxTest, InputsAsTheFileWritesThem) {
  maker_.Node("n", "Add", {"a", "b"}, {"c"});
  ASSERT_TRUE(LoadModel(maker_.Model()).ok());
  const profile::Profile profile = std::move(context_.builder).Build();
  EXPECT_THAT(profile.Inputs(0), ElementsAre("a", "b"));
}

using OnnxFormatTest = loaders::FolderTest;

TEST_F(OnnxFormatTest, AModelIsRecognised) {
  OnnxMaker maker;
  maker.Node("n", "Relu", {"x"}, {"y"});
  const auto loaded = loaders::LoadFiles({Write("m", maker.Model())});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->sources[0].format, "ONNX model");
}

TEST_F(OnnxFormatTest, TextIsNoModel) {
  EXPECT_EQ(kOnnxFormat.sniff(std::string(1000, '(')).score, 0);
}

}  // namespace
}  // namespace tfprof::onnx
