#include "util/text/utf8.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

TEST(Utf8Test, ReplacesWhatIsNone) {
  EXPECT_EQ(ValidUtf8("plain"), "plain");
  EXPECT_EQ(ValidUtf8("\u00ef\ufffd\U0001f600"), "\u00ef\ufffd\U0001f600");
  EXPECT_EQ(ValidUtf8("a\x80g\xff"), "a\ufffdg\ufffd");
  EXPECT_EQ(ValidUtf8("\xe2\x82"), "\ufffd\ufffd");
  EXPECT_TRUE(IsAscii("a\x7f"));
  EXPECT_FALSE(IsAscii("a\x80"));
}

TEST(Utf8Test, SizesOfCharacters) {
  struct Case {
    std::string_view bytes;
    uint32_t code;
    size_t size;
  };
  const Case cases[] = {
      {std::string_view("\0", 1), 0, 1},
      {"\x7f", 0x7f, 1},
      {"\xc2\x80", 0x80, 2},
      {"\xdf\xbf", 0x7ff, 2},
      {"\xe0\xa0\x80", 0x800, 3},
      {"\xed\x9f\xbf", 0xd7ff, 3},
      {"\xee\x80\x80", 0xe000, 3},
      {"\xef\xbf\xbf", 0xffff, 3},
      {"\xf0\x90\x80\x80", 0x10000, 4},
      {"\xf4\x8f\xbf\xbf", 0x10ffff, 4},
  };
  for (const Case& c : cases) {
    const std::string more = std::string(c.bytes) + "x";
    const Utf8Character character = FirstUtf8(more);
    EXPECT_TRUE(character.good) << c.code;
    EXPECT_EQ(character.code, c.code);
    EXPECT_EQ(character.size, c.size) << c.code;
  }
}

TEST(Utf8Test, ABadByteStandsAlone) {
  for (const std::string_view bytes :
       {"\x80", "\xbf\x80", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2x",
        "\xe0\x9f\xbf", "\xe1\x80", "\xe1\x80x", "\xed\xa0\x80",
        "\xf0\x8f\xbf\xbf", "\xf1\x80\x80", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\xff"}) {
    const Utf8Character character = FirstUtf8(bytes);
    EXPECT_FALSE(character.good) << bytes;
    EXPECT_EQ(character.size, 1u) << bytes;
    EXPECT_EQ(character.code, static_cast<unsigned char>(bytes[0])) << bytes;
  }
}

// Encodes all code points and decodes them again.
TEST(Utf8Test, EveryCodePointIsReadAgain) {
  for (uint32_t c = 0; c <= 0x10ffff; ++c) {
    std::string bytes;
    const auto put = [&](uint32_t byte) {
      bytes.push_back(static_cast<char>(byte));
    };
    if (c < 0x80) {
      put(c);
    } else if (c < 0x800) {
      put(0xc0 | c >> 6), put(0x80 | (c & 63));
    } else if (c < 0x10000) {
      put(0xe0 | c >> 12), put(0x80 | (c >> 6 & 63)), put(0x80 | (c & 63));
    } else {
      put(0xf0 | c >> 18), put(0x80 | (c >> 12 & 63));
      put(0x80 | (c >> 6 & 63)), put(0x80 | (c & 63));
    }
    const Utf8Character character = FirstUtf8(bytes);
    const bool surrogate = c >= 0xd800 && c <= 0xdfff;
    ASSERT_EQ(character.good, !surrogate) << c;
    if (surrogate) continue;
    ASSERT_EQ(character.code, c);
    ASSERT_EQ(character.size, bytes.size()) << c;
  }
}

TEST(Utf8Test, AnEmptyTextIsAscii) {
  EXPECT_TRUE(IsAscii(""));
  EXPECT_EQ(ValidUtf8(""), "");
  EXPECT_EQ(ValidUtf8(std::string_view("a\0b", 3)), std::string("a\0b", 3));
}

}  // namespace
}  // namespace tfprof::util
