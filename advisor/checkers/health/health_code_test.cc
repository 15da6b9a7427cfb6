#include "advisor/checkers/health/health_testing.h"

namespace tfprof::advisor {
namespace {

using HealthCodeTest = HealthTest;

TEST_F(HealthCodeTest, NoStackIsAWarning) {
  Node("a", "Op");
  EXPECT_EQ(Verdict("CodeChecker"), "warn: 0 of 1 nodes have a call stack");
}

TEST_F(HealthCodeTest, SomeStacks) {
  const profile::NodeId a = Node("a", "Op");
  Node("b", "Op");
  profile::GraphTables& graph = builder_.mutable_graph();
  const profile::StringId file = graph.strings.Intern("/x/m.py");
  graph.nodes.stack[a] = graph.stacks.Push(
      profile::kNoStack,
      profile::Frame{
          .file = file, .function = file, .line = file, .lineno = 1});
  EXPECT_EQ(Verdict("CodeChecker"), "ok: 1 of 2 nodes have a call stack");
}

}  // namespace
}  // namespace tfprof::advisor
