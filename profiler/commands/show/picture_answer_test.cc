#include <string>

#include "accounting/shaped_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands_testing.h"

namespace tfprof::commands {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(PictureCommandsTest, PicturesAreForPeopleAndTablesForAllElse) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  for (const std::string line : {"flame", "lanes", "memory"}) {
    const tables::Answer answer = RunLine(line, workspace);
    ASSERT_TRUE(answer.status.ok()) << line << answer.status;
    EXPECT_EQ(
        tables::DefaultFormat(answer, /*agent=*/false, /*reference=*/false),
        "text");
    EXPECT_EQ(
        tables::DefaultFormat(answer, /*agent=*/false, /*reference=*/true),
        "text");
    EXPECT_TRUE(tables::IsSafe(answer, "text"));
    const tables::WindowFit fit = tables::FitWindow(
        answer, "text", {.width = 80}, 24, /*has_pager=*/true);
    EXPECT_FALSE(fit.pager) << line;
    EXPECT_EQ(fit.height, 23u) << line;
    for (const std::string format : {"json", "csv", "ndjson", "markdown"}) {
      EXPECT_FALSE(Written(answer, format).empty()) << line;
    }
  }
}

TEST(PictureCommandsTest, FlameTakesATreeAndAPart) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  const auto place = [&](std::string_view line) {
    const tables::Answer answer = RunLine(line, workspace);
    EXPECT_TRUE(answer.status.ok()) << line << answer.status;
    return std::get<std::string>(Fact(answer, "place"));
  };
  EXPECT_EQ(place("flame"), "/");
  EXPECT_EQ(place("flame code"), "code:/");
  EXPECT_EQ(place("flame scope"), "/");
  EXPECT_EQ(place("flame code train.py:10"), "code:/train.py:10:model");
  EXPECT_EQ(place("flame jit(step)"), "/jit(step)");
  RunLine("cd jit(step)", workspace);
  EXPECT_EQ(place("flame"), "/jit(step)");
  EXPECT_EQ(place("flame code"), "code:/");
  EXPECT_THAT(ErrorOf("flame a b", workspace), HasSubstr("flame takes"));
  EXPECT_THAT(ErrorOf("flame no_such", workspace), HasSubstr("no_such"));
  EXPECT_THAT(ErrorOf("flame -step 9", workspace), HasSubstr("Available"));
}

TEST(PictureCommandsTest, FlameShowsTheCostThatWasAskedFor) {
  Workspace workspace = SmallWorkspace();
  const auto total = [&](std::string_view line) {
    return OnlyTable(RunLine(line, workspace)).columns[1].name;
  };
  // Most of the time was on CPUs.
  EXPECT_EQ(total("flame"), "total_cpu_micros");
  EXPECT_EQ(total("flame -select params"), "total_parameters");
  EXPECT_EQ(total("flame -order_by float_ops"), "total_float_ops");
}

TEST(PictureCommandsTest, WithoutStacksThereIsNoFlameOfCode) {
  Workspace workspace = SmallWorkspace();
  EXPECT_THAT(ErrorOf("flame code", workspace), HasSubstr("there is no code"));
}

TEST(PictureCommandsTest, WithoutCostOrTimesTheErrorsSayWhatIsMissing) {
  Workspace workspace = WorkspaceOf(profile::Profile());
  EXPECT_THAT(ErrorOf("flame", workspace), StartsWith("nothing to draw"));
  EXPECT_THAT(ErrorOf("lanes", workspace), StartsWith("no lanes to show"));
  EXPECT_THAT(ErrorOf("memory", workspace), StartsWith("no memory was"));
}

TEST(PictureCommandsTest, LanesTakesAStepAndADevice) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  EXPECT_EQ(
      std::get<int64_t>(Fact(RunLine("lanes -step 2", workspace), "step")), 2);
  EXPECT_EQ(std::get<std::string>(
                Fact(RunLine("lanes -step all", workspace), "step")),
            "all");
  EXPECT_TRUE(RunLine("lanes cpu:0", workspace).status.ok());
  EXPECT_THAT(ErrorOf("lanes gpu:7", workspace), HasSubstr("no device gpu:7"));
}

}  // namespace
}  // namespace tfprof::commands
