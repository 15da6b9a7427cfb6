#include "compare/match.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::compare {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NormalizedNameTest, DropsNumbersThatDifferFromRunToRun) {
  EXPECT_EQ(NormalizedName("MatMul"), "MatMul");
  EXPECT_EQ(NormalizedName("MatMul_12"), "MatMul");
  EXPECT_EQ(NormalizedName("tower_1/dense_12/MatMul_1"), "tower/dense/MatMul");
  EXPECT_EQ(NormalizedName("cluster_3_1"), "cluster");
  EXPECT_EQ(NormalizedName("/job:worker/task:3/device:GPU:1"),
            "/job:worker/task/device:GPU");
  EXPECT_EQ(NormalizedName("Conv2D"), "Conv2D");
  EXPECT_EQ(NormalizedName("v2"), "v2");
  // A part that is only a number keeps it.
  EXPECT_EQ(NormalizedName("a/_1/b"), "a/_1/b");
  EXPECT_EQ(NormalizedName("12"), "12");
  EXPECT_EQ(NormalizedName(""), "");
  EXPECT_EQ(NormalizedName("a//b_1/"), "a//b/");
}

// "old=new" of each match, in the order of `after`.
std::vector<std::string> Pairs(const std::vector<std::string_view>& before,
                               const std::vector<std::string_view>& after) {
  const Matching matching = MatchNames(before, after);
  std::vector<std::string> pairs;
  for (size_t i = 0; i < after.size(); ++i) {
    const uint32_t old = matching.before_of[i];
    if (old == profile::kNone) continue;
    EXPECT_EQ(matching.after_of[old], i);
    pairs.push_back(fmt::format("{}={}", before[old], after[i]));
  }
  return pairs;
}

TEST(MatchNamesTest, EqualNamesFirst) {
  EXPECT_THAT(Pairs({"a", "a_1", "b"}, {"a_1", "a_2", "c"}),
              ElementsAre("a_1=a_1", "a=a_2"));
  EXPECT_THAT(Pairs({}, {"a"}), IsEmpty());
  EXPECT_THAT(Pairs({"a"}, {}), IsEmpty());
}

TEST(MatchNamesTest, NaturalOrderDecidesAmongEqualNormalisedNames) {
  // The order of the rows does not matter.
  EXPECT_THAT(Pairs({"x_10", "x_2"}, {"x_3", "x_11"}),
              ElementsAre("x_2=x_3", "x_10=x_11"));
  EXPECT_THAT(Pairs({"x_2", "x_10"}, {"x_11", "x_3"}),
              ElementsAre("x_10=x_11", "x_2=x_3"));
  EXPECT_THAT(Pairs({"x_1", "x_2", "x_3"}, {"x_7"}), ElementsAre("x_1=x_7"));
}

TEST(MatchNamesTest, ANameMayRepeat) {
  EXPECT_THAT(Pairs({"a", "a"}, {"a", "a", "a"}), ElementsAre("a=a", "a=a"));
}

std::vector<int> LinesMatched(const std::vector<CodeLine>& before,
                              const std::vector<CodeLine>& after) {
  std::vector<int> lines;
  for (const uint32_t old : MatchCode(before, after).before_of) {
    lines.push_back(old == profile::kNone ? -1 : before[old].line);
  }
  return lines;
}

CodeLine Code(std::string_view function, int line, std::string_view text = "") {
  // Owns the names, to which a CodeLine only refers.
  static auto& names = *new std::set<std::string>;
  const std::string name = fmt::format("m.py:{}:{}", line, function);
  return {.name = *names.insert(name).first,
          .file = "m.py",
          .function = function,
          .text = text,
          .line = line};
}

TEST(MatchCodeTest, NearestLinesOfAFunctionFirst) {
  EXPECT_THAT(LinesMatched({Code("f", 10), Code("f", 20)},
                           {Code("f", 21), Code("f", 12)}),
              ElementsAre(20, 10));
  // 14 is nearest to 15, so 10 remains for 30.
  EXPECT_THAT(LinesMatched({Code("f", 10), Code("f", 15)},
                           {Code("f", 14), Code("f", 30)}),
              ElementsAre(15, 10));
  EXPECT_THAT(LinesMatched({Code("f", 10)}, {Code("g", 10)}), ElementsAre(-1));
  EXPECT_THAT(LinesMatched({Code("f", INT32_MIN)}, {Code("f", INT32_MAX)}),
              ElementsAre(INT32_MIN));
}

TEST(MatchCodeTest, TheTextOfALineComesBeforeItsNumber) {
  EXPECT_THAT(LinesMatched({Code("f", 12, "a = 1"), Code("f", 13, "b = 2")},
                           {Code("f", 13, "a = 1"), Code("f", 14, "b = 2")}),
              ElementsAre(12, 13));
}

TEST(MatchCodeTest, RowsOfDifferentFilesNeverMatch) {
  CodeLine other = Code("f", 10, "a = 1");
  other.file = "n.py";
  EXPECT_THAT(LinesMatched({Code("f", 10, "a = 2")}, {other}), ElementsAre(-1));
}

TEST(MatchCodeTest, ALineAndItsGradientDoNotMatch) {
  CodeLine gradient = Code("f", 12);
  gradient.gradient = true;
  EXPECT_THAT(LinesMatched({Code("f", 10)}, {gradient}), ElementsAre(-1));
  CodeLine moved = Code("f", 14);
  moved.gradient = true;
  EXPECT_THAT(LinesMatched({Code("f", 10), gradient}, {Code("f", 11), moved}),
              ElementsAre(10, 12));
}

TEST(MatchCodeTest, EqualTextsMatchInTheirOrder) {
  EXPECT_THAT(LinesMatched({Code("f", 1, "x"), Code("f", 9, "x")},
                           {Code("f", 20, "x"), Code("f", 30, "x")}),
              ElementsAre(1, 9));
}

TEST(MatchCodeTest, AnEditedLineMatchesByItsPlace) {
  EXPECT_THAT(LinesMatched({Code("f", 12, "a = 1"), Code("f", 20, "b = 2")},
                           {Code("f", 13, "a = 7"), Code("f", 21, "b = 2")}),
              ElementsAre(12, 20));
}

TEST(MatchCodeTest, EmptySidesHaveNoPairs) {
  EXPECT_THAT(LinesMatched({}, {Code("f", 1)}), ElementsAre(-1));
  EXPECT_THAT(LinesMatched({Code("f", 1)}, {}), IsEmpty());
}

}  // namespace
}  // namespace tfprof::compare
