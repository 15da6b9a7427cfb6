#include "profiler/commands/help/help.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_split.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/help/usage.h"
#include "profiler/commands/parse.h"
#include "util/text/text_layout.h"

namespace tfprof::commands {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::string Help(std::string_view topic) {
  const auto text = HelpFor(topic);
  return text.ok() ? *text : std::string(text.status().message());
}

TEST(HelpTest, EveryCommandHasAnswersAndExamples) {
  for (const CommandInfo* command : CommandTable()) {
    EXPECT_THAT(command->answers, Not(IsEmpty())) << command->name;
    for (const std::string_view example : command->examples) {
      EXPECT_THAT(example, StartsWith(command->name));
      EXPECT_THAT(Help(command->name), HasSubstr(std::string(example)));
    }
  }
}

TEST(HelpTest, OptionsOfACommandHaveTheirDefaults) {
  const std::string help = Help("op");
  EXPECT_THAT(help, StartsWith("op [NAME|N] [-option value…]\n"));
  EXPECT_THAT(help, HasSubstr("  -max_depth 10 "));
  EXPECT_THAT(help, HasSubstr("  -order_by name "));
  EXPECT_THAT(help, Not(HasSubstr("-checkers")));
  EXPECT_THAT(Help("code"), Not(HasSubstr("account_displayed_op_only")));
  EXPECT_THAT(Help("advise"), HasSubstr("-checkers"));
  EXPECT_THAT(Help("reload"), Not(HasSubstr("Options")));
}

TEST(HelpTest, FieldsAndOptions) {
  const std::string help = Help("-select");
  EXPECT_EQ(help, Help("select"));
  EXPECT_THAT(help, HasSubstr("  peak_bytes          The most memory"));
  EXPECT_THAT(help,
              HasSubstr("  Used by: scope, graph, code, op, set, flame\n"));
  EXPECT_THAT(Help("cpu_micros"),
              StartsWith("-order_by cpu_micros, -select cpu_micros\n"));
  EXPECT_THAT(Help("pprof"), StartsWith("-output pprof\n"));
}

TEST(HelpTest, EveryFieldIsExplained) {
  for (const char* name : {"select", "order_by"}) {
    const options::Option* option = options::FindOption(name);
    for (const std::string& choice : options::OptionChoices(*option)) {
      EXPECT_NE(options::ChoiceHelp(*option, choice), "")
          << name << " " << choice;
    }
  }
}

TEST(HelpTest, TyposGetASuggestion) {
  EXPECT_EQ(Help("scpoe"), "no help on 'scpoe'; did you mean scope?");
  EXPECT_EQ(Help("-ordre_by"),
            "no help on '-ordre_by'; did you mean order_by?");
}

TEST(HelpTest, AnOptionWithItsDashIsATopic) {
  const auto command =
      ParseCommand(std::vector<std::string>{"help", "-select"}, {});
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_EQ(command->arguments, std::vector<std::string>{"-select"});
}

TEST(HelpTest, PagesAreMadeFromTheTables) {
  EXPECT_THAT(Help("options.md"), StartsWith("# Options\n"));
  EXPECT_THAT(Help("advise.md"), HasSubstr("### Rules of OperationChecker\n"));
  EXPECT_THAT(Help("tfprof.1"), HasSubstr("\n.TH TFPROF 1\n"));
  EXPECT_THAT(Help("completion.bash"), HasSubstr(" in bash;"));
  EXPECT_THAT(Help("completion.zsh"), StartsWith("#compdef tfprof\n"));
  EXPECT_THAT(Help("completion.fish"), HasSubstr(" in fish;"));
  const std::string json = Help("commands.json");
  EXPECT_THAT(json, StartsWith("{\"commands\":[\n{\"name\":\"scope\","));
  EXPECT_THAT(json, HasSubstr(R"({"name":"select","kind":"list",)"));
  EXPECT_THAT(json, HasSubstr(R"({"name":"fail-if","kind":"list",)"));
  EXPECT_THAT(json,
              HasSubstr(R"("kind":"integer","value":"N","default":"10")"));
  // Commands of the shell only are of no use to another program.
  EXPECT_THAT(json, Not(HasSubstr(R"({"name":"cd",)")));
  // A page has no width.
  EXPECT_EQ(*HelpFor("options.md", 20), *HelpFor("options.md"));
}

TEST(HelpTest, AWindowWrapsTheText) {
  const std::string narrow = *HelpFor("select", 40);
  EXPECT_NE(narrow, *HelpFor("select"));
  EXPECT_GT(std::count(narrow.begin(), narrow.end(), '\n'), 20);
}

TEST(HelpTest, AStatisticMayBeNamedInBothWays) {
  // Its word in -select, and its name in data.
  EXPECT_EQ(Help("bytes"), Help("requested_bytes"));
  EXPECT_THAT(Help("bytes"), HasSubstr("it is called requested_bytes"));
}

// Whether the text fits a terminal of 24 lines, one of which is the prompt.
void ExpectOneScreen(std::string_view text) {
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 23);
  EXPECT_EQ(util::FitLines(text, 80, /*broken=*/true), text);
}

