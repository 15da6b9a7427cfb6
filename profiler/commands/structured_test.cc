#include "profiler/commands/structured.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string ErrorOf(std::string_view name, std::vector<std::string> arguments,
                    std::vector<GivenOption> options = {}) {
  return std::string(
      MakeCommand(name, std::move(arguments), options, {}).status().message());
}

TEST(StructuredTest, ValuesAreExact) {
  const std::vector<GivenOption> options = {
      {"show_name_regexes", {"a,b", "it's", "\"x\"", ""}},
      {"select", {"micros", "bytes"}},
      {"step", {"3"}},
      {"fail-if", {"total.micros > +5%", "total.runs > 1"}}};
  const auto command =
      MakeCommand("check", {"'base.pb", "new.pb"}, options, {});
  ASSERT_TRUE(command.ok()) << std::string(command.status().message());
  EXPECT_THAT(command->options.view.show_names,
              ElementsAre("a,b", "it's", "\"x\"", ""));
  EXPECT_TRUE(command->options.view.select.Has(accounting::kRequestedBytes));
  EXPECT_EQ(command->options.view.step, 3);
  EXPECT_THAT(command->options.check.rules,
              ElementsAre("total.micros > +5%", "total.runs > 1"));
  EXPECT_THAT(command->arguments, ElementsAre("'base.pb", "new.pb"));
}

TEST(StructuredTest, AWordIsCutAtItsCommas) {
  const std::vector<GivenOption> options = {
      {.name = "show_name_regexes", .values = {"a,b"}, .is_word = true},
      {.name = "step", .values = {"3"}, .is_word = true}};
  const auto command = MakeCommand("op", {}, options, {});
  ASSERT_TRUE(command.ok()) << std::string(command.status().message());
  EXPECT_THAT(command->options.view.show_names, ElementsAre("a", "b"));
  EXPECT_EQ(command->options.view.step, 3);
}

TEST(StructuredTest, AnEmptyListIsOne) {
  const std::vector<GivenOption> options = {{"show_name_regexes", {}}};
  const auto command = MakeCommand("op", {}, options, {});
  ASSERT_TRUE(command.ok());
  EXPECT_TRUE(command->options.view.show_names.empty());
}

TEST(StructuredTest, ErrorsSayWhatIsWrong) {
  EXPECT_EQ(ErrorOf("scop", {}),
            "there is no command \"scop\"; did you mean scope?");
  EXPECT_EQ(ErrorOf("op", {}, {{"selec", {"micros"}}}),
            "there is no option \"selec\"; did you mean select?");
  EXPECT_EQ(ErrorOf("op", {}, {{"step", {"1", "2"}}}),
            "-step takes one value, found 2");
  EXPECT_EQ(ErrorOf("op", {}, {{"step", {}}}),
            "-step takes one value, found 0");
  EXPECT_THAT(ErrorOf("op", {}, {{"step", {"x"}}}), HasSubstr("not 'x'"));
  EXPECT_EQ(ErrorOf("skew", {"a"}),
            "skew takes no arguments; found 1 argument");
  EXPECT_EQ(ErrorOf("advise", {"some"}),
            "advise takes [all]; found 1 argument");
  EXPECT_THAT(ErrorOf("load", {}), HasSubstr("load needs FILE"));
  EXPECT_THAT(ErrorOf("op", {}, {{"what_if", {"MatMul=2x"}}}),
              HasSubstr("critical_path only"));
}

TEST(StructuredTest, ReadsTexts) {
  EXPECT_THAT(*ReadTexts("x", R"(["a\"b", 1.5, true])"),
              ElementsAre("a\"b", "1.5", "true"));
  EXPECT_THAT(*ReadTexts("x", "7"), ElementsAre("7"));
  EXPECT_TRUE(ReadTexts("x", "[]")->empty());
  for (const char* wrong : {"null", "{}", "[[1]]", "[null]", "[1"}) {
    EXPECT_FALSE(ReadTexts("x", wrong).ok()) << wrong;
  }
}

}  // namespace
}  // namespace tfprof::commands
