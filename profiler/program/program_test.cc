#include "profiler/program/program.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/help/help.h"
#include "profiler/commands/help/usage.h"
#include "profiler/shell/exit_status.h"

namespace tfprof::program {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

Outcome Program(const std::vector<std::string>& arguments) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome run;
  run.status = RunProgram(arguments);
  run.out = testing::internal::GetCapturedStdout();
  run.err = testing::internal::GetCapturedStderr();
  return run;
}

class ProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    unsetenv("TFPROF_AGENT");
    folder_ = std::filesystem::path(testing::TempDir()) / "program_test";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    graph_ = Write("graph.pbtxt",
                   "node { name: 'a' op: 'Const' }\n"
                   "node { name: 'b' op: 'Neg' input: 'a' }\n");
  }

  std::string Path(const std::string& name) const {
    return (folder_ / name).string();
  }
  std::string Write(const std::string& name, std::string_view text) const {
    std::ofstream(folder_ / name) << text;
    return Path(name);
  }

  std::filesystem::path folder_;
  std::string graph_;  // two nodes
};

TEST_F(ProgramTest, WithoutArgumentsItSaysHowToBegin) {
  const Outcome run = Program({});
  EXPECT_EQ(run.status, shell::kOk);
  EXPECT_EQ(run.out, commands::StartText());
}

TEST_F(ProgramTest, HelpAndVersionNeedNoInput) {
  EXPECT_EQ(Program({"--help"}).out, commands::UsageText());
  const Outcome version = Program({"--version"});
  EXPECT_EQ(version.status, shell::kOk);
  EXPECT_THAT(version.out, StartsWith("tfprof "));
}

TEST_F(ProgramTest, ACommandPrintsItsReport) {
  const Outcome run = Program({graph_, "op", "-select", "occurrence"});
  EXPECT_EQ(run.status, shell::kOk);
  EXPECT_THAT(run.out, HasSubstr("\nNeg "));
  EXPECT_EQ(run.err, "");
}

TEST_F(ProgramTest, InvalidArgumentsGetASuggestion) {
  const Outcome run = Program({graph_, "op", "-ordr_by", "name"});
  EXPECT_EQ(run.status, shell::kUsage);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err,
            "tfprof: there is no option \"-ordr_by\"; did you mean "
            "-order_by?\n");
  EXPECT_EQ(Program({"--graph_path=" + graph_, "op", "-ordr_by", "name"}).err,
            "tfprof: Invalid option '-ordr_by' value: 'name'\n"
            "did you mean -order_by?\n");
}

TEST_F(ProgramTest, TheReferencesFlagsGiveItsReport) {
  const Outcome ours = Program({graph_, "op", "-select", "params"});
  const Outcome theirs =
      Program({"--graph_path=" + graph_, "op", "-select", "params"});
  EXPECT_THAT(theirs.out, HasSubstr("node name | # parameters\n"));
  EXPECT_NE(ours.out, theirs.out);
  EXPECT_EQ(Program({graph_, "--compatible", "op", "-select", "params"}).out,
            theirs.out);
}

// ---- --untrusted

TEST_F(ProgramTest, AConfinedReaderGivesTheSameAnswerAndFiles) {
  const Outcome confined = Program({"--untrusted", graph_, "op"});
  EXPECT_EQ(confined.status, shell::kOk) << confined.err;
  EXPECT_EQ(confined.out, Program({graph_, "op"}).out);
  const Outcome csv = Program({"--untrusted", graph_, "op", "-output",
                               "csv:outfile=" + Path("op.csv")});
  EXPECT_EQ(csv.status, shell::kOk) << csv.err;
  EXPECT_TRUE(std::filesystem::exists(Path("op.csv")));
  const Outcome missing = Program({"--untrusted", Path("none.pb"), "op"});
  EXPECT_EQ(missing.status, shell::kFailed);
  EXPECT_THAT(missing.err, HasSubstr("none.pb; No such file"));
}

TEST_F(ProgramTest, OnlyCommandsThatAnswerOnceAreConfined) {
  const Outcome pipe = Program({"--untrusted", graph_, "pipe"});
  EXPECT_EQ(pipe.status, shell::kUsage);
  EXPECT_THAT(pipe.err, HasSubstr("pipe needs more rights than reading"));
  const Outcome folder = Program(
      {"--untrusted", graph_, "convert", "-to", "files:outdir=" + Path("x")});
  EXPECT_EQ(folder.status, shell::kUsage);
  EXPECT_THAT(folder.err, HasSubstr("writes single files"));
}

TEST_F(ProgramTest, FleetIsInThePythonPackage) {
  const Outcome run = Program({"fleet", "ingest", "traces", "-o", "dataset"});
  EXPECT_EQ(run.status, shell::kUsage);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("pip install 'tfprof[fleet]'"));
}

