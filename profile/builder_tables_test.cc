// Tests ProfileBuilder with the optional tables, which only some formats fill.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "accounting/shaped_model_testing.h"
#include "accounting/small_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"

namespace tfprof::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns the optional tables as "module 2", …
std::vector<std::string> Tables(const Profile& profile) {
  std::vector<std::string> tables;
  for (const Profile::TableSize& table : profile.OptionalTables()) {
    tables.push_back(std::string(table.name) + " " +
                     std::to_string(table.rows));
  }
  return tables;
}

std::vector<Link> AllLinks(const Profile& profile) {
  std::vector<Link> links;
  for (size_t i = 0; i < profile.links().size(); ++i) {
    links.push_back(profile.links()[i]);
  }
  return links;
}

size_t MemoryOf(const Profile& profile, std::string_view what) {
  for (const auto& [name, bytes] : profile.MemoryUse()) {
    if (name == what) return bytes;
  }
  return 0;
}

// ---- Absent tables

TEST(BuilderTablesTest, AbsentTablesCostNothing) {
  const Profile profile = accounting::SmallModel();
  EXPECT_THAT(Tables(profile), IsEmpty());
  const NodeTable& nodes = profile.nodes();
  EXPECT_EQ(nodes.module.capacity() + nodes.scope.capacity() +
                nodes.forward_of.capacity() + nodes.label.capacity() +
                nodes.same_texts.capacity() + nodes.in_module.capacity(),
            0u);
  for (const auto& [what, bytes] : profile.MemoryUse()) {
    EXPECT_THAT((std::vector<std::string>{"modules", "scopes", "links",
                                          "counters", "step intervals"}),
                ::testing::Not(::testing::Contains(what)));
  }
  EXPECT_EQ(nodes.ModuleOf(0), kUnnamedModule);
  EXPECT_EQ(profile.links().size(), 0u);
  EXPECT_THAT(profile.counters(), IsEmpty());
  EXPECT_EQ(profile.step_intervals().size(), 0u);
}

TEST(BuilderTablesTest, EachTableIsCounted) {
  const Profile profile = accounting::ShapedModel();
  EXPECT_THAT(Tables(profile),
              ElementsAre("modules 2", "scopes 3", "gradients 1", "links 5",
                          "counters 1", "step_intervals 2"));
  EXPECT_GT(MemoryOf(profile, "modules"), 0u);
  EXPECT_GT(MemoryOf(profile, "scopes"), 0u);
  EXPECT_GT(MemoryOf(profile, "links"), 0u);
  EXPECT_GT(MemoryOf(profile, "counters"), 0u);
  EXPECT_GT(MemoryOf(profile, "step intervals"), 0u);
}

// ---- Modules

TEST(BuilderTablesTest, AModuleAndANameAreAKey) {
  ProfileBuilder builder;
  const ModuleId m = builder.AddModule("m");
  const NodeId plain = builder.AddNode("x", "A", kNoRecord);
  const NodeId in_m = builder.AddNode(m, "x", "B", kNoRecord);
  EXPECT_EQ(builder.AddNode(m, "x", "C", kNoRecord), kNone);
  EXPECT_EQ(builder.AddNode("x", "C", kNoRecord), kNone);
  const NodeId also_plain =
      builder.AddNode(kUnnamedModule, "y", "A", kNoRecord);
  const Profile profile = std::move(builder).Build();
  const NodeTable& nodes = profile.nodes();
  const StringId x = profile.strings().Find("x");
  EXPECT_EQ(nodes.Find(x), plain);
  EXPECT_EQ(nodes.Find(m, x), in_m);
  EXPECT_EQ(nodes.Find(m, profile.strings().Find("y")), kNone);
  EXPECT_EQ(nodes.Find(kUnnamedModule, profile.strings().Find("y")),
            also_plain);
  EXPECT_THAT(nodes.module, ElementsAre(kUnnamedModule, m, kUnnamedModule));
  EXPECT_THAT(profile.NodesNamed(x), ElementsAre(plain, in_m));
  EXPECT_EQ(profile.module_name(m), "m");
  EXPECT_EQ(profile.module_name(kUnnamedModule), "");
}

TEST(BuilderTablesTest, OnlyNamesInSeveralModulesGetAModuleInTheirLabel) {
  ProfileBuilder builder;
  const ModuleId m = builder.AddModule("m"), k = builder.AddModule("k");
  builder.AddNode("x", "A", kNoRecord);
  builder.AddNode(m, "x", "A", kNoRecord);
  builder.AddNode(k, "x", "A", kNoRecord);
  builder.AddNode(m, "only", "A", kNoRecord);
  const Profile profile = std::move(builder).Build();
  EXPECT_EQ(profile.node_name(0), "x");
  EXPECT_EQ(profile.node_name(1), "m/x");
  EXPECT_EQ(profile.node_name(2), "k/x");
  EXPECT_EQ(profile.node_name(3), "only");
}

