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

namespace tfprof {
namespace {

using ::testing::ElementsAre;

class SelfTimeViewsTest : public ::testing::Test {
 protected:
  SelfTimeViewsTest() {
    builder_.SetRules(SelfTimeRules());
    builder_.SetTicksPerMicro(1000);
    GraphTables& graph = builder_.mutable_graph();
    graph.has_code_traces = true;
    lane_ = graph.lanes.Add({.kind = LaneKind::kCompute});
    const ScopeId block = builder_.AddScope(kRootScope, "Block_0");
    const NodeId add = builder_.AddNode("Block_0/add", "add", kNoRecord);
    builder_.SetScope(add, block);
    graph.nodes.stack[add] = graph.stacks.Push(
        kNoStack, {.file = graph.strings.Intern("/a/train.py"),
                   .function = graph.strings.Intern("f"),
                   .lineno = 7});
    const NodeId loop = builder_.AddNode("loop", "loop", kNoRecord);
    builder_.SetScope(loop, kRootScope);
    Ran(1, {{add, 2500}, {loop, 1000}});
    Ran(2, {{add, 1500}});
    Ran(kOutsideSteps, {{loop, 400}});
  }

  void Ran(int64_t step, const std::vector<std::pair<NodeId, int64_t>>& nodes) {
    std::vector<LaneExecutions> batch(1);
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
      rows.push_back(fmt::format("{} {}/{}", row.name, row.self[kMicros],
                                 row.total[kMicros]));
    }
    return rows;
  }

  ProfileBuilder builder_;
  Profile profile_;
  std::optional<Views> views_;
  LaneId lane_ = kNone;
  int64_t start_ = 0;
};

ViewOptions Step(int64_t step) {
  ViewOptions options;
  options.step = step;
  return options;
}

TEST_F(SelfTimeViewsTest, NameOfANodeContinuesThePathOfItsScope) {
  EXPECT_THAT(Rows(View::kScope, Step(kAllSteps)),
              ElementsAre("_TFProfRoot 0/5400", "Block_0 0/4000",
                          "Block_0/add 4000/4000", "loop 1400/1400"));
}

TEST_F(SelfTimeViewsTest, CodeHasNodesWithoutAStackInARowOfTheirOwn) {
  EXPECT_THAT(Rows(View::kCode, Step(kAllSteps)),
              ElementsAre("_TFProfRoot 0/5400", "(no call stack) 1400/1400",
                          "train.py:7:f 4000/4000"));
}

TEST_F(SelfTimeViewsTest, TotalsOfAllViewsAreEqual) {
  for (const int64_t step : {kAllSteps, kAverageOfSteps, int64_t{1}}) {
    const int64_t total = step == kAllSteps         ? 5400
                          : step == kAverageOfSteps ? 2500
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
  ViewOptions options = Step(kAllSteps);
  options.min[kMicros] = 2;
  EXPECT_THAT(Rows(View::kOp, options), ElementsAre("add 4000/5400"));
}

}  // namespace
}  // namespace tfprof
