#include "util/character_width.h"

#include "gtest/gtest.h"

namespace tfprof {
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

}  // namespace
}  // namespace tfprof