TEST_F(ProgramTest, ADatasetOfAFleetIsToldFromAFolder) {
  const std::string folder = testing::TempDir() + "/dataset";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/_tfprof.json") << "{}";
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"serve", folder},
                                             {folder, "op"}}) {
    const Outcome run = Program(arguments);
    EXPECT_EQ(run.status, shell::kUsage);
    EXPECT_THAT(run.err, HasSubstr("tfprof-fleet serve " + folder));
  }
}

TEST_F(ProgramTest, ACommandNeedsAProfile) {
  const Outcome run = Program({"op"});
  EXPECT_EQ(run.status, shell::kUsage);
  EXPECT_THAT(run.err, HasSubstr("Name a profile: a file, a directory, or "
                                 "--profile_path=FILE"));
}

TEST_F(ProgramTest, CommandsOfTheShellAreRefused) {
  const Outcome run = Program({"--graph_path=" + graph_, "cd"});
  EXPECT_EQ(run.status, shell::kUsage);
  EXPECT_EQ(run.err, "tfprof: cd is a command of the shell only\n");
}

TEST_F(ProgramTest, AMissingInputIsAnError) {
  const Outcome run = Program({Path("missing.pb"), "op"});
  EXPECT_EQ(run.status, shell::kFailed);
  EXPECT_THAT(run.err, HasSubstr("missing.pb; No such file or directory"));
  // A plain word may be a misspelled command.
  EXPECT_THAT(Program({"scpoe"}).err,
              StartsWith("scpoe is neither a command nor a file ("));
}

TEST_F(ProgramTest, AFailedCommandIsStatusOne) {
  const Outcome run = Program({graph_, "op", "-step", "7"});
  EXPECT_EQ(run.status, shell::kFailed);
  EXPECT_THAT(run.err, StartsWith("Options -step=7 not found.\n"));
}

TEST_F(ProgramTest, AGraphWithoutNodesIsAnEmptyReportWithANote) {
  // The file of an empty tf.Graph: versions.
  const std::string empty =
      Write("empty.pb", std::string("\x22\x03\x08\xb4\x01", 5));
  const Outcome run = Program({"--graph_path=" + empty, "scope"});
  EXPECT_EQ(run.status, shell::kOk);
  EXPECT_THAT(run.out, HasSubstr("\n_TFProfRoot "));
  EXPECT_THAT(run.err, HasSubstr("no node in " + empty));
}

TEST_F(ProgramTest, AnInvalidExpressionIsRefused) {
  const Outcome run = Program({graph_, "op", "-show_name_regexes", "("});
  EXPECT_EQ(run.status, shell::kUsage);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, HasSubstr("'(' is not a valid regular expression"));
}

TEST_F(ProgramTest, HelpBehindACommandIsAboutTheCommand) {
  const Outcome run = Program({graph_, "op", "--help"});
  EXPECT_EQ(run.status, shell::kOk);
  EXPECT_THAT(run.out, StartsWith("op [NAME|N] [-option value…]\n"));
}

TEST_F(ProgramTest, AMisspelledCommandBehindAnInput) {
  EXPECT_THAT(Program({graph_, "opp"}).err,
              AllOf(StartsWith("opp is neither a command nor a file ("),
                    HasSubstr("did you mean op?")));
}

TEST_F(ProgramTest, ADamagedInputIsShownWithStatusOne) {
  // A node, and one that is cut off.
  const std::string damaged = Write(
      "damaged.pb", std::string("\n\012\n\001a\022\005Const\n\013\n", 15));
  const Outcome run =
      Program({"--graph_path=" + damaged, "op", "-select", "occurrence"});
  EXPECT_EQ(run.status, shell::kFailed);
  EXPECT_THAT(run.out, HasSubstr("\nConst "));
  EXPECT_THAT(run.err, HasSubstr("damaged.pb"));
}

TEST_F(ProgramTest, AStepWithTransfersOnlyHasATimeline) {
  const std::string run = Write(
      "run_meta_1.pbtxt",
      "step_stats { dev_stats { device: "
      "\"/job:a/replica:0/task:0/device:CPU:0\" node_stats { node_name: "
      "\"RecvTensor\" timeline_label: \"[4B] e from /job:b/replica:0/task:0/"
      "device:CPU:0 to /job:a/replica:0/task:0/device:CPU:0\" "
      "all_start_micros: 1000 op_end_rel_micros: 50 all_end_rel_micros: 50 } "
      "} }");
  const Outcome outcome = Program({run, "timeline", Path("t.json")});
  EXPECT_EQ(outcome.status, shell::kOk) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(Path("t.json")));
}

// ---- Scripts

TEST_F(ProgramTest, AScriptRunsItsLines) {
  const std::string script = Write(
      "script", "set -select occurrence\n# a comment\nop\nexit\nnonsense");
  const Outcome run = Program({graph_, "-f", script});
  EXPECT_EQ(run.status, shell::kOk) << run.err;
  EXPECT_THAT(run.out, HasSubstr("name   runs  nodes\n"));
  EXPECT_THAT(run.out, Not(HasSubstr("tfprof>")));
}

