#include "util/json/json_string.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "util/text/utf8.h"

namespace tfprof::util {
namespace {

TEST(JsonStringTest, Escapes) {
  EXPECT_EQ(JsonString(""), "\"\"");
  EXPECT_EQ(JsonString("a/b \\ \" '"), R"("a/b \\ \" '")");
  EXPECT_EQ(JsonString("\b\f\n\r\t\x1b\x7f"), "\"\\b\\f\\n\\r\\t\\u001b\x7f\"");
  EXPECT_EQ(JsonString(std::string_view("\0", 1)), R"("\u0000")");
}

TEST(JsonStringTest, NonAscii) {
  EXPECT_EQ(JsonString("\u00ef\u20ac"), R"("\u00ef\u20ac")");
  EXPECT_EQ(JsonString("\U0001f600\U0010ffff"),
            R"("\ud83d\ude00\udbff\udfff")");
}

TEST(JsonStringTest, BrokenBytesAreReplaced) {
  // Single bytes, an overlong form, a surrogate, a code beyond Unicode, a
  // truncated sequence.
  EXPECT_EQ(JsonString("\x80g\xff"), R"("\ufffdg\ufffd")");
  EXPECT_EQ(JsonString("\xc0\xaf"), R"("\ufffd\ufffd")");
  EXPECT_EQ(JsonString("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");
  EXPECT_EQ(JsonString("\xf4\x90\x80\x80"), R"("\ufffd\ufffd\ufffd\ufffd")");
  EXPECT_EQ(JsonString("\xe2\x82"), R"("\ufffd\ufffd")");
  EXPECT_EQ(JsonString("\xe2\"\xc3"), R"("\ufffd\"\ufffd")");
}

TEST(JsonStringTest, EveryControlIsEscaped) {
  for (char c = 0; c < 0x20; ++c) {
    const std::string json = JsonString({&c, 1});
    ASSERT_EQ(json[1], '\\') << static_cast<int>(c);
    for (const char byte : json) EXPECT_GE(byte, 0x20);
  }
}

TEST(JsonStringTest, AnyBytesBecomeAscii) {
  uint32_t x = 9;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (int i = 0; i < 10; ++i) {
      bytes.push_back(static_cast<char>((x = x * 1664525 + 1013904223) >> 24));
    }
    for (const char c : JsonString(bytes)) {
      ASSERT_TRUE(c >= 0x20 && static_cast<signed char>(c) > 0);
    }
    // Replacing bad bytes first gives the same string.
    ASSERT_EQ(JsonString(ValidUtf8(bytes)), JsonString(bytes));
  }
}

TEST(JsonStringTest, AppendsToATextWithQuotes) {
  std::string text = "[";
  AppendJsonString("a", &text);
  AppendJsonString("", &text);
  EXPECT_EQ(text, R"(["a""")");
}

}  // namespace
}  // namespace tfprof::util
