#include <cstdint>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/small_model.h"
#include "profiler/commands/command_line.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/flops_text.h"
#include "profiler/commands/help.h"
#include "profiler/options/options.h"
#include "profiler/shell/recording_ui.h"
#include "profiler/shell/session.h"
#include "profiler/shell/program.h"
#include "profiler/options/words.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// ---- Words

TEST(WordsTest, BlanksSeparate) {
  EXPECT_THAT(SplitWords("op"), ElementsAre("op"));
  EXPECT_THAT(SplitWords("  op   -step  1 "), ElementsAre("op", "-step", "1"));
  EXPECT_THAT(SplitWords(""), IsEmpty());
  EXPECT_THAT(SplitWords("   "), IsEmpty());
  // A tab is part of a word, as in the reference.
  EXPECT_THAT(SplitWords("op\t-step 1"), ElementsAre("op\t-step", "1"));
}

TEST(WordsTest, QuotesHoldBlanks) {
  EXPECT_THAT(SplitWords("a 'b c' d"), ElementsAre("a", "'b c'", "d"));
  EXPECT_THAT(SplitWords("a \"b 'c\" d"), ElementsAre("a", "\"b 'c\"", "d"));
  EXPECT_THAT(SplitWords("pre'x y'post z"), ElementsAre("pre'x y'post", "z"));
  EXPECT_THAT(SplitWords("''"), ElementsAre("''"));
  // What nothing closes is a character.
  EXPECT_THAT(SplitWords("a b'c d"), ElementsAre("a", "b'c", "d"));
}

TEST(WordsTest, Comments) {
  EXPECT_THAT(SplitWords("# all of it"), IsEmpty());
  EXPECT_THAT(SplitWords("op # rest"), ElementsAre("op"));
  EXPECT_THAT(SplitWords("op a#b"), ElementsAre("op", "a#b"));
  EXPECT_THAT(SplitWords("op '# no' # yes"), ElementsAre("op", "'# no'"));
}

TEST(WordsTest, Unquote) {
  EXPECT_EQ(Unquote("'a b'"), "a b");
  EXPECT_EQ(Unquote("\"'\"a'b'"), "a'b");
  EXPECT_EQ(Unquote("''\""), "");
  EXPECT_EQ(Unquote("plain"), "plain");
}

TEST(WordsTest, Lists) {
  EXPECT_THAT(SplitList("a,b"), ElementsAre("a", "b"));
  EXPECT_THAT(SplitList(",a,,b,"), ElementsAre("a", "b"));
  EXPECT_THAT(SplitList(","), IsEmpty());
  EXPECT_THAT(SplitList(""), IsEmpty());
  EXPECT_THAT(SplitList("''"), IsEmpty());
  EXPECT_THAT(SplitList("'a,b'"), ElementsAre("a", "b"));
  EXPECT_THAT(SplitList("'a b',c"), ElementsAre("a b", "c"));
}

TEST(WordsTest, CommasInsideQuotesAndBrackets) {
  EXPECT_THAT(SplitList("'.*a{1,2},b'"), ElementsAre(".*a{1,2}", "b"));
  EXPECT_THAT(SplitList("'\"x,y\",z'"), ElementsAre("x,y", "z"));
  EXPECT_THAT(SplitList("'[,;],(a,(b,c)),d'"),
              ElementsAre("[,;]", "(a,(b,c))", "d"));
  // Without quotes every comma separates, as the reference's users expect.
  EXPECT_THAT(SplitList(".*a{1,2}"), ElementsAre(".*a{1", "2}"));
  // A bracket that nothing closes is a character, and so is an escaped one.
  EXPECT_THAT(SplitList("'(a,b'"), ElementsAre("(a", "b"));
  EXPECT_THAT(SplitList("'\\(a,b)'"), ElementsAre("\\(a", "b)"));
}

// ---- The tables

TEST(OptionTableTest, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const Option& option : OptionTable()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_EQ(FindOption(option.name), &option);
    EXPECT_THAT(option.help, Not(IsEmpty()));
    EXPECT_THAT(option.value_name, Not(IsEmpty()));
    // Its dash tells it from a command of that name (steps).
    EXPECT_EQ(FindCommand("-" + std::string(option.name)), nullptr);
  }
  EXPECT_EQ(FindOption("nothing"), nullptr);
  EXPECT_EQ(FindOption(""), nullptr);
}

