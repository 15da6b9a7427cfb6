#include "profiler/commands/meaning.h"

#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands_testing.h"

namespace tfprof::commands {
namespace {
namespace meaning_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(MeaningTest, OtherNamesOfCommands) {
  EXPECT_EQ(CommandMeantBy("q")->name, "exit");
  EXPECT_EQ(CommandMeantBy("OPS")->name, "op");
  EXPECT_EQ(CommandMeantBy("critical-path")->name, "critical_path");
  EXPECT_EQ(CommandMeantBy("cuda_gpu_kern_sum")->name, "kernels");
  EXPECT_EQ(CommandMeantBy("nothing"), nullptr);
  std::string number;
  EXPECT_EQ(CommandMeantBy("top10", &number)->name, "top");
  EXPECT_EQ(number, "10");
  EXPECT_EQ(CommandMeantBy("a.get_idle_time_breakdown(rank=0)")->name,
            "devices");
  EXPECT_EQ(CommandMeantBy("exit()")->name, "exit");
  EXPECT_EQ(CommandMeantBy("(backward)"), nullptr);
}

TEST(MeaningTest, AHintIsNeverEmpty) {
  for (const char* word : {"", "x", "opp", "select", "!!"}) {
    EXPECT_NE(CommandHint(word), "") << word;
  }
  EXPECT_EQ(CommandHint("kernls"), "did you mean kernels?");
}

TEST(MeaningTest, WordsThatAreOptions) {
  EXPECT_EQ(Parsed("op 5").options.limit, 5);
  EXPECT_EQ(Parsed("op -5").options.limit, 5);
  EXPECT_EQ(Parsed("op -n 5").options.limit, 5);
  EXPECT_EQ(Parsed("op limit 5").options.limit, 5);
  EXPECT_EQ(Parsed("set step 3").options.view.step, 3);
  EXPECT_EQ(Parsed("op -step slowest").options.step_word,
            options::StepWord::kSlowest);
  EXPECT_EQ(Parsed("op --order-by time").options.order->stat,
            accounting::kMicros);
  EXPECT_EQ(Parsed("op -min_micros 5ms").options.view.min[accounting::kMicros],
            5000);
  EXPECT_EQ(Parsed("op -min_bytes 10MB")
                .options.view.min[accounting::kRequestedBytes],
            10'000'000);
  EXPECT_EQ(Parsed("op -select micros bytes").options.view.select.size(), 2u);
  EXPECT_THAT(Parsed("op mm").arguments, ElementsAre("mm"));
}

TEST(MeaningTest, TheNameOfAFileSaysTheOutput) {
  using Type = options::OutputSpec::Type;
  const auto output = [](std::string_view line) {
    return Parsed(line).options.output;
  };
  EXPECT_EQ(output("op -o x.csv").type, Type::kCsv);
  EXPECT_EQ(output("op -o x.json").type, Type::kJson);
  EXPECT_EQ(output("op -o x").type, Type::kFile);
  EXPECT_EQ(output("timeline t.json").type, Type::kChrome);
  EXPECT_EQ(output("timeline t.pftrace").type, Type::kPerfetto);
  EXPECT_EQ(output("timeline -o t.html").type, Type::kHtml);
  EXPECT_EQ(output("timeline -o t.html").outfile(), "t.html");
}

TEST(MeaningTest, TheNameOfAFormatIsNoFile) {
  using Type = options::OutputSpec::Type;
  const auto output = [](std::string_view line) {
    return Parsed(line).options.output;
  };
  EXPECT_EQ(output("op -o json").type, Type::kJson);
  EXPECT_EQ(output("op -o json").file(), "");
  EXPECT_EQ(output("op -o CSV").type, Type::kCsv);
  EXPECT_EQ(output("op -o ./json").outfile(), "./json");
  const auto refused = [](std::string_view line) {
    return std::string(
        ParseCommand(options::SplitWords(line), options::Options())
            .status()
            .message());
  };
  EXPECT_THAT(refused("op -o yaml"), HasSubstr("-output has no type 'yaml'"));
  EXPECT_THAT(refused("op -o yaml"), HasSubstr("-o ./yaml"));
  EXPECT_THAT(refused("timeline -o html"), HasSubstr("html:outfile=FILE"));
  EXPECT_EQ(output("timeline json").type, Type::kJson);
}

TEST(MeaningTest, TheReferencesCommandLineKnowsItsOwnWordsOnly) {
  options::Options reference;
  reference.reference = true;
  for (const char* line : {"ops", "q", "op 5", "op -n 5", "op mm",
                           "op --order_by micros", "set step 3"}) {
    EXPECT_FALSE(ParseCommand(options::SplitWords(line), reference).ok())
        << line;
  }
}

TEST(MeaningTest, FlagsOfTheReferenceDecideTheForm) {
  const auto is_reference = [](std::vector<std::string> words) {
    const auto line = ParseCommandLine(words);
    EXPECT_TRUE(line.ok()) << line.status();
    return line.ok() && line->command.options.InReferenceForm();
  };
  EXPECT_TRUE(is_reference({"--profile_path=x", "op"}));
  EXPECT_TRUE(is_reference({"op", "-graph_path", "x"}));
  EXPECT_TRUE(is_reference({"x", "op", "-compatible"}));
  EXPECT_FALSE(is_reference({"x", "op"}));
  EXPECT_FALSE(is_reference({"--xplane_path=x", "op"}));
  EXPECT_FALSE(is_reference({"x", "--op_log_path=y", "op"}));
  EXPECT_FALSE(is_reference({"--profile_path=x", "op", "-agent"}));
}

TEST(MeaningTest, DiffOnTheCommandLineNamesTheBaseFirst) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{
           {"diff", "before.pb", "after.pb"},
           {"before.pb", "diff", "after.pb"},
           {"before.pb", "after.pb", "diff"},
           {"before.pb", "vs", "after.pb"},
           {"--base", "before.pb", "diff", "after.pb"},
           {"after.pb", "diff", "--base=before.pb"}}) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(words, " ")));
    const auto line = ParseCommandLine(words);
    ASSERT_TRUE(line.ok()) << line.status();
    EXPECT_EQ(line->command.info->name, "diff");
    EXPECT_THAT(line->flags.base, ElementsAre("before.pb"));
    EXPECT_THAT(line->flags.inputs.files, ElementsAre("after.pb"));
    EXPECT_THAT(line->command.arguments, IsEmpty());
  }
}

