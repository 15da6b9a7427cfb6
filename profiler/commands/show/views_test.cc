// The commands of the four views: scope, graph, code, op.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/shaped_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands_testing.h"
#include "profiler/commands/show/view_files.h"

namespace tfprof::commands {
namespace {

using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kViews[] = {"scope", "graph", "code", "op"};

// Compares with `base` from now on.
void SetBase(profile::Profile base, Workspace& workspace) {
  loaders::Loaded loaded;
  loaded.profile = std::move(base);
  workspace.base = std::make_shared<const Base>(
      Base{.name = "before.pb",
           .opened = std::make_shared<OpenProfile>(std::move(loaded))});
}

std::vector<std::string> ColumnNames(const tables::Answer& answer) {
  std::vector<std::string> names;
  for (const tables::DataColumn& column : OnlyTable(answer).columns) {
    names.push_back(column.name);
  }
  return names;
}

TEST(ViewCommandTest, AnUnknownStepIsAnErrorInEachView) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  for (const std::string_view view : kViews) {
    EXPECT_EQ(ErrorOf(std::string(view) + " -step 7", workspace),
              "Options -step=7 not found.\nAvailable steps: 1 2 ");
  }
}

TEST(ViewCommandTest, DataHasAllRows) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  profile::AddNodeWithInputs(builder, "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o", "Const",
                             {}, {1});
  Workspace workspace = WorkspaceOf(std::move(builder).Build());
  const auto rows = [&](std::string_view line) {
    return OnlyTable(RunLine(line, workspace)).num_rows;
  };
  EXPECT_EQ(rows("scope -output json"), 16u);
  EXPECT_EQ(rows("scope -output ndjson"), 16u);
  EXPECT_EQ(rows("scope -output csv"), 16u);
  EXPECT_EQ(rows("scope -output csv -max_depth 3"), 3u);
}

TEST(ViewCommandTest, CodeNeedsCallStacks) {
  Workspace workspace = SmallWorkspace();
  EXPECT_EQ(ErrorOf("code", workspace), "No code trace information");
  Workspace traced = WorkspaceOf(accounting::ShapedModel());
  EXPECT_TRUE(RunLine("code", traced).status.ok());
}

TEST(ViewCommandTest, TheDefaultIsTheTextOfTheReference) {
  Workspace workspace = SmallWorkspace();
  for (const std::string_view view : {"scope", "graph", "op"}) {
    const tables::Answer answer = RunLine(view, workspace);
    EXPECT_EQ(answer.reference_form, "text");
    EXPECT_EQ(answer.data.kind, view);
    EXPECT_THAT(Written(answer, "text"), HasSubstr("\nProfile:\nnode name | "));
    EXPECT_TRUE(answer.cut_to_window);
  }
}

TEST(ViewCommandTest, TheIntroductionHasTheExplanationsWithoutHeadings) {
  Workspace workspace = SmallWorkspace();
  const std::string introduction = RunLine("op", workspace).introduction;
  EXPECT_THAT(introduction, StartsWith("op: The nodes are operation kernel"));
  EXPECT_THAT(introduction, Not(HasSubstr("Doc:")));
  EXPECT_THAT(introduction, Not(HasSubstr("Profile:")));
  EXPECT_THAT(introduction, Not(HasSubstr("\n\n")));
}

TEST(ViewCommandTest, NotesAboutOptionsComeFirst) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  const tables::Answer answer =
      RunLine("code -show_name_regexes ( -flops graph", workspace);
  ASSERT_GE(answer.notes.size(), 2u);
  EXPECT_THAT(answer.notes[0], HasSubstr("'(' is not a valid regular"));
  EXPECT_THAT(answer.notes[1], StartsWith("float_ops by node:"));
}

TEST(ViewCommandTest, CodeNotesThatItIgnoresAnOption) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  workspace.defaults.view.account_displayed_only = true;
  EXPECT_THAT(RunLine("code", workspace).notes,
              Contains(std::string(kCodeIgnoresDisplayedOnly)));
  EXPECT_THAT(RunLine("scope", workspace).notes, IsEmpty());
}

TEST(ViewCommandTest, OnlyTensorValuesGiveWarningsWhileWriting) {
  Workspace workspace = SmallWorkspace();
  EXPECT_FALSE(RunLine("scope", workspace).met);
  const tables::Answer answer =
      RunLine("scope -select tensor_value", workspace);
  ASSERT_TRUE(answer.met);
  EXPECT_THAT(answer.met(), IsEmpty());  // nothing is written yet
}

