#include "flops/graph_flops.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/small_model_testing.h"
#include "flops/flops_testing.h"
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "profile/graph_testing.h"
#include "profile/profile_builder.h"

namespace tfprof::flops {
namespace {
namespace graph_flops_test {

using Shape = std::vector<int64_t>;

struct NodeFlops {
  int64_t flops;
  FlopsOrigin origin;
  friend bool operator==(const NodeFlops&, const NodeFlops&) = default;
};
std::ostream& operator<<(std::ostream& out, const NodeFlops& f) {
  return out << f.flops << " (" << static_cast<int>(f.origin) << ")";
}

NodeFlops Of(const profile::Profile& profile, std::string_view name) {
  const GraphFlops flops = ComputeGraphFlops(profile);
  const profile::NodeId n = NodeNamed(profile, name);
  return {flops.flops[n], flops.origin[n]};
}

TEST(GraphFlopsTest, TheSmallModelOfTheReference) {
  const profile::Profile profile = accounting::SmallModel();
  const GraphFlops flops = ComputeGraphFlops(profile);
  for (profile::NodeId n = 0; n < profile.nodes().size(); ++n) {
    if (profile.nodes().FloatOps(n) == 0) continue;
    EXPECT_EQ(flops.flops[n], profile.nodes().FloatOps(n));
  }
}

TEST(GraphFlopsTest, TheOutputThatTheGraphNames) {
  const profile::Profile profile = ProfileOfGraph(
      "node { name: 's' op: 'Split' " + OutputShapesAttr({{2, 3}, {4, 5}}) +
      "} node { name: 'n' op: 'Neg' input: 's:1' } "
      "node { name: 'm' op: 'Neg' input: 's:2' }");
  EXPECT_EQ(Of(profile, "n"), (NodeFlops{20, FlopsOrigin::kGraph}));
  EXPECT_EQ(Of(profile, "m"), (NodeFlops{0, FlopsOrigin::kNoShapes}));
  EXPECT_EQ(Of(profile, "s"), (NodeFlops{0, FlopsOrigin::kNoFormula}));
}

// A ProfileProto from TensorFlow has output 0 for every edge.
TEST(GraphFlopsTest, AnOutputInDoubtHasNoShape) {
  profile::ProfileBuilder builder;
  profile::GraphTables& graph = builder.mutable_graph();
  profile::AddNodeWithInputs(builder, "s", "Split", {}, {2, 3});
  builder.AddOutputShape(1, graph.shapes.Intern(Shape{4, 5}));
  profile::AddNodeWithInputs(builder, "same", "Split", {}, {2, 3});
  builder.AddOutputShape(1, graph.shapes.Intern(Shape{2, 3}));
  profile::AddNodeWithInputs(builder, "n", "Neg", {"s"}, {2, 3});
  profile::AddNodeWithInputs(builder, "m", "Neg", {"same"}, {2, 3});
  graph.nodes.misses_outputs = true;
  const profile::Profile profile = std::move(builder).Build();
  EXPECT_EQ(Of(profile, "n"), (NodeFlops{0, FlopsOrigin::kNoShapes}));
  EXPECT_EQ(Of(profile, "m"), (NodeFlops{6, FlopsOrigin::kGraph}));
}

TEST(GraphFlopsTest, ShapesThatNodesState) {
  const profile::Profile profile = ProfileOfGraph(R"(
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
  // The handle is a scalar, whatever the variable's shape is.
  EXPECT_EQ(Of(profile, "of_variable"), (NodeFlops{0, FlopsOrigin::kNoShapes}));
}

std::string Ran(std::string_view name, int slot, const Shape& shape) {
  std::string dims;
  for (const int64_t dim : shape)
    dims += fmt::format("dim {{ size: {} }} ", dim);
  return fmt::format(
      "node_stats {{ node_name: '{}' all_start_micros: 1 op_end_rel_micros: 1 "
      "output {{ slot: {} tensor_description {{ shape {{ {} }} }} }} }} ",
      name, slot, dims);
}

TEST(GraphFlopsTest, ShapesOfARun) {
  const std::string graph = "node { name: 'x' op: 'Op' " +
                            OutputShapesAttr({{-1, 3}}) +
                            "} node { name: 'n' op: 'Neg' input: 'x' } ";
  const auto run = [](const std::string& stats) {
    return "step_stats { dev_stats { device: '/cpu:0' " + stats + "} }";
  };
  EXPECT_EQ(Of(ProfileOfGraph(graph), "n"),
            (NodeFlops{0, FlopsOrigin::kNoShapes}));
  EXPECT_EQ(Of(ProfileOfGraph(graph, run(Ran("x", 0, {5, 3}))), "n"),
            (NodeFlops{15, FlopsOrigin::kRunTime}));
  // The first recorded shape counts.
  EXPECT_EQ(
      Of(ProfileOfGraph(graph, run(Ran("x", 0, {5, 3}) + Ran("x", 0, {9, 3}))),
         "n"),
      (NodeFlops{15, FlopsOrigin::kRunTime}));
  // These do not match: another slot, another rank, or another dimension than
  // in the graph.
  for (const std::string& stats : {Ran("x", 1, {5, 3}), Ran("x", 0, {5, 3, 1}),
                                   Ran("x", 0, {5, 4}), Ran("y", 0, {5, 3})}) {
    EXPECT_EQ(Of(ProfileOfGraph(graph, run(stats)), "n"),
              (NodeFlops{0, FlopsOrigin::kNoShapes}))
        << stats;
  }
}

TEST(GraphFlopsTest, AnEmptyProfileHasNoFigures) {
  const GraphFlops flops = ComputeGraphFlops(profile::Profile());
  EXPECT_TRUE(flops.flops.empty());
  EXPECT_TRUE(flops.origin.empty());
}

TEST(GraphFlopsTest, FormulasReadTheAttributesOfTheNode) {
  const profile::Profile profile = ProfileOfGraph(
      "node { name: 'a' op: 'Op' " + OutputShapesAttr({{16, 25}}) +
      "} node { name: 'm' op: 'MatMul' input: 'a' input: 'a' "
      "attr { key: 'transpose_a' value { b: true } } " +
      OutputShapesAttr({{25, 25}}) + "}");
  EXPECT_EQ(Of(profile, "m"),
            (NodeFlops{2 * 16 * 25 * 25, FlopsOrigin::kGraph}));
}

TEST(GraphFlopsTest, AFormulaMayNotCoverTheShapes) {
  const profile::Profile profile =
      ProfileOfGraph("node { name: 'a' op: 'Op' " + OutputShapesAttr({{7}}) +
                     "} node { name: 'm' op: 'MatMul' input: 'a' input: 'a' " +
                     OutputShapesAttr({{7}}) + "}");
  EXPECT_EQ(Of(profile, "m"), (NodeFlops{0, FlopsOrigin::kNotSupported}));
}

// The inputs of a saved profile may have gaps in their positions.
TEST(GraphFlopsTest, InputsCountByTheirPositions) {
  profile::ProfileBuilder builder;
  profile::GraphTables& graph = builder.mutable_graph();
  profile::AddNodeWithInputs(builder, "image", "Op", {}, {9});
  profile::AddNodeWithInputs(builder, "filter", "Op", {}, {3, 3, 2, 8});
  builder.AddNode("conv", "Conv2D", profile::kNoRecord);
  builder.AddEdge(graph.strings.Find("filter"), /*position=*/1, 0, 0);
  builder.AddEdge(graph.strings.Find("image"), /*position=*/-1, 0, 0);
  builder.AddOutputShape(0, graph.shapes.Intern(Shape{5}));
  const profile::Profile profile = std::move(builder).Build();
  EXPECT_EQ(Of(profile, "conv"),
            (NodeFlops{2 * 5 * 3 * 3 * 2, FlopsOrigin::kGraph}));
}

TEST(GraphFlopsTest, ACallHasTheFigureOfItsFunction) {
  const profile::Profile profile = ProfileOfGraph(R"(
    node { name: 'call' op: 'f' }
    node { name: 'part' op: 'PartitionedCall' }
    library { function { signature { name: 'f' } node_def { name: 'n'
      op: 'Neg' input: 'c:output:0' } node_def { name: 'c' op: 'Const'
      attr { key: 'value' value { tensor { tensor_shape { dim { size: 4 } }
      } } } } } })");
  EXPECT_EQ(Of(profile, "call"), (NodeFlops{4, FlopsOrigin::kGraph}));
  EXPECT_EQ(Of(profile, "part"), (NodeFlops{0, FlopsOrigin::kPartOfCall}));
}

}  // namespace graph_flops_test
}  // namespace
}  // namespace tfprof::flops
