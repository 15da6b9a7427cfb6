#include "profiler/commands/parse.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/options/words.h"

namespace tfprof::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

absl::StatusOr<Command> Words(const std::vector<std::string>& words) {
  return ParseCommand(words, options::Options());
}

// ---- Lines

absl::StatusOr<Command> Parse(std::string_view line,
                              const options::Options& defaults = {}) {
  return ParseCommand(options::SplitWords(line), defaults);
}

TEST(ParseCommandTest, Numbers) {
  EXPECT_EQ(Parse("op -max_depth -3")->options.max_depth, -3);
  EXPECT_EQ(Parse("op -max_depth +3")->options.max_depth, 3);
  EXPECT_EQ(Parse("op -step 9223372036854775807")->options.view.step,
            INT64_MAX);
  for (const char* line :
       {"op -max_depth 2147483648", "op -step 9223372036854775808",
        "op -step 1x", "op -step 1.5", "op -step 0x10", "op -min_micros ''"}) {
    EXPECT_FALSE(Parse(line).ok()) << line;
  }
}

TEST(ParseCommandTest, Lists) {
  const auto command = Parse("scope -show_name_regexes '.*a b.*',c");
  ASSERT_TRUE(command.ok());
  EXPECT_THAT(command->options.view.show_names, ElementsAre(".*a b.*", "c"));
  EXPECT_THAT(Parse("scope -show_name_regexes ,")->options.view.show_names,
              IsEmpty());
  // A value may begin with a dash.
  EXPECT_THAT(Parse("scope -hide_name_regexes -x")->options.view.hide_names,
              ElementsAre("-x"));
}

TEST(ParseCommandTest, BooleanValueMayBeMissing) {
  const auto displayed_only = [](std::string_view line) {
    const auto command = Parse(line);
    EXPECT_TRUE(command.ok()) << line;
    return command.ok() && command->options.view.account_displayed_only;
  };
  EXPECT_TRUE(displayed_only("op -account_displayed_op_only"));
  EXPECT_TRUE(displayed_only("op -account_displayed_op_only -step 1"));
  for (const char* word : {"true", "T", "YES", "y", "1"}) {
    EXPECT_TRUE(
        displayed_only("op -account_displayed_op_only " + std::string(word)));
  }
  for (const char* word : {"False", "f", "no", "N", "0"}) {
    EXPECT_FALSE(
        displayed_only("op -account_displayed_op_only " + std::string(word)));
  }
}

TEST(ParseCommandTest, TheLastOneWins) {
  const auto command =
      Parse("op -step 1 -order_by bytes -step 2 -order_by name");
  ASSERT_TRUE(command.ok());
  EXPECT_EQ(command->options.view.step, 2);
  EXPECT_EQ(command->options.Rows().order, views::ViewOptions::Order::kName);
}

TEST(ParseCommandTest, Arguments) {
  const auto command = Parse("save 'my file'");
  ASSERT_TRUE(command.ok());
  EXPECT_EQ(command->info, FindCommand("save"));
  EXPECT_THAT(command->arguments, ElementsAre("my file"));
  EXPECT_THAT(std::string(Parse("save").status().message()),
              StartsWith("save needs FILE"));
  EXPECT_FALSE(Parse("save a b").ok());
  EXPECT_THAT(Parse("op conv1")->arguments, ElementsAre("conv1"));
  EXPECT_FALSE(Parse("op conv1 conv2").ok());
  EXPECT_THAT(Parse("advise all")->arguments, ElementsAre("all"));
  EXPECT_FALSE(Parse("advise stray").ok());
  EXPECT_FALSE(Parse("advise all all").ok());
  EXPECT_TRUE(Parse("help").ok());
  EXPECT_THAT(Parse("help op")->arguments, ElementsAre("op"));
}

// ---- The program's arguments

absl::StatusOr<CommandLine> ParseLine(std::vector<std::string> words) {
  return ParseCommandLine(words);
}

