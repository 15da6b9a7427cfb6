#include "profiler/commands/workspace.h"

#include <string>
#include <utility>
#include <vector>

#include "accounting/self_time_rules.h"
#include "accounting/small_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/profile_builder.h"

namespace tfprof::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(LoadNotesTest, OfManyFilesTheFirstAndTheLastAreListed) {
  loaders::Loaded loaded;
  loaded.coverage = {0.5};
  EXPECT_THAT(LoadNotes(loaded, /*reference=*/true),
              ElementsAre("run graph coverage: 0.50"));
  EXPECT_THAT(LoadNotes(loaded, /*reference=*/false), IsEmpty());
  loaded.coverage.assign(20, 1.0);
  loaded.coverage.back() = 0.25;
  const std::vector<std::string> notes = LoadNotes(loaded, /*reference=*/true);
  EXPECT_THAT(notes, SizeIs(9));
  EXPECT_EQ(notes[4], "run graph coverage: 12 more files, not listed");
  EXPECT_EQ(notes.back(), "run graph coverage: 0.25");
}

TEST(CheckStepTest, TheMessageListsTheSteps) {
  const profile::Profile profile = accounting::SmallModel();
  EXPECT_TRUE(CheckStep(profile, -1).ok());
  EXPECT_TRUE(CheckStep(profile, 0).ok());
  const absl::Status status = CheckStep(profile, 9);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(std::string(status.message()),
            "Options -step=9 not found.\nAvailable steps: 0 ");
}

TEST(RegexNotesTest, NamesTheExpression) {
  views::ViewOptions options;
  options.show_names = {"(", "a.*"};
  EXPECT_THAT(
      RegexNotes(options),
      ElementsAre(StartsWith(
          "'(' is not a valid regular expression and matches nothing: ")));
}

// 2 of 12 microseconds are in no step.
Workspace TraceWorkspace() {
  profile::ProfileBuilder builder(accounting::SelfTimeRules());
  builder.SetRules(accounting::SelfTimeRules());
  builder.SetTicksPerMicro(1000);
  const profile::NodeId op = builder.AddNode("op", "op", profile::kNoRecord);
  const profile::LaneId lane =
      builder.mutable_graph().lanes.Add({.kind = profile::LaneKind::kCompute});
  for (const auto& [step, duration] :
       {std::pair(int64_t{1}, 10000),
        std::pair(profile::kOutsideSteps, 2000)}) {
    std::vector<profile::LaneExecutions> batch(1);
    batch[0].lane = lane;
    batch[0].ticks_per_micro = 1000;
    batch[0].records = {{.node = op, .start = 0, .duration = duration}};
    builder.AddExecutions(step, std::move(batch), {});
  }
  loaders::Loaded loaded;
  loaded.profile = std::move(builder).Build();
  return Workspace(std::move(loaded), options::Options());
}

TEST(OutsideNotesTest, TheAverageSaysOnceWhatItLeavesOut) {
  Workspace workspace = TraceWorkspace();
  EXPECT_THAT(OutsideNotes(workspace, accounting::kAllSteps), IsEmpty());
  EXPECT_THAT(OutsideNotes(workspace, 1), IsEmpty());
  EXPECT_THAT(OutsideNotes(workspace, accounting::kAverageOfSteps),
              ElementsAre("The average over 1 step leaves out 2us of 12us, "
                          "which ran in no step; -step all includes it."));
  EXPECT_THAT(OutsideNotes(workspace, accounting::kAverageOfSteps), IsEmpty());
}

// A kernel and its launch pass at the same time.
TEST(OutsideNotesTest, TimesOfAcceleratorsAndCpusAreNotAdded) {
  profile::ProfileBuilder builder;
  builder.SetRules(accounting::SelfTimeRules());
  builder.SetTicksPerMicro(1000);
  const profile::NodeId op = builder.AddNode("op", "op", profile::kNoRecord);
  profile::LaneTable& lanes = builder.mutable_graph().lanes;
  for (const auto& [kind, duration] :
       {std::pair(profile::LaneKind::kCompute, 2000),
        std::pair(profile::LaneKind::kKernels, 3000)}) {
    std::vector<profile::LaneExecutions> batch(1);
    batch[0].lane = lanes.Add({.kind = kind});
    batch[0].ticks_per_micro = 1000;
    batch[0].records = {{.node = op, .start = 0, .duration = duration}};
    builder.AddExecutions(profile::kOutsideSteps, std::move(batch), {});
  }
  loaders::Loaded loaded;
  loaded.profile = std::move(builder).Build();
  Workspace workspace(std::move(loaded), options::Options());
  EXPECT_THAT(OutsideNotes(workspace, accounting::kAverageOfSteps),
              ElementsAre("The average over 0 steps leaves out 3us of 3us on "
                          "accelerators and 2us of 2us on CPUs, which ran in "
                          "no step; -step all includes it."));
}

TEST(LoadBaseTest, NamesItsFiles) {
  std::vector<std::string> notes;
  Workspace workspace;
  workspace.inputs.max_memory = 7;
  workspace.work.threads = 3;
  workspace.load = [](const loaders::LoadRequest& request)
      -> absl::StatusOr<loaders::Loaded> {
    EXPECT_EQ(request.max_memory, 7u);
    EXPECT_EQ(request.work.threads, 3);
    loaders::Loaded loaded;
    if (request.files.size() > 1) loaded.profile = accounting::SmallModel();
    return loaded;
  };
  const absl::StatusOr<Base> base = LoadBase({"a", "b"}, workspace, notes);
  ASSERT_TRUE(base.ok()) << base.status();
  EXPECT_EQ(base->name, "a,b");
  EXPECT_THAT(std::string(LoadBase({"a"}, workspace, notes).status().message()),
              HasSubstr("no node in a"));
}

}  // namespace
}  // namespace tfprof::commands