TEST(OptionTableTest, DefaultsParseBack) {
  const Options defaults;
  for (const Option& option : OptionTable()) {
    const std::string value = option.format(defaults);
    Options options;
    ASSERT_TRUE(option.parse(value, options).ok()) << option.name;
    EXPECT_EQ(option.format(options), value) << option.name;
    EXPECT_EQ(FormatOptions(options), FormatOptions(defaults)) << option.name;
  }
}

TEST(OptionTableTest, ChoicesAreValues) {
  for (const Option& option : OptionTable()) {
    for (const std::string& choice : OptionChoices(option)) {
      Options options;
      options.output.keys["outfile"] = "x";
      EXPECT_TRUE(option.parse(choice, options).ok())
          << option.name << " " << choice;
      EXPECT_THAT(option.format(options), StartsWith(choice));
    }
  }
}

TEST(OptionTableTest, EachOptionChangesOnlyItself) {
  const Options defaults;
  for (const Option& option : OptionTable()) {
    std::string value = "7";
    const std::vector<std::string> choices = OptionChoices(option);
    for (const std::string& choice : choices) {
      if (choice != option.format(defaults) && choice != "stdout") {
        value =
            option.kind == OptionKind::kOutput ? choice + ":outfile=f" : choice;
      }
      if (option.kind == OptionKind::kOutput) value = "file:outfile=f";
    }
    if (option.kind == OptionKind::kTo) value = "files:outdir=d";
    Options options;
    ASSERT_TRUE(option.parse(value, options).ok()) << option.name;
    for (const Option& other : OptionTable()) {
      if (&other == &option) {
        EXPECT_NE(other.format(options), other.format(defaults)) << other.name;
      } else {
        EXPECT_EQ(other.format(options), other.format(defaults)) << other.name;
      }
    }
  }
}

