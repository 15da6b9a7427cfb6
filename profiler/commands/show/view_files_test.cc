#include "profiler/commands/show/view_files.h"

#include <string>
#include <vector>

#include "accounting/shaped_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands_testing.h"

namespace tfprof::commands {
namespace {
namespace view_files_test {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

// The answer of a line such as "graph -output timeline:outfile=t".
tables::Answer Trace(std::string_view line, Workspace& workspace) {
  const Command command = Parsed(line, workspace.defaults);
  const views::View view = *command.info->view;
  return command.options.output.type == options::OutputSpec::Type::kTimeline
             ? TimelineAnswer(view, command.options, workspace)
             : PprofAnswer(view, command.options, workspace);
}

std::vector<std::string> Paths(const tables::Answer& answer) {
  std::vector<std::string> paths;
  for (const tables::Answer::File& file : answer.files)
    paths.push_back(file.path);
  return paths;
}

std::string Refusal(std::string_view line) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  const tables::Answer answer = Trace(line, workspace);
  EXPECT_TRUE(absl::IsFailedPrecondition(answer.status)) << line;
  EXPECT_THAT(answer.files, IsEmpty());
  return std::string(answer.status.message());
}

TEST(TimelineAnswerTest, TheOpViewHasNone) {
  EXPECT_EQ(
      Refusal("op -output timeline:outfile=t"),
      "op view doesn't support timeline yet. Consider graph/scope/code view.");
}

TEST(TimelineAnswerTest, AStepOfTheGraphIsOneFile) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  workspace.defaults.reference = true;
  const tables::Answer answer =
      Trace("graph -step 2 -output timeline:outfile=t", workspace);
  EXPECT_THAT(Paths(answer), ElementsAre("t_2"));
  EXPECT_THAT(Content(answer.files[0]), StartsWith("{\"traceEvents\":["));
}

TEST(TimelineAnswerTest, AFileHasTheNameThatWasAskedFor) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  EXPECT_THAT(
      Paths(Trace("graph -step 2 -output timeline:outfile=t", workspace)),
      ElementsAre("t"));
  EXPECT_THAT(Paths(Trace("scope -output timeline:outfile=t", workspace)),
              ElementsAre("t"));
}

TEST(TimelineAnswerTest, ANoteSaysWhatIsLeftOut) {
  Workspace workspace = SmallWorkspace();
  const tables::Answer cut =
      Trace("graph -step 0 -max_depth 1 -output timeline:outfile=t", workspace);
  Content(cut.files[0]);
  EXPECT_THAT(cut.met(),
              ElementsAre(StartsWith("step 0: the timeline has 0 of ")));
  const tables::Answer whole = Trace(
      "graph -step 0 -max_depth 1000 -output timeline:outfile=t", workspace);
  Content(whole.files[0]);
  EXPECT_THAT(whole.met(), IsEmpty());
}

TEST(TimelineAnswerTest, AllExecutionsAreInItByDefault) {
  Workspace workspace = SmallWorkspace();
  const auto size = [&](std::string_view line) {
    return Content(Trace(line, workspace).files[0]).size();
  };
  const size_t all = size("graph -step 0 -output timeline:outfile=t");
  EXPECT_EQ(size("graph -step 0 -max_depth 1000 -output timeline:outfile=t"),
            all);
  EXPECT_LT(size("graph -step 0 -max_depth 1 -output timeline:outfile=t"), all);
}

TEST(TimelineAnswerTest, TheAverageOfTheGraphIsAFileForEachStep) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  const tables::Answer answer =
      Trace("graph -output timeline:outfile=t", workspace);
  EXPECT_THAT(Paths(answer), ElementsAre("t_1", "t_2"));
  // Times of different steps.
  EXPECT_NE(Content(answer.files[0]), Content(answer.files[1]));
}

TEST(TimelineAnswerTest, ScopeAndCodeHaveAFileForTheAverage) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  workspace.defaults.reference = true;
  for (const std::string view : {"scope", "code"}) {
    const tables::Answer answer =
        Trace(view + " -output timeline:outfile=t", workspace);
    EXPECT_THAT(Paths(answer), ElementsAre("t_-1"));
    EXPECT_THAT(Content(answer.files[0]), HasSubstr("\"ph\":\"X\""));
  }
}

TEST(TimelineAnswerTest, DoneHasTheReferencesMessage) {
  Workspace workspace = SmallWorkspace();
  workspace.defaults.reference = true;
  const tables::Answer graph =
      Trace("graph -step 0 -output timeline:outfile=t", workspace);
  EXPECT_EQ(graph.files[0].begins, "generating trace file.\n");
  Content(graph.files[0]);
  EXPECT_THAT(graph.files[0].done(), HasSubstr("/gpu:0 peak memory: "));
  const std::string stars =
      "******************************************"
      "************\n";
  const std::string end = stars + "Timeline file is written to t_-1.\n" +
                          "Open a Chrome browser, enter URL "
                          "chrome://tracing and load the timeline file.\n" +
                          stars;
  const tables::Answer scope =
      Trace("scope -output timeline:outfile=t", workspace);
  Content(scope.files[0]);
  EXPECT_EQ(scope.files[0].done(), "\n" + end);
}

