// The commands convert and save.

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "accounting/shaped_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands_testing.h"

namespace tfprof::commands {
namespace {
namespace convert_test {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

// A node that ran in each of these steps.
profile::Profile StepsModel(const std::vector<int64_t>& steps) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  profile::GraphTables& graph = builder.mutable_graph();
  const profile::NodeId node =
      profile::AddNodeWithInputs(builder, "a", "Neg", {}, {1});
  const profile::LaneId cpu = graph.lanes.Add(
      {.process = graph.lanes.InternProcess(""),
       .kind = profile::LaneKind::kCompute,
       .device = graph.devices.Intern("/device:cpu:0",
                                      {.canonical = true, .on_cpu = true})});
  for (const int64_t step : steps) {
    builder.AddExecutions(
        step, {{.node = node, .lane = cpu, .start = 10, .duration = 5}}, {});
  }
  return std::move(builder).Build();
}

std::vector<std::string> Paths(const tables::Answer& answer) {
  std::vector<std::string> paths;
  for (const tables::Answer::File& file : answer.files)
    paths.push_back(file.path);
  return paths;
}

// The notes after all files were written.
std::vector<std::string> NotesOf(const tables::Answer& answer) {
  for (const tables::Answer::File& file : answer.files) Content(file);
  return answer.met();
}

TEST(SaveTest, AFileIsReplacedOnlyByForce) {
  const std::string path = testing::TempDir() + "/save_test.pb";
  std::ofstream(path) << "mine";
  Workspace workspace = SmallWorkspace();
  const tables::Answer refused = RunLine("save " + path, workspace);
  EXPECT_EQ(std::string(refused.status.message()),
            path + " exists; to replace it: save -force " + path);
  EXPECT_TRUE(refused.files.empty());
  EXPECT_TRUE(RunLine("save -force " + path, workspace).status.ok());
  // Nothing is lost where there is nothing.
  std::ofstream(path, std::ios::trunc).flush();
  EXPECT_TRUE(RunLine("save " + path, workspace).status.ok());
}

TEST(SaveTest, WritesOneProfileProto) {
  Workspace workspace = WorkspaceOf(StepsModel({0}));
  const tables::Answer answer = RunLine("save 'my profile.pb'", workspace);
  EXPECT_THAT(Paths(answer), ElementsAre("my profile.pb"));
  EXPECT_THAT(Content(answer.files[0]), HasSubstr("/device:cpu:0"));
  EXPECT_THAT(answer.met(),
              ElementsAre("The profile is written to my profile.pb."));
  // It is no report: -output does not apply to it.
  EXPECT_TRUE(answer.data.kind.empty());
}

TEST(SaveTest, AnEmptyProfileIsNotWritten) {
  Workspace workspace = WorkspaceOf(profile::Profile());
  for (const char* line : {"save x.pb", "convert -to profile:outfile=x.pb",
                           "convert -to files:outdir=x.pb"}) {
    const tables::Answer answer = RunLine(line, workspace);
    EXPECT_TRUE(absl::IsFailedPrecondition(answer.status)) << line;
    EXPECT_EQ(std::string(answer.status.message()),
              "Nothing is written to x.pb: the loaded profile has no node.");
    EXPECT_THAT(answer.files, IsEmpty());
  }
}

TEST(SaveTest, DroppedExecutionsCannotBeSaved) {
  Workspace workspace = WorkspaceOf(WithoutExecutions(StepsModel({3})));
  for (const char* line : {"save x", "convert -to files:outdir=x"}) {
    EXPECT_EQ(ErrorOf(line, workspace),
              "Step 3 cannot be saved: --max_memory dropped its single "
              "executions.");
  }
}

TEST(SaveTest, TimesFinerThanMicrosecondsAreNotCutInSilence) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  builder.SetTicksPerMicro(1000);
  profile::GraphTables& graph = builder.mutable_graph();
  const profile::NodeId node =
      profile::AddNodeWithInputs(builder, "a", "Neg", {}, {1});
  const profile::LaneId cpu = graph.lanes.Add(
      {.process = graph.lanes.InternProcess(""),
       .kind = profile::LaneKind::kCompute,
       .device = graph.devices.Intern("/device:cpu:0",
                                      {.canonical = true, .on_cpu = true})});
  profile::LaneExecutions batch = {.lane = cpu, .ticks_per_micro = 1000};
  batch.records = {{.node = node, .start = 1000, .duration = 1900},
                   {.node = node, .start = 5000, .duration = 100}};
  std::vector<profile::LaneExecutions> batches;
  batches.push_back(std::move(batch));
  builder.AddExecutions(0, std::move(batches), {});
  Workspace workspace = WorkspaceOf(std::move(builder).Build());
  EXPECT_THAT(std::string(RunLine("save x.pb", workspace).status.message()),
              HasSubstr("would lose 1us of 2us"));
  const tables::Answer converted =
      RunLine("convert -to profile:outfile=x.pb", workspace);
  ASSERT_TRUE(converted.status.ok()) << converted.status;
  EXPECT_THAT(NotesOf(converted),
              Contains(HasSubstr("1us of 2us of executions")));
}

TEST(ConvertTest, StepsSelectsNumbersAndRanges) {
  Workspace workspace = WorkspaceOf(StepsModel({0, 1, 2, 5, 9}));
  const tables::Answer answer =
      RunLine("convert -steps 1-5,9 -to files:outdir=d", workspace);
  EXPECT_THAT(Paths(answer),
              ElementsAre("graph.pb", "run_meta_1.pb", "run_meta_2.pb",
                          "run_meta_5.pb", "run_meta_9.pb"));
}

TEST(ConvertTest, EveryNumberAndRangeMustNameAStep) {
  Workspace workspace = WorkspaceOf(StepsModel({0, 1, 2, 5}));
  EXPECT_EQ(ErrorOf("convert -steps 0,7 -to profile:outfile=x", workspace),
            "The loaded profile has no step 7. Available steps: 0-2,5");
  EXPECT_EQ(ErrorOf("convert -steps 3-4,5 -to profile:outfile=x", workspace),
            "The loaded profile has no step 3-4. Available steps: 0-2,5");
  Workspace none = WorkspaceOf(StepsModel({}));
  EXPECT_EQ(ErrorOf("convert -steps 0 -to profile:outfile=x", none),
            "The loaded profile has no step 0. Available steps: none");
}

TEST(ConvertTest, AProfileOfFewerStepsIsSmaller) {
  Workspace workspace = WorkspaceOf(StepsModel({0, 1, 2}));
  const auto size = [&](std::string_view line) {
    return Content(RunLine(line, workspace).files.at(0)).size();
  };
  EXPECT_LT(size("convert -steps 1 -to profile:outfile=x"), size("save x"));
  EXPECT_EQ(size("convert -steps 0-2 -to profile:outfile=x"), size("save x"));
}

TEST(ConvertTest, AFolderHasAFileForEachStep) {
  Workspace workspace = WorkspaceOf(StepsModel({4}));
  const tables::Answer answer =
      RunLine("convert -to files:outdir=out", workspace);
  EXPECT_EQ(answer.folder, "out");
  EXPECT_THAT(Paths(answer), ElementsAre("graph.pb", "run_meta_4.pb"));
  EXPECT_THAT(Content(answer.files[0]), HasSubstr("Neg"));
  EXPECT_THAT(Content(answer.files[1]), HasSubstr("/device:cpu:0"));
}

TEST(ConvertTest, AnOpLogIsWrittenIfThereIsSomethingForIt) {
  // Types, float operations or call stacks.
  Workspace small = SmallWorkspace();
  EXPECT_THAT(Paths(RunLine("convert -to files:outdir=d", small)),
              ElementsAre("graph.pb", "op_log.pb", "run_meta_0.pb"));
  Workspace plain = WorkspaceOf(StepsModel({0}));
  EXPECT_THAT(Paths(RunLine("convert -to files:outdir=d", plain)),
              Not(Contains("op_log.pb")));
}

TEST(ConvertTest, TheLastNoteListsTheFiles) {
  Workspace one = WorkspaceOf(StepsModel({4}));
  EXPECT_EQ(NotesOf(RunLine("convert -to files:outdir=d", one)).back(),
            "The files are written to d: graph.pb, run_meta_4.pb.");
  Workspace several = WorkspaceOf(StepsModel({1, 2, 3, 7}));
  EXPECT_EQ(NotesOf(RunLine("convert -to files:outdir=d", several)).back(),
            "The files are written to d: graph.pb, run_meta_{1-3,7}.pb.");
  Workspace none = WorkspaceOf(StepsModel({}));
  EXPECT_EQ(NotesOf(RunLine("convert -to files:outdir=d", none)).back(),
            "The files are written to d: graph.pb.");
}

TEST(ConvertTest, NotesSayWhatTheFilesCannotStore) {
  Workspace workspace = WorkspaceOf(StepsModel({0}));
  EXPECT_THAT(
      NotesOf(RunLine("convert -to files:outdir=d", workspace)),
      IsSupersetOf(
          {"Not in graph.pb: functions and versions, which a profile does not "
           "hold.",
           "1 node did not come from a GraphDef: placement is missing, and "
           "control inputs are plain inputs.",
           "1 execution did not come from a RunMetadata: labels, threads and "
           "nanoseconds are missing."}));
}

TEST(ConvertTest, NodesOfStepsThatAreNotWrittenAreCounted) {
  // "b" has float operations and ran in step 1 only.
  profile::ProfileBuilder builder(accounting::TfprofRules(),
                                  StepsModel({0, 1}));
  const profile::NodeId b =
      profile::AddNodeWithInputs(builder, "b", "Neg", {"a"}, {1});
  builder.SetFloatOps(b, 8);
  builder.AddExecutions(1, {{.node = b, .lane = 0, .start = 20, .duration = 5}},
                        {});
  Workspace workspace = WorkspaceOf(std::move(builder).Build());
  EXPECT_THAT(
      NotesOf(RunLine("convert -steps 0 -to files:outdir=d", workspace)),
      Contains("1 node ran only in steps that are not here: in the files they "
               "never ran, and have the float operations of one run."));
  EXPECT_THAT(NotesOf(RunLine("convert -to files:outdir=d", workspace)),
              Not(Contains(HasSubstr("ran only in steps"))));
}

TEST(ConvertTest, ANegativeStepHasNoFile) {
  Workspace workspace = WorkspaceOf(StepsModel({-3, 2}));
  EXPECT_EQ(ErrorOf("convert -to files:outdir=d", workspace),
            "Step -3 has a negative number, which no file can be given; choose "
            "others with -steps.");
  EXPECT_TRUE(
      RunLine("convert -steps 2 -to files:outdir=d", workspace).status.ok());
  // A ProfileProto may have any number.
  EXPECT_TRUE(RunLine("save x", workspace).status.ok());
}

TEST(ConvertTest, TablesWithoutAPlaceAreListed) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  const std::string tables =
      "2 modules, 3 scopes, 1 gradient, 5 links, 1 counter, 2 step intervals.";
  EXPECT_THAT(NotesOf(RunLine("save x", workspace)),
              Contains("A ProfileProto has no place for " + tables));
  EXPECT_THAT(NotesOf(RunLine("convert -to files:outdir=d", workspace)),
              Contains("The files have no place for " + tables));
}

TEST(ConvertTest, TheAnswerKeepsTheProfile) {
  Workspace workspace = WorkspaceOf(StepsModel({0}));
  const tables::Answer answer = RunLine("save x", workspace);
  workspace = SmallWorkspace();
  EXPECT_THAT(Content(answer.files[0]), HasSubstr("Neg"));
}

}  // namespace convert_test
}  // namespace
}  // namespace tfprof::commands
