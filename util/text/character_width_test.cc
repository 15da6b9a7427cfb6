#include "util/text/character_width.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

TEST(CharacterWidthTest, NarrowWideAndCombining) {
  EXPECT_EQ(CharacterWidth('a'), 1);
  EXPECT_EQ(CharacterWidth(0xef), 1);      // ï
  EXPECT_EQ(CharacterWidth(0x2026), 1);    // …
  EXPECT_EQ(CharacterWidth(0x301), 0);     // combining acute
  EXPECT_EQ(CharacterWidth(0x200d), 0);    // joiner
  EXPECT_EQ(CharacterWidth(0x6570), 2);    // 数
  EXPECT_EQ(CharacterWidth(0xac00), 2);    // 가
  EXPECT_EQ(CharacterWidth(0xff21), 2);    // fullwidth A
  EXPECT_EQ(CharacterWidth(0x1f680), 2);   // a rocket
  EXPECT_EQ(CharacterWidth(0x1f3fd), 2);   // a skin tone stands alone here
  EXPECT_EQ(CharacterWidth(0x10ffff), 1);  // the last code point
}

TEST(CharacterWidthTest, EveryCodePointTakesAtMostTwoColumns) {
  for (uint32_t c = 0x20; c <= 0x10ffff; ++c) {
    const int width = CharacterWidth(c);
    ASSERT_TRUE(width >= 0 && width <= 2) << c;
  }
}

TEST(CharacterWidthTest, RangesIncludeTheirEnds) {
  EXPECT_EQ(CharacterWidth(0x2ff), 1);
  EXPECT_EQ(CharacterWidth(0x300), 0);  // the first combining character
  EXPECT_EQ(CharacterWidth(0x36f), 0);
  EXPECT_EQ(CharacterWidth(0x370), 1);
  EXPECT_EQ(CharacterWidth(0x10ff), 1);
  EXPECT_EQ(CharacterWidth(0x1100), 2);  // the first wide character
  EXPECT_EQ(CharacterWidth(0x115f), 2);
  EXPECT_EQ(CharacterWidth(0x1160), 0);  // a medial jamo
  EXPECT_EQ(CharacterWidth(0x3134a), 2);
  EXPECT_EQ(CharacterWidth(0x3134b), 1);
  EXPECT_EQ(CharacterWidth(0xe01ef), 0);
  EXPECT_EQ(CharacterWidth(0xe01f0), 1);
}

// The binary search needs ascending ranges, so test their boundaries.
TEST(CharacterWidthTest, CharactersInAllPlanes) {
  EXPECT_EQ(CharacterWidth(0x0e31), 0);   // Thai vowel
  EXPECT_EQ(CharacterWidth(0x0905), 1);   // Devanagari letter
  EXPECT_EQ(CharacterWidth(0x094d), 0);   // Devanagari virama
  EXPECT_EQ(CharacterWidth(0x20ac), 1);   // euro sign
  EXPECT_EQ(CharacterWidth(0x2588), 1);   // block element
  EXPECT_EQ(CharacterWidth(0x3000), 2);   // ideographic space
  EXPECT_EQ(CharacterWidth(0xff61), 1);   // halfwidth punctuation
  EXPECT_EQ(CharacterWidth(0xfe0f), 0);   // variation selector
  EXPECT_EQ(CharacterWidth(0x1d400), 1);  // mathematical letter
  EXPECT_EQ(CharacterWidth(0x20000), 2);  // ideograph of plane 2
}

}  // namespace
}  // namespace tfprof::util
