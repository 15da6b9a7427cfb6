#include "util/text_layout.h"

#include <string>

#include "gtest/gtest.h"

namespace tfprof {
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
            "  -option 1   An\n"
            "      entry, the\n"
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

}  // namespace
}  // namespace tfprof
