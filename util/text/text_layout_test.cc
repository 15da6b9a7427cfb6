#include "util/text/text_layout.h"

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

std::string Wrapped(std::string_view text, size_t indent) {
  std::string out(indent, '>');
  AppendWrapped(text, indent, &out);
  return out;
}

TEST(TextLayoutTest, Columns) {
  EXPECT_EQ(Columns(""), 0u);
  EXPECT_EQ(Columns("abc"), 3u);
  EXPECT_EQ(Columns("naïve …"), 7u);
}

TEST(TextLayoutTest, ColumnsOfWideAndCombining) {
  EXPECT_EQ(Columns("数据"), 4u);
  EXPECT_EQ(Columns("e\u0301"), 1u);
  EXPECT_EQ(Columns("\U0001f680"), 2u);
  EXPECT_EQ(Columns("\xff\xe6"), 2u);  // bytes that are no characters
}

TEST(TextLayoutTest, Shortened) {
  EXPECT_EQ(Shortened("abc", 3, "…"), "abc");
  EXPECT_EQ(Shortened("abcdefghij", 7, "…"), "ab…ghij");
  EXPECT_EQ(Shortened("数据数据数据", 7, "…"), "数…数据");
  EXPECT_EQ(Shortened("abcdef", 2, "..."), "..");
  EXPECT_EQ(Shortened(std::string(100000, 'x'), 5, "…"), "x…xxx");
}

TEST(TextLayoutTest, Padded) {
  std::string out;
  AppendPadded("ï", 3, &out);
  AppendPadded("long", 3, &out);
  EXPECT_EQ(out, "ï  long");
}

TEST(TextLayoutTest, ShortLinesStay) {
  EXPECT_EQ(Wrapped("", 2), ">>\n");
  EXPECT_EQ(Wrapped("a b", 2), ">>a b\n");
  EXPECT_EQ(Wrapped("a\n  b  c \nd\n", 2), ">>a\n    b  c\n  d\n");
}

TEST(TextLayoutTest, BreaksAtTheMargin) {
  const std::string word(39, 'x');
  // 1 + 39 + 1 + 39 columns are a full line.
  EXPECT_EQ(Wrapped(word + " " + word, 1), ">" + word + " " + word + "\n");
  EXPECT_EQ(Wrapped(word + " " + word, 2), ">>" + word + "\n  " + word + "\n");
}

TEST(TextLayoutTest, LongWordsAreNotCut) {
  const std::string word(200, 'x');
  EXPECT_EQ(Wrapped("a " + word + " b", 2), ">>a\n  " + word + "\n  b\n");
  EXPECT_EQ(Wrapped(word, 2), ">>" + word + "\n");
}

TEST(TextLayoutTest, ATextBelowItsNameStaysBelowIt) {
  // AppendWrapped() produces this for an entry whose name is too long.
  const std::string text =
      "  explain [step N|NODE]\n"
      "                      Why a step or an operation is slow: step, "
      "device,\n"
      "                      operation.\n"
      "  status              What is open.\n";
  EXPECT_EQ(FitLines(text, 40, true),
            "  explain [step N|NODE]\n"
            "      Why a step or an operation is\n"
            "      slow: step, device, operation.\n"
            "  status              What is open.\n");
}

TEST(TextLayoutTest, FitsLinesIntoANarrowWindow) {
  const std::string text =
      "short\n"
      "\n"
      "  A paragraph that was broken where a page of eighty columns ends, and "
      "so goes\n"
      "  on here.\n"
      "  The next one.\n"
      "  -option 1   An entry, the text of which was broken where a page of "
      "eighty\n"
      "              columns ends.\n";
  EXPECT_EQ(FitLines(text, 80, true), text);
  EXPECT_EQ(FitLines(text, 44, true),
            "short\n"
            "\n"
            "  A paragraph that was broken where a page\n"
            "  of eighty columns ends, and so goes on\n"
            "  here.\n"
            "  The next one.\n"
            "  -option 1   An entry, the text of which\n"
            "              was broken where a page of\n"
            "              eighty columns ends.\n");
  EXPECT_EQ(FitLines(text.substr(text.find("  -option")), 20, true),
            "  -option 1\n"
            "      An entry, the\n"
            "      text of which\n"
            "      was broken\n"
            "      where a page\n"
            "      of eighty\n"
            "      columns ends.\n");
  EXPECT_EQ(FitLines("", 9, true), "");
  EXPECT_EQ(FitLines("  a: one two\n  b: one two\n", 10, false),
            "  a:\n      one\n      two\n  b:\n      one\n      two\n");
  EXPECT_EQ(FitLines("   ", 2, true), "   \n");
}

