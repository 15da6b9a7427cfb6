#include "loaders/chrome_json/chrome/slice_pairs.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::chrome_json {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

SliceMark Begin(profile::StringId name, int64_t time, uint32_t track = 0) {
  SliceMark mark;
  mark.slice.name = name;
  mark.slice.start = time;
  mark.slice.track = track;
  return mark;
}
SliceMark End(int64_t time, uint32_t track = 0) {
  SliceMark mark = Begin(profile::kNone, time, track);
  mark.is_end = true;
  return mark;
}

// Formats each slice as "name:start+duration".
std::vector<std::string> Texts(const SlicePairs& pairs) {
  std::vector<std::string> texts;
  for (const ChromeSlice& slice : pairs.slices) {
    texts.push_back(std::to_string(slice.name) + ":" +
                    std::to_string(slice.start) + "+" +
                    std::to_string(slice.duration));
  }
  return texts;
}

TEST(SlicePairsTest, PairsNest) {
  const SlicePairs pairs =
      PairSlices({Begin(1, 0), Begin(2, 3), End(5), End(9)}, 9);
  EXPECT_THAT(Texts(pairs), ElementsAre("1:0+9", "2:3+2"));
  EXPECT_EQ(pairs.open_begins, 0);
  EXPECT_EQ(pairs.lost_ends, 0);
}

TEST(SlicePairsTest, TheOrderOfTimeCounts) {
  EXPECT_THAT(Texts(PairSlices({End(9), Begin(2, 3), End(5), Begin(1, 0)}, 9)),
              ElementsAre("1:0+9", "2:3+2"));
}

TEST(SlicePairsTest, MarksOfOneTimeAreInTheOrderOfTheFile) {
  EXPECT_THAT(Texts(PairSlices({Begin(1, 4), End(4), Begin(2, 4), End(6)}, 6)),
              ElementsAre("1:4+0", "2:4+2"));
}

TEST(SlicePairsTest, TracksAreApart) {
  EXPECT_THAT(Texts(PairSlices(
                  {Begin(1, 0, 1), Begin(2, 0, 0), End(5, 1), End(7, 0)}, 7)),
              ElementsAre("2:0+7", "1:0+5"));
}

TEST(SlicePairsTest, BeginsWithoutAnEndAndEndsWithoutABegin) {
  const SlicePairs pairs =
      PairSlices({End(1), Begin(1, 2), Begin(2, 3), End(4)}, 10);
  EXPECT_THAT(Texts(pairs), ElementsAre("1:2+8", "2:3+1"));
  EXPECT_EQ(pairs.open_begins, 1);
  EXPECT_EQ(pairs.lost_ends, 1);
  EXPECT_THAT(PairSlices({}, 0).slices, IsEmpty());
}

}  // namespace
}  // namespace tfprof::chrome_json
