#include "loaders/xplane/hlo/op_nodes.h"

#include <string>

#include "accounting/self_time_rules.h"
#include "gtest/gtest.h"

namespace tfprof::xplane {
namespace {

class OpNodesTest : public ::testing::Test {
 protected:
  OpNodesTest() : builder_(accounting::SelfTimeRules()), nodes_(builder_) {}

  profile::StackId Stack(std::string_view file, int32_t line,
                         profile::StackId caller = profile::kNoStack) {
    profile::GraphTables& graph = builder_.mutable_graph();
    return graph.stacks.Push(caller, {.file = graph.strings.Intern(file),
                                      .function = profile::kNone,
                                      .line = profile::kNone,
                                      .lineno = line});
  }
  OpNodes::Number Note(std::string_view name, profile::StackId stack,
                       bool is_frame = false, std::string_view op = "Op") {
    return nodes_.Note(name, op, profile::kRootScope, stack, is_frame);
  }
  std::string NameOf(OpNodes::Number number) {
    const profile::GraphTables& graph = builder_.graph();
    return std::string(graph.strings.Get(graph.nodes.name[nodes_[number]]));
  }

  profile::ProfileBuilder builder_;
  OpNodes nodes_;
};

TEST_F(OpNodesTest, OneStackNeedsNoSuffix) {
  const auto a = Note("work", Stack("dir/a.py", 4));
  EXPECT_EQ(Note("work", Stack("dir/a.py", 4)), a);
  nodes_.MakeNodes();
  EXPECT_EQ(NameOf(a), "work");
  EXPECT_NE(builder_.graph().nodes.stack[nodes_[a]], profile::kNoStack);
}

TEST_F(OpNodesTest, SeveralStacksAreToldApart) {
  const auto a = Note("work", Stack("dir/a.py", 4));
  const auto b = Note("work", Stack("b.py", 5));
  const auto none = Note("work", profile::kNoStack);
  nodes_.MakeNodes();
  EXPECT_EQ(NameOf(a), "work @a.py:4");
  EXPECT_EQ(NameOf(b), "work @b.py:5");
  EXPECT_EQ(NameOf(none), "work");
}

TEST_F(OpNodesTest, AFrameIsNamedByItsCaller) {
  const auto a = Note("f", Stack("f.py", 1, Stack("a.py", 4)), true);
  const auto b = Note("f", Stack("f.py", 1, Stack("b.py", 5)), true);
  nodes_.MakeNodes();
  EXPECT_EQ(NameOf(a), "f @a.py:4");
  EXPECT_EQ(NameOf(b), "f @b.py:5");
}

TEST_F(OpNodesTest, EqualNamesAreNumbered) {
  const auto a = Note("work", Stack("x/a.py", 4));
  const auto b = Note("work", Stack("y/a.py", 4));
  const auto c = Note("work", Stack("z/a.py", 4));
  nodes_.MakeNodes();
  EXPECT_EQ(NameOf(a), "work @a.py:4");
  EXPECT_EQ(NameOf(b), "work @a.py:4#2");
  EXPECT_EQ(NameOf(c), "work @a.py:4#3");
}

TEST_F(OpNodesTest, AnotherOpIsAnotherNode) {
  const auto a = Note("work", profile::kNoStack, false, "A");
  const auto b = Note("work", profile::kNoStack, false, "B");
  nodes_.MakeNodes();
  EXPECT_NE(nodes_[a], nodes_[b]);
  EXPECT_EQ(NameOf(b), "work#2");
  EXPECT_EQ(nodes_.Find("work"), nodes_[a]);
}

TEST_F(OpNodesTest, FramesAreNotFoundByName) {
  Note("f", Stack("f.py", 1), true);
  nodes_.MakeNodes();
  EXPECT_EQ(nodes_.Find("f"), profile::kNone);
  EXPECT_EQ(nodes_.Find("unknown"), profile::kNone);
}

TEST_F(OpNodesTest, TheGradientTapeHasForwardOperations) {
  const auto forward = Note("net/dense/MatMul", profile::kNoStack);
  const auto gradient =
      Note("gradient_tape/net/dense/MatMul/MatMul", profile::kNoStack);
  nodes_.MakeNodes();
  EXPECT_EQ(builder_.graph().nodes.forward_of[nodes_[gradient]],
            nodes_[forward]);
}

}  // namespace
}  // namespace tfprof::xplane
