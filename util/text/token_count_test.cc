#include "util/text/token_count.h"

#include <string>

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

TEST(TokenCountTest, WordsNumbersAndSigns) {
  EXPECT_EQ(CountTokens(""), 0u);
  EXPECT_EQ(CountTokens("  \n "), 0u);
  EXPECT_EQ(CountTokens("the name"), 2u);
  EXPECT_EQ(CountTokens("bottleneck"), 3u);
  EXPECT_EQ(CountTokens("12345.6"), 4u);
  EXPECT_EQ(CountTokens("conv1/Conv2D"), 6u);
  EXPECT_EQ(CountTokens("数据"), 2u);
}

TEST(TokenCountTest, IsNearAQuarterOfTheBytesOfProse) {
  const std::string text =
      "An answer for an agent has the rows with the largest cost, and a line "
      "says what is left out, with its size, and how to get it.";
  const size_t tokens = CountTokens(text);
  EXPECT_GE(tokens, text.size() / 5);
  EXPECT_LE(tokens, text.size() / 2);
}

}  // namespace
}  // namespace tfprof::util
