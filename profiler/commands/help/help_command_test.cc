// The command help.

#include <algorithm>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands_testing.h"
#include "profiler/commands/help/help.h"

namespace tfprof::commands {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The longest line, in bytes.
size_t Longest(std::string_view text) {
  size_t longest = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    longest = std::max(longest, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return longest;
}

std::string InWindow(std::string_view line, size_t width) {
  Workspace workspace;
  util::StringSink sink;
  EXPECT_TRUE(tables::WriteAnswer(RunLine(line, workspace), "screen",
                                  {.look = {.width = width}}, sink)
                  .ok());
  return sink.text();
}

TEST(HelpCommandTest, TheReferencesCommandLineGetsItsText) {
  Workspace workspace;
  const tables::Answer answer = RunLine("help", workspace);
  EXPECT_EQ(Written(answer, answer.reference_form), HelpText());
}

TEST(HelpCommandTest, OthersGetOurText) {
  EXPECT_EQ(InWindow("help", 0), ShortHelpText());
}

TEST(HelpCommandTest, DataHasARowForEachCommand) {
  Workspace workspace;
  const tables::Answer answer = RunLine("help", workspace);
  EXPECT_EQ(OnlyTable(answer).num_rows, CommandTable().size());
  const std::string csv = Written(answer, "csv");
  EXPECT_THAT(csv, StartsWith("command,arguments,where,options,help\r\n"));
  EXPECT_THAT(csv, HasSubstr("\r\nload,FILE…,shell,"));
  EXPECT_THAT(csv, HasSubstr("\r\nconvert,"));
  EXPECT_THAT(csv, HasSubstr(",program,to steps keep_environment,"));
}

TEST(HelpCommandTest, ATopicIsWrappedForTheWindow) {
  EXPECT_LE(Longest(InWindow("help select", 50)), 50u);
  EXPECT_GT(Longest(InWindow("help select", 0)), 50u);
  // Without a window nothing is wrapped.
  Workspace workspace;
  EXPECT_EQ(Written(RunLine("help select", workspace), "text"),
            *HelpFor("select"));
}

TEST(HelpCommandTest, AnUnknownTopicIsAnError) {
  Workspace workspace;
  const tables::Answer answer = RunLine("help scpoe", workspace);
  EXPECT_TRUE(absl::IsNotFound(answer.status));
  EXPECT_EQ(std::string(answer.status.message()),
            "no help on 'scpoe'; did you mean scope?");
}

TEST(HelpCommandTest, AnOutputForReportsIsIgnored) {
  Workspace workspace;
  for (const char* line :
       {"help -output timeline:outfile=x", "help op", "help -output none"}) {
    const tables::Answer answer = RunLine(line, workspace);
    EXPECT_TRUE(answer.status.ok()) << line;
    EXPECT_TRUE(answer.ignores_output) << line;
  }
}

}  // namespace
}  // namespace tfprof::commands
