// Tests the commands that explore a profile on one that has modules, scopes,
// links and step intervals.

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "accounting/shaped_model_testing.h"
#include "accounting/small_model_testing.h"
#include "accounting/tfprof_rules.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "inspect/nodes/children.h"
#include "inspect/nodes/find_node.h"
#include "inspect/nodes/neighbours.h"
#include "inspect/nodes/node.h"
#include "inspect/nodes/place.h"
#include "inspect/steps/steps.h"
#include "profile/profile_builder.h"
#include "tables/data_table.h"

namespace tfprof::inspect {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ShapedTest : public testing::Test {
 protected:
  // The place that `path` leads to, or the error.
  std::string Where(std::string_view from, std::string_view path) {
    const auto start = FindPlace(views_, {}, from);
    if (!start.ok()) return std::string(start.status().message());
    const auto place = FindPlace(views_, *start, path);
    return place.ok() ? PlaceText(views_, *place)
                      : std::string(place.status().message());
  }
  // The module and the name of the node, or the error.
  std::string Found(std::string_view from, std::string_view name) {
    const auto start = FindPlace(views_, {}, from);
    if (!start.ok()) return std::string(start.status().message());
    const auto node = FindNode(views_, *start, name);
    if (!node.ok()) return std::string(node.status().message());
    const profile::NodeTable& nodes = profile_.nodes();
    return fmt::format("{} {}", profile_.module_name(nodes.ModuleOf(*node)),
                       profile_.strings().Get(nodes.name[*node]));
  }

