#include "loaders/nodes/trace_nodes.h"

#include <string>

#include "gtest/gtest.h"

namespace tfprof::loaders {
namespace {

class TraceNodesTest : public ::testing::Test {
 protected:
  profile::StackId Stack(profile::StackId caller, std::string_view file,
                         int line) {
    profile::GraphTables& graph = builder_.mutable_graph();
    return graph.stacks.Push(
        caller, {.file = graph.strings.Intern(file), .lineno = line});
  }
  std::string NameOf(profile::NodeId n) const {
    const profile::GraphTables& graph = builder_.graph();
    return std::string(graph.strings.Get(graph.nodes.name[n]));
  }

  profile::ProfileBuilder builder_;
  TraceNodes nodes_{builder_};
};

TEST_F(TraceNodesTest, ANodeOfEachScopeOperationAndStack) {
  const profile::ScopeId a = nodes_.Scope(profile::kRootScope, "a");
  const profile::ScopeId b = nodes_.Scope(a, "b");
  const profile::NodeId top =
      nodes_.Node(profile::kRootScope, "op", profile::kNoStack);
  const profile::NodeId inner = nodes_.Node(b, "op", profile::kNoStack);
  EXPECT_EQ(nodes_.Node(b, "op", profile::kNoStack), inner);
  EXPECT_NE(nodes_.Node(b, "other", profile::kNoStack), inner);
  EXPECT_EQ(NameOf(top), "op");
  EXPECT_EQ(NameOf(inner), "a/b/op");
  EXPECT_EQ(builder_.graph().nodes.scope[inner], b);
}

TEST_F(TraceNodesTest, SeveralStacksOfOneOperation) {
  const profile::StackId first = Stack(profile::kNoStack, "/src/train.py", 1);
  const profile::StackId second = Stack(profile::kNoStack, "/src/train.py", 42);
  const profile::StackId deeper = Stack(second, "/src/train.py", 42);
  const profile::StackId deepest = Stack(deeper, "/src/train.py", 42);
  EXPECT_EQ(NameOf(nodes_.Node(profile::kRootScope, "op", first)), "op");
  EXPECT_EQ(NameOf(nodes_.Node(profile::kRootScope, "op", second)),
            "op @train.py:42");
  EXPECT_EQ(NameOf(nodes_.Node(profile::kRootScope, "op", deeper)),
            "op @train.py:42#2");
  const profile::NodeId last = nodes_.Node(profile::kRootScope, "op", deepest);
  EXPECT_EQ(NameOf(last), "op @train.py:42#3");
  EXPECT_EQ(builder_.graph().nodes.stack[last], deepest);
}

TEST_F(TraceNodesTest, ANameThatIsTakenAndAStackWithoutAFile) {
  builder_.AddNode("op", "Op", profile::kNoRecord);
  builder_.AddNode("op#2", "Op", profile::kNoRecord);
  EXPECT_EQ(NameOf(nodes_.Node(profile::kRootScope, "op", profile::kNoStack)),
            "op#3");
  const profile::StackId stack =
      builder_.mutable_graph().stacks.Push(profile::kNoStack, profile::Frame());
  EXPECT_EQ(NameOf(nodes_.Node(profile::kRootScope, "op", stack)), "op#4");
}

TEST_F(TraceNodesTest, AScopeAndAnOperationOfOnePath) {
  nodes_.Node(profile::kRootScope, "a/b", profile::kNoStack);
  const profile::ScopeId a = nodes_.Scope(profile::kRootScope, "a");
  EXPECT_EQ(NameOf(nodes_.Node(a, "b", profile::kNoStack)), "a/b#2");
}

TEST_F(TraceNodesTest, AReservedNameIsTaken) {
  const profile::ScopeId a = nodes_.Scope(profile::kRootScope, "a");
  const profile::GraphTables& graph = builder_.graph();
  EXPECT_EQ(graph.strings.Get(nodes_.Reserve(a, "op")), "a/op");
  EXPECT_EQ(graph.strings.Get(nodes_.Reserve(a, "op")), "a/op#2");
  EXPECT_EQ(NameOf(nodes_.Node(a, "op", profile::kNoStack)), "a/op#3");
}

TEST_F(TraceNodesTest, ScopesAreNotDeeperThanTheLimit) {
  profile::ScopeId scope = profile::kRootScope;
  for (uint32_t i = 0; i < TraceNodes::kMaxScopeDepth; ++i) {
    scope = nodes_.Scope(scope, "s");
  }
  EXPECT_EQ(nodes_.num_too_deep(), 0);
  EXPECT_EQ(nodes_.Scope(scope, "s"), scope);
  EXPECT_EQ(nodes_.num_too_deep(), 1);
}

TEST_F(TraceNodesTest, PathsAreNotLongerThanTheLimit) {
  const std::string part(TraceNodes::kMaxPathBytes - 1, 'x');
  const profile::ScopeId scope = nodes_.Scope(profile::kRootScope, part);
  EXPECT_NE(scope, profile::kRootScope);
  EXPECT_EQ(nodes_.Scope(scope, "y"), scope);
  EXPECT_EQ(nodes_.Scope(profile::kRootScope, part + "x"), profile::kRootScope);
  EXPECT_EQ(nodes_.num_too_deep(), 2);
}

TEST_F(TraceNodesTest, ScopesThatOthersMade) {
  const profile::ScopeId a = builder_.AddScope(profile::kRootScope, "a");
  const profile::ScopeId b = builder_.AddScope(a, "b");
  EXPECT_EQ(NameOf(nodes_.Node(b, "op", profile::kNoStack)), "a/b/op");
  EXPECT_EQ(NameOf(nodes_.Node(nodes_.Scope(a, "c"), "op", profile::kNoStack)),
            "a/c/op");
}

TEST_F(TraceNodesTest, AnEmptyPartIsNoScope) {
  EXPECT_EQ(nodes_.Scope(profile::kRootScope, ""), profile::kRootScope);
}

}  // namespace
}  // namespace tfprof::loaders