TEST(BuilderTablesTest, ANodeOfALaterInputMakesANameAmbiguous) {
  ProfileBuilder first;
  first.AddNode(first.AddModule("m"), "x", "A", kNoRecord);
  const Profile base = std::move(first).Build();
  EXPECT_EQ(base.node_name(0), "x");
  ProfileBuilder second(NoAccounting(), base);
  second.AddNode(second.AddModule("k"), "x", "A", kNoRecord);
  const Profile profile = std::move(second).Build();
  EXPECT_EQ(profile.node_name(0), "m/x");
  EXPECT_EQ(profile.node_name(1), "k/x");
  EXPECT_EQ(base.node_name(0), "x");
}

TEST(BuilderTablesTest, SourcesAreInTheModuleOfTheReader) {
  const Profile profile = accounting::ShapedModel();
  const accounting::ShapedNodes n;
  const NodeTable& nodes = profile.nodes();
  ASSERT_EQ(nodes.num_inputs(n.dot), 1u);
  EXPECT_EQ(nodes.Source(n.dot, nodes.edge_begin[n.dot]), n.fusion);

  ProfileBuilder builder;
  builder.AddNode("x", "A", kNoRecord);
  builder.AddNode(builder.AddModule("m"), "reader", "A", kNoRecord);
  builder.AddEdge(builder.graph().strings.Find("x"), 0, 0, 0);
  const Profile other = std::move(builder).Build();
  EXPECT_EQ(other.nodes().Source(1, 0), kNone);
}

// ---- Scopes and gradients

TEST(BuilderTablesTest, ColumnsGrowWithTheNodes) {
  ProfileBuilder builder;
  const NodeId a = builder.AddNode("a", "A", kNoRecord);
  const ScopeId scope = builder.AddScope(kRootScope, "s");
  builder.SetScope(a, scope);
  builder.SetForward(a, a);
  builder.AddNode("b", "A", kNoRecord);
  builder.AddNode(builder.AddModule("m"), "c", "A", kNoRecord);
  builder.AddNode("d", "A", kNoRecord);
  const Profile profile = std::move(builder).Build();
  const NodeTable& nodes = profile.nodes();
  EXPECT_THAT(nodes.scope,
              ElementsAre(scope, kRootScope, kRootScope, kRootScope));
  EXPECT_THAT(nodes.forward_of, ElementsAre(a, kNone, kNone, kNone));
  EXPECT_THAT(nodes.module, ElementsAre(0u, 0u, 1u, 0u));
}

TEST(BuilderTablesTest, AnEmptyPartIsNoScope) {
  ProfileBuilder builder;
  const ScopeId scope = builder.AddScope(kRootScope, "s");
  EXPECT_EQ(builder.AddScope(scope, ""), scope);
  EXPECT_EQ(builder.AddScope(kRootScope, "s"), scope);
}

// ---- Links

TEST(BuilderTablesTest, LinksAreSortedAndDistinct) {
  ProfileBuilder builder(NoAccounting(), accounting::ShapedModel());
  const Link first = {{1, 0}, {1, 1}, LinkKind::kData};
  const Link last = {{2, 3}, {1, 0}, LinkKind::kTransfer};
  for (const Link& link : {last, first, last}) builder.AddLink(link);
  const Profile profile = std::move(builder).Build();
  const std::vector<Link> links = AllLinks(profile);
  EXPECT_EQ(links.size(), 7u);
  EXPECT_TRUE(std::is_sorted(links.begin(), links.end()));
  EXPECT_EQ(links.front(), first);
}

TEST(BuilderTablesTest, LinksOfMissingExecutionsAreDropped) {
  ProfileBuilder builder(NoAccounting(), accounting::ShapedModel());
  builder.AddLink({{1, 0}, {7, 0}, LinkKind::kData});
  builder.AddLink({{1, 4}, {1, 0}, LinkKind::kData});
  EXPECT_EQ(AllLinks(std::move(builder).Build()).size(), 5u);
}

TEST(BuilderTablesTest, RecordsOutsideTheAccountingHaveLinks) {
  ProfileBuilder builder(NoAccounting(), accounting::ShapedModel());
  const auto record = [&](std::string_view name) {
    return NamedExecution{.name = builder.mutable_graph().strings.Intern(name)};
  };
  builder.AddOutside(1, record("RecvTensor"));
  builder.FinishStep(1);
  builder.AddLink({{1, 4}, {1, 0}, LinkKind::kTransfer});
  builder.AddOutside(1, record("another"));
  const Profile profile = std::move(builder).Build();
  ASSERT_EQ(profile.links().size(), 6u);
  EXPECT_EQ(AllLinks(profile)[3], (Link{{1, 4}, {1, 0}, LinkKind::kTransfer}));
}

