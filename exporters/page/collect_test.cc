#include "exporters/page/collect.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "accounting/self_time_rules.h"
#include "accounting/shaped_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"
#include "timeline/account/step_wall.h"
#include "views/views.h"

namespace tfprof::exporters {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Name(const Page& page, profile::StringId id) {
  return id == profile::kNone ? "" : std::string(page.strings.Get(id));
}

std::string NameOfEvent(const Page& page, size_t event) {
  return Name(page, page.entries[page.events[event].entry].name);
}

Page Collect(const profile::Profile& profile, int64_t step = -1) {
  views::Views views(profile);
  return CollectPage(views, {.step = step});
}

// Events of one thread: (name, start, duration).
struct Made {
  std::string_view name;
  int64_t start;
  int64_t duration;
};
profile::Profile Thread(std::initializer_list<Made> events) {
  profile::ProfileBuilder builder(accounting::SelfTimeRules());
  builder.SetTicksPerMicro(1000);
  profile::GraphTables& graph = builder.mutable_graph();
  graph.self_times = true;
  profile::Process process;
  process.name = "main";
  const profile::ProcessId p = graph.lanes.AddProcess(process);
  const profile::LaneId lane =
      graph.lanes.Add({.process = p,
                       .name = graph.strings.Intern("worker"),
                       .kind = profile::LaneKind::kCompute,
                       .thread = 4});
  for (const Made& event : events) {
    const profile::NodeId n =
        builder.AddNode(event.name, "Op", profile::kNoRecord);
    profile::LaneExecutions batch = {.lane = lane, .ticks_per_micro = 1000};
    batch.records.push_back(
        {.node = n, .start = event.start, .duration = event.duration});
    builder.AddExecutions(0, {batch}, {});
  }
  builder.FinishSteps({0});
  return std::move(builder).Build();
}

TEST(CollectPageTest, EventsCountFromTheFirstInOrder) {
  const Page page = Collect(Thread({{"b", 50, 5}, {"a", 20, 5}, {"c", 20, 9}}));
  ASSERT_EQ(page.events.size(), 3u);
  EXPECT_EQ(page.origin, 20);
  EXPECT_EQ(page.span, 35);
  EXPECT_EQ(page.ticks_per_micro, 1000);
  EXPECT_EQ(NameOfEvent(page, 0), "c");  // the longer one of two
  EXPECT_EQ(NameOfEvent(page, 1), "a");
  EXPECT_EQ(NameOfEvent(page, 2), "b");
  EXPECT_EQ(page.events[2].start, 30);
}

TEST(CollectPageTest, LanesHaveTheirThreadAndDevice) {
  const Page page = Collect(Thread({{"a", 20, 5}}));
  ASSERT_EQ(page.lanes.size(), 1u);
  EXPECT_EQ(page.lanes[0].name, "worker");
  EXPECT_EQ(page.lanes[0].kind, PageKind::kCompute);
  EXPECT_TRUE(page.lanes[0].counted);
  EXPECT_EQ(page.lanes[0].thread, 0u);
  ASSERT_EQ(page.devices.size(), 1u);
  EXPECT_EQ(page.processes.at(page.devices[0].process).name, "main");
  EXPECT_TRUE(page.nested);
}

TEST(CollectPageTest, TimesFitABrowser) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const Page page =
      Collect(Thread({{"a", -kMax, 5}, {"b", kMax - 9, 5}, {"c", 0, kMax}}));
  for (const PageEvent& event : page.events) {
    EXPECT_GE(event.start, 0);
    EXPECT_LE(event.start + event.duration, int64_t{1} << 53);
  }
  EXPECT_THAT(page.notes, testing::Contains(HasSubstr("too large")));
}

TEST(CollectPageTest, NegativeDurationsAreShownAndNoted) {
  const Page page = Collect(Thread({{"a", 20, -5}}));
  ASSERT_EQ(page.events.size(), 1u);
  EXPECT_EQ(page.events[0].duration, 0);
  EXPECT_THAT(page.notes, ElementsAre(HasSubstr("1 event with a negative")));
}

TEST(CollectPageTest, NamesArePathsWithoutATableOfScopes) {
  const Page page = Collect(Thread({{"net/layer/a", 20, 5}}));
  ASSERT_EQ(page.scopes.size(), 3u);
  EXPECT_EQ(Name(page, page.scopes[1].name), "net");
  EXPECT_EQ(Name(page, page.scopes[2].name), "layer");
  EXPECT_EQ(page.scopes[2].parent, 1u);
  EXPECT_EQ(page.entries[0].scope, 2u);
}

