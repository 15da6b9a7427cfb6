#include "advisor/checkers/health/health_testing.h"

namespace tfprof::advisor {
namespace {

using HealthGraphTest = HealthTest;

TEST_F(HealthGraphTest, NoNodeIsBad) {
  EXPECT_EQ(Verdict("GraphChecker"), "bad: there is no node");
}

TEST_F(HealthGraphTest, NodesOfTheGraph) {
  Node("a", "MatMul");
  Node("b", "Relu");
  builder_.AddNode("c", "c", profile::kNoRecord);
  EXPECT_EQ(Verdict("GraphChecker"),
            "ok: 3 nodes, 1 of them only in run metadata");
}

TEST_F(HealthGraphTest, RunMetadataAlone) {
  builder_.AddNode("a", "a", profile::kNoRecord);
  EXPECT_EQ(Verdict("GraphChecker"),
            "warn: there are run metadata, but no graph");
}

TEST_F(HealthGraphTest, TheGraphOfAnotherProgram) {
  Node("a", "MatMul");
  builder_.AddNode("b", "b", profile::kNoRecord);
  builder_.AddNode("c", "c", profile::kNoRecord);
  EXPECT_EQ(Verdict("GraphChecker"),
            "bad: 2 of 3 nodes are in run metadata and not in the graph");
  EXPECT_DOUBLE_EQ(findings_[0].value, 2.0 / 3);
}

}  // namespace
}  // namespace tfprof::advisor
