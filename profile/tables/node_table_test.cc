#include "profile/tables/node_table.h"

#include <cstdint>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::profile {
namespace {

// Returns two nodes: node 0 has the outputs 0 and 3, node 1 reads it three
// times. The names are the strings 10 and 11.
NodeTable TwoNodes() {
  NodeTable nodes;
  nodes.name = {10, 11};
  nodes.by_name.resize(12, kNone);
  nodes.by_name[10] = 0;
  nodes.by_name[11] = 1;
  nodes.edge_begin = {0, 0, 3};
  nodes.edge_source = {10, 10, 99};
  nodes.shape_begin = {0, 2, 2};
  nodes.output_shape = {{0, 5}, {3, 6}};
  return nodes;
}

TEST(NodeTableTest, AnEmptyTable) {
  const NodeTable nodes;
  EXPECT_EQ(nodes.size(), 0u);
  EXPECT_EQ(nodes.Find(0), kNone);
  EXPECT_EQ(nodes.Find(/*of=*/3, 0), kNone);
}

TEST(NodeTableTest, StringsThatAreNotNamesHaveNoNode) {
  const NodeTable nodes = TwoNodes();
  EXPECT_EQ(nodes.Find(10), 0u);
  EXPECT_EQ(nodes.Find(9), kNone);
  EXPECT_EQ(nodes.Find(12), kNone);  // beyond the column
  EXPECT_EQ(nodes.Find(kNone), kNone);
}

TEST(NodeTableTest, AModuleHasNamesOfItsOwn) {
  NodeTable nodes = TwoNodes();
  nodes.in_module[{1, 10}] = 1;
  EXPECT_EQ(nodes.Find(kUnnamedModule, 10), 0u);
  EXPECT_EQ(nodes.Find(1, 10), 1u);
  EXPECT_EQ(nodes.Find(1, 11), kNone);
  EXPECT_EQ(nodes.Find(2, 10), kNone);
}

TEST(NodeTableTest, ASourceIsInTheModuleOfTheReader) {
  NodeTable nodes = TwoNodes();
  EXPECT_EQ(nodes.ModuleOf(1), kUnnamedModule);
  EXPECT_EQ(nodes.Source(1, 0), 0u);
  EXPECT_EQ(nodes.Source(1, 2), kNone);
  nodes.module = {kUnnamedModule, 1};
  EXPECT_EQ(nodes.ModuleOf(1), 1u);
  EXPECT_EQ(nodes.Source(1, 0), kNone);
  nodes.in_module[{1, 10}] = 1;
  EXPECT_EQ(nodes.Source(1, 0), 1u);
}

TEST(NodeTableTest, LabelsAreTheNamesUnlessThereAreSome) {
  NodeTable nodes = TwoNodes();
  EXPECT_EQ(&nodes.labels(), &nodes.name);
  nodes.label = {10, 20};
  EXPECT_EQ(&nodes.labels(), &nodes.label);
}

TEST(NodeTableTest, PositionsCountUpUnlessThereIsAColumn) {
  NodeTable nodes = TwoNodes();
  EXPECT_EQ(nodes.num_inputs(0), 0u);
  EXPECT_EQ(nodes.num_inputs(1), 3u);
  EXPECT_EQ(nodes.Position(1, 2), 2);
  nodes.edge_position = {4, 5, 9};
  EXPECT_EQ(nodes.Position(1, 2), 9);
}

TEST(NodeTableTest, FloatOpsAre0WithoutAColumn) {
  NodeTable nodes = TwoNodes();
  EXPECT_EQ(nodes.FloatOps(1), 0);
  nodes.float_ops = {7, 8};
  EXPECT_EQ(nodes.FloatOps(1), 8);
}

TEST(NodeTableTest, ShapesByOutput) {
  const NodeTable nodes = TwoNodes();
  EXPECT_EQ(nodes.OutputShapeOf(0, 0), 5u);
  EXPECT_EQ(nodes.OutputShapeOf(0, 3), 6u);
  EXPECT_EQ(nodes.OutputShapeOf(0, 1), kUnknownShape);
  EXPECT_EQ(nodes.OutputShapeOf(0, -1), kUnknownShape);
  EXPECT_EQ(nodes.OutputShapeOf(1, 0), kUnknownShape);
}

TEST(NodeTableTest, AnEdgeHasTheShapeOfTheOutputThatItReads) {
  NodeTable nodes = TwoNodes();
  // Without the columns all edges read output 0.
  EXPECT_EQ(nodes.InputShape(1, 1), 5u);
  EXPECT_EQ(nodes.InputShape(1, 1, /*real_output=*/true), 5u);
  EXPECT_EQ(nodes.InputShape(1, 2), kUnknownShape);  // no source
  nodes.edge_seen_output = {0, 1, 0};
  EXPECT_EQ(nodes.InputShape(1, 1), kUnknownShape);
  // Without real outputs, the outputs that the reference sees are used.
  EXPECT_EQ(nodes.InputShape(1, 1, /*real_output=*/true), kUnknownShape);
  nodes.edge_output = {0, 3, 0};
  EXPECT_EQ(nodes.InputShape(1, 1, /*real_output=*/true), 6u);
  EXPECT_EQ(nodes.InputShape(1, 1), kUnknownShape);
}

TEST(NodeTableTest, BytesCountOptionalColumns) {
  NodeTable nodes = TwoNodes();
  const size_t before = nodes.bytes();
  nodes.scope = {1, 2};
  nodes.forward_of = {kNone, 0};
  EXPECT_EQ(nodes.bytes(), before + 2 * sizeof(ScopeId) + 2 * sizeof(NodeId));
}

TEST(RecordRefTest, InputAndOffsetAreApart) {
  constexpr uint64_t kLargest = (uint64_t{1} << kOffsetBits) - 1;
  EXPECT_EQ(MakeRecordRef(0, 0), 0u);
  EXPECT_EQ(MakeRecordRef(0, kLargest), kLargest);
  EXPECT_EQ(MakeRecordRef(1, 0), kLargest + 1);
  // The largest input number at the largest offset would be kNoRecord.
  EXPECT_NE(MakeRecordRef(0xfffe, kLargest), kNoRecord);
}

}  // namespace
}  // namespace tfprof::profile
