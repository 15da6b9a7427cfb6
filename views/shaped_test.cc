// Tests the four views of a profile with modules, scopes and recorded
// gradients.

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "accounting/shaped_model_testing.h"
#include "accounting/tfprof_rules.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"
#include "views/views.h"

namespace tfprof::views {
namespace {

using ::testing::ElementsAre;

// Returns each row as "<blanks of its depth>NAME TOTAL" in microseconds of a
// step.
std::vector<std::string> Rows(const profile::Profile& profile, View view) {
  Views views(profile);
  ViewOptions options;
  options.max_depth = std::numeric_limits<int32_t>::max();
  options.step = 1;
  std::vector<std::string> rows;
  for (const Report::Row& row : views.Show(view, options).rows) {
    rows.push_back(fmt::format("{:{}}{} {}", "", row.depth, row.name,
                               row.total[accounting::kMicros]));
  }
  return rows;
}

TEST(ShapedScopeTest, AScopeOfTheLoaderIsOnePart) {
  EXPECT_THAT(Rows(accounting::ShapedModel(), View::kScope),
              ElementsAre("_TFProfRoot 710",                          //
                          " jit(step) 700",                           //
                          "  jit(step)/transpose(jvp) 400",           //
                          "   jit(step)/transpose(jvp)/dot_bwd 400",  //
                          "  jit(step)/vmap(a/b) 300",                //
                          "   jit(step)/vmap(a/b)/dot[0] 200",        //
                          "   jit(step)/vmap(a/b)/jit_step/fusion.1 100",
                          " jit_init/fusion.1 0",  //
                          " launch 10"));
}

TEST(ShapedScopeTest, LabelsAreParts) {
  const profile::Profile profile = accounting::ShapedModel();
  const ScopeTree tree = BuildScopeTree(profile);
  std::vector<std::string_view> labels;
  for (uint32_t row = 1; row < tree.names.size(); ++row) {
    labels.push_back(tree.Label(row));
  }
  EXPECT_THAT(labels, ElementsAre("jit(step)", "transpose(jvp)", "dot_bwd",
                                  "vmap(a/b)", "dot[0]", "jit_step/fusion.1",
                                  "jit_init/fusion.1", "launch"));
}

TEST(ShapedScopeTest, WithoutScopesThePathBeginsWithTheModule) {
  EXPECT_THAT(Rows(accounting::ShapedModel({.scopes = false}), View::kScope),
              ElementsAre("_TFProfRoot 710",        //
                          " jit_init 0",            //
                          "  jit_init/fusion.1 0",  //
                          " jit_step 710",          //
                          "  jit_step/dot[0] 200",  //
                          "  jit_step/dot_bwd 400",
                          "  jit_step/fusion.1 100",  //
                          "  jit_step/launch 10"));
}

TEST(ShapedScopeTest, ScopesWithoutNodesHaveNoRow) {
  profile::ProfileBuilder builder;
  builder.AddNode("x", "A", profile::kNoRecord);
  const profile::ScopeId outer = builder.AddScope(profile::kRootScope, "x");
  builder.AddScope(outer, "empty");
  builder.AddNode("y", "A", profile::kNoRecord);
  builder.SetScope(1, outer);
  // A node and a scope with the same name are two rows.
  EXPECT_THAT(Rows(std::move(builder).Build(), View::kScope),
              ElementsAre("_TFProfRoot 0", " x 0", " x 0", "  x/y 0"));
}

TEST(ShapedScopeTest, EqualPathsAreTwoRows) {
  profile::ProfileBuilder builder;
  builder.AddNode(builder.AddModule("a"), "b/c", "A", profile::kNoRecord);
  builder.AddNode(builder.AddModule("a/b"), "c", "A", profile::kNoRecord);
  EXPECT_THAT(Rows(std::move(builder).Build(), View::kScope),
              ElementsAre("_TFProfRoot 0", " a 0", "  a/b 0", "   a/b/c 0",
                          "   a/b/c 0"));
}

TEST(ShapedGraphTest, SourcesAreOfTheSameModule) {
  EXPECT_THAT(Rows(accounting::ShapedModel(), View::kGraph),
              ElementsAre("_TFProfRoot 710",  //
                          " dot_bwd 700",     //
                          "  dot[0] 300",     //
                          "   jit_step/fusion.1 100",
                          " jit_init/fusion.1 0",  //
                          " launch 10"));
}

TEST(ShapedOpTest, ModulesShareTheirOps) {
  EXPECT_THAT(Rows(accounting::ShapedModel(), View::kOp),
              ElementsAre("dot 710", "fusion 110", "launch 10"));
}

TEST(ShapedCodeTest, GradientsAreThoseThatTheProfileNames) {
  EXPECT_THAT(
      Rows(accounting::ShapedModel(), View::kCode),
      ElementsAre("_TFProfRoot 700",         //
                  " train.py:10:model 100",  //
                  " train.py:11:model 200",  //
                  " train.py:11:model (gradient) 400", " train.py:3:init 0"));
}

TEST(ShapedCodeTest, NoNameIsAGradientThen) {
  EXPECT_THAT(Rows(accounting::ShapedModel({.forward_of = false}), View::kCode),
              ElementsAre("_TFProfRoot 700",         //
                          " train.py:10:model 100",  //
                          " train.py:11:model 200",  //
                          " train.py:20:train 400",  //
                          " train.py:3:init 0"));
}

// The gradient of a gradient is under the line of the first one.
TEST(ShapedCodeTest, GradientsOfGradients) {
  profile::ProfileBuilder builder(accounting::TfprofRules(),
                                  accounting::ShapedModel());
  const accounting::ShapedNodes n;
  builder.SetForward(n.fusion, n.backward);
  const profile::Profile profile = std::move(builder).Build();
  EXPECT_THAT(
      Rows(profile, View::kCode),
      ElementsAre("_TFProfRoot 700",  //
                  " train.py:11:model 200", " train.py:11:model (gradient) 400",
                  " train.py:20:train (gradient) 100", " train.py:3:init 0"));
  Views views(profile);
  EXPECT_EQ(views.code().lost_gradients, 0);
}

TEST(ShapedCodeTest, AForwardNodeWithoutCodeIsLost) {
  profile::ProfileBuilder builder(accounting::TfprofRules(),
                                  accounting::ShapedModel());
  const accounting::ShapedNodes n;
  builder.SetForward(n.backward, n.launch);
  const profile::Profile profile = std::move(builder).Build();
  Views views(profile);
  EXPECT_EQ(views.code().lost_gradients, 1);
}

// Gradients by TensorFlow's name rule refer to nodes of their own module.
TEST(ShapedCodeTest, GradientsByNameAreOfOneModule) {
  profile::ProfileBuilder builder;
  profile::GraphTables& graph = builder.mutable_graph();
  const auto add = [&](std::string_view module, std::string_view name,
                       int32_t line) {
    const profile::NodeId n = builder.AddNode(builder.AddModule(module), name,
                                              "A", profile::kNoRecord);
    graph.nodes.stack[n] = graph.stacks.Push(
        profile::kNoStack, profile::Frame{.file = graph.strings.Intern("f.py"),
                                          .function = graph.strings.Intern("f"),
                                          .lineno = line});
  };
  add("a", "x", 1);
  add("b", "x", 2);
  add("b", "gradients/x_grad/mul", 3);
  add("c", "gradients/x_grad/mul", 4);
  const profile::Profile profile = std::move(builder).Build();
  EXPECT_EQ(Views(profile).code().lost_gradients, 1);
  Views views(profile);
  const CodeTree& tree = views.code();
  EXPECT_THAT(tree.names, ElementsAre("_TFProfRoot", "f.py:1:f", "f.py:2:f",
                                      "f.py:2:f (gradient)"));
}

}  // namespace
}  // namespace tfprof::views
