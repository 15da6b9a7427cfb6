#include "util/text/ascii.h"

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

TEST(AsciiTest, LowerCaseChangesAsciiOnly) {
  EXPECT_EQ(LowerCase("AZ[`az\xc3\x84\x80"), "az[`az\xc3\x84\x80");
  EXPECT_EQ(LowerCase(""), "");
}

TEST(AsciiTest, Digits) {
  for (int c = -128; c < 128; ++c) {
    EXPECT_EQ(IsDigit(static_cast<char>(c)), '0' <= c && c <= '9') << c;
  }
}

}  // namespace
}  // namespace tfprof::util
