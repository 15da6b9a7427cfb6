// Tests the views of a trace: nanoseconds, self times, scopes built by the
// loader, nodes with and without call stacks.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "accounting/self_time_rules.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"
#include "views/views.h"

namespace tfprof::views {
namespace {

using ::testing::ElementsAre;

class SelfTimeViewsTest : public ::testing::Test {
 protected:
  SelfTimeViewsTest() {
    builder_.SetRules(accounting::SelfTimeRules());
    builder_.SetTicksPerMicro(1000);
    profile::GraphTables& graph = builder_.mutable_graph();
    graph.has_code_traces = true;
    lane_ = graph.lanes.Add({.kind = profile::LaneKind::kCompute});
    const profile::ScopeId block =
        builder_.AddScope(profile::kRootScope, "Block_0");
    const profile::NodeId add =
        builder_.AddNode("Block_0/add", "add", profile::kNoRecord);
    builder_.SetScope(add, block);
    graph.nodes.stack[add] = graph.stacks.Push(
        profile::kNoStack, {.file = graph.strings.Intern("/a/train.py"),
                            .function = graph.strings.Intern("f"),
                            .lineno = 7});
    const profile::NodeId loop =
        builder_.AddNode("loop", "loop", profile::kNoRecord);
    builder_.SetScope(loop, profile::kRootScope);
    Ran(1, {{add, 2500}, {loop, 1000}});
    Ran(2, {{add, 1500}});
    Ran(profile::kOutsideSteps, {{loop, 400}});
  }

  void Ran(int64_t step,
           const std::vector<std::pair<profile::NodeId, int64_t>>& nodes) {
    std::vector<profile::LaneExecutions> batch(1);
    batch[0].lane = lane_;
    batch[0].ticks_per_micro = 1000;
    for (const auto& [n, duration] : nodes) {
      batch[0].records.push_back(
          {.node = n, .start = start_, .duration = duration});
      start_ += duration;
    }
    builder_.AddExecutions(step, std::move(batch), {});
  }

  // Returns "NAME SELF/TOTAL" for each row, in nanoseconds.
  std::vector<std::string> Rows(View view, const ViewOptions& options) {
    if (!views_) views_.emplace(profile_ = std::move(builder_).Build());
    std::vector<std::string> rows;
    for (const Report::Row& row : views_->Show(view, options).rows) {
      rows.push_back(fmt::format("{} {}/{}", row.name,
                                 row.self[accounting::kMicros],
                                 row.total[accounting::kMicros]));
    }
    return rows;
  }

  profile::ProfileBuilder builder_;
  profile::Profile profile_;
  std::optional<Views> views_;
  profile::LaneId lane_ = profile::kNone;
  int64_t start_ = 0;
};

ViewOptions Step(int64_t step) {
  ViewOptions options;
  options.step = step;
  return options;
}

TEST_F(SelfTimeViewsTest, NameOfANodeContinuesThePathOfItsScope) {
  EXPECT_THAT(Rows(View::kScope, Step(accounting::kAllSteps)),
              ElementsAre("_TFProfRoot 0/5400", "Block_0 0/4000",
                          "Block_0/add 4000/4000", "loop 1400/1400"));
}

TEST_F(SelfTimeViewsTest, CodeHasNodesWithoutAStackInARowOfTheirOwn) {
  EXPECT_THAT(Rows(View::kCode, Step(accounting::kAllSteps)),
              ElementsAre("_TFProfRoot 0/5400", "(no call stack) 1400/1400",
                          "train.py:7:f 4000/4000"));
}

TEST_F(SelfTimeViewsTest, TotalsOfAllViewsAreEqual) {
  for (const int64_t step :
       {accounting::kAllSteps, accounting::kAverageOfSteps, int64_t{1}}) {
    const int64_t total = step == accounting::kAllSteps         ? 5400
                          : step == accounting::kAverageOfSteps ? 2500
                                                                : 3500;
    for (const View view :
         {View::kScope, View::kGraph, View::kCode, View::kOp}) {
      EXPECT_TRUE(
          Rows(view, Step(step)).front().ends_with(fmt::format("/{}", total)))
          << Rows(view, Step(step)).front();
    }
  }
}

TEST_F(SelfTimeViewsTest, SmallestTimesAreMicroseconds) {
  ViewOptions options = Step(accounting::kAllSteps);
  options.min[accounting::kMicros] = 2;
  EXPECT_THAT(Rows(View::kOp, options), ElementsAre("add 4000/5400"));
}

}  // namespace
}  // namespace tfprof::views
