#include "profiler/options/option_values.h"

#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::options {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// An error without a message: the caller writes it.
bool IsBad(const absl::Status& status) {
  return absl::IsInvalidArgument(status) && status.message().empty();
}

absl::Status Set(std::string_view name, std::string_view word,
                 Options& options) {
  return FindOption(name)->parse(word, options);
}

std::string Shown(std::string_view name, const Options& options) {
  return FindOption(name)->format(options);
}

TEST(ParseBoolTest, TakesTheWordsOfTheReferenceInAnyCase) {
  for (const char* word : {"true", "T", "YES", "y", "1"}) {
    bool value = false;
    EXPECT_TRUE(ParseBool(word, value)) << word;
    EXPECT_TRUE(value) << word;
  }
  for (const char* word : {"False", "f", "NO", "n", "0"}) {
    bool value = true;
    EXPECT_TRUE(ParseBool(word, value)) << word;
    EXPECT_FALSE(value) << word;
  }
}

TEST(ParseBoolTest, OtherWordsChangeNothing) {
  bool value = true;
  for (const char* word : {"", "maybe", "tru", "01", "on"}) {
    EXPECT_FALSE(ParseBool(word, value)) << word;
    EXPECT_FALSE(IsBoolWord(word)) << word;
  }
  EXPECT_TRUE(value);
}

TEST(OrderTest, IsByNameOrByAStatistic) {
  Options options;
  EXPECT_FALSE(options.order.has_value());
  ASSERT_TRUE(ParseOrder("peak_bytes", options).ok());
  EXPECT_TRUE(options.order.has_value());
  EXPECT_EQ(FormatOrder(options), "peak_bytes");
  ASSERT_TRUE(ParseOrder("name", options).ok());
  EXPECT_EQ(options.Rows().order, views::ViewOptions::Order::kName);
  EXPECT_EQ(FormatOrder(options), "name");
}

TEST(OrderTest, AStatisticMayBeNamedAsInData) {
  Options options;
  ASSERT_TRUE(ParseOrder("requested_bytes", options).ok());
  EXPECT_EQ(FormatOrder(options), "bytes");
  EXPECT_TRUE(IsBad(ParseOrder("size", options)));
  EXPECT_TRUE(IsBad(ParseOrder("device", options)));
  EXPECT_TRUE(IsBad(ParseOrder("", options)));
  // A wrong word leaves the order as it was.
  EXPECT_EQ(FormatOrder(options), "bytes");
}

TEST(SelectTest, TakesFieldsOfTextAndStatistics) {
  Options options;
  ASSERT_TRUE(ParseSelect("device,parameters,'micros'", options).ok());
  EXPECT_EQ(FormatSelect(options), "device,micros,params");
  ASSERT_TRUE(ParseSelect(",", options).ok());
  EXPECT_EQ(FormatSelect(options), "");
}

TEST(SelectTest, OneWrongFieldRefusesAll) {
  Options options;
  const std::string before = FormatSelect(options);
  EXPECT_TRUE(IsBad(ParseSelect("bytes,size", options)));
  EXPECT_EQ(FormatSelect(options), before);
}

TEST(ChoicesTest, FlopsAndColorAreOneOfTheirWords) {
  Options options;
  for (const char* word : {"op_log", "auto", "graph", "off"}) {
    ASSERT_TRUE(Set("flops", word, options).ok()) << word;
    EXPECT_EQ(Shown("flops", options), word);
  }
  for (const char* word : {"auto", "always", "never"}) {
    ASSERT_TRUE(Set("color", word, options).ok()) << word;
    EXPECT_EQ(Shown("color", options), word);
  }
  for (const char* word : {"", "Auto", "automatic"}) {
    EXPECT_TRUE(IsBad(Set("flops", word, options))) << word;
    EXPECT_TRUE(IsBad(Set("color", word, options))) << word;
  }
}

