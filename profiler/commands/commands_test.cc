#include "profiler/commands/commands.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands_testing.h"

namespace tfprof::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(CommandTableTest, EveryRowIsWhole) {
  std::set<std::string_view> names;
  unsigned options = 0;
  for (const options::Option& option : options::OptionTable())
    options |= option.group;
  for (const CommandInfo* command : CommandTable()) {
    SCOPED_TRACE(command->name);
    EXPECT_TRUE(names.insert(command->name).second);
    EXPECT_EQ(FindCommand(command->name), command);
    EXPECT_NE(command->help, "");
    EXPECT_LE(command->min_arguments, command->max_arguments);
    EXPECT_EQ(command->arguments.empty(),
              command->max_arguments == 0 && command->needs_option.empty());
    // Groups that some option is in.
    if (command->name != "set") {
      EXPECT_EQ(command->options & ~options, 0u);
    }
    EXPECT_NE(command->outputs & options::kAnswerOutput, 0u);
    if (!command->needs_option.empty()) {
      const options::Option* needed =
          options::FindOption(command->needs_option);
      ASSERT_NE(needed, nullptr);
      EXPECT_TRUE(Uses(*command, *needed));
    }
  }
  EXPECT_EQ(FindCommand("nothing"), nullptr);
}

TEST(CommandTableTest, EveryOptionIsUsed) {
  for (const options::Option& option : options::OptionTable()) {
    bool used = false;
    for (const CommandInfo* command : CommandTable()) {
      used |= command->name != "set" && Uses(*command, option);
    }
    EXPECT_TRUE(used) << option.name;
  }
}

TEST(CommandTableTest, OptionsOfOneCommandHaveAnOwner) {
  for (const options::Option& option : options::OptionTable()) {
    if (!(option.group & options::kOwnOptions)) continue;
    int owners = 0;
    for (const CommandInfo* command : CommandTable()) {
      owners += Uses(*command, option);
    }
    // Both write a file that an argument names.
    const bool of_two = option.group == options::kSaveOptions;
    EXPECT_EQ(owners, of_two ? 2 : 1) << option.name;
  }
}

TEST(SpellCommandTest, ParsesBackToTheSameCommand) {
  const char* const rules =
      "check a b -fail-if 'total.micros > +5%' -fail-if 'op:x.micros > 1us' "
      "-noise 2";
  for (const char* line :
       {"op -order_by micros", "scope -show_name_regexes 'a b',c", rules,
        "show '>a'", "convert -to profile:outfile=x -steps 1-3"}) {
    const Command command = Parsed(line);
    const Command again = Parsed(SpellCommand(command));
    EXPECT_EQ(again.info, command.info) << line;
    EXPECT_EQ(again.arguments, command.arguments) << line;
    for (const options::Option& option : options::OptionTable()) {
      EXPECT_EQ(option.format(again.options), option.format(command.options))
          << line;
    }
  }
  // Where an answer goes is not part of it.
  EXPECT_EQ(SpellCommand(Parsed("op -output json -agent -color never")), "op");
}

TEST(NarrowingOptionsTest, AreThoseOfTheRow) {
  EXPECT_THAT(
      NarrowingOptions(*FindCommand("op")),
      ElementsAre("select", "max_depth", "order_by", "show_name_regexes"));
  EXPECT_THAT(NarrowingOptions(*FindCommand("peek")), ElementsAre("step"));
  EXPECT_THAT(NarrowingOptions(*FindCommand("pwd")), IsEmpty());
}

TEST(RunTest, AnswersHaveTheirCommand) {
  Workspace workspace = SmallWorkspace();
  const tables::Answer answer = RunLine("op -max_depth 1", workspace);
  ASSERT_TRUE(answer.status.ok());
  ASSERT_FALSE(answer.data.facts.empty());
  EXPECT_EQ(std::get<std::string>(answer.data.facts[0].second),
            "op -max_depth 1");
  EXPECT_EQ(answer.reference_form, "text");
}

TEST(RunTest, AnOutputThatTheRowLacksIsAnError) {
  Workspace workspace = SmallWorkspace();
  for (const char* line :
       {"pwd -output timeline:outfile=x", "steps -output pprof:outfile=x",
        "op -output junit"}) {
    const tables::Answer answer = RunLine(line, workspace);
    EXPECT_EQ(answer.status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(answer.status.message()),
                HasSubstr("-output is stdout"));
    EXPECT_TRUE(answer.files.empty());
  }
}

TEST(RunTest, FilesAreDescribedAndNotWritten) {
  Workspace workspace = SmallWorkspace();
  const tables::Answer save = RunLine("save x.pb", workspace);
  ASSERT_EQ(save.files.size(), 1u);
  EXPECT_EQ(save.files[0].path, "x.pb");
  const tables::Answer folder =
      RunLine("convert -to files:outdir=d", workspace);
  EXPECT_EQ(folder.folder, "d");
  EXPECT_EQ(folder.files[0].path, "graph.pb");
  const tables::Answer traces =
      RunLine("graph -compatible -output timeline:outfile=t", workspace);
  ASSERT_EQ(traces.files.size(), 1u);
  EXPECT_EQ(traces.files[0].path, "t_0");
}

TEST(RunTest, NotesAreGivenOnce) {
  Workspace workspace = SmallWorkspace();
  EXPECT_THAT(RunLine("op -flops auto -compatible", workspace).notes,
              ElementsAre(StartsWith("float_ops by node:")));
  EXPECT_THAT(RunLine("scope -flops auto -compatible", workspace).notes,
              IsEmpty());
}

}  // namespace
}  // namespace tfprof::commands