TEST(OptionTableTest, PageNamesThemAll) {
  const std::string page = OptionsMarkdown();
  for (const Option& option : OptionTable()) {
    EXPECT_THAT(page, HasSubstr("`" + std::string(option.name) + "`"));
  }
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

TEST(CommandTableTest, NamesAreUniqueAndHelpIsThere) {
  std::set<std::string_view> names;
  for (const CommandInfo& command : CommandTable()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_LE(command.min_arguments, command.max_arguments);
    const auto help = HelpFor(command.name);
    ASSERT_TRUE(help.ok()) << command.name;
    EXPECT_THAT(OneLine(*help), HasSubstr(std::string(command.help)));
  }
  for (const Option& option : OptionTable()) {
    const auto help = HelpFor("-" + std::string(option.name));
    ASSERT_TRUE(help.ok()) << option.name;
    EXPECT_THAT(OneLine(*help), HasSubstr(std::string(option.help)));
    EXPECT_TRUE(HelpFor(option.name).ok());
  }
  EXPECT_EQ(HelpFor("nothing").status().code(), absl::StatusCode::kNotFound);
}

TEST(CommandTableTest, HelpIsTheReferences) {
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

// ---- Parsing a line

absl::StatusOr<Command> Parse(std::string_view line,
                              const Options& defaults = {}) {
  return ParseCommand(SplitWords(line), defaults);
}

TEST(ParseCommandTest, Numbers) {
  EXPECT_EQ(Parse("op -max_depth -3")->options.view.max_depth, -3);
  EXPECT_EQ(Parse("op -max_depth +3")->options.view.max_depth, 3);
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
  EXPECT_EQ(command->options.view.order, ViewOptions::Order::kName);
}

TEST(ParseCommandTest, OutputKeysStay) {
  Options defaults;
  ASSERT_TRUE(
      FindOption("output")->parse("file:outfile=/tmp/a=b", defaults).ok());
  EXPECT_EQ(defaults.output.keys.at("outfile"), "/tmp/a=b");
  const auto command = Parse("scope -output timeline", defaults);
  ASSERT_TRUE(command.ok());
  EXPECT_EQ(command->options.output.type, OutputSpec::Type::kTimeline);
  EXPECT_EQ(command->options.output.keys.at("outfile"), "/tmp/a=b");
}

// A word without a file means stdout, whatever `set` said before.
TEST(ParseCommandTest, OutputsThatNeedNoFile) {
  Options defaults;
  ASSERT_TRUE(FindOption("output")->parse("file:outfile=x", defaults).ok());
  for (const std::string type : {"json", "table"}) {
    EXPECT_EQ(
        Parse("advise -output " + type, defaults)->options.output.outfile(),
        "");
    EXPECT_EQ(Parse("advise -output " + type + ":outfile=y", defaults)
                  ->options.output.outfile(),
              "y");
  }
}

TEST(ParseCommandTest, Arguments) {
  const auto command = Parse("save 'my file'");
  ASSERT_TRUE(command.ok());
  EXPECT_EQ(command->info->id, CommandId::kSave);
  EXPECT_THAT(command->arguments, ElementsAre("my file"));
  EXPECT_THAT(std::string(Parse("save").status().message()),
              StartsWith("save wants FILE"));
  EXPECT_FALSE(Parse("save a b").ok());
  EXPECT_FALSE(Parse("op stray").ok());
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
    const Option* option = FindOption(name);
    ASSERT_NE(option, nullptr) << name;
    Options wanted;
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
        EXPECT_EQ(line->command.info->id, CommandId::kOp);
        EXPECT_EQ(line->inputs.profile_path, "F");
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

TEST(CommandLineTest, Inputs) {
  const auto line = ParseLine({"a", "--graph_path", "g", "op", "b",
                               "--run_meta_path=r0,,7:r1", "-op_log_path=l",
                               "--checkpoint_path=c", "--", "--odd", "-step"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_THAT(line->inputs.files, ElementsAre("a", "b", "--odd", "-step"));
  EXPECT_EQ(line->inputs.graph_path, "g");
  EXPECT_THAT(line->inputs.run_meta_paths, ElementsAre("r0", "7:r1"));
  EXPECT_EQ(line->inputs.op_log_path, "l");
  EXPECT_EQ(line->inputs.checkpoint_path, "c");
}

TEST(CommandLineTest, OnlyTheFirstCommandIsOne) {
  const auto line = ParseLine({"dir", "save", "out", "op"});
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->command.info->id, CommandId::kSave);
  EXPECT_THAT(line->command.arguments, ElementsAre("out"));
  EXPECT_THAT(line->inputs.files, ElementsAre("dir", "op"));
}

TEST(CommandLineTest, OnlyItsOwnWordIsAnArgumentOfAdvise) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"advise", "all", "F"},
                                             {"advise", "F", "all"},
                                             {"F", "advise", "all"}}) {
    const auto line = ParseLine(words);
    ASSERT_TRUE(line.ok());
    EXPECT_THAT(line->command.arguments, ElementsAre("all"));
    EXPECT_THAT(line->inputs.files, ElementsAre("F"));
  }
  EXPECT_THAT(ParseLine({"advise", "F"})->command.arguments, IsEmpty());
}

TEST(CommandLineTest, WithoutACommandAShell) {
  const auto line = ParseLine({"F", "--step=3"});
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->command.info, nullptr);
  EXPECT_EQ(line->command.options.view.step, 3);
  EXPECT_EQ(ParseLine({"F", "-f", "s"})->script, "s");
  EXPECT_TRUE(ParseLine({"--help"})->help);
  EXPECT_TRUE(ParseLine({"--version"})->version);
  EXPECT_EQ(ParseLine({"--output="})->command.options.output.type,
            OutputSpec::Type::kStdout);
}

TEST(CommandLineTest, Errors) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"--nothing=1"}, "there is no flag --nothing=1; --help lists them"},
      {{"-q", "F"}, "there is no flag -q; --help lists them"},
      {{"--step"}, "--step wants a value: --step=N"},
      {{"--graph_path"}, "--graph_path wants a value: --graph_path=FILE"},
      {{"--step=x"}, "Couldn't interpret value x for flag step. It wants N."},
      {{"--output=x"},
       "Couldn't interpret value x for flag output. One of: file, none, pprof, "
       "stdout, timeline, json, ndjson, csv, markdown, table, text, junit."},
      {{"--checker_options=operation.x=1"},
       "-checker_options: OperationChecker has no option 'x'; it has none"},
      {{"--threads=0"}, "Couldn't interpret value 0 for flag threads."},
      {{"--max_memory=2X"}, "Couldn't interpret value 2X for flag max_memory."},
      {{"save"}, "save wants FILE: Write what is loaded as a ProfileProto."},
      {{"-f", "s", "op"}, "give either a command (op) or a script (-f s)"},
  };
  for (const auto& [words, message] : cases) {
    const auto line = ParseLine(words);
    ASSERT_FALSE(line.ok()) << message;
    EXPECT_EQ(line.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(std::string(line.status().message()), message);
  }
}