TEST_F(ProgramTest, AScriptGoesOnAfterAFailedLine) {
  const std::string script = Write("script", "nonsense\nop\n");
  const Outcome run = Program({graph_, "-f", script});
  EXPECT_EQ(run.status, shell::kFailed);
  EXPECT_EQ(run.err,
            "line 1: there is no command \"nonsense\"; help lists the "
            "commands\n");
  EXPECT_THAT(run.out, HasSubstr("\nNeg "));
}

TEST_F(ProgramTest, AScriptThatCannotBeReadIsAnError) {
  EXPECT_EQ(Program({graph_, "-f", Path("none")}).err,
            "tfprof: cannot read the script " + Path("none") +
                ": No such file or directory\n");
  const Outcome folder = Program({graph_, "-f", folder_.string()});
  EXPECT_EQ(folder.status, shell::kFailed);
  EXPECT_THAT(folder.err, EndsWith(": Is a directory\n"));
}

TEST_F(ProgramTest, AScriptNeedsNoProfile) {
  const std::string script = Write("script", "load " + graph_ + "\nstatus\n");
  const Outcome run = Program({"-f", script});
  EXPECT_EQ(run.status, shell::kOk) << run.err;
  EXPECT_THAT(run.out, HasSubstr("2 nodes, 1 edge"));
}

// ---- Flags

TEST_F(ProgramTest, ABaseIsCompared) {
  const std::string other =
      Write("other.pbtxt", "node { name: 'a' op: 'Const' }\n");
  const Outcome run = Program({graph_, "--base=" + other, "op", "-select",
                               "occurrence", "-output", "csv"});
  EXPECT_EQ(run.status, shell::kOk) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\r\nNeg,new,"));
}

TEST_F(ProgramTest, ABaseThatCannotBeLoadedIsAnError) {
  const Outcome run = Program({graph_, "--base=" + Path("none.pb"), "op"});
  EXPECT_EQ(run.status, shell::kFailed);
  EXPECT_THAT(run.err, StartsWith("--base: "));
  EXPECT_EQ(run.out, "");
}

TEST_F(ProgramTest, SelfProfileIsATraceOfTheRun) {
  const Outcome run =
      Program({graph_, "--self_profile=" + Path("self.json"), "op"});
  EXPECT_EQ(run.status, shell::kOk) << run.err;
  std::ifstream file(Path("self.json"));
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_THAT(text.str(), StartsWith("{\"traceEvents\":["));
  const Outcome failed = Program({graph_, "--self_profile=/no/such/x", "op"});
  EXPECT_EQ(failed.status, shell::kFailed);
  EXPECT_THAT(failed.err, HasSubstr("tfprof: --self_profile: /no/such/x"));
  // The report is printed all the same.
  EXPECT_THAT(failed.out, HasSubstr("\nNeg "));
}

// ---- check has statuses of its own

TEST_F(ProgramTest, CheckIsOneForANegativeVerdictOnly) {
  const auto check = [&](const std::string& rule, const std::string& base) {
    return Program({"check", base, graph_, "--fail-if", rule});
  };
  EXPECT_EQ(check("total.parameters > 5", graph_).status, shell::kOk);
  EXPECT_EQ(check("op:Neg.runs < 9", graph_).status, shell::kFailed);
  // Every error is 2: a rule without a row, an input that is missing.
  EXPECT_EQ(check("op:Nothing.runs < 9", graph_).status, shell::kUsage);
  EXPECT_EQ(check("op:Neg.runs < 9", Path("none.pb")).status, shell::kUsage);
}

// ---- Agents

TEST_F(ProgramTest, AnAgentGetsErrorsAsJson) {
  const Outcome run = Program({graph_, "op", "-agent", "-step", "7"});
  EXPECT_THAT(run.err,
              StartsWith("{\"error\":{\"code\":\"FAILED_PRECONDITION\","));
  // Also for arguments that cannot be parsed.
  const Outcome invalid = Program({graph_, "op", "--nothing", "--agent"});
  EXPECT_EQ(invalid.status, shell::kUsage);
  EXPECT_THAT(invalid.err,
              StartsWith("{\"error\":{\"code\":\"INVALID_ARGUMENT\","));
}

TEST_F(ProgramTest, TheEnvironmentMayNameAnAgent) {
  setenv("TFPROF_AGENT", "1", 1);
  EXPECT_THAT(Program({graph_, "op"}).out, StartsWith("tfprof.op, command: "));
  // An option of the command line is stronger.
  EXPECT_THAT(Program({graph_, "op", "-agent=false"}).out,
              Not(HasSubstr("tfprof.op")));
  setenv("TFPROF_AGENT", "0", 1);
  EXPECT_THAT(Program({graph_, "op"}).out, Not(HasSubstr("tfprof.op")));
  unsetenv("TFPROF_AGENT");
}

}  // namespace
}  // namespace tfprof::program
