#include "profiler/commands/help/man_page.h"

#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/help/usage.h"
#include "profiler/options/flags.h"

namespace tfprof::commands {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The name as roff writes it, so that its dashes can be copied.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '-') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

TEST(ManPageTest, HasTheSectionsOfAManualPageInOrder) {
  const std::string page = ManPage();
  EXPECT_THAT(page, StartsWith(".\\\" Made by: tfprof help tfprof.1\n"
                               ".TH TFPROF 1\n.SH NAME\ntfprof \\- "));
  size_t at = 0;
  for (const std::string section :
       {"NAME", "SYNOPSIS", "DESCRIPTION", "INPUTS", "COMMANDS", "OPTIONS",
        "\"EXIT STATUS\"", "ENVIRONMENT", "EXAMPLES"}) {
    const size_t found = page.find("\n.SH " + section + "\n", at);
    ASSERT_NE(found, page.npos) << section;
    at = found;
  }
}

TEST(ManPageTest, EveryEntryOfTheTablesHasATag) {
  const std::string page = ManPage();
  const auto has_tag = [&](const std::string& tag) {
    EXPECT_THAT(page, HasSubstr("\n.TP\n\\fB" + Escaped(tag) + "\\fR"));
  };
  for (const options::FlagInfo& flag : options::FlagTable()) {
    has_tag((flag.name.size() == 1 ? "-" : "--") + std::string(flag.name));
  }
  for (const CommandInfo* command : CommandTable()) {
    has_tag(std::string(command->name));
  }
  for (const options::Option& option : options::OptionTable()) {
    has_tag("-" + std::string(option.name));
  }
  for (const Meaning& status : ExitStatuses()) {
    has_tag(std::string(status.name));
  }
}

TEST(ManPageTest, OptionsHaveTheirDefaults) {
  const std::string page = ManPage();
  EXPECT_THAT(page, HasSubstr("\\fB\\-max_depth\\fR \\fIN\\fR\n"));
  EXPECT_THAT(page, HasSubstr(" Default: 10\n"));
  // One without a default ends in its help.
  EXPECT_THAT(page,
              HasSubstr(Escaped(options::FindOption("rules")->help) + "\n"));
}

TEST(ManPageTest, EveryLineIsPlainAscii) {
  for (const char c : ManPage()) {
    EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << static_cast<int>(c);
  }
}

TEST(ManPageTest, OnlyKnownRequestsBeginALine) {
  std::istringstream lines(ManPage());
  std::string line;
  while (std::getline(lines, line)) {
    ASSERT_FALSE(line.empty());
    if (line[0] != '.' && line[0] != '\'') continue;
    EXPECT_TRUE(line.starts_with(".TH ") || line.starts_with(".SH ") ||
                line == ".TP" || line.starts_with(".B ") ||
                line.starts_with(".\\\" "))
        << line;
  }
}

}  // namespace
}  // namespace tfprof::commands