TEST(CommandLineTest, UsageNamesEverything) {
  const std::string usage = UsageText();
  for (const Option& option : OptionTable()) {
    EXPECT_THAT(usage, HasSubstr("-" + std::string(option.name) + " "));
  }
  for (const CommandInfo& command : CommandTable()) {
    EXPECT_THAT(usage, HasSubstr("  " + std::string(command.name)));
  }
  EXPECT_THAT(usage, HasSubstr("--run_meta_path="));
}

TEST(ParseCommandTest, PprofModes) {
  const auto full = [](const std::string& output) -> std::string {
    const auto command = ParseCommand({"op", "-output", output}, Options());
    if (!command.ok()) return std::string(command.status().message());
    return command->options.output.full_pprof() ? "full" : "reference";
  };
  EXPECT_EQ(full("pprof:outfile=x"), "reference");
  EXPECT_EQ(full("pprof:outfile=x,mode=reference"), "reference");
  EXPECT_EQ(full("pprof:mode=full,outfile=x"), "full");
  EXPECT_THAT(full("pprof:mode=all,outfile=x"),
              HasSubstr("Unknown pprof mode: all"));
  EXPECT_THAT(full("timeline:mode=full,outfile=x"),
              HasSubstr("Unrecognized options mode"));
}

TEST(ParseCommandTest, Convert) {
  const auto command = ParseCommand(
      {"convert", "-steps", "3,5-7", "-to", "files:outdir=a=b"}, Options());
  ASSERT_TRUE(command.ok());
  const ConvertSpec& spec = command->options.convert;
  EXPECT_EQ(spec.type, ConvertSpec::Type::kFiles);
  EXPECT_EQ(spec.path, "a=b");
  EXPECT_EQ(spec.steps, (StepList{{3, 3}, {5, 7}}));
  // It wants to know what to write, and nobody else has its options.
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"convert"},
        {"convert", "-to", "profile:outdir=x"},
        {"convert", "-to", "profile:outfile="},
        {"convert", "-to", "x"},
        {"convert", "-to", "profile:outfile=x", "-steps", "7-5"},
        {"op", "-steps", "3"},
        {"set", "-to", "profile:outfile=x"}}) {
    EXPECT_FALSE(ParseCommand(words, Options()).ok()) << words.back();
  }
}

// ---- Sessions

struct Outcome {
  std::string output;
  std::string errors;
  size_t prompts = 0;
  size_t lines_read = 0;
  bool good = false;
  bool flushed = false;
};

// Runs a whole session on the small model.
Outcome RunSession(std::vector<std::string> lines, Options defaults = {}) {
  RecordingUi ui(std::move(lines));
  Loaded loaded;
  loaded.profile = SmallModel();
  Session session(std::move(loaded), std::move(defaults), ui);
  Outcome outcome;
  outcome.good = RunShell(session, ui);
  outcome.output = ui.output();
  outcome.errors = ui.errors();
  for (const std::string& prompt : ui.prompts()) {
    EXPECT_EQ(prompt, "tfprof> ");
  }
  outcome.prompts = ui.prompts().size();
  outcome.lines_read = ui.lines_read();
  outcome.flushed = ui.all_flushed();
  return outcome;
}

// What stands after "Profile:".
std::string Body(const std::string& output) {
  const size_t at = output.find("Profile:\n");
  return at == output.npos ? output : output.substr(at + 9);
}