TEST(MeaningTest, OtherProgramsLookForAPartOfAName) {
  const auto names = [](std::string_view line) {
    return Parsed(line).options.view.show_names;
  };
  EXPECT_THAT(names("op -focus mm"), ElementsAre(".*mm.*"));
  EXPECT_THAT(names("op -grep 'a|b'"), ElementsAre(".*(?:a|b).*"));
  EXPECT_THAT(names("op -filter mm,relu"), ElementsAre(".*mm.*", ".*relu.*"));
  // An error shows what was written.
  EXPECT_THAT(names("op -focus ("), ElementsAre("("));
  EXPECT_THAT(names("op -show_name_regexes mm"), ElementsAre("mm"));
  EXPECT_THAT(names("op -show-name-regexes mm"), ElementsAre("mm"));
  EXPECT_THAT(Parsed("top -ignore mm").options.view.hide_names,
              ElementsAre(".*mm.*"));
}

TEST(MeaningTest, AnOptionThatTheCommandDoesNotReadIsNoted) {
  const auto notes = [](std::string_view line) { return Parsed(line).notes; };
  EXPECT_THAT(notes("overview -step 3"),
              ElementsAre(HasSubstr("explain step 3")));
  EXPECT_THAT(notes("kernels -focus mm"),
              ElementsAre(HasSubstr("kernels NAME")));
  EXPECT_THAT(notes("steps -min_micros 5"),
              ElementsAre(HasSubstr("; scope, graph, ")));
  EXPECT_THAT(notes("overview -step -1"), IsEmpty());
  EXPECT_THAT(notes("top -focus mm"), IsEmpty());
  // What `set` keeps is for the commands that read it.
  const auto kept = ParseCommand(options::SplitWords("overview"),
                                 Parsed("set -step 3 -focus mm").options);
  ASSERT_TRUE(kept.ok());
  EXPECT_THAT(kept->notes, IsEmpty());
}

TEST(MeaningTest, ALineInQuotes) {
  const auto parsed = [](const std::vector<std::string>& words) {
    return ParseCommandLine(
        words, {}, [](const std::string& word) { return word == "ls x"; });
  };
  const auto line = parsed({"x.pb", "op -limit 3", "-output", "csv"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->command.info->name, "op");
  EXPECT_EQ(line->command.options.limit, 3);
  EXPECT_THAT(line->flags.inputs.files, ElementsAre("x.pb"));
  // It is quoted as in the shell.
  EXPECT_THAT(parsed({"x.pb", "show 'a b'"})->command.arguments,
              ElementsAre("a b"));
  EXPECT_EQ(parsed({"x.pb", "why step3"})->command.info->name, "explain");
  EXPECT_THAT(std::string(parsed({"x.pb", "top 5 cum"}).status().message()),
              HasSubstr("top does not take \"cum\""));
  // A file of this name, the value of an option, words of another program.
  EXPECT_THAT(parsed({"ls x"})->flags.inputs.files, ElementsAre("ls x"));
  EXPECT_THAT(parsed({"x.pb", "-show_name_regexes", "op x", "scope"})
                  ->command.options.view.show_names,
              ElementsAre("op x"));
  EXPECT_THAT(parsed({"record", "sh", "op x"})->command.arguments,
              ElementsAre("sh", "op x"));
  EXPECT_THAT(std::string(parsed({"x.pb", "op | rm y"}).status().message()),
              HasSubstr("outside of the quotes"));
}

}  // namespace meaning_test
}  // namespace
}  // namespace tfprof::commands
