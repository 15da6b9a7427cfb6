#include <string>

#include "accounting/shaped_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands_testing.h"

namespace tfprof::commands {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(OverviewCommandTest, IsTextByDefaultAndDataOnRequest) {
  Workspace workspace = SmallWorkspace();
  const tables::Answer answer = RunLine("overview", workspace);
  EXPECT_TRUE(answer.status.ok());
  EXPECT_THAT(Written(answer, "text"), StartsWith("File "));
  EXPECT_THAT(Written(answer, "json"), HasSubstr("\"tfprof.overview\""));
  EXPECT_EQ(tables::DefaultFormat(answer, /*agent=*/false, /*reference=*/true),
            "text");
}

TEST(OverviewCommandTest, EveryNextCommandWorks) {
  for (profile::Profile (*model)() : {+[] { return accounting::SmallModel(); },
                                      +[] { return accounting::ShapedModel(); },
                                      +[] { return profile::Profile(); }}) {
    Workspace workspace = WorkspaceOf(model());
    const tables::Answer answer = RunLine("overview", workspace);
    const tables::DataTable& next = answer.data.parts.back().table;
    ASSERT_EQ(next.kind, "next");
    for (size_t row = 0; row < next.num_rows; ++row) {
      std::vector<tables::DataCell> cells;
      next.cells(row, cells);
      const std::string line = std::get<std::string>(cells[0]);
      EXPECT_TRUE(RunLine(line, workspace).status.ok()) << line;
    }
  }
}

TEST(OverviewCommandTest, CountsTheCheckers) {
  Workspace workspace = SmallWorkspace();
  const tables::DataCell checkers =
      Fact(RunLine("overview", workspace), "checkers");
  ASSERT_TRUE(std::holds_alternative<int64_t>(checkers));
  EXPECT_GT(std::get<int64_t>(checkers), 10);
}

}  // namespace
}  // namespace tfprof::commands