TEST(CollectPageTest, AllTablesOfACompiledProgram) {
  const Page page = Collect(accounting::ShapedModel());
  EXPECT_FALSE(page.events.empty());
  EXPECT_FALSE(page.links.empty());
  EXPECT_FALSE(page.counters.empty());
  EXPECT_EQ(page.step_numbers.size(), 2u);
  EXPECT_GT(page.stacks.size(), 1u);
  const auto has_scope = [&](std::string_view name) {
    return std::any_of(
        page.scopes.begin(), page.scopes.end(),
        [&](const PageTree& scope) { return Name(page, scope.name) == name; });
  };
  EXPECT_TRUE(has_scope("vmap(a/b)"));  // not divided
  for (const PageLink& link : page.links) {
    EXPECT_LT(std::max(link.from, link.to), page.events.size());
  }
  for (size_t s = 1; s < page.stacks.size(); ++s) {
    EXPECT_LT(page.stacks[s].parent, s);
  }
}

TEST(CollectPageTest, CallsAreNoInputs) {
  for (const bool calls : {false, true}) {
    profile::ProfileBuilder builder(accounting::SelfTimeRules());
    profile::GraphTables& graph = builder.mutable_graph();
    const profile::NodeId outer =
        builder.AddNode("outer", "Op", profile::kNoRecord);
    builder.AddEdge(graph.strings.Intern("inner"), 0, 0, 0);
    graph.edges_are_calls = calls;
    profile::LaneExecutions batch = {
        .lane = graph.lanes.Add(
            {.kind = profile::LaneKind::kCompute, .thread = 1})};
    batch.records.push_back({.node = outer, .start = 1, .duration = 2});
    builder.AddExecutions(0, {batch}, {});
    builder.FinishSteps({0});
    const Page page = Collect(std::move(builder).Build());
    ASSERT_EQ(page.entries.size(), 1u);
    EXPECT_EQ(page.entries[0].inputs.empty(), calls);
  }
}

TEST(CollectPageTest, PartsOfTheWallTimeAddUp) {
  const profile::Profile profile = accounting::ShapedModel();
  const Page page = Collect(profile);
  ASSERT_GE(page.account_step, 0);
  const Page of_step = Collect(profile, page.account_step);
  EXPECT_EQ(of_step.account_step, page.account_step);
  const profile::Step& step = *profile.FindStep(page.account_step);
  views::Views views(profile);
  const int64_t wall = timeline::WallOf(views, step).ticks *
                       (page.ticks_per_micro / profile.ticks_per_micro());
  size_t devices = 0;
  for (size_t d = 0; d < page.devices.size(); ++d) {
    if (page.devices[d].account.empty()) continue;
    ++devices;
    int64_t sum = 0;
    for (const PageAccountPart& part : page.devices[d].account) {
      sum += part.ticks;
      EXPECT_LE(part.ticks, page.devices[d].account.front().ticks);
    }
    EXPECT_EQ(sum, wall) << page.devices[d].label;
  }
  EXPECT_GT(devices, 0u);
}

TEST(CollectPageTest, OneStep) {
  const profile::Profile profile = accounting::ShapedModel();
  const int64_t first = profile.steps().front()->id;
  const Page all = Collect(profile);
  const Page page = Collect(profile, first);
  EXPECT_THAT(page.step_numbers, ElementsAre(first));
  EXPECT_LT(page.events.size(), all.events.size());
  EXPECT_THAT(page.counters, IsEmpty());  // they belong to no step
}

TEST(CollectPageTest, ClockOffsetsMoveALane) {
  const profile::Profile profile = Thread({{"a", 20, 5}});
  views::Views views(profile);
  EXPECT_EQ(CollectPage(views, {.clock_offsets = {-15}}).origin, 5);
}

TEST(CollectPageTest, NothingRan) {
  const profile::Profile profile = Thread({});
  EXPECT_THAT(Collect(profile).events, IsEmpty());
}

TEST(CollectPageTest, DevicesHaveTheFiguresOfTheProgram) {
  const profile::Profile profile =
      Thread({{"a", 1000, 500}, {"b", 2000, 1000}});
  const Page page = Collect(profile);
  ASSERT_EQ(page.devices.size(), 1u);
  ASSERT_TRUE(page.devices[0].figures.has_value());
  EXPECT_EQ(page.devices[0].figures->span, 2000);
  EXPECT_EQ(page.devices[0].figures->busy, 1500);
  EXPECT_EQ(page.devices[0].figures->idle, 500);
}

TEST(CollectPageTest, TheCriticalPathHasTimeAndSlack) {
  const Page page =
      Collect(Thread({{"a", 1000, 500}, {"b", 2000, 1000}}), /*step=*/0);
  ASSERT_EQ(page.path.size(), 2u);
  EXPECT_EQ(page.path[0].event, 0u);
  EXPECT_EQ(page.path[0].on_path, 500);
  EXPECT_EQ(page.path[1].on_path, 1000);
  EXPECT_EQ(page.path[1].slack, 0);
}

}  // namespace
}  // namespace tfprof::exporters
