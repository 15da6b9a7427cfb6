#include "profiler/options/words.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::options {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(WordsTest, BlanksSeparate) {
  EXPECT_THAT(SplitWords("op"), ElementsAre("op"));
  EXPECT_THAT(SplitWords("  op   -step  1 "), ElementsAre("op", "-step", "1"));
  EXPECT_THAT(SplitWords(""), IsEmpty());
  EXPECT_THAT(SplitWords("   "), IsEmpty());
  // A tab is part of a word, as in the reference.
  EXPECT_THAT(SplitWords("op\t-step 1"), ElementsAre("op\t-step", "1"));
}

TEST(WordsTest, QuotesProtectBlanks) {
  EXPECT_THAT(SplitWords("a 'b c' d"), ElementsAre("a", "'b c'", "d"));
  EXPECT_THAT(SplitWords("a \"b 'c\" d"), ElementsAre("a", "\"b 'c\"", "d"));
  EXPECT_THAT(SplitWords("pre'x y'post z"), ElementsAre("pre'x y'post", "z"));
  EXPECT_THAT(SplitWords("''"), ElementsAre("''"));
  // A quote that is never closed is an ordinary character.
  EXPECT_THAT(SplitWords("a b'c d"), ElementsAre("a", "b'c", "d"));
}

TEST(WordsTest, Comments) {
  EXPECT_THAT(SplitWords("# all of it"), IsEmpty());
  EXPECT_THAT(SplitWords("op # rest"), ElementsAre("op"));
  EXPECT_THAT(SplitWords("op a#b"), ElementsAre("op", "a#b"));
  EXPECT_THAT(SplitWords("op '# no' # yes"), ElementsAre("op", "'# no'"));
}

TEST(WordsTest, Unquote) {
  EXPECT_EQ(Unquote("'a b'"), "a b");
  EXPECT_EQ(Unquote("\"'\"a'b'"), "a'b");
  EXPECT_EQ(Unquote("''\""), "");
  EXPECT_EQ(Unquote("plain"), "plain");
}

TEST(WordsTest, Lists) {
  EXPECT_THAT(SplitList("a,b"), ElementsAre("a", "b"));
  EXPECT_THAT(SplitList(",a,,b,"), ElementsAre("a", "b"));
  EXPECT_THAT(SplitList(","), IsEmpty());
  EXPECT_THAT(SplitList(""), IsEmpty());
  EXPECT_THAT(SplitList("''"), IsEmpty());
  EXPECT_THAT(SplitList("'a,b'"), ElementsAre("a", "b"));
  EXPECT_THAT(SplitList("'a b',c"), ElementsAre("a b", "c"));
}

TEST(WordsTest, CommasInsideQuotesAndBrackets) {
  EXPECT_THAT(SplitList("'.*a{1,2},b'"), ElementsAre(".*a{1,2}", "b"));
  EXPECT_THAT(SplitList("'\"x,y\",z'"), ElementsAre("x,y", "z"));
  EXPECT_THAT(SplitList("'[,;],(a,(b,c)),d'"),
              ElementsAre("[,;]", "(a,(b,c))", "d"));
  // Without quotes every comma separates, as the reference's users expect.
  EXPECT_THAT(SplitList(".*a{1,2}"), ElementsAre(".*a{1", "2}"));
  // A bracket that is never closed is an ordinary character, and so is an
  // escaped one.
  EXPECT_THAT(SplitList("'(a,b'"), ElementsAre("(a", "b"));
  EXPECT_THAT(SplitList("'\\(a,b)'"), ElementsAre("\\(a", "b)"));
}

TEST(OpenWordTest, BeginsBehindTheLastBlankOutsideOfQuotes) {
  EXPECT_EQ(OpenWord(""), 0u);
  EXPECT_EQ(OpenWord("op"), 0u);
  EXPECT_EQ(OpenWord("op "), 3u);
  EXPECT_EQ(OpenWord("op -step 1"), 9u);
  EXPECT_EQ(OpenWord("save 'a b"), 5u);
  EXPECT_EQ(OpenWord("save 'a b' c"), 11u);
  EXPECT_EQ(OpenWord("op it's so"), 8u);
  EXPECT_EQ(OpenWord("op # -st"), std::string_view::npos);
}

TEST(WordsTest, BytesHaveUnits) {
  size_t bytes = 0;
  EXPECT_TRUE(ParseByteCount("1000", bytes));
  EXPECT_EQ(bytes, 1000u);
  EXPECT_TRUE(ParseByteCount("2G", bytes));
  EXPECT_EQ(bytes, size_t{2} << 30);
  for (const char* word : {"", "M", "1MB", "-1", "1 M", "99999999999T"}) {
    EXPECT_FALSE(ParseByteCount(word, bytes)) << word;
  }
}

}  // namespace
}  // namespace tfprof::options
