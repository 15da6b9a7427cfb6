#include "util/json_string.h"

#include <string_view>

#include "gtest/gtest.h"

namespace tfprof {
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
  // Lone bytes, a too long form, a surrogate, beyond Unicode, cut off.
  EXPECT_EQ(JsonString("\x80g\xff"), R"("\ufffdg\ufffd")");
  EXPECT_EQ(JsonString("\xc0\xaf"), R"("\ufffd\ufffd")");
  EXPECT_EQ(JsonString("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");
  EXPECT_EQ(JsonString("\xf4\x90\x80\x80"), R"("\ufffd\ufffd\ufffd\ufffd")");
  EXPECT_EQ(JsonString("\xe2\x82"), R"("\ufffd\ufffd")");
  EXPECT_EQ(JsonString("\xe2\"\xc3"), R"("\ufffd\"\ufffd")");
}

}  // namespace
}  // namespace tfprof
