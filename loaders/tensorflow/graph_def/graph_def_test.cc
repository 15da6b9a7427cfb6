#include "loaders/tensorflow/graph_def/graph_def.h"


#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/load_testing.h"
#include "proto/graph.pb.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using GraphDefTest = FolderTest;

TEST_F(GraphDefTest, DuplicateAndOddNodes) {
  const auto loaded =
      LoadFlagged({{"graph_path", Write("g", Binary<GraphDef>(R"(
    node { name: "a" op: "First" input: "b:1" }
    node { name: "a" op: "Second" input: "c" }
    node { op: "NoName" }
    node { name: "b" }
    node { name: "b:1" op: "Colon" }
  )"))}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const NodeTable& nodes = loaded->profile.nodes();
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_EQ(loaded->profile.strings().Get(nodes.op[0]), "First");
  ASSERT_EQ(nodes.num_inputs(0), 1u);
  EXPECT_EQ(loaded->profile.node_name(nodes.Source(0, 0)), "b");
}

TEST_F(GraphDefTest, FunctionsAreReadWhenAskedFor) {
  const auto loaded =
      LoadFlagged({{"graph_path", Write("g", Binary<GraphDef>(R"(
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
  const FunctionBody body = loaded->profile.Function(functions[1].second);
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

}  // namespace
}  // namespace tfprof
