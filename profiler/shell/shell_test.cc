#include "profiler/shell/shell.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/small_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/help/help.h"
#include "profiler/options/options.h"
#include "profiler/shell/recording_ui_testing.h"
#include "profiler/shell/run_shell.h"
#include "util/files/sink.h"

namespace tfprof::shell {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// ---- Sessions

struct Outcome {
  std::string output;
  std::string errors;
  size_t prompts = 0;
  size_t lines_read = 0;
  bool good = false;
  bool flushed = false;
};

// The reference's command line.
options::Options ReferenceForm() {
  options::Options options;
  options.reference = true;
  return options;
}

// Runs a whole session on the small model.
Outcome RunSession(std::vector<std::string> lines,
                   options::Options defaults = ReferenceForm()) {
  RecordingUi ui(std::move(lines));
  loaders::Loaded loaded;
  loaded.profile = accounting::SmallModel();
  Shell session(commands::Workspace(std::move(loaded), std::move(defaults)),
                ui);
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

// The text after "Profile:".
std::string Body(const std::string& output) {
  const size_t at = output.find("Profile:\n");
  return at == output.npos ? output : output.substr(at + 9);
}

// The messages without the suggestions.
std::string WithoutHints(const std::string& errors) {
  std::string kept;
  std::istringstream lines(errors);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("line ")) kept += line + "\n";
  }
  return kept;
}

TEST(SessionTest, ThePromptNamesTheBase) {
  RecordingUi ui({}, /*interactive=*/true);
  loaders::Loaded loaded, old;
  loaded.profile = accounting::SmallModel();
  old.profile = accounting::SmallModel();
  commands::Workspace workspace(std::move(loaded), {});
  workspace.base = std::make_shared<const commands::Base>(
      commands::Base{"runs/old\x1b.pb",
                     std::make_shared<commands::OpenProfile>(std::move(old))});
  Shell session(std::move(workspace), ui);
  EXPECT_EQ(session.Prompt(), "tfprof (vs old\\x1b.pb)> ");
}

TEST(SessionTest, ErrorsOfAScriptNameTheLineAndTheWord) {
  const std::pair<std::string, std::string> cases[] = {
      {"opp", "line 2: unknown command \"opp\"; did you mean op?\n"},
      {"op -ordr_by name",
       "line 2: unknown option \"-ordr_by\"; did you mean -order_by?\n"},
      {"op -step x", "line 2: \"x\" is not a value of -step; -step takes N\n"},
      {"op -step", "line 2: \"-step\" has no value; -step takes N\n"},
      {"op micros",
       "line 2: op does not take \"micros\"; options of op begin with a dash; "
       "help op lists them\n"},
  };
  for (const auto& [line, message] : cases) {
    EXPECT_THAT(RunSession({"pwd", line}).errors, EndsWith(message)) << line;
  }
}

TEST(SessionTest, OurErrorsAreOneSentence) {
  const std::pair<std::string, std::string> cases[] = {
      {"opp", "line 2: there is no command \"opp\"; did you mean op?\n"},
      {"op -step x",
       "line 2: -step takes the number of a step, or first, last, slowest or "
       "all, not 'x'\n"},
      {"show nothing_like_this", "no node nothing_like_this\n"},
  };
  for (const auto& [line, message] : cases) {
    EXPECT_EQ(RunSession({"pwd", line}, {}).errors, message) << line;
  }
}

TEST(SessionTest, AScriptEndsWhereAProfileDoesNotLoad) {
  const Outcome outcome = RunSession({"pwd", "load /nowhere/x", "pwd"});
  EXPECT_FALSE(outcome.good);
  EXPECT_EQ(outcome.lines_read, 2u);
  EXPECT_THAT(outcome.errors,
              EndsWith("; the profile that was open stays open\n"
                       "line 2: the script ends here\n"));
}

TEST(SessionTest, AQuestionMarkIsHelp) {
  EXPECT_EQ(RunSession({"?"}).output, RunSession({"help"}).output);
  EXPECT_EQ(RunSession({"? op"}).output, RunSession({"help op"}).output);
  EXPECT_EQ(RunSession({"op --help"}).output, RunSession({"help op"}).output);
}

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
       "json,ndjson,csv,markdown,table,text,proto,junit,arrow,chrome,"
       "perfetto,"
       "html,script\n\n"},
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
    EXPECT_EQ(WithoutHints(outcome.errors), errors) << line;
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
    EXPECT_EQ(outcome.output, commands::HelpText());
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