TEST(CommandLineTest, AllFormsMeanTheSame) {
  const std::pair<std::string, std::string> values[] = {
      {"max_depth", "-7"},
      {"min_bytes", "5"},
      {"step", "3"},
      {"order_by", "peak_bytes"},
      {"account_type_regexes", "a,b"},
      {"start_name_regexes", "x y"},
      {"trim_name_regexes", "-t"},
      {"account_displayed_op_only", "true"},
      {"select", "bytes,params"},
      {"output", "file:outfile=a=b"},
      {"real_output_index", "yes"},
      {"checkers", "OperationChecker"},
      {"checker_options", "AcceleratorUtilization.low_utilization=0.25"}};
  for (const auto& [name, value] : values) {
    const options::Option* option = options::FindOption(name);
    ASSERT_NE(option, nullptr) << name;
    options::Options wanted;
    ASSERT_TRUE(option->parse(value, wanted).ok()) << name;
    const std::vector<std::vector<std::string>> forms = {
        {"--" + name + "=" + value},
        {"-" + name + "=" + value},
        {"--" + name, value},
        {"-" + name, value}};
    for (const std::vector<std::string>& form : forms) {
      for (const bool before : {true, false}) {
        std::vector<std::string> words = {"--profile_path=F"};
        if (!before) words.push_back("op");
        words.insert(words.end(), form.begin(), form.end());
        if (before) words.push_back("op");
        const auto line = ParseLine(words);
        ASSERT_TRUE(line.ok()) << name << ": " << line.status();
        ASSERT_NE(line->command.info, nullptr) << name;
        EXPECT_EQ(line->command.info, FindCommand("op"));
        EXPECT_THAT(line->flags.inputs.flagged,
                    ElementsAre(FieldsAre("profile_path", "F")));
        EXPECT_EQ(option->format(line->command.options), option->format(wanted))
            << form[0];
      }
    }
  }
}

TEST(CommandLineTest, BooleanFlags) {
  const auto value = [](std::vector<std::string> words) {
    const auto line = ParseLine(std::move(words));
    EXPECT_TRUE(line.ok()) << line.status();
    return line.ok() && line->command.options.view.account_displayed_only;
  };
  EXPECT_TRUE(value({"--account_displayed_op_only", "op", "F"}));
  EXPECT_TRUE(value({"op", "F", "-account_displayed_op_only"}));
  EXPECT_FALSE(value({"op", "--account_displayed_op_only=false", "F"}));
  EXPECT_FALSE(value({"op", "-account_displayed_op_only", "no", "F"}));
}

TEST(CommandLineTest, ASwitchTakesAValueOnlyBehindAnEqualsSign) {
  const auto untrusted = [](std::vector<std::string> words) {
    const auto line = ParseLine(std::move(words));
    EXPECT_TRUE(line.ok()) << line.status();
    EXPECT_EQ(line->flags.inputs.files, std::vector<std::string>({"F"}));
    return line->flags.untrusted;
  };
  EXPECT_EQ(untrusted({"--untrusted", "F", "op"}), true);
  EXPECT_EQ(untrusted({"F", "op", "-untrusted"}), true);
  EXPECT_EQ(untrusted({"F", "op", "--untrusted=false"}), false);
  EXPECT_EQ(untrusted({"F", "op"}), std::nullopt);
}

TEST(CommandLineTest, Inputs) {
  const auto line = ParseLine({"a", "--graph_path", "g", "op", "b",
                               "--run_meta_path=r0,,7:r1", "-op_log_path=l",
                               "--checkpoint_path=c", "--", "--odd", "-step"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_THAT(line->flags.inputs.files,
              ElementsAre("a", "b", "--odd", "-step"));
  EXPECT_THAT(line->flags.inputs.flagged,
              ElementsAre(FieldsAre("graph_path", "g"),
                          FieldsAre("run_meta_path", "r0"),
                          FieldsAre("run_meta_path", "7:r1"),
                          FieldsAre("op_log_path", "l"),
                          FieldsAre("checkpoint_path", "c")));
}

TEST(CommandLineTest, OnlyTheFirstCommandIsOne) {
  const auto line = ParseLine({"dir", "save", "out", "op"});
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->command.info, FindCommand("save"));
  EXPECT_THAT(line->command.arguments, ElementsAre("out"));
  EXPECT_THAT(line->flags.inputs.files, ElementsAre("dir", "op"));
}

TEST(CommandLineTest, OnlyItsOwnWordIsAnArgumentOfAdvise) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"advise", "all", "F"},
                                             {"advise", "F", "all"},
                                             {"F", "advise", "all"}}) {
    const auto line = ParseLine(words);
    ASSERT_TRUE(line.ok());
    EXPECT_THAT(line->command.arguments, ElementsAre("all"));
    EXPECT_THAT(line->flags.inputs.files, ElementsAre("F"));
  }
  EXPECT_THAT(ParseLine({"advise", "F"})->command.arguments, IsEmpty());
}