TEST(TimelineAnswerTest, AFileThatCannotBeWrittenHasTheReferencesMessage) {
  Workspace workspace = SmallWorkspace();
  workspace.defaults.reference = true;
  const tables::Answer answer =
      Trace("graph -step 0 -output timeline:outfile=t", workspace);
  const absl::Status failed =
      answer.files[0].failed(absl::NotFoundError("t_0; no such folder"));
  EXPECT_TRUE(absl::IsFailedPrecondition(failed));
  EXPECT_EQ(std::string(failed.message()),
            "Failed to write timeline file: t_0\n"
            "Error: NOT_FOUND: t_0; no such folder");
}

TEST(TimelineAnswerTest, TheGraphNeedsSingleExecutions) {
  Workspace workspace =
      WorkspaceOf(WithoutExecutions(accounting::SmallModel()));
  const tables::Answer answer =
      Trace("graph -step 0 -output timeline:outfile=t", workspace);
  EXPECT_EQ(std::string(answer.status.message()),
            "Step 0 has no single executions: --max_memory dropped them.");
  EXPECT_THAT(answer.files, IsEmpty());
  // Nested bars need sums only.
  const tables::Answer nested =
      Trace("scope -output timeline:outfile=t", workspace);
  EXPECT_THAT(Content(nested.files[0]), HasSubstr("Conv2D"));
}

TEST(TimelineAnswerTest, ASmallTimelineGivesNoWarning) {
  Workspace workspace = SmallWorkspace();
  const tables::Answer answer =
      Trace("scope -output timeline:outfile=t", workspace);
  Content(answer.files[0]);
  EXPECT_THAT(answer.met(), IsEmpty());
}

TEST(TimelineAnswerTest, CodeNotesThatItIgnoresAnOption) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  options::Options options;
  options.view.account_displayed_only = true;
  EXPECT_THAT(TimelineAnswer(views::View::kCode, options, workspace).notes,
              ElementsAre(std::string(kCodeIgnoresDisplayedOnly)));
  EXPECT_THAT(TimelineAnswer(views::View::kScope, options, workspace).notes,
              IsEmpty());
}

TEST(PprofAnswerTest, TheReferencesFilesHaveLimits) {
  EXPECT_EQ(Refusal("scope -select micros -output pprof:outfile=p"),
            "Only 'code' view supports pprof output now.");
  EXPECT_EQ(Refusal("code -select micros,bytes -output pprof:outfile=p"),
            "Can only select 1 attribute for pprof output.");
  EXPECT_EQ(Refusal("code -select , -output pprof:outfile=p"),
            "Can only select 1 attribute for pprof output.");
  EXPECT_EQ(Refusal("code -select device -output pprof:outfile=p"),
            "pprof doesn't support -select=device");
}

TEST(PprofAnswerTest, FullFilesNeedFieldsThatAreNumbers) {
  EXPECT_EQ(Refusal("op -select , -output pprof:mode=full,outfile=p"),
            "Select at least 1 attribute for pprof output.");
  EXPECT_EQ(
      Refusal("op -select micros,device -output pprof:mode=full,outfile=p"),
      "pprof doesn't support -select=device");
}

TEST(PprofAnswerTest, AFileIsCompressedAndSaysHowToShowIt) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  const tables::Answer answer =
      Trace("code -select micros -output pprof:outfile=p", workspace);
  ASSERT_THAT(answer.files, SizeIs(1));
  EXPECT_THAT(Content(answer.files[0]), StartsWith("\x1f\x8b"));
  EXPECT_EQ(answer.files[0].done(),
            "\nRun pprof -png --nodecount=100 --sample_index=1 <p>\n");
}

TEST(PprofAnswerTest, AFullFileTakesAnyViewAndSeveralFields) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  for (const std::string view : {"scope", "graph", "op", "code"}) {
    const tables::Answer answer =
        Trace(view + " -select bytes,micros -output pprof:mode=full,outfile=p",
              workspace);
    ASSERT_TRUE(answer.status.ok()) << view << answer.status;
    EXPECT_THAT(Content(answer.files[0]), StartsWith("\x1f\x8b")) << view;
    // The first field in the order of the report.
    EXPECT_THAT(answer.files[0].done(), Not(HasSubstr("sample_index= ")));
    EXPECT_THAT(answer.files[0].done(), EndsWith(" <p>\n"));
  }
}

}  // namespace view_files_test
}  // namespace
}  // namespace tfprof::commands