// Links that are added in sorted order give the same table.
TEST(BuilderTablesTest, SortedLinks) {
  const std::vector<Link> links = {{{1, 0}, {1, 1}, LinkKind::kLaunch},
                                   {{1, 0}, {1, 2}, LinkKind::kData},
                                   {{1, 2}, {1, 0}, LinkKind::kData}};
  ProfileBuilder builder(NoAccounting());
  const NodeId n = builder.AddNode("n", "Op", kNoRecord);
  const LaneId lane =
      builder.mutable_graph().lanes.Add({.kind = LaneKind::kCompute});
  for (int64_t i = 0; i < 3; ++i) {
    builder.AddExecutions(
        1, {{.node = n, .lane = lane, .start = i, .duration = 1}}, {});
  }
  builder.FinishStep(1);
  builder.AddSortedLinks(Links());
  builder.AddSortedLinks(Links(links));
  // One of these exists already, and the other ends at a missing execution.
  builder.AddSortedLinks(
      Links(std::vector<Link>{links[1], {{1, 1}, {1, 7}, LinkKind::kData}}));
  builder.AddLink({{1, 1}, {1, 2}, LinkKind::kData});
  EXPECT_THAT(AllLinks(std::move(builder).Build()),
              ElementsAre(links[0], links[1],
                          Link{{1, 1}, {1, 2}, LinkKind::kData}, links[2]));
}

// Adding nodes and executions later moves the rows of a step.
TEST(BuilderTablesTest, LinksFollowTheirExecutions) {
  const Profile base = accounting::ShapedModel();
  const accounting::ShapedNodes n;
  ProfileBuilder builder(NoAccounting(), base);
  const GraphTables& graph = builder.graph();
  const LaneId gpu = graph.lanes.OfDevice(graph.devices.Find("/device:gpu:0"));
  builder.AddExecutions(
      1,
      {{.node = n.init_fusion, .lane = gpu, .start = 900, .duration = 5},
       {.node = n.fusion, .lane = gpu, .start = 1800, .duration = 5}},
      {});
  const Profile profile = std::move(builder).Build();
  const Step& step = *profile.FindStep(1);
  ASSERT_EQ(step.num_executions(), 6u);
  const ExecutionRef launch = accounting::OnlyExecution(step, n.launch);
  const ExecutionRef dot = accounting::OnlyExecution(step, n.dot);
  const ExecutionRef backward = accounting::OnlyExecution(step, n.backward);
  const Step& next = *profile.FindStep(2);
  EXPECT_THAT(
      AllLinks(profile),
      ElementsAre(
          Link{dot, backward, LinkKind::kGradient},
          Link{backward, accounting::OnlyExecution(next, n.fusion),
               LinkKind::kData},
          Link{launch, dot, LinkKind::kLaunch},
          Link{accounting::OnlyExecution(next, n.dot),
               accounting::OnlyExecution(next, n.backward),
               LinkKind::kGradient},
          Link{accounting::OnlyExecution(next, n.launch),
               accounting::OnlyExecution(next, n.dot), LinkKind::kLaunch}));
  EXPECT_EQ(base.links()[0].from.index + 2, dot.index);
}

TEST(BuilderTablesTest, LinksOfDroppedExecutionsAreDropped) {
  ProfileBuilder builder(NoAccounting(), accounting::ShapedModel());
  builder.SetMaxMemory(1);
  builder.AddStep(3);
  const Profile profile = std::move(builder).Build();
  EXPECT_TRUE(profile.FindStep(1)->aggregated);
  EXPECT_EQ(profile.links().size(), 0u);
  EXPECT_EQ(profile.step_intervals().size(), 2u);
}

TEST(BuilderTablesTest, PhasesAndReplaysAreOfSteps) {
  ProfileBuilder builder;
  for (const int64_t step : {5, 3}) {
    builder.AddStepInterval({.step = step, .start = step, .end = step + 1});
    builder.AddStepPhase(
        {.step = step, .phase = Phase::kDecode, .requests = 2, .tokens = step});
    builder.AddGraphReplay({.step = step, .launches = 4, .kernels = 9});
  }
  builder.FinishAllSteps();
  const Profile all = std::move(builder).Build();
  ASSERT_EQ(all.step_phases().size(), 2u);
  EXPECT_EQ(all.step_phases()[0].step, 3);
  EXPECT_EQ(all.step_phases()[1].tokens, 5);
  ASSERT_EQ(all.graph_replays().size(), 2u);
  EXPECT_EQ(all.graph_replays()[1].step, 5);
  EXPECT_THAT(Tables(all), ElementsAre("step_intervals 2", "step_phases 2",
                                       "graph_replays 8"));
  EXPECT_GT(MemoryOf(all, "step phases"), 0u);
  EXPECT_GT(MemoryOf(all, "graph replays"), 0u);
  const Profile one = all.WithSteps({all.steps()[1]});
  ASSERT_EQ(one.step_phases().size(), 1u);
  EXPECT_EQ(one.step_phases()[0].step, 5);
  ASSERT_EQ(one.graph_replays().size(), 1u);
  EXPECT_EQ(one.graph_replays()[0].step, 5);
  EXPECT_EQ(PhaseName(Phase::kMixed), "mixed");
  EXPECT_EQ(PhaseName(Phase::kNone), "");
}

