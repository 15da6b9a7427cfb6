#include "profiler/options/option_word.h"

#include "gtest/gtest.h"

namespace tfprof::options {
namespace {

TEST(OptionWordTest, DashesAndValues) {
  for (const char* word : {"-step", "--step"}) {
    const OptionWord split = SplitOptionWord(word);
    EXPECT_EQ(split.option, FindOption("step")) << word;
    EXPECT_FALSE(split.value.has_value());
  }
  EXPECT_EQ(SplitOptionWord("--output=file:outfile=x").value, "file:outfile=x");
  EXPECT_EQ(SplitOptionWord("-step=").value, "");
  EXPECT_EQ(SplitOptionWord("-nothing").name, "nothing");
  EXPECT_EQ(SplitOptionWord("-nothing").option, nullptr);
  for (const char* word : {"", "-", "step", "a-step"}) {
    EXPECT_EQ(SplitOptionWord(word).name, "") << word;
  }
}

TEST(OptionWordTest, OnlyTheFirstEqualsSignDivides) {
  const OptionWord split = SplitOptionWord("-fail-if=total.micros >= 5");
  EXPECT_EQ(split.name, "fail-if");
  EXPECT_EQ(split.value, "total.micros >= 5");
}

TEST(OptionWordTest, TwoDashesAreRecorded) {
  EXPECT_FALSE(SplitOptionWord("-step").two_dashes);
  EXPECT_TRUE(SplitOptionWord("--step").two_dashes);
  EXPECT_EQ(SplitOptionWord("---step").option, nullptr);
  // The end of the options is not an option.
  EXPECT_EQ(SplitOptionWord("--").name, "");
}

}  // namespace
}  // namespace tfprof::options
