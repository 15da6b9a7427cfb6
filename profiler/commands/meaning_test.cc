#include "profiler/commands/meaning.h"

#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands_testing.h"

namespace tfprof::commands {
namespace {
namespace meaning_test {

using ::testing::ElementsAre;
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
  const auto line = ParseCommandLine(
      std::vector<std::string>{"diff", "before.pb", "after.pb"});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(line->command.info->name, "diff");
  EXPECT_THAT(line->flags.base, ElementsAre("before.pb"));
  EXPECT_THAT(line->flags.inputs.files, ElementsAre("after.pb"));
  EXPECT_THAT(line->command.arguments, IsEmpty());
}

}  // namespace meaning_test
}  // namespace
}  // namespace tfprof::commands