TEST(ToTest, HasATypeAndAPath) {
  Options options;
  ASSERT_TRUE(ParseTo("profile:outfile=a=b,c", options).ok());
  EXPECT_EQ(options.convert.type, ConvertSpec::Type::kProfile);
  EXPECT_EQ(options.convert.path, "a=b,c");
  ASSERT_TRUE(ParseTo("'files:outdir=my folder'", options).ok());
  EXPECT_EQ(options.convert.type, ConvertSpec::Type::kFiles);
  EXPECT_EQ(FormatTo(options), "files:outdir=my folder");
  ASSERT_TRUE(ParseTo("", options).ok());
  EXPECT_EQ(options.convert, ConvertSpec());
  EXPECT_EQ(FormatTo(options), "");
}

TEST(ToTest, OtherTypesKeysAndEmptyPathsAreErrors) {
  Options options;
  for (const char* word :
       {"profile", "profile:", "profile:outfile=", "profile:outdir=x",
        "files:outfile=x", "graph:outfile=x"}) {
    EXPECT_EQ(std::string(ParseTo(word, options).message()),
              "-to takes profile:outfile=FILE, files:outdir=FOLDER, "
              "messages:outdir=FOLDER, session:outdir=FOLDER or "
              "session:outfile=FILE, not '" +
                  std::string(word) + "'");
  }
  EXPECT_EQ(options.convert, ConvertSpec());
}

TEST(StepsTest, AreNumbersAndRanges) {
  Options options;
  ASSERT_TRUE(ParseSteps("3,5-7", options).ok());
  EXPECT_EQ(options.convert.steps, (profile::StepList{{3, 3}, {5, 7}}));
  for (const char* word : {"x", "7-5", "-1", "1,,2", "1-"}) {
    EXPECT_TRUE(IsBad(ParseSteps(word, options))) << word;
  }
  ASSERT_TRUE(ParseSteps("''", options).ok());
  EXPECT_THAT(options.convert.steps, IsEmpty());
}

TEST(RuleTest, IsCheckedAtOnce) {
  Options options;
  ASSERT_TRUE(ParseRule("'total.micros > +5%'", options).ok());
  const absl::Status status = ParseRule("op:x.weight > 1", options);
  EXPECT_THAT(std::string(status.message()), StartsWith("--fail-if: column "));
  EXPECT_THAT(options.check.rules, ElementsAre("total.micros > +5%"));
}

TEST(RuleTest, ExactValuesReplaceAllRules) {
  Options options;
  const Option& rule = *FindOption("fail-if");
  ASSERT_TRUE(SetOption(rule, {"total.micros > +5%"}, options).ok());
  ASSERT_TRUE(
      SetOption(rule, {"op:a.micros > 1", "op:b.micros > 2"}, options).ok());
  EXPECT_THAT(options.check.rules,
              ElementsAre("op:a.micros > 1", "op:b.micros > 2"));
}

TEST(NoiseTest, IsAPercentageUpTo1000) {
  Options options;
  ASSERT_TRUE(ParseNoise("1000%", options).ok());
  EXPECT_DOUBLE_EQ(options.check.noise, 10);
  ASSERT_TRUE(ParseNoise("0", options).ok());
  EXPECT_DOUBLE_EQ(options.check.noise, 0);
  for (const char* word :
       {"", "%", "-1", "1000.1", "nan", "inf", "1e2", "5%%", "5 %", "+5"}) {
    EXPECT_TRUE(IsBad(ParseNoise(word, options))) << word;
  }
}

TEST(ChoiceHelpTest, ExplainsFieldsAndOutputs) {
  EXPECT_EQ(ChoiceHelp(*FindOption("order_by"), "name"), "Ascending by name.");
  EXPECT_NE(ChoiceHelp(*FindOption("select"), "device"), "");
  EXPECT_THAT(std::string(ChoiceHelp(*FindOption("output"), "json")),
              HasSubstr("JSON"));
  EXPECT_EQ(ChoiceHelp(*FindOption("output"), "nothing"), "");
  EXPECT_EQ(ChoiceHelp(*FindOption("flops"), "auto"), "");
}

TEST(OptionChoicesTest, FreeValuesHaveNone) {
  for (const char* name : {"step", "max_depth", "show_name_regexes", "to",
                           "steps", "rules", "noise", "source_path"}) {
    EXPECT_THAT(OptionChoices(*FindOption(name)), IsEmpty()) << name;
  }
  EXPECT_THAT(OptionChoices(*FindOption("agent")),
              ElementsAre("true", "false"));
}

}  // namespace
}  // namespace tfprof::options
