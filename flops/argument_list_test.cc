#include "flops/argument_list.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::flops {
namespace {
namespace argument_list_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Shape = std::vector<int64_t>;
using Shapes = std::vector<Shape>;

TEST(ArgumentListTest, AShapeForEachArgument) {
  EXPECT_THAT(ParseShapes("[[1, 64], [], [8]]"),
              ElementsAre(Shapes{{1, 64}}, Shapes{{}}, Shapes{{8}}));
  EXPECT_THAT(ParseShapes("[]"), IsEmpty());
}

TEST(ArgumentListTest, AnArgumentMayBeAListOfTensors) {
  EXPECT_THAT(
      ParseShapes("[[[2,3],[4]],[],[[5]],[6]]"),
      ElementsAre(Shapes{{2, 3}, {4}}, Shapes{{}}, Shapes{{5}}, Shapes{{6}}));
  // Tensors without dimensions.
  EXPECT_THAT(ParseShapes("[[[], [4]]]"), ElementsAre(Shapes{{}, {4}}));
}

TEST(ArgumentListTest, ElementsMayBeOnLinesOfTheirOwn) {
  EXPECT_THAT(ParseShapes("[\n  [\n    1,\r\n\t64\n  ],\n  [\n\n  ]\n]"),
              ElementsAre(Shapes{{1, 64}}, Shapes{{}}));
  EXPECT_THAT(ParseStrings("[\n \"float\",\n\t\"\"\n]"),
              ElementsAre("float", ""));
  EXPECT_THAT(ParseInts("[\n 14,\n 15\n]"), ElementsAre(14, 15));
}

TEST(ArgumentListTest, TextsThatAreNoShapes) {
  for (const char* text :
       {"", "x", "[", "[[", "[[1", "[[1]", "]", "[1]", "[[[[1]]]]", "[[1.5]]",
        "[[99999999999999999999]]", "[[\"a\"]]", "[[-]]"}) {
    EXPECT_THAT(ParseShapes(text), IsEmpty()) << text;
  }
  EXPECT_THAT(ParseShapes(std::string(100'000, '[')), IsEmpty());
}

TEST(ArgumentListTest, Strings) {
  EXPECT_THAT(ParseStrings(R"(["float", "", "[3, 3]", "a\"b", 1, [2, 3]])"),
              ElementsAre("float", "", "[3, 3]", "a\"b", "1", "[2, 3]"));
  EXPECT_THAT(ParseStrings("[]"), IsEmpty());
  EXPECT_THAT(ParseStrings("[\"open"), IsEmpty());
  EXPECT_THAT(ParseStrings("no list"), IsEmpty());
}

TEST(ArgumentListTest, Ints) {
  EXPECT_THAT(ParseInts("[14, -1]"), ElementsAre(14, -1));
  EXPECT_THAT(ParseInts("7"), ElementsAre(7));
  EXPECT_THAT(ParseInts("same"), IsEmpty());
  EXPECT_THAT(ParseInts(""), IsEmpty());
}

}  // namespace argument_list_test
}  // namespace
}  // namespace tfprof::flops
