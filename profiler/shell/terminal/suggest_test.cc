#include "profiler/shell/terminal/suggest.h"

#include <string>
#include <string_view>
#include <utility>

#include "accounting/small_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/options/words.h"

namespace tfprof::shell {
namespace {
namespace suggest_test {

using ::testing::HasSubstr;

std::string ForLine(std::string_view line) {
  commands::Refusal refusal;
  EXPECT_FALSE(commands::ParseCommand(options::SplitWords(line),
                                      options::Options(), &refusal)
                   .ok());
  return SuggestFor(refusal);
}

TEST(SuggestTest, Lines) {
  EXPECT_EQ(ForLine("scpoe"), "did you mean scope?");
  EXPECT_EQ(ForLine("xyzzyx"), "help lists the commands");
  EXPECT_EQ(ForLine("-step 1"),
            "a line begins with a command; did you mean set -step …?");
  EXPECT_EQ(ForLine("op -ordr_by name"), "did you mean -order_by?");
  EXPECT_EQ(ForLine("op --ordr_by=name"), "did you mean --order_by?");
  EXPECT_EQ(ForLine("op --step=2"),
            "in a line an option has one dash: -step=2");
  EXPECT_EQ(ForLine("op -order_by mircos"), "did you mean micros?");
  EXPECT_EQ(ForLine("op -select bytes,mircos"), "did you mean micros?");
  EXPECT_EQ(ForLine("op -step x"), "-step takes N");
  EXPECT_EQ(ForLine("op -step"), "-step takes N");
  EXPECT_EQ(ForLine("op -output tmeline:outfile=x"), "did you mean timeline?");
  EXPECT_EQ(ForLine("op -account_displayed_op_only maybe"),
            "-account_displayed_op_only takes BOOL: true, false");
  EXPECT_EQ(ForLine("op micros"),
            "options of op begin with a dash; help op lists them");
  EXPECT_THAT(ForLine("op -order_by qqqqqq"),
              HasSubstr("-order_by takes ORDER: name, bytes"));
}

profile::Profile NamesProfile() {
  profile::ProfileBuilder builder;
  for (const char* name :
       {"net/unit_1/conv", "net/unit_1/relu", "net/unit_2/conv", "loss"}) {
    profile::AddNodeWithInputs(
        builder, name, name[0] == 'l' ? "SoftmaxLoss" : "Conv2D", {}, {1});
  }
  return std::move(builder).Build();
}

class SuggestNamesTest : public testing::Test {
 protected:
  std::string For(views::View view, const std::string& show) {
    views::ViewOptions options;
    options.show_names = {show};
    return SuggestNames(view, options, names_);
  }

  const profile::Profile profile_ = NamesProfile();
  NameIndex names_{profile_};
};

TEST_F(SuggestNamesTest, OnePartIsCorrected) {
  EXPECT_EQ(For(views::View::kScope, "net/unti_2/conv"),
            "nothing is called 'net/unti_2/conv'; did you mean "
            "net/unit_2/conv?");
  EXPECT_EQ(For(views::View::kScope, "lost.*"),
            "nothing is called 'lost'; did you mean loss?");
  EXPECT_EQ(For(views::View::kOp, "Cnov2D"),
            "nothing is called 'Cnov2D'; did you mean Conv2D?");
}

TEST_F(SuggestNamesTest, APartOfANameGetsAnExpressionThatMatches) {
  EXPECT_EQ(For(views::View::kScope, "relu"),
            "'relu' matches whole names only; names that contain it, such as "
            "net/unit_1/relu, match '.*relu.*'");
}

TEST_F(SuggestNamesTest, ExistingNamesGetNoSuggestion) {
  EXPECT_EQ(For(views::View::kScope, "loss"), "");
  EXPECT_EQ(For(views::View::kScope, "net"), "");
  EXPECT_EQ(For(views::View::kScope, ".*relu.*"), "");
  EXPECT_EQ(For(views::View::kScope, "[abc]+"), "");
  EXPECT_EQ(For(views::View::kScope, "quite something else"), "");
}

TEST_F(SuggestNamesTest, ListsWithSeveralNamesGetSeveralSuggestions) {
  views::ViewOptions options;
  options.show_names = {"lost", "net/unit_1/rleu"};
  EXPECT_EQ(SuggestNames(views::View::kScope, options, names_),
            "nothing is called 'lost'; did you mean loss?\n"
            "nothing is called 'net/unit_1/rleu'; did you mean "
            "net/unit_1/relu?");
}

TEST_F(SuggestNamesTest, TypesAndStartsAreChecked) {
  views::ViewOptions options;
  options.account_types = {"Cnov2D"};
  options.start_names = {"lsos"};
  EXPECT_EQ(SuggestNames(views::View::kGraph, options, names_),
            "nothing is called 'Cnov2D'; did you mean Conv2D?\n"
            "nothing is called 'lsos'; did you mean loss?");
  // Rows that are hidden or trimmed do not empty a report by a typo.
  views::ViewOptions hidden;
  hidden.hide_names = {"lost"};
  hidden.trim_names = {"lost"};
  EXPECT_EQ(SuggestNames(views::View::kScope, hidden, names_), "");
}

std::string ForArguments(std::vector<std::string> words) {
  commands::Refusal refusal;
  EXPECT_FALSE(
      commands::ParseCommandLine(words, options::Options(), {}, &refusal).ok());
  return SuggestFor(refusal);
}

TEST(SuggestForTest, ArgumentsOfTheProgramMayBeFlags) {
  EXPECT_EQ(ForArguments({"--grpah_path=x"}), "did you mean --graph_path?");
  EXPECT_EQ(ForArguments({"F", "op", "-slect", "micros"}),
            "did you mean -select?");
  EXPECT_EQ(ForArguments({"--xyzzy"}), "");
}

TEST(SuggestForTest, AFlagWithoutAValueNeedsNoSuggestion) {
  // The error says what is missing.
  EXPECT_EQ(ForArguments({"--graph_path"}), "");
  EXPECT_EQ(SuggestFor(commands::Refusal()), "");
}

TEST(SuggestValueTest, QuotesAreNotPartOfTheValue) {
  EXPECT_EQ(SuggestValue(*options::FindOption("order_by"), "'mircos'"),
            "did you mean micros?");
  EXPECT_EQ(SuggestValue(*options::FindOption("select"), "'bytes,mircos'"),
            "did you mean micros?");
}

TEST(SuggestValueTest, ErrorsThatExplainThemselvesGetNone) {
  // They list all choices, or say what is wrong with a rule.
  EXPECT_EQ(SuggestValue(*options::FindOption("output"), "qqqqqqqq"), "");
  EXPECT_EQ(SuggestValue(*options::FindOption("checkers"), "qqqqqqqq"), "");
  EXPECT_EQ(SuggestValue(*options::FindOption("fail-if"), "op:x"), "");
}

TEST(SuggestValueTest, AnOutputIsComparedByItsTypeOnly) {
  EXPECT_EQ(
      SuggestValue(*options::FindOption("output"), "jsn:outfile=timeline"),
      "did you mean json?");
}

TEST(SuggestValueTest, AValueWithoutChoicesHasItsForm) {
  EXPECT_EQ(SuggestValue(*options::FindOption("noise"), "much"),
            "-noise takes PERCENT");
  EXPECT_EQ(SuggestValue(*options::FindOption("steps"), "a-b"),
            "-steps takes N,N-M,…");
}

}  // namespace suggest_test
}  // namespace
}  // namespace tfprof::shell