  const profile::Profile profile_ = accounting::ShapedModel();
  views::Views views_{profile_};
  const accounting::ShapedNodes nodes_{};
};

// ---- Places

TEST_F(ShapedTest, APartMayHaveSlashes) {
  EXPECT_EQ(Where("/", "jit(step)"), "/jit(step)");
  EXPECT_EQ(Where("/", "jit(step)/vmap(a/b)"), "/jit(step)/vmap(a/b)");
  EXPECT_EQ(Where("/jit(step)", "vmap(a/b)/"), "/jit(step)/vmap(a/b)");
  EXPECT_EQ(Where("/jit(step)/vmap(a/b)", ".."), "/jit(step)");
  EXPECT_EQ(Where("/jit(step)/vmap(a/b)", "../transpose(jvp)/dot_bwd"),
            "/jit(step)/transpose(jvp)/dot_bwd");
  EXPECT_EQ(Where("/jit(step)/vmap(a/b)", "jit_step/fusion.1"),
            "/jit(step)/vmap(a/b)/jit_step/fusion.1");
  EXPECT_EQ(Where("/jit(step)", "vmap(a"),
            "no vmap(a in jit(step); did you mean vmap(a/b)?");
}

TEST_F(ShapedTest, ChildrenHaveTheirPartsAsNames) {
  const auto place = FindPlace(views_, {}, "jit(step)");
  ASSERT_TRUE(place.ok());
  EXPECT_THAT(Rows(ChildrenTable(views_, *place, {}),
                   {"name", "children", "total_micros"}),
              ElementsAre("transpose(jvp) 1 400", "vmap(a/b) 2 300"));
}

TEST(PlaceInScopesTest, OfAScopeAndANodeOfOneNameTheScopeIsThePlace) {
  profile::ProfileBuilder builder;
  builder.AddNode("x", "A", profile::kNoRecord);
  builder.AddNode("y", "A", profile::kNoRecord);
  builder.SetScope(1, builder.AddScope(profile::kRootScope, "x"));
  const profile::Profile profile = std::move(builder).Build();
  views::Views views(profile);
  const auto place = FindPlace(views, {}, "x");
  ASSERT_TRUE(place.ok());
  EXPECT_THAT(NodesBelow(views, *place), ElementsAre(1u));
  const auto node = FindNode(views, {}, "x");
  ASSERT_TRUE(node.ok());
  EXPECT_EQ(*node, 0u);
}

// ---- Nodes

TEST_F(ShapedTest, ANameOfOneModuleIsEnough) {
  EXPECT_EQ(Found("/", "launch"), "jit_step launch");
  EXPECT_EQ(Found("/", "dot_bwd"), "jit_step dot_bwd");
  EXPECT_EQ(Found("/", "/dot[0]"), "jit_step dot[0]");
}

TEST_F(ShapedTest, AModuleMayStandInFront) {
  EXPECT_EQ(Found("/", "jit_step/fusion.1"), "jit_step fusion.1");
  EXPECT_EQ(Found("/", "jit_init/fusion.1"), "jit_init fusion.1");
  EXPECT_EQ(Found("/", "jit_step/launch"), "jit_step launch");
  EXPECT_EQ(Found("/", "jit_step/fusion.1:0"), "jit_step fusion.1");
}

TEST_F(ShapedTest, SoMayItsScopes) {
  EXPECT_EQ(Found("/", "jit(step)/vmap(a/b)/dot[0]"), "jit_step dot[0]");
  EXPECT_EQ(Found("/jit(step)/transpose(jvp)", "dot_bwd"), "jit_step dot_bwd");
  EXPECT_EQ(Found("/jit(step)", "vmap(a/b)/jit_step/fusion.1"),
            "jit_step fusion.1");
}

TEST_F(ShapedTest, ANameOfSeveralModulesIsRefusedWithThem) {
  EXPECT_EQ(Found("/", "fusion.1"),
            "2 nodes are called fusion.1: jit_init/fusion.1, "
            "jit_step/fusion.1");
  EXPECT_EQ(Found("/", "fusion.2"),
            "no node fusion.2; did you mean jit_init/fusion.1 or "
            "jit_step/fusion.1?");
  EXPECT_EQ(
      Found("/", "jit(step)"),
      "jit(step) is a scope, not a node; ls /jit(step) lists its contents");
}

TEST(FindNodeInModulesTest, TheUnnamedModuleNeedsNoName) {
  profile::ProfileBuilder builder;
  const profile::NodeId plain = builder.AddNode("x", "A", profile::kNoRecord);
  const profile::NodeId other =
      builder.AddNode(builder.AddModule("m"), "x", "A", profile::kNoRecord);
  const profile::Profile profile = std::move(builder).Build();
  views::Views views(profile);
  EXPECT_EQ(*FindNode(views, {}, "x"), plain);
  EXPECT_EQ(*FindNode(views, {}, "m/x"), other);
}

// ---- show and peek

TEST_F(ShapedTest, NeighboursAreOfTheSameModule) {
  EXPECT_THAT(Rows(PeekTable(views_, nodes_.dot, 1, 0), {"relation", "name"}),
              ElementsAre("input jit_step/fusion.1", "node dot[0]",
                          "consumer dot_bwd"));
  EXPECT_THAT(
      Rows(PeekTable(views_, nodes_.init_fusion, 1, 0), {"relation", "name"}),
      ElementsAre("node jit_init/fusion.1"));
}

TEST_F(ShapedTest, ShowSaysModuleAndForwardNode) {
  const tables::DataDocument document =
      NodeDocument(views_, nodes_.backward, {}, 0);
  EXPECT_EQ(Fact(document.facts, "name"), "dot_bwd");
  EXPECT_EQ(Fact(document.facts, "module"), "jit_step");
  EXPECT_EQ(Fact(document.facts, "gradient_of"), "dot[0]");
  EXPECT_EQ(Fact(NodeDocument(views_, nodes_.dot, {}, 0).facts, "gradient_of"),
            "(no such fact)");
}

TEST_F(ShapedTest, ShowListsLinks) {
  const std::vector<std::string_view> columns = {
      "step", "link", "direction", "name", "device", "other_step"};
  const tables::DataDocument all = NodeDocument(views_, nodes_.backward, {}, 0);
  const tables::DataTable* table = FindTable(all, "links");
  ASSERT_NE(table, nullptr);
  EXPECT_THAT(Rows(*table, columns),
              ElementsAre("1 gradient from dot[0] /device:gpu:0 1",
                          "1 data to jit_step/fusion.1 /device:gpu:0 2",
                          "2 gradient from dot[0] /device:gpu:0 2"));
  const tables::DataDocument cut = NodeDocument(views_, nodes_.backward, {}, 1);
  table = FindTable(cut, "links");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->num_rows, 1u);
  EXPECT_EQ(table->total_rows, 3u);
  views::ViewOptions second;
  second.step = 2;
  const tables::DataDocument one = NodeDocument(views_, nodes_.dot, second, 0);
  table = FindTable(one, "links");
  ASSERT_NE(table, nullptr);
  EXPECT_THAT(Rows(*table, columns),
              ElementsAre("2 gradient to dot_bwd /device:gpu:0 2",
                          "2 launch from launch /device:cpu:0 2"));
}