TEST(CommandLineTest, WithoutACommandAShell) {
  const auto line = ParseLine({"F", "--step=3"});
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->command.info, nullptr);
  EXPECT_EQ(line->command.options.view.step, 3);
  EXPECT_EQ(ParseLine({"F", "-f", "s"})->flags.script, "s");
  EXPECT_TRUE(ParseLine({"--help"})->help);
  EXPECT_TRUE(ParseLine({"--version"})->version);
  EXPECT_EQ(ParseLine({"--output="})->command.options.output.type,
            options::OutputSpec::Type::kStdout);
}

TEST(CommandLineTest, Errors) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"--nothing=1"},
       "there is no option \"--nothing=1\"; help all lists them"},
      {{"-z", "F"}, "there is no option \"-z\"; help all lists them"},
      {{"--step"}, "--step needs a value: --step N"},
      {{"--graph_path=F", "--step"}, "Invalid option '-step' value: ''"},
      {{"--graph_path"}, "--graph_path needs a value: --graph_path=FILE"},
      {{"--checker_options=operation.x=1"},
       "-checker_options: OperationChecker has no option 'x'; it has none"},
      {{"--threads=0"}, "Invalid option '--threads' value: '0'; it takes N"},
      {{"--max_memory=2X"},
       "Invalid option '--max_memory' value: '2X'; it takes BYTES"},
      {{"save"},
       "save needs FILE: Write the loaded profile as a ProfileProto."},
      {{"-f", "s", "op"}, "give either a command (op) or a script (-f s)"},
  };
  for (const auto& [words, message] : cases) {
    const auto line = ParseLine(words);
    ASSERT_FALSE(line.ok()) << message;
    EXPECT_EQ(line.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(std::string(line.status().message()), message);
  }
}

TEST(ParseCommandTest, Convert) {
  const auto command =
      Words({"convert", "-steps", "3,5-7", "-to", "files:outdir=a=b"});
  ASSERT_TRUE(command.ok());
  const options::ConvertSpec& spec = command->options.convert;
  EXPECT_EQ(spec.type, options::ConvertSpec::Type::kFiles);
  EXPECT_EQ(spec.path, "a=b");
  EXPECT_EQ(spec.steps, (profile::StepList{{3, 3}, {5, 7}}));
  // -to is needed, and no other command has its options.
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"convert"},
        {"convert", "-to", "profile:outdir=x"},
        {"convert", "-to", "profile:outfile="},
        {"convert", "-to", "x"},
        {"convert", "-to", "profile:outfile=x", "-steps", "7-5"},
        {"op", "-steps", "3"},
        {"set", "-to", "profile:outfile=x"}}) {
    EXPECT_FALSE(Words(words).ok()) << words.back();
  }
}

// ---- Both

struct SameCase {
  std::vector<std::string> words;  // without quotes
  std::string error;               // "": none
};

// What a person types in the shell and behind the program's name is the same
// command, or the same error.
TEST(SameParserTest, LinesAndArguments) {
  const SameCase cases[] = {
      {{"op"}, ""},
      {{"op", "-order_by", "micros"}, ""},
      {{"op", "-order_by=micros"}, ""},
      {{"op", "-account_displayed_op_only"}, ""},
      {{"op", "-account_displayed_op_only", "-step", "1"}, ""},
      {{"op", "-account_displayed_op_only", "no"}, ""},
      {{"op", "-account_displayed_op_only=no"}, ""},
      {{"show", "-agent", "conv1"}, ""},
      {{"top", "5", "-agent"}, ""},
      {{"help", "-select"}, ""},
      {{"advise", "all", "-checkers=operation"}, ""},
      {{"check", "a", "b", "-fail-if", "total.micros > +5%", "-noise=2%"}, ""},
      {{"op", "-order_by", "size"}, "Invalid option '-order_by' value: 'size'"},
      {{"op", "-order_by=size"}, "Invalid option '-order_by' value: 'size'"},
      {{"op", "-order_by"}, "Invalid option '-order_by' value: ''"},
      {{"op", "-step", "x"}, "Invalid option '-step' value: 'x'"},
      {{"op", "-foo", "bar"}, "Invalid option '-foo' value: 'bar'"},
      {{"op", "-account_displayed_op_only", "maybe"},
       "Invalid option '-account_displayed_op_only' value: 'maybe'"},
      {{"op", "-account_displayed_op_only=maybe"},
       "Invalid option '-account_displayed_op_only' value: 'maybe'"},
      {{"op", "-output", "file"},
       "Missing required output_options for file\nE.g. -output "
       "file:outfile=...\n"},
      {{"op", "-steps", "3"},
       "-steps is an option of convert only: help convert explains"},
      {{"op", "-noise", "3"},
       "-noise is an option of check only: help check explains"},
      {{"save"},
       "save needs FILE: Write the loaded profile as a ProfileProto."},
  };
  for (const SameCase& c : cases) {
    SCOPED_TRACE(c.words.back());
    Refusal line_refusal, program_refusal;
    std::vector<std::string> line = c.words;
    for (std::string& word : line) {
      if (word.find(' ') != word.npos) word = "'" + word + "'";
    }
    options::Options reference;
    reference.reference =
        FindCommand(c.words[0])->inputs == CommandInfo::Inputs::kProfile;
    const auto typed = ParseCommand(line, reference, &line_refusal);
    // Name a profile: without one, an optional argument would be the profile.
    std::vector<std::string> arguments = c.words;
    if (FindCommand(c.words[0])->inputs == CommandInfo::Inputs::kProfile) {
      arguments.insert(arguments.begin(), "--profile_path=F");
    }
    const auto given =
        ParseCommandLine(arguments, options::Options(), {}, &program_refusal);
    EXPECT_EQ(line_refusal.kind, program_refusal.kind);
    EXPECT_EQ(line_refusal.word, program_refusal.word);
    if (!c.error.empty()) {
      EXPECT_EQ(std::string(typed.status().message()), c.error);
      EXPECT_EQ(std::string(given.status().message()), c.error);
      continue;
    }
    ASSERT_TRUE(typed.ok()) << typed.status();
    ASSERT_TRUE(given.ok()) << given.status();
    EXPECT_EQ(given->command.info, typed->info);
    EXPECT_EQ(given->command.arguments, typed->arguments);
    for (const options::Option& option : options::OptionTable()) {
      EXPECT_EQ(option.format(given->command.options),
                option.format(typed->options))
          << option.name;
    }
  }
}

