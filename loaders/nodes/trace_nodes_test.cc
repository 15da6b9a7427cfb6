#include "loaders/nodes/trace_nodes.h"

#include <string>

#include "gtest/gtest.h"

namespace tfprof {
namespace {

class TraceNodesTest : public ::testing::Test {
 protected:
  StackId Stack(StackId caller, std::string_view file, int line) {
    GraphTables& graph = builder_.mutable_graph();
    return graph.stacks.Push(
        caller, {.file = graph.strings.Intern(file), .lineno = line});
  }
  std::string NameOf(NodeId n) const {
    const GraphTables& graph = builder_.graph();
    return std::string(graph.strings.Get(graph.nodes.name[n]));
  }

  ProfileBuilder builder_;
  TraceNodes nodes_{builder_};
};

TEST_F(TraceNodesTest, ANodeOfEachScopeOperationAndStack) {
  const ScopeId a = nodes_.Scope(kRootScope, "a");
  const ScopeId b = nodes_.Scope(a, "b");
  const NodeId top = nodes_.Node(kRootScope, "op", kNoStack);
  const NodeId inner = nodes_.Node(b, "op", kNoStack);
  EXPECT_EQ(nodes_.Node(b, "op", kNoStack), inner);
  EXPECT_NE(nodes_.Node(b, "other", kNoStack), inner);
  EXPECT_EQ(NameOf(top), "op");
  EXPECT_EQ(NameOf(inner), "a/b/op");
  EXPECT_EQ(builder_.graph().nodes.scope[inner], b);
}

TEST_F(TraceNodesTest, SeveralStacksOfOneOperation) {
  const StackId first = Stack(kNoStack, "/src/train.py", 1);
  const StackId second = Stack(kNoStack, "/src/train.py", 42);
  const StackId deeper = Stack(second, "/src/train.py", 42);
  const StackId deepest = Stack(deeper, "/src/train.py", 42);
  EXPECT_EQ(NameOf(nodes_.Node(kRootScope, "op", first)), "op");
  EXPECT_EQ(NameOf(nodes_.Node(kRootScope, "op", second)), "op @train.py:42");
  EXPECT_EQ(NameOf(nodes_.Node(kRootScope, "op", deeper)), "op @train.py:42#2");
  const NodeId last = nodes_.Node(kRootScope, "op", deepest);
  EXPECT_EQ(NameOf(last), "op @train.py:42#3");
  EXPECT_EQ(builder_.graph().nodes.stack[last], deepest);
}

TEST_F(TraceNodesTest, ANameThatIsTakenAndAStackWithoutAFile) {
  builder_.AddNode("op", "Op", kNoRecord);
  builder_.AddNode("op#2", "Op", kNoRecord);
  EXPECT_EQ(NameOf(nodes_.Node(kRootScope, "op", kNoStack)), "op#3");
  const StackId stack = builder_.mutable_graph().stacks.Push(kNoStack, Frame());
  EXPECT_EQ(NameOf(nodes_.Node(kRootScope, "op", stack)), "op#4");
}

TEST_F(TraceNodesTest, AScopeAndAnOperationOfOnePath) {
  nodes_.Node(kRootScope, "a/b", kNoStack);
  const ScopeId a = nodes_.Scope(kRootScope, "a");
  EXPECT_EQ(NameOf(nodes_.Node(a, "b", kNoStack)), "a/b#2");
}

TEST_F(TraceNodesTest, AReservedNameIsTaken) {
  const ScopeId a = nodes_.Scope(kRootScope, "a");
  const GraphTables& graph = builder_.graph();
  EXPECT_EQ(graph.strings.Get(nodes_.Reserve(a, "op")), "a/op");
  EXPECT_EQ(graph.strings.Get(nodes_.Reserve(a, "op")), "a/op#2");
  EXPECT_EQ(NameOf(nodes_.Node(a, "op", kNoStack)), "a/op#3");
}

TEST_F(TraceNodesTest, ScopesAreNotDeeperThanTheLimit) {
  ScopeId scope = kRootScope;
  for (uint32_t i = 0; i < TraceNodes::kMaxScopeDepth; ++i) {
    scope = nodes_.Scope(scope, "s");
  }
  EXPECT_EQ(nodes_.num_too_deep(), 0);
  EXPECT_EQ(nodes_.Scope(scope, "s"), scope);
  EXPECT_EQ(nodes_.num_too_deep(), 1);
}

TEST_F(TraceNodesTest, PathsAreNotLongerThanTheLimit) {
  const std::string part(TraceNodes::kMaxPathBytes - 1, 'x');
  const ScopeId scope = nodes_.Scope(kRootScope, part);
  EXPECT_NE(scope, kRootScope);
  EXPECT_EQ(nodes_.Scope(scope, "y"), scope);
  EXPECT_EQ(nodes_.Scope(kRootScope, part + "x"), kRootScope);
  EXPECT_EQ(nodes_.num_too_deep(), 2);
}

TEST_F(TraceNodesTest, ScopesThatOthersMade) {
  const ScopeId a = builder_.AddScope(kRootScope, "a");
  const ScopeId b = builder_.AddScope(a, "b");
  EXPECT_EQ(NameOf(nodes_.Node(b, "op", kNoStack)), "a/b/op");
  EXPECT_EQ(NameOf(nodes_.Node(nodes_.Scope(a, "c"), "op", kNoStack)),
            "a/c/op");
}

TEST_F(TraceNodesTest, AnEmptyPartIsNoScope) {
  EXPECT_EQ(nodes_.Scope(kRootScope, ""), kRootScope);
}

}  // namespace
}  // namespace tfprof
