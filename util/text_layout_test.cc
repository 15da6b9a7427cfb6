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

}  // namespace
}  // namespace tfprof
