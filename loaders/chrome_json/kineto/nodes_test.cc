#include "loaders/chrome_json/kineto/nodes.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/chrome_json/kineto/scope_maker.h"

namespace tfprof::kineto {
namespace {

using ::testing::ElementsAre;

class KinetoNodesTest : public ::testing::Test {
 protected:
  profile::StringId Text(std::string_view text) {
    return builder_.mutable_graph().strings.Intern(text);
  }
  profile::StackId Stack(std::string_view file, int32_t line) {
    return builder_.mutable_graph().stacks.Push(
        profile::kNoStack,
        {.file = Text(file), .function = Text("f"), .lineno = line});
  }
  uint32_t Add(profile::ScopeId scope, std::string_view op,
               profile::StackId stack = profile::kNoStack,
               profile::RecordRef record = profile::kNoRecord,
               uint32_t dims = 0) {
    return nodes_.Add({scope, Text(op), stack}, Text(op), record, dims);
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const profile::NodeId n : nodes_.Build(builder_)) {
      names.emplace_back(
          builder_.graph().strings.Get(builder_.graph().nodes.name[n]));
    }
    return names;
  }

  profile::ProfileBuilder builder_;
  ScopeMaker scopes_ = ScopeMaker(builder_);
  KinetoNodes nodes_;
};

TEST_F(KinetoNodesTest, NamesAreScopesAndOperators) {
  const profile::ScopeId net = scopes_.Push(profile::kRootScope, Text("Net_0"));
  const profile::ScopeId conv = scopes_.Push(net, Text("Conv_1"));
  EXPECT_EQ(Add(conv, "aten::conv2d"), 0u);
  EXPECT_EQ(Add(profile::kRootScope, "aten::conv2d"), 1u);
  EXPECT_EQ(Add(conv, "aten::conv2d"), 0u);
  EXPECT_THAT(Names(),
              ElementsAre("Net_0/Conv_1/aten::conv2d", "aten::conv2d"));
  EXPECT_EQ(builder_.graph().nodes.scope[0], conv);
}

TEST_F(KinetoNodesTest, SeveralPlacesOfAnOperator) {
  Add(profile::kRootScope, "a", Stack("/x/net.py", 3));
  Add(profile::kRootScope, "a", Stack("/y/net.py", 3));
  Add(profile::kRootScope, "a", Stack("C:\\net.py", -1));
  Add(profile::kRootScope, "a");
  Add(profile::kRootScope, "b", Stack("/x/net.py", 3));
  EXPECT_THAT(Names(), ElementsAre("a @net.py:3", "a @net.py:3#2", "a @net.py",
                                   "a", "b"));
}

TEST_F(KinetoNodesTest, NamesStayDistinct) {
  const profile::ScopeId a = scopes_.Push(profile::kRootScope, Text("a"));
  const profile::ScopeId ab = scopes_.Push(profile::kRootScope, Text("a/b"));
  Add(a, "b/c");
  Add(ab, "c");
  Add(profile::kRootScope, "a/b/c");
  Add(profile::kRootScope, "a/b/c#2");
  EXPECT_THAT(Names(), ElementsAre("a/b/c", "a/b/c#2", "a/b/c#3", "a/b/c#2#2"));
}

TEST_F(KinetoNodesTest, TheRecordCountsIfAllShapesAreEqual) {
  Add(profile::kRootScope, "a", profile::kNoStack, 5, 17);
  Add(profile::kRootScope, "a", profile::kNoStack, 6, 17);
  Add(profile::kRootScope, "b", profile::kNoStack, 7, 17);
  Add(profile::kRootScope, "b", profile::kNoStack, 8, 18);
  Add(profile::kRootScope, "c", profile::kNoStack, 9, 0);
  Names();
  EXPECT_THAT(builder_.graph().nodes.record,
              ElementsAre(5u, profile::kNoRecord, profile::kNoRecord));
}

TEST_F(KinetoNodesTest, CallsAreEdgesAndGradientsAreMarked) {
  const uint32_t a = Add(profile::kRootScope, "a");
  const uint32_t b = Add(profile::kRootScope, "b");
  const uint32_t c = Add(profile::kRootScope, "c");
  nodes_.AddCall(b, c);
  nodes_.AddCall(a, b);
  nodes_.AddCall(a, c);
  nodes_.AddCall(a, b);
  nodes_.AddCall(a, a);
  nodes_.AddGradient(a, c);
  nodes_.AddGradient(b, c);
  nodes_.AddGradient(b, b);
  Names();
  const profile::NodeTable& table = builder_.graph().nodes;
  ASSERT_EQ(table.num_inputs(a), 2u);
  EXPECT_EQ(table.Source(a, table.edge_begin[a]), b);
  EXPECT_EQ(table.Source(a, table.edge_begin[a] + 1), c);
  EXPECT_EQ(table.num_inputs(b), 1u);
  EXPECT_EQ(table.num_inputs(c), 0u);
  EXPECT_THAT(table.forward_of, ElementsAre(profile::kNone, profile::kNone, a));
}

TEST_F(KinetoNodesTest, ScopesHaveALimit) {
  profile::ScopeId scope = profile::kRootScope;
  for (int i = 0; i < 1000; ++i) scope = scopes_.Push(scope, Text("s"));
  EXPECT_EQ(builder_.graph().scopes.size(), ScopeMaker::kMaxDepth + 1);
  EXPECT_EQ(scopes_.Push(profile::kRootScope, Text("")), profile::kRootScope);
}

}  // namespace
}  // namespace tfprof::kineto
