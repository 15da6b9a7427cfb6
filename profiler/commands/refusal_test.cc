#include "profiler/commands/refusal.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/options/options.h"
#include "profiler/options/words.h"

namespace tfprof::commands {
namespace {
namespace refusal_test {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// What is said about a line of our shell.
std::string Said(std::string_view line) {
  const auto command =
      ParseCommand(options::SplitWords(line), options::Options());
  EXPECT_FALSE(command.ok()) << line;
  return std::string(command.status().message());
}

TEST(RefusalTextTest, ASentenceLeadsWithWhatWasWrong) {
  EXPECT_EQ(Said("opp"), "there is no command \"opp\"; did you mean op?");
  EXPECT_EQ(Said("xyzzyx"),
            "there is no command \"xyzzyx\"; help lists the commands");
  EXPECT_EQ(Said("op -ordr_by name"),
            "there is no option \"-ordr_by\"; did you mean -order_by?");
  EXPECT_EQ(Said("op -order_by mircos"),
            "-order_by has no 'mircos'; did you mean micros?");
  EXPECT_EQ(Said("op -step"), "-step needs a value: -step N");
  EXPECT_EQ(Said("advise al"),
            "advise does not take \"al\"; did you mean all?");
  EXPECT_THAT(Said("select * from kernels"), HasSubstr("there is no SQL"));
  EXPECT_THAT(Said("op -base x"), HasSubstr("base FILE"));
  EXPECT_THAT(Said("-step 1"), StartsWith("a line begins with a command"));
}

options::Options InReferenceForm() {
  options::Options options;
  options.reference = true;
  return options;
}

// The hint behind the reference's message.
std::string ForLine(std::string_view line) {
  Refusal refusal;
  EXPECT_FALSE(
      ParseCommand(options::SplitWords(line), InReferenceForm(), &refusal)
          .ok());
  return SuggestFor(refusal);
}

TEST(RefusalTextTest, HintsBehindTheReferencesMessages) {
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

std::string ForArguments(std::vector<std::string> words) {
  Refusal refusal;
  EXPECT_FALSE(ParseCommandLine(words, InReferenceForm(), {}, &refusal).ok());
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
  EXPECT_EQ(SuggestFor(Refusal()), "");
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

}  // namespace refusal_test
}  // namespace
}  // namespace tfprof::commands
