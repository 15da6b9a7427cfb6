#include "profiler/tui/step_pane.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "profiler/commands/commands.h"
#include "profiler/tui/tui_testing.h"

namespace tfprof::tui {
namespace {

TEST(StepPaneTest, HasTheAverageTheSumAndEachStep) {
  commands::Workspace workspace = TreeWorkspace();
  const StepPane steps(workspace);
  ASSERT_EQ(steps.entries().size(), 4u);
  EXPECT_EQ(steps.entries()[0].step, accounting::kAverageOfSteps);
  EXPECT_EQ(steps.entries()[1].step, accounting::kAllSteps);
  EXPECT_EQ(steps.entries()[2].label, "3");
  EXPECT_EQ(steps.entries()[3].step, 7);
  EXPECT_EQ(steps.Find(7), 3u);
  EXPECT_EQ(steps.Find(5), 0u) << "there is none";
}

TEST(StepPaneTest, WallTimesAreThoseOfSteps) {
  commands::Workspace workspace = TreeWorkspace();
  const StepPane steps(workspace);
  EXPECT_EQ(steps.title(), "wall");
  EXPECT_EQ(steps.entries()[3].wall, "5.00ms");
  EXPECT_EQ(steps.entries()[3].length, 1);
  EXPECT_FALSE(steps.entries()[3].odd) << "of two steps, none is usual";
  bool has_wall = false;
  for (const auto& [column, cell] : steps.Details(3).facts) {
    has_wall |=
        column.title == "wall" && cell == tables::DataCell(int64_t{5002});
  }
  EXPECT_TRUE(has_wall);
}

TEST(StepPaneTest, AStepMuchLongerThanTheOthersIsOdd) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  const profile::LaneId cpu = tensorflow::DeviceLane(
      "/job:localhost/replica:0/task:0/device:cpu:0", builder.mutable_graph());
  const profile::NodeId node = builder.AddNode("a", "Op", profile::kNoRecord);
  for (int64_t step = 0; step < 5; ++step) {
    profile::ExecutionRecord record;
    record.node = node;
    record.lane = cpu;
    record.start = 1000 * step + 1;
    record.duration = step == 3 ? 150 : 100;
    builder.AddExecutions(step, {record}, {});
  }
  loaders::Loaded loaded;
  loaded.profile = std::move(builder).Build();
  commands::Workspace workspace(std::move(loaded), {});
  const StepPane steps(workspace);
  for (const StepPane::Entry& entry : steps.entries()) {
    EXPECT_EQ(entry.odd, entry.step == 3) << entry.label;
  }
}

TEST(StepPaneTest, AProfileWithoutStepsHasTheAverage) {
  loaders::Loaded loaded;
  loaded.profile = profile::ProfileBuilder(accounting::TfprofRules()).Build();
  commands::Workspace workspace(std::move(loaded), {});
  const StepPane steps(workspace);
  EXPECT_EQ(steps.entries().size(), 2u);
  EXPECT_FALSE(steps.Details(0).facts.empty());
}

}  // namespace
}  // namespace tfprof::tui