// The table of spec 18.8, and what the spec says beyond it.
TEST(SessionTest, ErrorsInTheReferencesWords) {
  const std::pair<std::string, std::string> cases[] = {
      {"nonsense",
       "E: INVALID_ARGUMENT: First string must be a valid command.\n"},
      {"-step 1",
       "E: INVALID_ARGUMENT: First string must be a valid command.\n"},
      {"op -max_depth abc",
       "E: INVALID_ARGUMENT: Invalid option '-max_depth' value: 'abc'\n"},
      {"op -max_depth",
       "E: INVALID_ARGUMENT: Invalid option '-max_depth' value: ''\n"},
      {"op -foo bar",
       "E: INVALID_ARGUMENT: Invalid option '-foo' value: 'bar'\n"},
      {"op -foo", "E: INVALID_ARGUMENT: Invalid option '-foo' value: ''\n"},
      {"op foo bar",
       "E: INVALID_ARGUMENT: Invalid option 'foo' value: 'bar'\n"},
      {"op -order_by depth",
       "E: INVALID_ARGUMENT: Invalid option '-order_by' value: 'depth'\n"},
      {"op -select micros,foo",
       "E: INVALID_ARGUMENT: Invalid option '-select' value: 'micros,foo'\n"},
      {"op -account_displayed_op_only maybe",
       "E: INVALID_ARGUMENT: Invalid option '-account_displayed_op_only' "
       "value: 'maybe'\n"},
      {"op -show_name_regexes",
       "E: INVALID_ARGUMENT: Invalid option '-show_name_regexes' value: ''\n"},
      {"op -output foo",
       "E: INVALID_ARGUMENT: E.g. Unknown output type: foo, Valid types: "
       "file,none,pprof,stdout,timeline\nand, beyond the reference: "
       "json,ndjson,csv,markdown,table,text,junit\n\n"},
      {"op -output file",
       "E: INVALID_ARGUMENT: Missing required output_options for file\n"
       "E.g. -output file:outfile=...\n\n"},
      {"op -output file:name=x",
       "E: INVALID_ARGUMENT: Unrecognized options name for output_type: "
       "file\n\n"},
      {"op -output stdout:outfile=x",
       "E: INVALID_ARGUMENT: Unrecognized options outfile for output_type: "
       "stdout\n\n"},
      {"op -output file:outfile",
       "E: INVALID_ARGUMENT: Visualize format: -output "
       "timeline:key=value,key=value,...\n"},
      {"op -step 9", "Options -step=9 not found.\nAvailable steps: 0 \n"},
      {"code", "No code trace information\n"},
      {"op -output timeline:outfile=x",
       "op view doesn't support timeline yet. Consider graph/scope/code "
       "view.\n"},
      {"scope -output pprof:outfile=x",
       "Only 'code' view supports pprof output now.\n"},
  };
  for (const auto& [line, errors] : cases) {
    const Outcome outcome = RunSession({line});
    EXPECT_EQ(outcome.errors, errors) << line;
    EXPECT_EQ(outcome.output, "") << line;
    EXPECT_FALSE(outcome.good) << line;
  }
}

constexpr std::string_view kDump =
    "-max_depth                  10\n"
    "-min_bytes                  0\n"
    "-min_peak_bytes             0\n"
    "-min_residual_bytes         0\n"
    "-min_output_bytes           0\n"
    "-min_micros                 0\n"
    "-min_accelerator_micros     0\n"
    "-min_cpu_micros             0\n"
    "-min_params                 0\n"
    "-min_float_ops              0\n"
    "-min_occurrence             0\n"
    "-step                       -1\n"
    "-order_by                   name\n"
    "-account_type_regexes       .*\n"
    "-start_name_regexes         .*\n"
    "-trim_name_regexes          \n"
    "-show_name_regexes          .*\n"
    "-hide_name_regexes          \n"
    "-account_displayed_op_only  false\n"
    "-select                     micros\n"
    "-output                     stdout:\n";

TEST(SessionTest, EmptyLineDumpsTheOptions) {
  const Outcome outcome = RunSession({""});
  EXPECT_EQ(outcome.output, kDump);
  EXPECT_EQ(outcome.errors, "");
  EXPECT_TRUE(outcome.good);
  EXPECT_TRUE(outcome.flushed);
  EXPECT_EQ(outcome.prompts, 2u);
}

TEST(SessionTest, BlanksAndCommentsDoNothing) {
  const Outcome outcome = RunSession({"   ", "# comment", "  # more"});
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(outcome.errors, "");
  EXPECT_TRUE(outcome.good);
}