TEST(SessionTest, ComputedFloatOpsAreReportedOnce) {
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

TEST(SessionTest, BadRegexesAreReportedAndMatchNothing) {
  const Outcome outcome = RunSession({"scope -show_name_regexes ("});
  EXPECT_THAT(outcome.errors, HasSubstr("'(' is not a valid regular"));
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

TEST(SessionTest, DoctorHeedsOptionsOfItsCheckers) {
  EXPECT_THAT(RunSession({"doctor"}).output,
              HasSubstr("ok    tracing_overhead"));
  EXPECT_THAT(
      RunSession({"doctor -checker_options TracingOverhead.tiny=1000"}).output,
      HasSubstr("warn  tracing_overhead"));
  EXPECT_THAT(RunSession({"advise -checkers graph"}).output,
              StartsWith("\nGraphChecker:\n32 nodes, 2 of them"));
}

TEST(SessionTest, AFieldAndARuleOfOneName) {
  const std::string help = RunSession({"help float_ops"}).output;
  EXPECT_THAT(help, StartsWith("-order_by float_ops, -select float_ops\n"));
  EXPECT_THAT(help, HasSubstr("\nfloat_ops, a rule of FloatOpsChecker\n"));
}

TEST(SessionTest, StatusCounts) {
  const Outcome outcome = RunSession({"status"});
  EXPECT_THAT(outcome.output,
              HasSubstr("32 nodes, 31 edges, 3 devices, 1 step, 8 executions"));
}

constexpr char kProfile[] = "tests/golden/profiles/conv_resnet/profile.pb";

// On the bundled profile, in a folder where they may write.
TEST(SessionTest, ExamplesOfHelpRun) {
  loaders::LoadRequest request;
  request.flagged = {
      {"profile_path", std::filesystem::absolute(kProfile).string()}};
  const auto before = std::filesystem::current_path();
  const auto scratch =
      std::filesystem::path(testing::TempDir()) / "help_examples";
  std::filesystem::create_directories(scratch);
  std::filesystem::current_path(scratch);
  // The examples of `add` name these; a step without records is one too.
  for (const char* name : {"run_meta_3", "run_meta_4", "run_meta_5"}) {
    std::ofstream(name) << std::string("\x0a\x00", 2);
  }
  for (const commands::CommandInfo* command : commands::CommandTable()) {
    // It needs two profiles: tests/compare runs it.
    if (command->inputs == commands::CommandInfo::Inputs::kNone) continue;
    // Only the program has these: tests/serve and python/tests run them.
    if (command->name == "serve" || command->name == "pipe") continue;
    // The profile has no pipeline: tests/output runs it.
    if (command->name == "what_if") continue;
    // Its files are of the user.
    if (command->name == "diff") continue;
    for (const std::string_view example : command->examples) {
      // The profile is no memory snapshot: tests/page runs this.
      if (example.find("-part map") != example.npos) continue;
      auto loaded = loaders::Load(request);
      ASSERT_TRUE(loaded.ok()) << loaded.status();
      RecordingUi ui;
      Shell session(commands::Workspace(*std::move(loaded), {}), ui);
      EXPECT_TRUE(session.RunLine(example).ok()) << example << ui.errors();
      if (!command->one_shot) continue;
      EXPECT_FALSE(ui.output().empty() && ui.errors().empty()) << example;
    }
  }
  std::filesystem::current_path(before);
}

// ---- Cancellation

// A Ui on which somebody presses Ctrl-C at the first bytes.
class ImpatientUi : public RecordingUi {
 public:
  using RecordingUi::RecordingUi;
  util::Sink& out() override {
    cancellation().Request();
    return RecordingUi::out();
  }
};

TEST(CancellationTest, ACommandIsCancelledAndTheNextOneRuns) {
  loaders::LoadRequest request;
  request.flagged = {{"profile_path", kProfile}};
  auto loaded = loaders::Load(request);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ImpatientUi ui;
  Shell session(commands::Workspace(*std::move(loaded), {}), ui);
  EXPECT_EQ(session.RunLine("scope").code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(ui.errors(), HasSubstr("Cancelled.\n"));
  EXPECT_TRUE(session.RunLine("set -max_depth 3").ok());
  EXPECT_FALSE(ui.cancellation().requested());
}

}  // namespace
}  // namespace tfprof::shell
