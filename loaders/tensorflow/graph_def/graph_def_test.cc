#include "loaders/tensorflow/graph_def/graph_def.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "proto/graph.pb.h"

namespace tfprof::tensorflow {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using GraphDefTest = loaders::FolderTest;

TEST_F(GraphDefTest, DuplicateAndOddNodes) {
  const auto loaded = loaders::LoadFlagged(
      {{"graph_path", Write("g", loaders::Binary<proto::GraphDef>(R"(
    node { name: "a" op: "First" input: "b:1" }
    node { name: "a" op: "Second" input: "c" }
    node { op: "NoName" }
    node { name: "b" }
    node { name: "b:1" op: "Colon" }
  )"))}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const profile::NodeTable& nodes = loaded->profile.nodes();
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_EQ(loaded->profile.strings().Get(nodes.op[0]), "First");
  ASSERT_EQ(nodes.num_inputs(0), 1u);
  EXPECT_EQ(loaded->profile.node_name(nodes.Source(0, 0)), "b");
}

TEST_F(GraphDefTest, FunctionsAreReadWhenAskedFor) {
  const auto loaded = loaders::LoadFlagged(
      {{"graph_path", Write("g", loaders::Binary<proto::GraphDef>(R"(
    node { name: "x" op: "f" }
    library {
      function { signature { name: "empty" } }
      function {
        signature { name: "f" input_arg { name: "a" } input_arg { name: "b" }
                    output_arg { name: "c" } }
        attr { key: "_input_shapes" value { list { shape { dim { size: 2 } }
                                                   shape { dim { size: 3 } } } } }
        arg_attr { key: 1 value { attr { key: "_output_shapes" value {
            list { shape { dim { size: 4 } } } } } } }
        arg_attr { key: 7 value { } }
        node_def { name: "n" op: "Add" input: "a" input: "m:y:0" input: "^b"
                   attr { key: "T" value { type: DT_FLOAT } } }
        node_def { name: "m" op: "Neg" }
      } })"))}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->profile.nodes().size(), 1u);
  const auto functions = loaded->profile.Functions();
  ASSERT_THAT(functions, SizeIs(2));
  EXPECT_EQ(functions[0].first, "empty");
  EXPECT_THAT(loaded->profile.Function(functions[0].second).nodes, IsEmpty());
  EXPECT_EQ(functions[1].first, "f");
  const profile::FunctionBody body =
      loaded->profile.Function(functions[1].second);
  ASSERT_THAT(body.arguments, SizeIs(2));
  EXPECT_EQ(body.arguments[0].name, "a");
  EXPECT_THAT(body.arguments[0].shape, ElementsAre(2));
  EXPECT_THAT(body.arguments[1].shape, ElementsAre(4));
  ASSERT_THAT(body.nodes, SizeIs(2));
  EXPECT_EQ(body.nodes[0].name, "n");
  EXPECT_EQ(body.nodes[0].op, "Add");
  EXPECT_THAT(body.nodes[0].inputs, ElementsAre("a", "m:y:0", "^b"));
  ASSERT_THAT(body.nodes[0].attributes, SizeIs(1));
  EXPECT_EQ(body.nodes[0].attributes[0].first, "T");
}

// ---- Only the loader

class GraphDefLoaderTest : public ::testing::Test {
 protected:
  absl::Status Load(const std::string& bytes) {
    return LoadGraphDef(loaders::InputFile::FromBytes("g", bytes), context_);
  }
  absl::Status LoadText(std::string_view text) {
    return Load(loaders::Binary<proto::GraphDef>(text));
  }
  // Formats each input of a node as "source:output".
  std::vector<std::string> InputsOf(profile::NodeId n) const {
    const profile::GraphTables& graph = context_.builder.graph();
    const profile::NodeTable& nodes = graph.nodes;
    std::vector<std::string> inputs;
    for (uint32_t e = nodes.edge_begin[n]; e < nodes.edge_begin[n + 1]; ++e) {
      inputs.push_back(
          std::string(graph.strings.Get(nodes.edge_source[e])) + ":" +
          std::to_string(nodes.edge_output.empty() ? 0 : nodes.edge_output[e]));
      // The reference reads output 0 for every input.
      EXPECT_TRUE(nodes.edge_seen_output.empty());
    }
    return inputs;
  }

  loaders::LoadContext context_;
};

TEST_F(GraphDefLoaderTest, DataAndControlInputs) {
  ASSERT_TRUE(LoadText("node { name: 'n' input: ['a', 'b:2', '^c', '', ':1', "
                       "'d:x', 'e:1:2'] }")
                  .ok());
  EXPECT_THAT(InputsOf(0),
              ElementsAre("a:0", "b:2", "c:0", ":0", ":1", "d:0", "e:1"));
}

// The names repeat in the same order, with other outputs, as control inputs, or
// only partly.
TEST_F(GraphDefLoaderTest, RepeatedInputs) {
  ASSERT_TRUE(LoadText("node { name: 'n' input: ['a', 'b:2', '^c', ''] } "
                       "node { name: 'm' input: ['a', 'b', '^c', ''] } "
                       "node { name: 'b:2' input: ['^a', '^b', 'c:1', ':3'] } "
                       "node { name: 'k' input: ['a:1', 'b:2', 'c', '^'] } "
                       "node { name: 'j' input: ['a', 'bb', 'a', 'b:x'] } "
                       "node { name: 'i' input: ['a', 'a', '', 'a'] }")
                  .ok());
  EXPECT_THAT(InputsOf(0), ElementsAre("a:0", "b:2", "c:0", ":0"));
  EXPECT_THAT(InputsOf(1), ElementsAre("a:0", "b:0", "c:0", ":0"));
  EXPECT_THAT(InputsOf(2), ElementsAre("a:0", "b:0", "c:1", ":3"));
  EXPECT_THAT(InputsOf(3), ElementsAre("a:1", "b:2", "c:0", ":0"));
  EXPECT_THAT(InputsOf(4), ElementsAre("a:0", "bb:0", "a:0", "b:0"));
  EXPECT_THAT(InputsOf(5), ElementsAre("a:0", "a:0", ":0", "a:0"));
}

TEST_F(GraphDefLoaderTest, RepeatedShapes) {
  const std::string two =
      "attr { key: '_output_shapes' value { list { shape { dim { size: 7 } } "
      "shape { dim { size: 8 } } } } } ";
  const std::string one =
      "attr { key: '_output_shapes' value { list { shape { dim { size: 9 } } "
      "} } } ";
  ASSERT_TRUE(LoadText("node { name: 'a' " + two + "} node { name: 'b' " + one +
                       "} node { name: 'c' " + two + "} node { name: 'd' } " +
                       "node { name: 'e' " + one + "}")
                  .ok());
  const profile::GraphTables& graph = context_.builder.graph();
  const profile::NodeTable& nodes = graph.nodes;
  for (const profile::NodeId n : {0, 2}) {
    EXPECT_EQ(nodes.shape_begin[n + 1] - nodes.shape_begin[n], 2u);
    EXPECT_THAT(graph.shapes[nodes.OutputShapeOf(n, 0)], ElementsAre(7));
    EXPECT_THAT(graph.shapes[nodes.OutputShapeOf(n, 1)], ElementsAre(8));
  }
  for (const profile::NodeId n : {1, 4}) {
    EXPECT_EQ(nodes.shape_begin[n + 1] - nodes.shape_begin[n], 1u);
    EXPECT_THAT(graph.shapes[nodes.OutputShapeOf(n, 0)], ElementsAre(9));
  }
  EXPECT_EQ(nodes.OutputShapeOf(3, 0), profile::kUnknownShape);
}

TEST_F(GraphDefLoaderTest, ShapesOfParametersAndOutputs) {
  ASSERT_TRUE(LoadText("node { name: 'n' "
                       "attr { key: 'T' value { i: 1 } } "
                       "attr { key: 'shape' value { shape { dim { size: 2 } "
                       "dim { size: -1 } } } } "
                       "attr { key: '_output_shapes' value { list { "
                       "shape { } shape { unknown_rank: true } "
                       "shape { dim { size: 7 } } } } } }")
                  .ok());
  const profile::GraphTables& graph = context_.builder.graph();
  const profile::NodeTable& nodes = graph.nodes;
  EXPECT_THAT(graph.shapes[nodes.parameter_shape[0]], ElementsAre(2, -1));
  EXPECT_THAT(graph.shapes[nodes.OutputShapeOf(0, 0)], ElementsAre(1));
  EXPECT_EQ(nodes.OutputShapeOf(0, 1), profile::kUnknownShape);
  EXPECT_THAT(graph.shapes[nodes.OutputShapeOf(0, 2)], ElementsAre(7));
}

TEST_F(GraphDefLoaderTest, ASecondGraphAddsItsNewNodes) {
  ASSERT_TRUE(LoadText("node { name: 'a' op: 'First' }").ok());
  ASSERT_TRUE(
      LoadText("node { name: 'a' op: 'Second' } node { name: 'b' }").ok());
  const profile::GraphTables& graph = context_.builder.graph();
  ASSERT_EQ(graph.nodes.size(), 2u);
  EXPECT_EQ(graph.strings.Get(graph.nodes.op[0]), "First");
  EXPECT_EQ(loaders::CountOf(context_.log, "duplicate node"), 1);
  EXPECT_FALSE(context_.log.damaged());
}

TEST_F(GraphDefLoaderTest, AGraphWithoutNodesIsEmpty) {
  EXPECT_TRUE(
      Load(loaders::Binary<proto::GraphDef>("versions { producer: 180 }"))
          .ok());
  EXPECT_TRUE(Load(std::string("\x22\x03\x08\xb4\x01", 5)).ok());
  EXPECT_TRUE(Load(std::string("\x12\x00", 2)).ok());  // an empty library
  EXPECT_FALSE(Load(std::string("\x22\x03\x08\xb4", 4)).ok());
}

TEST_F(GraphDefLoaderTest, FilesThatAreNoGraphs) {
  EXPECT_TRUE(Load("").ok());
  const absl::Status no_nodes = Load("\x1a\x01x");
  EXPECT_EQ(no_nodes.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(no_nodes.message()),
            "g: no nodes in 3 bytes: not a GraphDef");
  const absl::Status cut = Load("\x0a\x7fx");
  EXPECT_EQ(cut.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(cut.message()),
              ::testing::EndsWith("not a GraphDef, or cut off in its first "
                                  "node"));
}

TEST_F(GraphDefLoaderTest, ADamagedNodeIsDroppedWithItsInputs) {
  const std::string good =
      loaders::Binary<proto::GraphDef>("node { name: 'a' input: 'x' }");
  // An input, then a field that is longer than the node.
  ASSERT_TRUE(Load("\x0a\x05\x1a\x01y\x0a\x7f" + good).ok());
  ASSERT_EQ(context_.builder.graph().nodes.size(), 1u);
  EXPECT_THAT(InputsOf(0), ElementsAre("x:0"));
  EXPECT_EQ(loaders::CountOf(context_.log, "NodeDef dropped"), 1);
}

TEST_F(GraphDefLoaderTest, ADamagedAttributeIsDroppedAlone) {
  ASSERT_TRUE(Load("\x0a\x07\x0a\x01n\x2a\x02\x0a\x7f").ok());
  EXPECT_EQ(context_.builder.graph().nodes.size(), 1u);
  EXPECT_EQ(loaders::CountOf(context_.log, "node attribute dropped"), 1);
}

// Pieces of a megabyte are parsed separately and added in order.
TEST_F(GraphDefLoaderTest, AGraphOfManyPieces) {
  constexpr int kNodes = 30000;
  proto::GraphDef graph;
  const std::string padding(100, 'p');
  for (int i = 0; i < kNodes; ++i) {
    proto::NodeDef& node = *graph.add_node();
    node.set_name(padding + std::to_string(i));
    // The source is usually in another piece.
    node.add_input(padding + std::to_string((i + 15000) % kNodes));
  }
  const std::string bytes = graph.SerializeAsString();
  ASSERT_GT(bytes.size(), size_t{5} << 20);
  ASSERT_TRUE(Load(bytes).ok());
  const profile::GraphTables& tables = context_.builder.graph();
  ASSERT_EQ(tables.nodes.size(), size_t{kNodes});
  for (profile::NodeId n = 0; n < kNodes; ++n) {
    ASSERT_EQ(tables.strings.Get(tables.nodes.name[n]),
              padding + std::to_string(n));
    ASSERT_EQ(tables.nodes.Source(n, tables.nodes.edge_begin[n]),
              (n + 15000) % kNodes);
  }
  EXPECT_EQ(context_.progress->done, static_cast<int64_t>(bytes.size()));
}

TEST_F(GraphDefLoaderTest, DamageInShapesIsCounted) {
  for (const std::string_view attribute :
       {R"(key: "shape" value { shape { dim { size: 300 } } })",
        R"(key: "_output_shapes"
           value { list { shape { dim { size: 300 } } } })"}) {
    std::string text = "node { name: 'w' op: 'Variable' attr { ";
    text += attribute;
    text += " } }";
    std::string bytes = loaders::Binary<proto::GraphDef>(text);
    // The number of the size goes on after the end of the dimension.
    bytes.back() = '\x80';
    loaders::LoadContext context;
    ASSERT_TRUE(
        LoadGraphDef(loaders::InputFile::FromBytes("g", bytes), context).ok());
    EXPECT_EQ(loaders::CountOf(context.log, "shape dropped"), 1) << attribute;
    EXPECT_EQ(context.builder.graph().nodes.size(), 1u);
  }
}

}  // namespace
}  // namespace tfprof::tensorflow
