#include "loaders/core/format.h"

#include <string_view>

#include "gtest/gtest.h"

namespace tfprof::loaders {
namespace {

template <char letter, int score>
Fit Sniff(std::string_view bytes) {
  return {.score = bytes.find(letter) == bytes.npos ? 0 : score,
          .text = letter == 't'};
}

constexpr Format kA = {.flag = "a", .sniff = Sniff<'a', 2>};
constexpr Format kB = {.flag = "b", .sniff = Sniff<'b', 2>};
constexpr Format kText = {.flag = "t", .sniff = Sniff<'t', Fit::kWord>};
constexpr Format kMagic = {.flag = "m", .sniff = Sniff<'m', Fit::kMagic>};
constexpr const Format* kFormats[] = {&kA, &kB, &kText, &kMagic};

TEST(FormatTest, TheBestFitAndOfEqualOnesTheFirst) {
  EXPECT_EQ(SniffFormat("b", kFormats).format, &kB);
  EXPECT_EQ(SniffFormat("ab", kFormats).format, &kA);
  EXPECT_EQ(SniffFormat("abt", kFormats).format, &kText);
  EXPECT_TRUE(SniffFormat("abt", kFormats).text);
  EXPECT_EQ(SniffFormat("abtm", kFormats).format, &kMagic);
  EXPECT_FALSE(SniffFormat("abtm", kFormats).text);
}

TEST(FormatTest, NothingFits) {
  EXPECT_EQ(SniffFormat("x", kFormats).format, nullptr);
  EXPECT_EQ(SniffFormat("", kFormats).format, nullptr);
  EXPECT_EQ(SniffFormat("a", {}).format, nullptr);
}

TEST(FormatTest, ByFlag) {
  EXPECT_EQ(FindFormatByFlag(kFormats, "b"), &kB);
  EXPECT_EQ(FindFormatByFlag(kFormats, "c"), nullptr);
  EXPECT_EQ(FindFormatByFlag(kFormats, ""), nullptr);
}

}  // namespace
}  // namespace tfprof::loaders