TEST(SessionTest, SetIsForAllThatFollows) {
  const Outcome outcome = RunSession(
      {"set -max_depth 2 -select params,bytes -trim_name_regexes a,'b'",
       "set -output file:outfile=x -account_displayed_op_only",
       "set -order_by occurrence -output stdout", ""});
  std::string dump(kDump);
  const auto replace = [&](std::string_view from, std::string_view to) {
    const size_t at = dump.find(from);
    ASSERT_NE(at, dump.npos) << from;
    dump.replace(at, from.size(), to);
  };
  replace("-max_depth                  10", "-max_depth                  2");
  replace("-order_by                   name",
          "-order_by                   occurrence");
  replace("-trim_name_regexes          \n",
          "-trim_name_regexes          a,b\n");
  replace("only  false", "only  true");
  replace("select                     micros",
          "select                     bytes,params");
  replace("stdout:", "stdout:outfile=x");  // keys stay
  EXPECT_EQ(outcome.output, dump);
  EXPECT_TRUE(outcome.good);
}

TEST(SessionTest, OptionsOfACommandAreItsOwn) {
  const Outcome outcome = RunSession({"op -max_depth 1 -step 0", ""});
  EXPECT_THAT(outcome.output, EndsWith(std::string(kDump)));
}

TEST(SessionTest, AFailedSetChangesNothing) {
  const Outcome outcome = RunSession({"set -max_depth 3 -step x", ""});
  EXPECT_EQ(outcome.output, kDump);
  EXPECT_FALSE(outcome.good);
}

TEST(SessionTest, SetAcceptsAStepThatIsNotThere) {
  const Outcome outcome = RunSession({"set -step 7", "scope", "op -step 0"});
  EXPECT_EQ(outcome.errors,
            "Options -step=7 not found.\nAvailable steps: 0 \n");
  EXPECT_THAT(outcome.output, HasSubstr("Conv2D"));
  EXPECT_FALSE(outcome.good);
}

TEST(SessionTest, ExitAndQuitLeave) {
  for (const char* leave : {"exit", "quit"}) {
    const Outcome outcome = RunSession({"help", leave, "nonsense"});
    EXPECT_EQ(outcome.output, HelpText());
    EXPECT_EQ(outcome.errors, "");
    EXPECT_EQ(outcome.lines_read, 2u);
    EXPECT_TRUE(outcome.good);
  }
}

TEST(SessionTest, AScriptGoesOnAfterAnError) {
  const Outcome outcome = RunSession(
      {"set -select params", "scope -max_depth 1", "nonsense",
       "op -show_name_regexes 'Variable.*' -account_type_regexes VariableV2"});
  EXPECT_THAT(outcome.errors, HasSubstr("First string"));
  EXPECT_THAT(outcome.output, HasSubstr("\n_TFProfRoot (--/451 params)\n"));
  EXPECT_THAT(outcome.output, HasSubstr("\nVariableV2"));
  EXPECT_FALSE(outcome.good);
  EXPECT_TRUE(outcome.flushed);
}

TEST(SessionTest, ViewsOfTheSmallModel) {
  EXPECT_EQ(
      Body(RunSession({"scope -max_depth 5 -account_type_regexes VariableV2 "
                       "-select params,micros"})
               .output),
      "node name | # parameters | total execution time | accelerator execution "
      "time | cpu execution time\n"
      "_TFProfRoot (--/451 params, --/13us, --/0us, --/13us)\n"
      "  DW (3x3x3x6, 162/162 params, 2us/2us, 0us/0us, 2us/2us)\n"
      "  DW2 (2x2x6x12, 288/288 params, 11us/11us, 0us/0us, 11us/11us)\n"
      "  ScalarW (1, 1/1 params, 0us/0us, 0us/0us, 0us/0us)\n");
}

TEST(SessionTest, ComputedFloatOpsAreToldOnce) {
  EXPECT_EQ(RunSession({"op -select float_ops"}).errors, "");
  EXPECT_EQ(RunSession({"op -select float_ops -flops off"}).errors, "");
  EXPECT_EQ(
      RunSession({"op -flops auto", "scope -flops auto"}).errors,
      "float_ops by node: 2 from the op log, 6 computed from the graph, 0 "
      "without known shapes\n");
  EXPECT_EQ(RunSession({"set -flops graph", "op", "graph"}).errors,
            "float_ops by node: 8 computed from the graph, 0 without known "
            "shapes\n");
}