// In the program's arguments, the word after a boolean may be an input.
TEST(CommandLineTest, AnInputAfterABooleanIsNotItsValue) {
  const auto exists = [](const std::string& word) { return word == "logdir"; };
  for (const char* input : {"logdir", "none.pb", "no/such"}) {
    const auto line = ParseCommandLine(
        std::vector<std::string>{"op", "-agent", input}, {}, exists);
    ASSERT_TRUE(line.ok()) << line.status();
    EXPECT_TRUE(line->command.options.agent);
    EXPECT_THAT(line->flags.inputs.files, ElementsAre(input));
  }
  EXPECT_FALSE(ParseCommandLine(std::vector<std::string>{"skew", "-agent", "x"},
                                {}, exists)
                   .ok());
}

TEST(ParseCommandTest, FoldersOfSourceFiles) {
  EXPECT_THAT(Parse("list a.py")->options.source_paths, IsEmpty());
  EXPECT_THAT(
      Parse("list a.py -source_path src,'my code'")->options.source_paths,
      ElementsAre("src", "my code"));
  const CommandInfo& list = *FindCommand("list");
  EXPECT_TRUE(Uses(list, *options::FindOption("source_path")));
  EXPECT_FALSE(Uses(*FindCommand("op"), *options::FindOption("source_path")));
  EXPECT_FALSE(Uses(*FindCommand("show"), *options::FindOption("source_path")));
  EXPECT_TRUE(
      Uses(*FindCommand("doctor"), *options::FindOption("checker_options")));
  EXPECT_FALSE(Uses(list, *options::FindOption("checker_options")));
}

options::Options ReferenceOptions() {
  options::Options options;
  options.reference = true;
  return options;
}

// The message is the reference's.
TEST(ParseCommandTest, TwoDashesAreForTheProgram) {
  EXPECT_EQ(Parse("scope --max_depth=1")->options.max_depth, 1);
  const auto command = ParseCommand(options::SplitWords("scope --max_depth=1"),
                                    ReferenceOptions());
  EXPECT_EQ(std::string(command.status().message()),
            "Invalid option '--max_depth=1' value: ''");
}

TEST(RefusalTest, NamesTheWord) {
  const auto refused = [](std::vector<std::string> words) {
    Refusal refusal;
    EXPECT_FALSE(ParseCommand(words, options::Options(), &refusal).ok());
    return refusal;
  };
  EXPECT_EQ(refused({"scpoe"}).kind, Refusal::Kind::kCommand);
  EXPECT_EQ(refused({"op", "-ordr_by", "x"}).word, "-ordr_by");
  EXPECT_EQ(refused({"op", "-step"}).option, options::FindOption("step"));
  EXPECT_EQ(refused({"op", "-order_by=x"}).value, "x");
  EXPECT_EQ(refused({"skew", "x"}).command, FindCommand("skew"));
}

}  // namespace
}  // namespace tfprof::commands
