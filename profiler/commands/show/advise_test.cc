// The command `advise`, on fake checkers.

#include "profiler/commands/show/advise.h"

#include <string>
#include <utility>
#include <vector>

#include "accounting/small_model_testing.h"
#include "advisor/fake_checkers_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/parse.h"
#include "profiler/options/words.h"
#include "tables/writers/answer_writer.h"
#include "util/files/sink.h"
#include "util/run/cancellation.h"

namespace tfprof::commands {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kReport = "\nOldChecker:\ngpu busy\ncpu idle\n";
constexpr std::string_view kMore = "3 more findings of 1 checker: advise all\n";

struct Outcome {
  absl::Status status;
  bool ignores_output = false;
  std::string output;  // in the format that -output asks for
  std::string errors;
};

// Runs a line with these checkers and values of a registry. They are not in the
// line, because a line can only name checkers that are built in.
Outcome RunLine(const std::string& line, std::vector<std::string> checkers = {},
                std::vector<std::string> values = {},
                advisor::CheckerRegistry registry = advisor::kFakeCheckers) {
  absl::StatusOr<Command> command =
      ParseCommand(options::SplitWords(line), options::Options());
  if (!command.ok()) return {.status = command.status()};
  command->options.advice.checkers = *ParseCheckers(checkers, registry);
  command->options.advice.values = *ParseCheckerValues(values, registry);
  loaders::Loaded loaded;
  loaded.profile = accounting::SmallModel();
  Workspace workspace(std::move(loaded), {});
  const tables::Answer answer = Advise(registry, *command, workspace);
  Outcome outcome{.status = answer.status,
                  .ignores_output = answer.ignores_output};
  for (const std::string& note : answer.notes) outcome.errors += note + "\n";
  if (!answer.status.ok()) return outcome;
  const options::OutputInfo& output =
      options::FindOutput(command->options.output.type);
  util::StringSink sink;
  EXPECT_TRUE(
      tables::WriteAnswer(answer,
                          output.is_format
                              ? output.name
                              : tables::DefaultFormat(answer, /*agent=*/false,
                                                      /*reference=*/true),
                          {}, sink)
          .ok());
  outcome.output = sink.text();
  if (answer.met) {
    for (const std::string& note : answer.met()) outcome.errors += note + "\n";
  }
  return outcome;
}

TEST(AdviseTest, PlainAdviceIsThatOfTheReference) {
  const Outcome outcome = RunLine("advise -compatible");
  EXPECT_EQ(outcome.output, kReport);
  EXPECT_EQ(outcome.errors, kMore);
  EXPECT_TRUE(outcome.status.ok());
}

TEST(AdviseTest, WithoutMoreFindingsThereIsNoNote) {
  const advisor::Checker* registry[] = {&advisor::kOldChecker,
                                        &advisor::kBlindChecker};
  const Outcome outcome = RunLine("advise -compatible", {}, {}, registry);
  EXPECT_EQ(outcome.output, kReport);
  EXPECT_EQ(outcome.errors, "");
}

TEST(AdviseTest, PlainAdviceIgnoresOutputAsTheReferenceDoes) {
  for (const std::string output : {"stdout", "none", "file:outfile=x",
                                   "timeline:outfile=x", "pprof:outfile=x"}) {
    const Outcome outcome =
        RunLine("advise -compatible -step 7 -output " + output);
    EXPECT_TRUE(outcome.ignores_output) << output;
    EXPECT_EQ(outcome.output, kReport) << output;
    EXPECT_TRUE(outcome.status.ok()) << output;
    EXPECT_FALSE(RunLine("advise all -output " + output).ignores_output);
    EXPECT_FALSE(RunLine("advise -output " + output, {"old"}).ignores_output);
  }
}

TEST(AdviseTest, AllIsWhatPlainAdviceIs) {
  EXPECT_EQ(RunLine("advise").output, RunLine("advise all").output);
  EXPECT_FALSE(RunLine("advise -output file:outfile=x").ignores_output);
}

TEST(AdviseTest, AllShowsTheWorstFirst) {
  const Outcome outcome = RunLine("advise all");
  EXPECT_THAT(outcome.output,
              StartsWith("1 critical, 3 warnings, 1 for information. 2 of 3 "
                         "checkers could judge this profile.\n\ncritical  "
                         "slow  step 7\n"));
  EXPECT_EQ(outcome.errors, "nothing to see for BlindChecker\n");
}

TEST(AdviseTest, ChosenCheckersRunAlone) {
  EXPECT_EQ(RunLine("advise -compatible", {"new"}).output,
            "\nNewChecker:\nfirst\nsecond\nslow\nA sentence that does not fit "
            "on one line of a narrow terminal, by far.\n");
  // A user who chose checkers gets no note about others.
  const Outcome outcome = RunLine("advise -compatible", {"idle"});
  EXPECT_EQ(outcome.output, "\nOldChecker:\ncpu idle\n");
  EXPECT_EQ(outcome.errors, "");
  EXPECT_THAT(RunLine("advise all", {"idle"}).output,
              StartsWith("1 warning.\n\nwarning   idle  cpu\n"));
}

TEST(AdviseTest, OptionsOfCheckersAreUsed) {
  EXPECT_EQ(RunLine("advise -compatible", {}, {"old.limit=0.1"}).output,
            "\nOldChecker:\ngpu busy\n");
  EXPECT_THAT(
      RunLine("advise all -output json", {}, {"new.most_micros=7"}).output,
      HasSubstr(R"("value":2500,"threshold":7,)"));
}

TEST(AdviseTest, DataHasTheFindingsOfTheSameCheckers) {
  const Outcome json = RunLine("advise -compatible -output json");
  EXPECT_THAT(json.output, StartsWith("{\"schema\":\"tfprof.advise\","));
  EXPECT_THAT(json.output, HasSubstr("{\"checker\":\"OldChecker\""));
  EXPECT_THAT(json.output, Not(HasSubstr("NewChecker")));
  // A program gets no note about further findings.
  EXPECT_EQ(json.errors, "");
  EXPECT_THAT(RunLine("advise all -output json").output,
              HasSubstr("{\"checker\":\"NewChecker\""));
  EXPECT_THAT(RunLine("advise -output table").output,
              HasSubstr("\nseverity  rule  subject "));
}

TEST(AdviseTest, TracesAreRefused) {
  const Outcome outcome = RunLine("advise all -output timeline:outfile=x");
  EXPECT_EQ(std::string(outcome.status.message()),
            "advise has no timeline; -output is stdout, file, none, json, "
            "ndjson, csv, markdown, table, text or proto");
  EXPECT_EQ(outcome.output, "");
  EXPECT_FALSE(RunLine("advise -output pprof:outfile=x", {"old"}).status.ok());
}

TEST(AdviseTest, AllCheckersRunOnceForAProfile) {
  loaders::Loaded loaded;
  loaded.profile = accounting::SmallModel();
  OpenProfile opened(std::move(loaded));
  const auto first = AllAdvice(opened);
  EXPECT_FALSE(first->sections.empty());
  EXPECT_EQ(AllAdvice(opened), first);
}

TEST(AdviseTest, ACancelledQuestionIsNotKept) {
  util::Cancellation cancellation;
  cancellation.Request();
  loaders::Loaded loaded;
  loaded.profile = accounting::SmallModel();
  OpenProfile opened(std::move(loaded), {.cancellation = &cancellation});
  EXPECT_TRUE(AllAdvice(opened)->sections.empty());
  cancellation.Reset();
  EXPECT_FALSE(AllAdvice(opened)->sections.empty());
}

}  // namespace
}  // namespace tfprof::commands