TEST(FlopsTextTest, SaysWhatIsNotInTheFigures) {
  FlopsColumn column;
  column.counts = {.op_log = 1,
                   .graph = 2,
                   .run_time = 3,
                   .part_of_call = 4,
                   .no_shapes = 5,
                   .not_supported = 6,
                   .saturated = 7,
                   .sum_is_too_large = true};
  EXPECT_EQ(
      DescribeFlops(FlopsSource::kAuto, column),
      "float_ops by node: 1 from the op log, 9 computed from the graph (3 "
      "with shapes seen at run time), 5 without known shapes, 6 with "
      "shapes or attributes of another kind\n"
      "float_ops: calls counted in part, because something in their "
      "functions has no figure: 4\n"
      "float_ops: figures that do not fit, shown as "
      "9223372036854775807: 7\n"
      "float_ops: the sum over all nodes is more than "
      "9223372036854775807: totals are wrong\n");
}

TEST(FlopsTextTest, HelpHasTheFormulas) {
  const std::string help = *HelpFor("-flops");
  EXPECT_THAT(help, HasSubstr("One of: op_log, auto, graph, off\n"));
  EXPECT_THAT(help, HasSubstr("    MatMul\n      2 x k x out\n"));
}

TEST(SessionTest, BadRegexesAreToldAndMatchNothing) {
  const Outcome outcome = RunSession({"scope -show_name_regexes ("});
  EXPECT_THAT(outcome.errors, HasSubstr("'(' is no regular expression"));
  EXPECT_THAT(Body(outcome.output), EndsWith("\n_TFProfRoot (--/4.95ms, "
                                             "--/404us, --/4.54ms)\n"));
}

TEST(SessionTest, FilesAndNone) {
  const std::string path =
      (std::filesystem::path(::testing::TempDir()) / "report").string();
  const Outcome outcome =
      RunSession({"op -output file:outfile=" + path, "op -output none", "op"});
  EXPECT_TRUE(outcome.good) << outcome.errors;
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("Conv2D"));
  EXPECT_EQ(outcome.output, text.str());  // of the last command alone

  const Outcome failed = RunSession({"op -output file:outfile=/nonexistent/x"});
  EXPECT_EQ(failed.errors,
            "NOT_FOUND: /nonexistent/x; No such file or directory\n");
  EXPECT_FALSE(failed.good);
}

TEST(SessionTest, AdviseTakesTheReferencesCheckers) {
  const Outcome outcome = RunSession({"advise"});
  EXPECT_THAT(outcome.output,
              HasSubstr("\nAcceleratorUtilizationChecker:\ndevice: /job:"
                        "localhost/replica:0/task:0/gpu:0 low utilization: "));
  EXPECT_THAT(outcome.output, HasSubstr("\nOperationChecker:\n"));
  EXPECT_THAT(outcome.output,
              HasSubstr("\nExpensiveOperationChecker:\ntop 1 operation type: "
                        "Conv2D, cpu: 4.49ms, accelerator: 404us, total: "
                        "4.89ms (98.87%)\n"));
  EXPECT_TRUE(outcome.good);
}

TEST(SessionTest, HelpOnATopic) {
  EXPECT_THAT(RunSession({"help order_by"}).output,
              HasSubstr("    peak_bytes          The most memory"));
  const Outcome outcome = RunSession({"help nothing"});
  EXPECT_THAT(outcome.errors, StartsWith("NOT_FOUND: no help on 'nothing'"));
  EXPECT_FALSE(outcome.good);
}

TEST(SessionTest, HelpOnCheckersAndRules) {
  EXPECT_THAT(RunSession({"help advise"}).output,
              HasSubstr("\n    nhwc_on_gpu         A node on a GPU has "
                        "data_format NHWC.\n"));
  for (const char* topic :
       {"operation", "OperationChecker", "advise.operation"}) {
    EXPECT_THAT(RunSession({"help " + std::string(topic)}).output,
                StartsWith("OperationChecker *\n"))
        << topic;
  }
  for (const char* topic : {"low_utilization", "advise.low_utilization"}) {
    EXPECT_THAT(RunSession({"help " + std::string(topic)}).output,
                StartsWith("low_utilization, a rule of "
                           "AcceleratorUtilizationChecker\n"))
        << topic;
  }
  EXPECT_THAT(RunSession({"help advise.nothing"}).errors,
              StartsWith("NOT_FOUND: no help on 'advise.nothing'"));
}

TEST(SessionTest, StatusCounts) {
  const Outcome outcome = RunSession({"status"});
  EXPECT_THAT(
      outcome.output,
      HasSubstr("32 nodes, 31 edges, 3 devices, 1 steps, 8 executions"));
}

}  // namespace
}  // namespace tfprof
