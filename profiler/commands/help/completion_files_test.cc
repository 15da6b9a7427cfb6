#include "profiler/commands/help/completion_files.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands.h"
#include "profiler/options/flags.h"

namespace tfprof::commands {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(CompletionFilesTest, NameEveryCommandOptionAndFlag) {
  for (const std::string& file :
       {BashCompletion(), ZshCompletion(), FishCompletion()}) {
    for (const options::Option& option : options::OptionTable()) {
      EXPECT_THAT(file, HasSubstr(std::string(option.name)));
    }
    for (const options::FlagInfo& flag : options::FlagTable()) {
      EXPECT_THAT(file, HasSubstr(std::string(flag.name)));
    }
    for (const CommandInfo* command : CommandTable()) {
      if (!command->one_shot) continue;
      EXPECT_THAT(file, HasSubstr(std::string(command->name)));
    }
  }
}

TEST(CompletionFilesTest, CommandsOfTheShellAreNotOffered) {
  // The list of commands for `compgen -W`.
  EXPECT_THAT(BashCompletion(), HasSubstr("'scope graph code op advise help"));
  EXPECT_THAT(ZshCompletion(), Not(HasSubstr("'reload:")));
  EXPECT_THAT(FishCompletion(), Not(HasSubstr("-a reload ")));
}

TEST(CompletionFilesTest, ListsAreCompletedByElement) {
  const std::string bash = BashCompletion();
  EXPECT_THAT(bash, HasSubstr("    select)\n      _tfprof_list 'bytes "));
  EXPECT_THAT(bash, HasSubstr("    order_by)\n      _tfprof_words 'name "));
  EXPECT_THAT(ZshCompletion(), HasSubstr("    select)\n      compset -P '*,'\n"
                                         "      compadd -q -S , -- bytes "));
  EXPECT_THAT(FishCompletion(),
              HasSubstr("-o select -l select -x -a '(__fish_append , "));
}

TEST(CompletionFilesTest, FlagsThatNameFilesCompleteFiles) {
  const std::string files = "profile_path";
  EXPECT_THAT(BashCompletion(), HasSubstr(files + "|"));
  EXPECT_THAT(FishCompletion(),
              HasSubstr("complete -c tfprof -l profile_path -r -F -d "));
  // A number is not a file.
  EXPECT_THAT(FishCompletion(),
              HasSubstr("complete -c tfprof -l threads -x -d "));
  // -f has one dash.
  EXPECT_THAT(FishCompletion(), HasSubstr("complete -c tfprof -s f -r -F "));
  EXPECT_THAT(ZshCompletion(), HasSubstr("    '-f:Run the shell lines"));
}

TEST(CompletionFilesTest, BashDefinesAndRegistersAFunction) {
  const std::string bash = BashCompletion();
  EXPECT_THAT(bash, StartsWith("# Completion of tfprof in bash;"));
  EXPECT_THAT(bash, HasSubstr("\n_tfprof() {\n"));
  EXPECT_THAT(bash, EndsWith("\ncomplete -o filenames -o bashdefault -F "
                             "_tfprof tfprof\n"));
}

TEST(CompletionFilesTest, ZshBeginsWithItsTag) {
  EXPECT_THAT(ZshCompletion(), StartsWith("#compdef tfprof\n"));
}

TEST(CompletionFilesTest, QuotesInHelpTextsAreEscaped) {
  // The help of fail-if has a rule in single quotes.
  ASSERT_THAT(std::string(options::FindOption("fail-if")->help),
              HasSubstr("'op:"));
  EXPECT_THAT(ZshCompletion(), HasSubstr("a rule, as '\\''op:MatMul"));
  EXPECT_THAT(FishCompletion(), HasSubstr("a rule, as \\'op:MatMul"));
}

TEST(CompletionFilesTest, QuotesAreBalancedOnEveryLineOfFish) {
  const std::string fish = FishCompletion();
  std::string_view rest = fish;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    ASSERT_NE(end, rest.npos);
    const std::string_view line = rest.substr(0, end);
    size_t quotes = 0;
    for (size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\') {
        ++i;
      } else if (line[i] == '\'') {
        ++quotes;
      }
    }
    EXPECT_EQ(quotes % 2, 0u) << line;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace
}  // namespace tfprof::commands
