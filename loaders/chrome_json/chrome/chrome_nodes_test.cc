#include "loaders/chrome_json/chrome/chrome_nodes.h"

#include <string>

#include "gtest/gtest.h"

namespace tfprof::chrome_json {
namespace {

class ChromeNodesTest : public ::testing::Test {
 protected:
  profile::StringId Intern(std::string_view s) {
    return builder_.mutable_graph().strings.Intern(s);
  }
  std::string NameOf(profile::NodeId n) const {
    const profile::GraphTables& graph = builder_.graph();
    return std::string(graph.strings.Get(graph.nodes.name[n]));
  }

  profile::ProfileBuilder builder_;
  ChromeNodes nodes_{builder_};
};

TEST_F(ChromeNodesTest, CallsAreScopesOfWhatIsInside) {
  const auto root = nodes_.Root("");
  const auto a = nodes_.Call(root, Intern("a"), profile::kNone);
  const auto b = nodes_.Call(a, Intern("b"), profile::kNone);
  EXPECT_EQ(nodes_.Call(a, Intern("b"), profile::kNone), b);
  EXPECT_EQ(NameOf(nodes_.NodeOf(a)), "a");
  EXPECT_EQ(NameOf(nodes_.NodeOf(b)), "a/b");
  EXPECT_EQ(builder_.graph().nodes.stack[nodes_.NodeOf(b)], profile::kNoStack);
  EXPECT_EQ(nodes_.NodeOf(b), nodes_.NodeOf(b));
}

TEST_F(ChromeNodesTest, AFunctionThatCallsItselfStaysInItsScope) {
  const auto f = nodes_.Call(nodes_.Root(""), Intern("f"), profile::kNone);
  const auto ff = nodes_.Call(f, Intern("f"), profile::kNone);
  const auto fff = nodes_.Call(ff, Intern("f"), profile::kNone);
  EXPECT_EQ(NameOf(nodes_.NodeOf(ff)), "f/f");
  // Both have the same scope and operation and no call stack, so they are one
  // node.
  EXPECT_EQ(nodes_.NodeOf(fff), nodes_.NodeOf(ff));
}

TEST_F(ChromeNodesTest, StacksWhereSomeCallsHavePlaces) {
  nodes_.SetFile(/*has_frames=*/true);
  profile::CallStacks& stacks = builder_.mutable_graph().stacks;
  profile::Frame frame;
  frame.function = Intern("f");
  frame.file = Intern("/f.py");
  frame.lineno = 3;
  const auto f =
      nodes_.Call(nodes_.Root(""), Intern("f"), stacks.InternFrame(frame));
  const auto builtin = nodes_.Call(f, Intern("len"), profile::kNone);
  const profile::NodeId node = nodes_.NodeOf(builtin);
  const std::vector<profile::FrameId> frames =
      stacks.Frames(builder_.graph().nodes.stack[node]);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(stacks.frame(frames[0]).lineno, 3);
  EXPECT_EQ(stacks.frame(frames[1]).function, Intern("len"));
  EXPECT_EQ(stacks.frame(frames[1]).file, profile::kNone);
}

TEST_F(ChromeNodesTest, RootsWithNames) {
  const auto call =
      nodes_.Call(nodes_.Root("grad"), Intern("a"), profile::kNone);
  EXPECT_EQ(NameOf(nodes_.NodeOf(call)), "grad/a");
  EXPECT_EQ(nodes_.Root("grad"), nodes_.Root("grad"));
}

TEST_F(ChromeNodesTest, OperationsWithPaths) {
  const profile::NodeId n =
      nodes_.Operation(Intern("a/b/conv"), Intern("Conv2D"));
  EXPECT_EQ(NameOf(n), "a/b/conv");
  EXPECT_EQ(nodes_.Operation(Intern("a/b/conv"), Intern("Conv2D")), n);
  const profile::NodeId copy =
      nodes_.Operation(Intern("a/b/conv"), Intern("MEMCPY"));
  EXPECT_EQ(NameOf(copy), "a/b/conv#2");
  EXPECT_EQ(NameOf(nodes_.Operation(Intern("/"), Intern("x"))), "/");
}

}  // namespace
}  // namespace tfprof::chrome_json