TEST(TextLayoutTest, PrefixesHaveWholeCharacters) {
  EXPECT_EQ(PrefixInColumns("abc", 2), 2u);
  EXPECT_EQ(PrefixInColumns("abc", 9), 3u);
  EXPECT_EQ(PrefixInColumns("", 9), 0u);
  EXPECT_EQ(PrefixInColumns("数据", 3), 3u);  // half of 据 does not fit
  EXPECT_EQ(PrefixInColumns("数据", 4), 6u);
  EXPECT_EQ(PrefixInColumns("e\u0301x", 1), 3u);  // with its accent
  EXPECT_EQ(PrefixInColumns("\u0301", 0), 2u);
  EXPECT_EQ(PrefixInColumns("\xff\xffx", 2), 2u);
}

TEST(TextLayoutTest, AnEllipsisThatIsTooWideIsCutItself) {
  EXPECT_EQ(Shortened("abcdef", 3, "..."), "...");
  EXPECT_EQ(Shortened("abcdef", 4, "..."), "...f");
  EXPECT_EQ(Shortened("abcdef", 1, "..."), ".");
  EXPECT_EQ(Shortened("abcdef", 0, "..."), "");
  EXPECT_EQ(Shortened("abcdef", 3, ""), "aef");
}

// Random texts of narrow, wide, combining and bad characters.
class RandomTextTest : public ::testing::Test {
 protected:
  std::string Text(size_t max_characters) {
    static constexpr std::string_view kCharacters[] = {
        "a", "b", " ", "ï", "数", "\u0301", "\U0001f680", "\xff", "\xe6"};
    std::string text;
    const size_t size = Random() % (max_characters + 1);
    for (size_t i = 0; i < size; ++i) {
      text += kCharacters[Random() % std::size(kCharacters)];
    }
    return text;
  }
  uint32_t Random() { return (x_ = x_ * 1664525 + 1013904223) >> 8; }

 private:
  uint32_t x_ = 5;
};

TEST_F(RandomTextTest, AShortenedTextFits) {
  for (int round = 0; round < 5000; ++round) {
    const std::string text = Text(40);
    const size_t columns = Random() % 30;
    const std::string shortened = Shortened(text, columns, "…");
    ASSERT_LE(Columns(shortened), columns) << text;
    if (Columns(text) <= columns && text.size() <= 4 * columns) {
      ASSERT_EQ(shortened, text);
    }
  }
}

TEST_F(RandomTextTest, APrefixIsTheLongestThatFits) {
  for (int round = 0; round < 5000; ++round) {
    const std::string text = Text(20);
    const size_t columns = Random() % 20;
    const size_t bytes = PrefixInColumns(text, columns);
    ASSERT_LE(Columns(std::string_view(text).substr(0, bytes)), columns);
    if (bytes == text.size()) continue;
    const size_t next =
        bytes + PrefixInColumns(std::string_view(text).substr(bytes), 2);
    ASSERT_GT(Columns(std::string_view(text).substr(0, next)), columns);
  }
}

TEST_F(RandomTextTest, WrappedLinesFitAndKeepTheirWords) {
  const auto words = [](std::string_view text) {
    std::string all;
    for (const char c : text) {
      if (c != ' ' && c != '\n') all += c;
    }
    return all;
  };
  for (int round = 0; round < 2000; ++round) {
    const std::string text = Text(60);
    const size_t page = 5 + Random() % 30;
    std::string wrapped;
    AppendWrapped(text, 0, &wrapped, page);
    ASSERT_EQ(words(wrapped), words(text));
    ASSERT_TRUE(wrapped.ends_with('\n'));
    std::string_view rest = wrapped;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(line.size() + 1);
      // Only a line with a single word may be wider.
      if (line.find(' ', line.find_first_not_of(' ')) != line.npos) {
        ASSERT_LE(Columns(line), page) << line;
      }
    }
  }
}

TEST(TextLayoutTest, PaddingCountsColumns) {
  std::string out;
  AppendPadded("数", 4, &out);
  AppendPadded("", 2, &out);
  AppendPadded("e\u0301", 2, &out);
  EXPECT_EQ(out, "数    e\u0301 ");
}

TEST(TextLayoutTest, LinesThatWereNotBrokenAreNotJoined) {
  const std::string text =
      "  A line of a list that is long enough to reach the eightieth column, "
      "or "
      "about\n"
      "  another line.\n";
  EXPECT_EQ(FitLines(text, 200, false), text);
  EXPECT_EQ(FitLines(text, 200, true), text);
  EXPECT_EQ(FitLines("one two three\nfour\n", 8, false),
            "one two\nthree\nfour\n");
}

}  // namespace
}  // namespace tfprof::util
