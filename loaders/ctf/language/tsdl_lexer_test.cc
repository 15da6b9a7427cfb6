#include "loaders/ctf/language/tsdl_lexer.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::ctf {
namespace {

using ::testing::ElementsAre;

std::vector<TsdlToken> AllOf(std::string_view text) {
  TsdlLexer lexer(text);
  std::vector<TsdlToken> tokens;
  for (TsdlToken token = lexer.Next(); token.kind != TsdlToken::kEnd;
       token = lexer.Next()) {
    tokens.push_back(token);
    if (token.kind == TsdlToken::kWrong) break;
  }
  return tokens;
}

TEST(TsdlLexer, GivesWordsNumbersAndStrings) {
  std::vector<std::string> texts;
  for (const TsdlToken& token :
       AllOf("a.b /* c */ := -0x10 \"x\\\"y\" ... // end")) {
    texts.emplace_back(token.text);
  }
  EXPECT_THAT(texts,
              ElementsAre("a", ".", "b", ":=", "-0x10", "x\\\"y", "..."));
  EXPECT_EQ(UnescapeTsdl("x\\\"y"), "x\"y");
}

TEST(TsdlLexer, NumbersAreDecimalOctalOrHexadecimal) {
  const std::vector<TsdlToken> tokens =
      AllOf("12 -12 0x1F 017 18446744073709551615");
  ASSERT_EQ(tokens.size(), 5u);
  for (const TsdlToken& token : tokens) {
    EXPECT_EQ(token.kind, TsdlToken::kNumber) << token.text;
  }
  EXPECT_EQ(tokens[0].number, 12u);
  EXPECT_FALSE(tokens[0].negative);
  EXPECT_EQ(tokens[1].number, 12u);
  EXPECT_TRUE(tokens[1].negative);
  EXPECT_EQ(tokens[2].number, 31u);
  EXPECT_EQ(tokens[3].number, 15u);
  EXPECT_EQ(tokens[4].number, ~uint64_t{0});
}

TEST(TsdlLexer, ATokenKnowsItsByte) {
  const std::vector<TsdlToken> tokens = AllOf("/* x */ a\n  b");
  ASSERT_EQ(tokens.size(), 2u);
  EXPECT_EQ(tokens[0].offset, 8u);
  EXPECT_EQ(tokens[1].offset, 12u);
}

TEST(TsdlLexer, WordsWithoutAnEndAreWrong) {
  EXPECT_EQ(TsdlLexer("8uLL").Next().number, 8u);
  EXPECT_EQ(TsdlLexer("8bits").Next().kind, TsdlToken::kWrong);
  EXPECT_EQ(TsdlLexer("/* abc").Next().kind, TsdlToken::kWrong);
  EXPECT_EQ(TsdlLexer("\"abc").Next().kind, TsdlToken::kWrong);
  EXPECT_EQ(TsdlLexer("99999999999999999999999").Next().kind,
            TsdlToken::kWrong);
}

TEST(TsdlLexer, TheEndStaysTheEnd) {
  TsdlLexer lexer(" // nothing");
  EXPECT_EQ(lexer.Next().kind, TsdlToken::kEnd);
  EXPECT_EQ(lexer.Next().kind, TsdlToken::kEnd);
}

}  // namespace
}  // namespace tfprof::ctf