TEST(BuilderTablesTest, AProfileOfFewerStepsHasTheirLinksAndIntervals) {
  const Profile all = accounting::ShapedModel();
  const Profile one = all.WithSteps({all.steps()[1]});
  for (const Link& link : AllLinks(one)) {
    EXPECT_EQ(link.from.step, 2);
    EXPECT_EQ(link.to.step, 2);
  }
  EXPECT_EQ(one.links().size(), 2u);
  ASSERT_EQ(one.step_intervals().size(), 1u);
  EXPECT_EQ(one.step_intervals()[0].step, 2);
  EXPECT_EQ(&one.counters(), &all.counters());
  // All steps: nothing is copied.
  EXPECT_EQ(&all.WithSteps(all.steps()).links(), &all.links());
}

// ---- Counters and intervals

TEST(BuilderTablesTest, SamplesAreSortedAndFinite) {
  ProfileBuilder builder;
  builder.AddCounter({.name = builder.mutable_graph().strings.Intern("load")},
                     {{20, 2},
                      {10, 1},
                      {15, std::nan("")},
                      {16, std::numeric_limits<double>::infinity()},
                      {10, 0.5}});
  const Profile profile = std::move(builder).Build();
  ASSERT_EQ(profile.counters().size(), 1u);
  const Counter& counter = profile.counters()[0];
  ASSERT_EQ(counter.size(), 3u);
  EXPECT_THAT(counter.value, ElementsAre(1, 0.5, 2));
  EXPECT_EQ(counter.time[0], 10);
  EXPECT_EQ(counter.time[2], 20);
}

TEST(BuilderTablesTest, TablesOfTheBaseStay) {
  const Profile base = accounting::ShapedModel();
  {
    ProfileBuilder builder(NoAccounting(), base);
    builder.AddStep(9);
    const Profile profile = std::move(builder).Build();
    EXPECT_EQ(&profile.counters(), &base.counters());
    EXPECT_EQ(&profile.links(), &base.links());
  }
  ProfileBuilder builder(NoAccounting(), base);
  builder.AddCounter({}, {{1, 1}});
  builder.AddStepInterval({.step = 0, .start = 5, .end = 6});
  const Profile profile = std::move(builder).Build();
  EXPECT_EQ(profile.counters().size(), 2u);
  EXPECT_EQ(base.counters().size(), 1u);
  ASSERT_EQ(profile.step_intervals().size(), 3u);
  EXPECT_EQ(profile.step_intervals()[0].step, 0);
  ASSERT_NE(profile.FindStep(0), nullptr);
  EXPECT_EQ(profile.FindStep(0)->num_executions(), 0u);
  EXPECT_EQ(profile.FindStep(1), base.FindStep(1));
}

// ---- Operations of pipelines

TEST(BuilderTablesTest, OperationsOfPipelinesAreSortedAndBelongToSteps) {
  ProfileBuilder builder;
  PipelineOp op;
  op.type = builder.mutable_graph().strings.Intern("gc");
  for (const int64_t step : {5, 3}) {
    op.step = step;
    op.sequence = static_cast<int32_t>(step) + 1;
    builder.AddStep(step);
    builder.AddPipelineOp(op);
  }
  builder.FinishAllSteps();
  const Profile profile = std::move(builder).Build();
  EXPECT_THAT(Tables(profile), ElementsAre("pipeline_ops 2"));
  EXPECT_GT(MemoryOf(profile, "pipeline operations"), 0u);
  EXPECT_EQ(profile.pipeline_ops()[0].step, 3);
  EXPECT_EQ(profile.pipeline_ops()[1].sequence, 6);
  const Profile one = profile.WithSteps({profile.steps()[1]});
  ASSERT_EQ(one.pipeline_ops().size(), 1u);
  EXPECT_EQ(one.pipeline_ops()[0].step, 5);
  EXPECT_EQ(one.pipeline_ops()[0].sequence, 6);

  // A builder adds to what its base has.
  ProfileBuilder more(NoAccounting(), one);
  op.step = 7;
  more.AddStep(7);
  more.AddPipelineOp(op);
  more.FinishAllSteps();
  EXPECT_EQ(std::move(more).Build().pipeline_ops().size(), 2u);
}

}  // namespace
}  // namespace tfprof::profile