TEST(HelpTest, HelpAndTheBeginningFitOneScreen) {
  ExpectOneScreen(ShortHelpText());
  ExpectOneScreen(StartText());
}

TEST(HelpTest, TheShortHelpNamesCommandsThatExist) {
  std::string text = ShortHelpText();
  text.resize(text.find("\n\n"));
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::string names(line.substr(2, line.find("  ", 2) - 2));
    for (const absl::string_view one : absl::StrSplit(names, ", ")) {
      const std::string name(one.substr(0, one.find(' ')));
      EXPECT_NE(FindCommand(name), nullptr) << name;
    }
  }
}

TEST(HelpTest, AllIsEverything) {
  const std::string all = *HelpFor("all");
  for (const CommandInfo* command : CommandTable()) {
    EXPECT_THAT(all, HasSubstr(fmt::format("\n  {} ", command->name)));
  }
}

TEST(HelpTest, WordsOfOtherProgramsAreTopics) {
  EXPECT_THAT(Help("kernel"), StartsWith("kernels "));
  EXPECT_THAT(Help("sort"), StartsWith("-order_by ORDER"));
}

TEST(HelpTest, WordsOfTheScreenAreTopics) {
  EXPECT_EQ(Help("time"), Help("micros"));
  EXPECT_THAT(Help("cumulative"), StartsWith("cumulative\n  Of a row and all"));
  EXPECT_THAT(Help("Host-Bound"), StartsWith("host-bound\n  Idle time"));
}

TEST(HelpTest, FlopsHasTheFormulas) {
  const std::string help = *HelpFor("-flops");
  EXPECT_THAT(help, HasSubstr("One of: op_log, auto, graph, off\n"));
  EXPECT_THAT(help, HasSubstr("    MatMul\n      2 x k x out\n"));
}

// Wrapped text as one line.
std::string OneLine(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const char plain = c == '\n' ? ' ' : c;
    if (plain != ' ' || !line.ends_with(' ')) line += plain;
  }
  return line;
}

TEST(HelpTest, EverythingHasHelp) {
  for (const CommandInfo* command : CommandTable()) {
    const auto help = HelpFor(command->name);
    ASSERT_TRUE(help.ok()) << command->name;
    EXPECT_THAT(OneLine(*help), HasSubstr(std::string(command->help)));
  }
  for (const options::Option& option : options::OptionTable()) {
    const auto help = HelpFor("-" + std::string(option.name));
    ASSERT_TRUE(help.ok()) << option.name;
    EXPECT_THAT(OneLine(*help), HasSubstr(std::string(option.help)));
    EXPECT_TRUE(HelpFor(option.name).ok());
  }
  EXPECT_EQ(HelpFor("nothing").status().code(), absl::StatusCode::kNotFound);
}

TEST(HelpTest, WithoutATopicItIsTheReferencesText) {
  EXPECT_THAT(HelpText(),
              StartsWith("See https://github.com/tensorflow/tensorflow/tree/"
                         "master/tensorflow/core/profiler/README.md for "
                         "profiler tutorial.\n"));
  EXPECT_THAT(
      HelpText(),
      EndsWith("Optional\n\n\nTo skip interactive mode, append one of the "
               "following commands:\n"
               "  scope: Organize profiles based on name scopes.\n"
               "  graph: Organize profiles based on graph node input/output.\n"
               "  op: Organize profiles based on operation type.\n"
               "  code: Organize profiles based on python codes (need "
               "op_log_path).\n"
               "  advise: Auto-profile and advise. (experimental)\n"
               "  set: Set options that will be default for follow up "
               "commands.\n"
               "  help: Show helps.\n"));
}

}  // namespace
}  // namespace tfprof::commands
