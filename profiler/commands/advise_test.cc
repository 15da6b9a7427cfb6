// The command `advise`, on fake checkers.

#include "profiler/commands/advise.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "advisor/fake_checkers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/small_model.h"
#include "profiler/shell/recording_ui.h"
#include "profiler/options/words.h"

namespace tfprof {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kReport = "\nOldChecker:\ngpu busy\ncpu idle\n";
constexpr std::string_view kMore = "3 more findings of 1 checker: advise all\n";

struct Outcome {
  absl::Status status;
  std::string output;
  std::string errors;
};

// Runs a line with the checkers and values that are named besides it, as the
// line itself knows only those that are built in.
Outcome Advise(const std::string& line, std::vector<std::string> checkers = {},
               std::vector<std::string> values = {},
               CheckerRegistry registry = kFakeCheckers) {
  absl::StatusOr<Command> command = ParseCommand(SplitWords(line), Options());
  if (!command.ok()) return {command.status(), "", ""};
  command->options.advice.checkers = *ParseCheckers(checkers, registry);
  command->options.advice.values = *ParseCheckerValues(values, registry);
  const Profile profile = SmallModel();
  Views views(profile);
  RecordingUi ui;
  Outcome outcome;
  outcome.status = RunAdvise(registry, *command, views, ui);
  outcome.output = ui.output();
  outcome.errors = ui.errors();
  EXPECT_TRUE(ui.all_flushed());
  return outcome;
}

std::string TempPath(const std::string& name) {
  const auto path = std::filesystem::path(::testing::TempDir()) / name;
  std::filesystem::remove(path);
  return path.string();
}

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(AdviseTest, PlainIsTheReferences) {
  const Outcome outcome = Advise("advise");
  EXPECT_EQ(outcome.output, kReport);
  EXPECT_EQ(outcome.errors, kMore);
  EXPECT_TRUE(outcome.status.ok());
}

TEST(AdviseTest, NothingMoreIsNothingSaid) {
  const Checker* registry[] = {&kOldChecker, &kBlindChecker};
  const Outcome outcome = Advise("advise", {}, {}, registry);
  EXPECT_EQ(outcome.output, kReport);
  EXPECT_EQ(outcome.errors, "");
}

TEST(AdviseTest, PlainIgnoresOutputAsTheReferenceDoes) {
  const std::string path = TempPath("ignored");
  for (const std::string output : {"stdout", "none", "file:outfile=",
                                   "timeline:outfile=", "pprof:outfile="}) {
    const Outcome outcome = Advise("advise -step 7 -output " + output +
                                   (output.ends_with('=') ? path : ""));
    EXPECT_EQ(outcome.output, kReport) << output;
    EXPECT_TRUE(outcome.status.ok()) << output;
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(AdviseTest, AllIsTheWorstFirst) {
  const Outcome outcome = Advise("advise all");
  EXPECT_THAT(outcome.output,
              StartsWith("1 critical, 3 warnings, 1 for information. Of 3 "
                         "checkers, 1 lacked records.\n\ncritical  slow  step "
                         "7\n"));
  EXPECT_EQ(outcome.errors, "nothing to see for BlindChecker\n");
}

TEST(AdviseTest, ChosenCheckers) {
  EXPECT_EQ(Advise("advise", {"new"}).output,
            "\nNewChecker:\nfirst\nsecond\nslow\nA sentence that does not fit "
            "on one line of a narrow terminal, by far.\n");
  // Who chose does not want to hear of more.
  const Outcome outcome = Advise("advise", {"idle"});
  EXPECT_EQ(outcome.output, "\nOldChecker:\ncpu idle\n");
  EXPECT_EQ(outcome.errors, "");
  EXPECT_THAT(Advise("advise all", {"idle"}).output,
              StartsWith("1 warning.\n\nwarning   idle  cpu\n"));
}

TEST(AdviseTest, OptionsOfCheckersHold) {
  EXPECT_EQ(Advise("advise", {}, {"old.limit=0.1"}).output,
            "\nOldChecker:\ngpu busy\n");
  EXPECT_THAT(
      Advise("advise all -output json", {}, {"new.most_micros=7"}).output,
      HasSubstr(R"("value":2500,"threshold":7,)"));
}

TEST(AdviseTest, Data) {
  const Outcome json = Advise("advise -output json");
  EXPECT_THAT(json.output, StartsWith("{\"schema\":\"tfprof.advise\","
                                      "\"version\":1,\n\"checkers\":[\n"
                                      "\"OldChecker\"\n],\n"));
  EXPECT_EQ(json.errors, kMore);
  EXPECT_THAT(Advise("advise all -output json").output,
              HasSubstr("\"OldChecker\",\n\"NewChecker\",\n\"BlindChecker\""));
  EXPECT_THAT(Advise("advise -output table").output,
              StartsWith("severity  rule  subject  value  threshold"));
}

TEST(AdviseTest, Files) {
  const std::string path = TempPath("advice");
  for (const std::string line :
       {"advise -output json", "advise all -output table",
        "advise all -output json"}) {
    const Outcome outcome = Advise(line + ":outfile=" + path);
    EXPECT_TRUE(outcome.status.ok()) << line;
    EXPECT_EQ(outcome.output, "") << line;
    EXPECT_EQ(Contents(path), Advise(line).output) << line;
  }
  EXPECT_EQ(Advise("advise all -output file:outfile=" + path).output, "");
  EXPECT_EQ(Contents(path), Advise("advise all").output);
  EXPECT_EQ(Advise("advise -output file:outfile=" + path, {"old"}).output, "");
  EXPECT_EQ(Contents(path), kReport);
  EXPECT_EQ(Advise("advise all -output none").output, "");
  EXPECT_EQ(Advise("advise -output json:outfile=/nonexistent/x").status.code(),
            absl::StatusCode::kNotFound);
}

TEST(AdviseTest, WhatAdviseDoesNotHave) {
  const Outcome outcome = Advise("advise all -output timeline:outfile=x");
  EXPECT_EQ(std::string(outcome.status.message()),
            "advise has no timeline; -output is stdout, file, none, json, "
            "ndjson, csv, "
            "markdown, table or text");
  EXPECT_EQ(outcome.output, "");
  EXPECT_FALSE(Advise("advise -output pprof:outfile=x", {"old"}).status.ok());
}

}  // namespace
}  // namespace tfprof
