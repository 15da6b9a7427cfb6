#include <cstdint>
#include <vector>

#include "advisor/checkers/health/health_testing.h"

namespace tfprof::advisor {
namespace {

using HealthShapesTest = HealthTest;

TEST_F(HealthShapesTest, WithoutNodesNothingIsJudged) {
  EXPECT_EQ(Verdict("ShapesChecker"), "");
}

TEST_F(HealthShapesTest, NoShapesAreAWarning) {
  Node("a", "Op");
  EXPECT_EQ(Verdict("ShapesChecker"), "warn: 0 of 1 nodes have output shapes");
}

TEST_F(HealthShapesTest, SomeShapes) {
  Node("a", "Op");
  profile::GraphTables& graph = builder_.mutable_graph();
  builder_.AddOutputShape(0, graph.shapes.Intern(std::vector<int64_t>{2, 3}));
  Node("b", "Op");
  EXPECT_EQ(Verdict("ShapesChecker"), "ok: 1 of 2 nodes have output shapes");
}

}  // namespace
}  // namespace tfprof::advisor
