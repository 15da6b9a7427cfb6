#include "util/text/safe_text.h"

#include <string>

#include "gtest/gtest.h"
#include "util/text/utf8.h"

namespace tfprof::util {
namespace {

TEST(SafeTextTest, Spells) {
  EXPECT_EQ(SafeText("a\x1b[2J\n\x7f"), "a\\x1b[2J\\x0a\\x7f");
  EXPECT_EQ(SafeText("\u202eb\u2066"), "\\xe2\\x80\\xaeb\\xe2\\x81\\xa6");
  EXPECT_EQ(SafeText("\xc2\x9b\xff数"), "\\xc2\\x9b\\xff数");
  EXPECT_EQ(SafeLines("a\tb\n\r"), "a\tb\n\\x0d");
}

// The result can never move a cursor, and a safe text stays the same.
TEST(SafeTextTest, AnyBytesBecomeHarmless) {
  uint32_t x = 7;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (int i = 0; i < 12; ++i) {
      bytes.push_back(static_cast<char>((x = x * 1664525 + 1013904223) >> 24));
    }
    const std::string safe = SafeText(bytes);
    EXPECT_EQ(ValidUtf8(safe), safe);
    EXPECT_EQ(SafeText(safe), safe);
    for (const char c : safe) {
      const auto u = static_cast<unsigned char>(c);
      EXPECT_TRUE(u >= 0x20 && u != 0x7f) << static_cast<int>(u);
    }
  }
}

TEST(SafeTextTest, AppendsToWhatIsThere) {
  std::string text = "before ";
  AppendSafeText("a\rb", &text);
  EXPECT_EQ(text, "before a\\x0db");
}

TEST(SafeTextTest, HarmlessCharactersStay) {
  for (const std::string text :
       {"", "plain text", "naïve 数据", "e\u0301", "\U0001f680", "\u00a0"}) {
    EXPECT_EQ(SafeText(text), text);
    EXPECT_EQ(SafeLines(text), text);
  }
}

TEST(SafeTextTest, EachMarkOfBidirectionalTextIsSpelled) {
  for (const std::string mark :
       {"\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202e",
        "\u2066", "\u2069", "\ufeff"}) {
    const std::string safe = SafeText("a" + mark + "b");
    EXPECT_EQ(safe.find(mark), safe.npos);
    EXPECT_EQ(safe.size(), 2 + 4 * mark.size());
    EXPECT_EQ(safe.front(), 'a');
    EXPECT_EQ(safe.back(), 'b');
  }
}

TEST(SafeTextTest, TextThatOnlyAProgramSeesIsSpelled) {
  for (const std::string mark :
       {"\u00ad", "\u200b", "\u2060", "\ufff9", "\u034f", "\u115f", "\u3164",
        "\ufe00", "\U000e0001", "\U000e0041", "\U000e007f"}) {
    const std::string safe = SafeText("a" + mark + "b");
    EXPECT_EQ(safe.find(mark), safe.npos);
    EXPECT_EQ(safe.size(), 2 + 4 * mark.size());
  }
  // Joiners are part of words and of emoji.
  EXPECT_EQ(SafeText("\u200c\u200d\ufe0f"), "\u200c\u200d\ufe0f");
}

TEST(SafeTextTest, OnlyNewlinesAndTabsStayInLines) {
  EXPECT_EQ(SafeLines("a\n\tb\v\f\x1b"), "a\n\tb\\x0b\\x0c\\x1b");
  EXPECT_EQ(SafeText("\n\t"), "\\x0a\\x09");
}

}  // namespace
}  // namespace tfprof::util
