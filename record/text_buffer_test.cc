#include "record/text_buffer.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tfprof::record {
namespace {

TEST(TextBufferTest, PutsTogether) {
  TextBuffer<40> text;
  text << "a" << '/' << uint64_t{18446744073709551615U} << '-' << uint32_t{0};
  EXPECT_EQ(text.view(), "a/18446744073709551615-0");
  EXPECT_STREQ(text.c_str(), "a/18446744073709551615-0");
  EXPECT_TRUE(text.ok());
}

TEST(TextBufferTest, CutsWhatDoesNotFit) {
  TextBuffer<4> text;
  text << "abc"
       << "def";
  EXPECT_EQ(text.view(), "abcd");
  EXPECT_FALSE(text.ok());
  text.Clear();
  text << "abcd";
  EXPECT_TRUE(text.ok());
  EXPECT_EQ(text.view(), "abcd");
}

}  // namespace
}  // namespace tfprof::record
