#include "views/views.h"

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "accounting/small_model_testing.h"
#include "accounting/tfprof_rules.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/device_names.h"
#include "profile/profile_builder.h"
#include "util/run/cancellation.h"
#include "views/views_testing.h"

namespace tfprof::views {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SmallModelViewsTest : public ::testing::Test {
 protected:
  profile::Profile profile_ = accounting::SmallModel();
  Views views_{profile_};
};

// An op log has a number for Conv2D, but not for Mul and Add of DW's
// initializer.
TEST_F(SmallModelViewsTest, FloatOpsBySource) {
  ViewOptions options;
  options.max_depth = kDeep;
  options.show_names = {"_TFProfRoot", "Conv2D", "DW/Initializer.*"};
  options.min[accounting::kFloatOps] = 1;
  const auto rows = [&](flops::FlopsSource source) {
    options.flops = source;
    return Rows(views_.Show(View::kScope, options), accounting::kFloatOps);
  };
  const std::vector<std::string> logged = rows(flops::FlopsSource::kOpLog);
  EXPECT_THAT(logged, ElementsAre("_TFProfRoot --/10440", " Conv2D 5832/5832"));
  const auto everything =
      ElementsAre("_TFProfRoot --/11342", " Conv2D 5832/5832",
                  " DW/Initializer/random_normal 162/324",
                  "  DW/Initializer/random_normal/mul 162/162");
  EXPECT_THAT(rows(flops::FlopsSource::kAuto), everything);
  EXPECT_THAT(rows(flops::FlopsSource::kGraph), everything);
  EXPECT_THAT(rows(flops::FlopsSource::kOff), ElementsAre("_TFProfRoot --/0"));
  EXPECT_EQ(rows(flops::FlopsSource::kOpLog), logged);
}

TEST_F(SmallModelViewsTest, FloatOpsBySourceInEveryView) {
  ViewOptions options;
  options.max_depth = kDeep;
  for (const View view : {View::kScope, View::kGraph, View::kOp}) {
    options.flops = flops::FlopsSource::kOpLog;
    EXPECT_EQ(views_.Show(view, options).root_total[accounting::kFloatOps],
              10440);
    options.flops = flops::FlopsSource::kGraph;
    EXPECT_EQ(views_.Show(view, options).root_total[accounting::kFloatOps],
              11342);
    options.flops = flops::FlopsSource::kOff;
    EXPECT_EQ(views_.Show(view, options).root_total[accounting::kFloatOps], 0);
  }
}

TEST_F(SmallModelViewsTest, EmptyLists) {
  ViewOptions options;
  options.show_names = {};
  EXPECT_THAT(Names(views_.Show(View::kScope, options)),
              ElementsAre("_TFProfRoot"));
  EXPECT_THAT(views_.Show(View::kOp, options).rows, IsEmpty());
  options = ViewOptions();
  options.start_names = {};
  EXPECT_THAT(Rows(views_.Show(View::kGraph, options)),
              ElementsAre("_TFProfRoot --/4945"));
  options = ViewOptions();
  options.account_types = {};
  EXPECT_THAT(Rows(views_.Show(View::kScope, options)),
              ElementsAre("_TFProfRoot --/0"));
  EXPECT_THAT(views_.Show(View::kOp, options).rows, IsEmpty());
}

// Cached results must not change the output.
TEST_F(SmallModelViewsTest, RepeatedQueriesGiveWhatFreshOnesGive) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    ViewOptions options =
        random() % 2 ? OrderBy(accounting::kMicros) : ViewOptions();
    options.max_depth = static_cast<int32_t>(random() % 8);
    options.step = random() % 3 ? -1 : 0;
    const RegexPatterns types[] = {{".*"}, {"Conv2D"}, {"V.*", "C.*"}, {}};
    options.account_types = types[random() % 4];
    if (random() % 3 == 0) options.hide_names = {".*DW"};
    if (random() % 3 == 0) options.start_names = {".*W.*", "Conv.*"};
    options.account_displayed_only = random() % 4 == 0;
    const View view = static_cast<View>(random() % 3);
    Views fresh(profile_);
    ASSERT_EQ(Rows(views_.Show(view, options)), Rows(fresh.Show(view, options)))
        << i;
  }
}

TEST(ViewsTest, AnEmptyProfile) {
  const profile::Profile profile;
  Views views(profile);
  for (const View view : {View::kScope, View::kGraph}) {
    EXPECT_THAT(Rows(views.Show(view, {})), ElementsAre("_TFProfRoot --/0"));
  }
  EXPECT_TRUE(views.Show(View::kOp, {}).nothing_at_all);
}

// Returns a profile with two steps and two nodes: a runs in both steps, b only
// in the second.
profile::Profile TwoSteps() {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  const profile::NodeId a = builder.AddNode("a", "Op", profile::kNoRecord);
  const profile::NodeId b = builder.AddNode("b", "Op", profile::kNoRecord);
  const profile::LaneId cpu =
      tensorflow::DeviceLane("/cpu:0", builder.mutable_graph());
  const auto ran = [&](profile::NodeId n, int64_t micros) {
    return profile::ExecutionRecord{
        .node = n, .lane = cpu, .start = 1, .duration = micros};
  };
  builder.AddExecutions(1, {ran(a, 10)}, {});
  builder.AddExecutions(2, {ran(a, 20), ran(b, 7)}, {});
  return std::move(builder).Build();
}

