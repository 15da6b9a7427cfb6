#include "profiler/commands/help/usage.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/parse.h"

namespace tfprof::commands {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The part of the text from a title to the next empty line.
std::string Section(std::string_view title) {
  const std::string text = UsageText();
  const size_t begin = text.find("\n" + std::string(title) + ":\n");
  EXPECT_NE(begin, text.npos) << title;
  if (begin == text.npos) return "";
  return text.substr(begin, text.find("\n\n", begin) - begin);
}

TEST(UsageTest, NamesEveryOptionCommandAndFlag) {
  const std::string usage = UsageText();
  EXPECT_THAT(usage, StartsWith("usage: tfprof [INPUT…] [COMMAND]"));
  for (const options::Option& option : options::OptionTable()) {
    EXPECT_THAT(usage, HasSubstr("\n  -" + std::string(option.name) + " "));
  }
  for (const CommandInfo* command : CommandTable()) {
    EXPECT_THAT(usage, HasSubstr("\n  " + std::string(command->name)));
  }
  for (const options::FlagInfo& flag : options::FlagTable()) {
    const bool is_short = flag.name.size() == 1;
    EXPECT_THAT(usage,
                HasSubstr((is_short ? "\n  -" : "\n  --") +
                          std::string(flag.name) + (is_short ? " " : "=")));
  }
}

TEST(UsageTest, CommandsAreGroupedByWhereTheyWork) {
  const std::string views = Section("Commands that show the profile");
  EXPECT_THAT(views, HasSubstr("\n  op "));
  const std::string others = Section("Other commands");
  EXPECT_THAT(others, HasSubstr("\n  check BASE NEW "));
  const std::string shell = Section("Commands of the shell only");
  for (const CommandInfo* command : CommandTable()) {
    const std::string line = "\n  " + std::string(command->name) + " ";
    EXPECT_EQ(shell.find(line) != shell.npos, !command->one_shot) << line;
    EXPECT_EQ(views.find(line) != views.npos, command->view.has_value())
        << line;
  }
}

TEST(UsageTest, ExamplesAreValidCommandLines) {
  for (const Meaning& example : UsageExamples()) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : std::string(example.name) + " ") {
      if (c != ' ') {
        word += c;
      } else {
        words.push_back(word);
        word.clear();
      }
    }
    ASSERT_EQ(words.at(0), "tfprof");
    words.erase(words.begin());
    const auto line = ParseCommandLine(words);
    ASSERT_TRUE(line.ok()) << example.name << ": " << line.status();
    EXPECT_FALSE(line->flags.inputs.empty()) << example.name;
    EXPECT_THAT(Section("Examples"), HasSubstr(std::string(example.name)));
  }
}

TEST(UsageTest, ExitStatusesAndVariablesHaveTheirMeanings) {
  const std::string statuses = Section("Exit status");
  EXPECT_THAT(statuses, HasSubstr("  0 "));
  EXPECT_THAT(statuses, HasSubstr("  1 "));
  EXPECT_THAT(statuses, HasSubstr("  2 "));
  const std::string usage = UsageText();
  for (const Meaning& variable : Environment()) {
    EXPECT_THAT(usage, HasSubstr("  " + std::string(variable.name) + " "));
  }
}

TEST(UsageTest, LinesFitIntoATerminal) {
  size_t columns = 0;
  for (const char c : UsageText()) {
    // Bytes that continue a character of UTF-8 take no column.
    columns += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    if (c != '\n') continue;
    EXPECT_LE(columns, 81u);  // with the newline
    columns = 0;
  }
  EXPECT_EQ(columns, 0u);  // the last line is complete
}

}  // namespace
}  // namespace tfprof::commands