TEST_F(ShapedTest, ANodeWithoutLinksHasNoTableOfThem) {
  EXPECT_EQ(FindTable(NodeDocument(views_, nodes_.init_fusion, {}, 0), "links"),
            nullptr);
}

TEST(ShowTest, LinksOfRecordsOutsideTheAccounting) {
  profile::ProfileBuilder builder(accounting::TfprofRules(),
                                  accounting::ShapedModel());
  const accounting::ShapedNodes nodes;
  builder.AddOutside(
      1, {.name = builder.mutable_graph().strings.Intern("RecvTensor")});
  builder.FinishStep(1);
  const profile::Step& step = *builder.finished_steps()[0];
  builder.AddLink({{1, static_cast<uint32_t>(step.num_executions())},
                   accounting::OnlyExecution(step, nodes.launch),
                   profile::LinkKind::kTransfer});
  const profile::Profile profile = std::move(builder).Build();
  views::Views views(profile);
  views::ViewOptions first;
  first.step = 1;
  const tables::DataDocument document =
      NodeDocument(views, nodes.launch, first, 0);
  const tables::DataTable* table = FindTable(document, "links");
  ASSERT_NE(table, nullptr);
  EXPECT_THAT(Rows(*table, {"link", "direction", "name", "device"}),
              ElementsAre("launch to dot[0] /device:gpu:0",
                          "transfer from RecvTensor -"));
}

// ---- steps

TEST_F(ShapedTest, AnIntervalIsTheSpanOfItsStep) {
  // The step lasts from 1,000 to 1,900 µs; launches take 10 µs, kernels 700.
  EXPECT_THAT(Rows(StepsTable(views_, -1, 0),
                   {"step", "span_micros", "idle_micros", "executions"}),
              ElementsAre("1 900 190 4", "2 900 190 4"));
}

TEST(StepsTest, TheLongestProcessCounts) {
  profile::ProfileBuilder builder(accounting::TfprofRules(),
                                  accounting::ShapedModel());
  builder.AddStepInterval(
      {.step = 1, .process = 1, .start = 1'100'000, .end = 2'500'000});
  // Nothing ran in this step.
  builder.AddStepInterval({.step = 5, .start = 9'000'000, .end = 9'500'000});
  const profile::Profile profile = std::move(builder).Build();
  views::Views views(profile);
  EXPECT_THAT(
      Rows(StepsTable(views, -1, 0), {"step", "span_micros", "idle_micros"}),
      // The work of step 2 from 2,000 µs on counts, too.
      ElementsAre("1 1400 290", "2 900 190", "5 500 500"));
}

TEST(StepsTest, WithoutIntervalsTheRecordsSayTheSpan) {
  const profile::Profile profile = accounting::SmallModel();
  views::Views views(profile);
  EXPECT_THAT(Rows(StepsTable(views, -1, 0), {"span_micros"}),
              ElementsAre("4741"));
}

}  // namespace
}  // namespace tfprof::inspect