TEST(ViewCommandTest, AnswersOutliveTheProfileThatTheyShow) {
  Workspace workspace = SmallWorkspace();
  const std::shared_ptr<OpenProfile> opened = workspace.opened;
  const tables::Answer answer = RunLine("op -select occurrence", workspace);
  workspace = WorkspaceOf(accounting::ShapedModel());
  EXPECT_THAT(Written(answer, "csv"), HasSubstr("\r\nVariableV2,"));
}

TEST(DiffTest, AViewWithABaseShowsDifferences) {
  Workspace workspace = SmallWorkspace();
  SetBase(accounting::SmallModel(), workspace);
  for (const std::string_view view : {"scope", "graph", "op"}) {
    const tables::Answer answer = RunLine(view, workspace);
    ASSERT_TRUE(answer.status.ok()) << view << answer.status;
    EXPECT_EQ(answer.data.kind, "diff") << view;
    EXPECT_THAT(ColumnNames(answer), Contains("micros_delta")) << view;
    EXPECT_EQ(answer.reference_form, "") << view;
  }
}

TEST(DiffTest, TheBaseNeedsTheStep) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  SetBase(accounting::SmallModel(), workspace);
  EXPECT_EQ(ErrorOf("op -step 1", workspace),
            "the base before.pb has no step 1; it has 0");
  EXPECT_TRUE(RunLine("op", workspace).status.ok());
  SetBase(profile::Profile(), workspace);
  EXPECT_EQ(ErrorOf("op -step 1", workspace),
            "the base before.pb has no step 1; it has none");
}

TEST(DiffTest, CodeNeedsCallStacksOfBoth) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  SetBase(accounting::SmallModel(), workspace);
  EXPECT_EQ(ErrorOf("code", workspace),
            "the base before.pb has no code traces; load its op log too");
  SetBase(accounting::ShapedModel(), workspace);
  EXPECT_TRUE(RunLine("code", workspace).status.ok());
}

TEST(DiffTest, AComparisonNeedsAColumnOfNumbers) {
  Workspace workspace = SmallWorkspace();
  SetBase(accounting::SmallModel(), workspace);
  EXPECT_THAT(ErrorOf("op -select device", workspace),
              StartsWith("a comparison needs a column of numbers"));
}

TEST(DiffTest, TracesOfAComparisonDoNotExist) {
  Workspace workspace = SmallWorkspace();
  SetBase(accounting::SmallModel(), workspace);
  EXPECT_THAT(ErrorOf("graph -output timeline:outfile=x", workspace),
              StartsWith("graph has no timeline; -output is stdout"));
}

TEST(DiffTest, AComparisonNotesThatItIgnoresAnOption) {
  Workspace workspace = SmallWorkspace();
  SetBase(accounting::SmallModel(), workspace);
  EXPECT_THAT(
      RunLine("op -account_displayed_op_only", workspace).notes,
      ElementsAre("Note: a comparison ignores account_displayed_op_only"));
}

TEST(DiffTest, TheAnswerKeepsTheBase) {
  Workspace workspace = SmallWorkspace();
  SetBase(accounting::SmallModel(), workspace);
  const tables::Answer answer = RunLine("op -order_by name", workspace);
  workspace.base = nullptr;
  EXPECT_THAT(Written(answer, "json"), HasSubstr("before.pb"));
}

TEST(BaseTest, StepsHaveTheWallTimesOfBothSides) {
  Workspace workspace = SmallWorkspace();
  SetBase(accounting::SmallModel(), workspace);
  const std::string text = Written(RunLine("steps", workspace), "table");
  EXPECT_THAT(text, ContainsRegex("vs base +mean .* to .* \\(\\+0.0%\\), "
                                  "median .*; 1 step,\n +now 1\n"));
}

TEST(BaseTest, OtherCommandsSayThatTheyDoNotCompare) {
  Workspace workspace = SmallWorkspace();
  SetBase(accounting::SmallModel(), workspace);
  for (const std::string line : {"devices", "explain", "advise"}) {
    const tables::Answer answer = RunLine(line, workspace);
    ASSERT_FALSE(answer.notes.empty()) << line;
    EXPECT_THAT(answer.notes.back(),
                HasSubstr("not compared with the base before.pb"));
  }
  for (const std::string line :
       {"steps", "op", "ls", "top", "diff", "status"}) {
    for (const std::string& note : RunLine(line, workspace).notes) {
      EXPECT_THAT(note, Not(HasSubstr("not compared")));
    }
  }
}

}  // namespace
}  // namespace tfprof::commands