TEST(ViewsTest, OneStepOrTheAverage) {
  const profile::Profile profile = TwoSteps();
  Views views(profile);
  for (const View view : {View::kScope, View::kGraph}) {
    ViewOptions options;
    EXPECT_THAT(Rows(views.Show(view, options)),
                ElementsAre("_TFProfRoot --/22", " a 15/15", " b 7/7"));
    options.step = 1;
    EXPECT_THAT(Rows(views.Show(view, options)),
                ElementsAre("_TFProfRoot --/10", " a 10/10", " b 0/0"));
    options.step = 2;
    EXPECT_THAT(Rows(views.Show(view, options)),
                ElementsAre("_TFProfRoot --/27", " a 20/20", " b 7/7"));
    // Any negative number means the average.
    options.step = -100;
    EXPECT_EQ(views.Show(view, options).root_total[accounting::kMicros], 22);
  }
}

TEST(ViewsTest, OtherFiltersShareWhatWasAccounted) {
  const profile::Profile profile = TwoSteps();
  Views views(profile);
  ViewOptions options;
  const Report first = views.Show(View::kScope, options);
  options.hide_names = {"a"};
  options.order = ViewOptions::Order::kNone;
  EXPECT_EQ(views.Show(View::kScope, options).tree, first.tree);
  options.account_types = {"Op"};
  EXPECT_NE(views.Show(View::kScope, options).tree, first.tree);
  // A report keeps its own totals.
  EXPECT_THAT(Rows(first),
              ElementsAre("_TFProfRoot --/22", " a 15/15", " b 7/7"));
}

TEST(ViewsTest, ReportsSayWhatTheyAreOf) {
  const profile::Profile profile = TwoSteps();
  Views views(profile);
  ViewOptions options;
  options.step = 2;
  const Report report = views.Show(View::kOp, options);
  EXPECT_EQ(report.view, View::kOp);
  EXPECT_EQ(report.options.step, 2);
  EXPECT_EQ(report.profile, &profile);
  EXPECT_FALSE(report.nothing_at_all);
  ASSERT_EQ(report.node_stats->size(), 2u);
  EXPECT_EQ((*report.node_stats)[0][accounting::kMicros], 20);
  EXPECT_EQ(&views.profile(), &profile);
}

TEST(ViewsTest, NodesOfARowAreThoseThatAreAccounted) {
  profile::ProfileBuilder builder;
  const profile::NodeId a = builder.AddNode("a", "Op", profile::kNoRecord);
  const profile::NodeId b = builder.AddNode("b", "Op", profile::kNoRecord);
  profile::GraphTables& graph = builder.mutable_graph();
  builder.AddType(b, graph.strings.Intern("mine"));
  graph.nodes.stack[a] = graph.nodes.stack[b] =
      graph.stacks.Push(profile::kNoStack, profile::Frame{.lineno = 1});
  const profile::Profile profile = std::move(builder).Build();
  Views views(profile);
  ViewOptions options;
  for (const View view : {View::kOp, View::kCode}) {
    options.account_types = {".*"};
    Report report = views.Show(view, options);
    EXPECT_THAT(report.NodesOf(report.rows.back()), ElementsAre(a, b));
    options.account_types = {"mine"};
    report = views.Show(view, options);
    EXPECT_THAT(report.NodesOf(report.rows.back()), ElementsAre(b));
  }
}

TEST(ViewsTest, DisplayedOnlyTotalsBelongToTheReport) {
  const profile::Profile profile = TwoSteps();
  Views views(profile);
  ViewOptions options;
  options.account_displayed_only = true;
  options.show_names = {"b"};
  Report report = views.Show(View::kGraph, options);
  // The totals stay at their addresses when the report is moved.
  const Report moved = std::move(report);
  EXPECT_THAT(Rows(moved), ElementsAre("_TFProfRoot --/7", " b 7/7"));
  EXPECT_EQ(moved.root_total[accounting::kMicros], 7);
}

struct CountOfNodes {
  explicit CountOfNodes(const profile::Profile& profile)
      : count(profile.nodes().size()) {}
  size_t count;
};

TEST(ViewsTest, KeepsOneObjectOfAType) {
  const profile::Profile profile = TwoSteps();
  Views views(profile);
  CountOfNodes& kept = views.Kept<CountOfNodes>();
  EXPECT_EQ(kept.count, 2u);
  kept.count = 99;
  EXPECT_EQ(views.Kept<CountOfNodes>().count, 99u);
  EXPECT_EQ(Views(profile).Kept<CountOfNodes>().count, 2u);
}

TEST(ViewsTest, ForgetsWhatACancellationMayHaveCutShort) {
  const profile::Profile profile = TwoSteps();
  util::Cancellation cancellation;
  Views views(profile, {.threads = 1, .cancellation = &cancellation});
  views.Kept<CountOfNodes>().count = 99;
  views.ForgetPartial();
  EXPECT_EQ(views.Kept<CountOfNodes>().count, 99u);
  cancellation.Request();
  cancellation.Reset();
  EXPECT_EQ(views.Kept<CountOfNodes>().count, 99u);
  views.ForgetPartial();
  EXPECT_EQ(views.Kept<CountOfNodes>().count, 2u);
  views.Kept<CountOfNodes>().count = 99;
  views.ForgetPartial();
  EXPECT_EQ(views.Kept<CountOfNodes>().count, 99u);
}

TEST(ViewsTest, ADefaultRowHasZeros) {
  const Report::Row row;
  for (int s = 0; s < accounting::kNumStats; ++s) {
    EXPECT_EQ(row.self[s], 0);
    EXPECT_EQ(row.total[s], 0);
  }
}

}  // namespace
}  // namespace tfprof::views
