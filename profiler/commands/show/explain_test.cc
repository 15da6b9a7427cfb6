#include <string>

#include "accounting/shaped_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands_testing.h"

namespace tfprof::commands {
namespace {

using ::testing::HasSubstr;

// The table from the step to the code; of a step it is below the account.
tables::DataTable Chain(const tables::Answer& answer) {
  return answer.data.parts.back().table;
}

TEST(ExplainCommandTest, TakesAStepOrANodeOrNothing) {
  Workspace workspace = SmallWorkspace();
  for (const std::string line : {"explain", "explain step 0", "explain -step 0",
                                 "explain Conv2D", "explain /Conv2D"}) {
    const tables::Answer answer = RunLine(line, workspace);
    ASSERT_TRUE(answer.status.ok()) << line << answer.status;
    EXPECT_GT(Chain(answer).num_rows, 2u) << line;
  }
}

TEST(ExplainCommandTest, AStepHasAnAccount) {
  Workspace workspace = SmallWorkspace();
  const tables::Answer answer = RunLine("explain", workspace);
  ASSERT_EQ(answer.data.parts.size(), 2u);
  EXPECT_EQ(answer.data.parts[0].table.kind, "account");
  EXPECT_GT(answer.data.parts[0].table.num_rows, 0u);
}

TEST(ExplainCommandTest, EveryCommandThatItNamesWorks) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  const tables::DataTable table = Chain(RunLine("explain", workspace));
  std::vector<tables::DataCell> cells;
  for (size_t row = 0; row < table.num_rows; ++row) {
    table.cells(row, cells);
    const std::string line = std::get<std::string>(cells.back());
    EXPECT_TRUE(RunLine(line, workspace).status.ok()) << line;
  }
}

TEST(ExplainCommandTest, OnAScreenCommandsAreWhole) {
  Workspace workspace = SmallWorkspace();
  const tables::Answer answer = RunLine("explain", workspace);
  ASSERT_EQ(answer.own_form, "screen");
  util::StringSink sink;
  answer.FindForm("screen")->write({.width = 30}, sink);
  const tables::DataTable table = Chain(answer);
  std::vector<tables::DataCell> cells;
  for (size_t row = 0; row < table.num_rows; ++row) {
    table.cells(row, cells);
    EXPECT_THAT(sink.text(),
                HasSubstr("\n  " + std::get<std::string>(cells.back()) + "\n"));
  }
}

TEST(ExplainCommandTest, OtherWordsAreErrors) {
  Workspace workspace = SmallWorkspace();
  for (const std::string line :
       {"explain step", "explain step x", "explain a b"}) {
    EXPECT_THAT(ErrorOf(line, workspace), HasSubstr("explain takes `step N`"))
        << line;
  }
  EXPECT_THAT(ErrorOf("explain step 9", workspace), HasSubstr("Available"));
  EXPECT_THAT(ErrorOf("explain no_such_node", workspace), HasSubstr("no_such"));
}

TEST(ExplainCommandTest, WithoutExecutionsThereIsNothingToExplain) {
  Workspace workspace = WorkspaceOf(profile::Profile());
  EXPECT_THAT(ErrorOf("explain", workspace), HasSubstr("no step has a wall"));
}

}  // namespace
}  // namespace tfprof::commands
