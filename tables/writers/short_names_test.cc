// Tests names in narrow columns: their ends stay, and they stay different.

#include "tables/writers/short_names.h"

#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "util/text/text_layout.h"

namespace tfprof::tables {
namespace {
namespace short_names_test {

using ::testing::ElementsAre;

std::vector<LongName> Names(const std::vector<std::string>& texts,
                            size_t columns) {
  std::vector<LongName> names;
  for (const std::string& text : texts) names.push_back({text, columns});
  return names;
}

TEST(ShortNamesTest, NamesThatFitAreWhole) {
  EXPECT_THAT(ShortNames(Names({"abc", "", "数据"}, 4), "…"),
              ElementsAre("abc", "", "数据"));
}

TEST(ShortNamesTest, ARowOfATreeIsWhatItAdds) {
  std::vector<LongName> names =
      Names({"resnet/block3/unit_5", "resnet/block3/unit_5/bottleneck",
             "resnet/block3/unit_5/bottleneck/conv1",
             "resnet/block3/unit_5/bottleneck/conv2"},
            20);
  names[1].parent = 0;
  names[2].parent = names[3].parent = 1;
  EXPECT_THAT(ShortNames(names, "…"),
              ElementsAre("resnet/block3/unit_5", "…/bottleneck", "…/conv1",
                          "…/conv2"));
}

TEST(ShortNamesTest, NamesThatWouldLookAlikeShowWhereTheyDiffer) {
  EXPECT_THAT(
      ShortNames(Names({"resnet/block1/unit_1/bottleneck/conv1/Conv2D",
                        "resnet/block2/unit_1/bottleneck/conv1/Conv2D",
                        "resnet/block2/unit_1/bottleneck/conv1/Conv2D"},
                       26),
                 "…"),
      ElementsAre("…block1…eneck/conv1/Conv2D", "…block2…eneck/conv1/Conv2D",
                  "…block2…eneck/conv1/Conv2D"));
}

TEST(ShortNamesTest, NamesThatDifferInSeveralPlaces) {
  std::vector<std::string> texts;
  for (char a = '1'; a <= '4'; ++a) {
    for (char b = '1'; b <= '5'; ++b) {
      texts.push_back(std::string("network/block") + a + "/long_middle/unit_" +
                      b + "/bottleneck/conv1/Conv2D");
    }
  }
  const std::vector<std::string> shown = ShortNames(Names(texts, 40), "...");
  EXPECT_EQ(std::set<std::string>(shown.begin(), shown.end()).size(),
            texts.size());
  for (const std::string& text : shown) {
    EXPECT_LE(util::Columns(text), 40u) << text;
    EXPECT_TRUE(text.ends_with("Conv2D")) << text;
  }
}

TEST(ShortNamesTest, PartsThatDifferAreWholeAndOthersAreLeftOut) {
  EXPECT_THAT(ShortNames(Names({"resnet/block1/unit_1/bottleneck/conv1/Conv2D",
                                "resnet/block2/unit_1/bottleneck/conv1/Conv2D",
                                "resnet/block1/unit_2/bottleneck/conv1/Conv2D",
                                "resnet/conv1/Conv2D"},
                               22),
                         "…"),
              ElementsAre("…block1/unit_1…/Conv2D", "…block2/unit_1…/Conv2D",
                          "…block1/unit_2…/Conv2D", "resnet/conv1/Conv2D"));
}

TEST(ShortNamesTest, NothingIsWiderThanItsColumn) {
  const std::vector<std::string> texts = {
      std::string(5000, 'x'), std::string(5000, 'x') + "1",
      "数据数据数据数据/a", "数据数据数数数据/a", "a/b/c/d/e/f/g/h/i"};
  for (size_t width = 0; width < 20; ++width) {
    for (const std::string& text : ShortNames(Names(texts, width), "…")) {
      EXPECT_LE(util::Columns(text), width) << text;
    }
  }
}

}  // namespace short_names_test
}  // namespace
}  // namespace tfprof::tables
