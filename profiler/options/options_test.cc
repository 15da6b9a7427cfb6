#include "profiler/options/options.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::options {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(OptionTableTest, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const Option& option : OptionTable()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_EQ(FindOption(option.name), &option);
    EXPECT_THAT(option.help, Not(IsEmpty()));
    EXPECT_THAT(option.value_name, Not(IsEmpty()));
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
      options.output.keys = {{"name", "trace_analysis"}, {"outfile", "x"}};
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
        value = choice;
      }
    }
    if (option.name == "output") value = "file:outfile=f";
    if (option.name == "to") value = "files:outdir=d";
    if (option.name == "budget") value = "300";
    if (option.name == "device_peaks") value = "1e12,1e9";
    if (option.name == "window") value = "1:7";
    if (option.name == "what_if") value = "MatMul=2x";
    if (option.name == "fail-if") value = "op:x.micros > 5us";
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

// Each is in one group, so that the row of a command can name it.
TEST(OptionTableTest, EachIsInOneGroup) {
  for (const Option& option : OptionTable()) {
    const unsigned group = option.group;
    EXPECT_TRUE(group != 0 && (group & (group - 1)) == 0) << option.name;
  }
}

TEST(ParseOptionTest, ErrorsOfTheReferenceHaveOneWording) {
  Options options;
  options.reference = true;
  const auto error = [&](std::string_view name, std::string_view value) {
    return std::string(
        ParseOption(*FindOption(name), value, options).message());
  };
  EXPECT_EQ(error("step", "x"), "Invalid option '-step' value: 'x'");
  EXPECT_EQ(error("noise", "-1"), "Invalid option '-noise' value: '-1'");
  EXPECT_EQ(error("noise", "nan"), "Invalid option '-noise' value: 'nan'");
  // An option may say more.
  EXPECT_THAT(error("fail-if", "op:x"), StartsWith("--fail-if: column "));
  EXPECT_THAT(error("to", "x"), HasSubstr("-to takes profile:outfile=FILE"));
}

TEST(ParseOptionTest, RulesAddUp) {
  Options options;
  const Option& rule = *FindOption("fail_if");
  ASSERT_TRUE(ParseOption(rule, "total.micros > +5%", options).ok());
  ASSERT_TRUE(ParseOption(rule, "'op:a.micros > 5ms'", options).ok());
  EXPECT_THAT(options.check.rules,
              ElementsAre("total.micros > +5%", "op:a.micros > 5ms"));
  ASSERT_TRUE(ParseOption(rule, "", options).ok());
  EXPECT_THAT(options.check.rules, IsEmpty());
}

TEST(ParseOptionTest, NoiseIsAPercentage) {
  Options options;
  for (const char* word : {"2.5", "2.5%"}) {
    ASSERT_TRUE(ParseOption(*FindOption("noise"), word, options).ok());
    EXPECT_DOUBLE_EQ(options.check.noise, 0.025);
  }
}

TEST(ParseOptionTest, PeaksAreOperationsAndBytesPerSecond) {
  Options options;
  const Option& peaks = *FindOption("device_peaks");
  EXPECT_EQ(peaks.format(options), "");
  ASSERT_TRUE(ParseOption(peaks, "1e15,2e12", options).ok());
  EXPECT_EQ(options.device_peaks->flops_per_second, 1e15);
  EXPECT_EQ(options.device_peaks->bytes_per_second, 2e12);
  Options again;
  ASSERT_TRUE(ParseOption(peaks, peaks.format(options), again).ok());
  EXPECT_EQ(again.device_peaks->flops_per_second, 1e15);
  EXPECT_FALSE(ParseOption(peaks, "1e15", options).ok());
  ASSERT_TRUE(ParseOption(peaks, "", options).ok());
  EXPECT_FALSE(options.device_peaks.has_value());
}

TEST(ParseOptionTest, StepIsANumberOrAll) {
  Options options;
  const Option& step = *FindOption("step");
  ASSERT_TRUE(ParseOption(step, "all", options).ok());
  EXPECT_EQ(options.view.step, accounting::kAllSteps);
  ASSERT_TRUE(ParseOption(step, "3", options).ok());
  EXPECT_EQ(options.view.step, 3);
  EXPECT_FALSE(ParseOption(step, "every", options).ok());
}

}  // namespace
}  // namespace tfprof::options
