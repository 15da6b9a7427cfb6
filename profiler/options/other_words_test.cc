#include "profiler/options/other_words.h"

#include <string>

#include "gtest/gtest.h"

namespace tfprof::options {
namespace {

std::string ErrorOf(std::string_view name, std::string_view value) {
  Options options;
  return std::string(ParseOption(*FindOption(name), value, options).message());
}

TEST(OtherWordsTest, SpellingsOfOptions) {
  EXPECT_EQ(OptionMeantBy("order-by"), "order_by");
  EXPECT_EQ(OptionMeantBy("sort"), "order_by");
  EXPECT_EQ(OptionMeantBy("fail_if"), "fail-if");
  EXPECT_EQ(OptionMeantBy("N"), "limit");
  EXPECT_EQ(OptionMeantBy("nothing"), "");
  EXPECT_EQ(FindOption("sort")->name, "order_by");
  EXPECT_EQ(FindExactOption("sort"), nullptr);
}

TEST(OtherWordsTest, EveryMeaningIsAnOption) {
  for (const char* word : {"by", "n", "depth", "hide", "filter", "format",
                           "iter", "min_time", "peaks", "type", "source"}) {
    EXPECT_NE(FindOption(word), nullptr) << word;
  }
}

TEST(OtherWordsTest, StatisticsOfOtherPrograms) {
  EXPECT_EQ(StatisticMeantBy("cuda")->name, "accelerator_micros");
  EXPECT_EQ(StatisticMeantBy("GPU")->name, "accelerator_micros");
  EXPECT_EQ(StatisticMeantBy("duration")->name, "micros");
  EXPECT_EQ(StatisticMeantBy("host")->name, "cpu_micros");
  EXPECT_EQ(StatisticMeantBy("self"), nullptr);
}

TEST(OtherWordsTest, WhatToUseInsteadOfAnOption) {
  EXPECT_EQ(OptionHint("selct"), "did you mean -select?");
  EXPECT_EQ(OptionHint("srt"), "did you mean -order_by?");
  EXPECT_EQ(OptionHint("csv"), "use -output csv");
  EXPECT_EQ(OptionHint("qqqqqqqq"), "");
}

TEST(OtherWordsTest, AValueIsRefusedInASentence) {
  EXPECT_EQ(ErrorOf("order_by", "mircos"),
            "-order_by has no 'mircos'; did you mean micros?");
  EXPECT_EQ(ErrorOf("order_by", "mean"),
            "-order_by has no 'mean'; did you mean micros?");
  EXPECT_EQ(ErrorOf("max_depth", "ten"),
            "-max_depth takes a number, not 'ten'");
  EXPECT_EQ(ErrorOf("min_micros", "5 apples"),
            "-min_micros takes microseconds, or as 5ms, 2s, not '5 apples'");
  EXPECT_EQ(ErrorOf("output", "cvs"),
            "-output has no type 'cvs'; did you mean csv?");
  EXPECT_EQ(ErrorOf("output", "file"),
            "-output file needs a file: -output file:outfile=FILE");
  EXPECT_EQ(ErrorOf("agent", "perhaps"),
            "-agent takes true or false, not 'perhaps'");
}

TEST(OtherWordsTest, TheReferenceHasItsOwnMessage) {
  Options options;
  options.reference = true;
  EXPECT_EQ(ParseOption(*FindOption("max_depth"), "ten", options).message(),
            "Invalid option '-max_depth' value: 'ten'");
}

}  // namespace
}  // namespace tfprof::options
