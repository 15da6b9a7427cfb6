#include "util/utf8.h"

#include "gtest/gtest.h"

namespace tfprof {
namespace {

TEST(Utf8Test, ReplacesWhatIsNone) {
  EXPECT_EQ(ValidUtf8("plain"), "plain");
  EXPECT_EQ(ValidUtf8("\u00ef\ufffd\U0001f600"), "\u00ef\ufffd\U0001f600");
  EXPECT_EQ(ValidUtf8("a\x80g\xff"), "a\ufffdg\ufffd");
  EXPECT_EQ(ValidUtf8("\xe2\x82"), "\ufffd\ufffd");
  EXPECT_TRUE(IsAscii("a\x7f"));
  EXPECT_FALSE(IsAscii("a\x80"));
}

}  // namespace
}  // namespace tfprof
