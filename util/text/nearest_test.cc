#include "util/text/nearest.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kNames[] = {"conv1/weights", "conv2/weights",
                                       "dense/kernel", "dense/bias", "loss"};

TEST(NearestPathsTest, TheLastPartIsEnough) {
  EXPECT_THAT(NearestPaths("kernal", kNames), ElementsAre("dense/kernel"));
  EXPECT_THAT(NearestPaths("conv1/wieghts", kNames),
              ElementsAre("conv1/weights", "conv2/weights"));
}

TEST(NearestPathsTest, EquallyNearPathsKeepTheirOrder) {
  EXPECT_THAT(NearestPaths("weights", kNames),
              ElementsAre("conv1/weights", "conv2/weights"));
  EXPECT_THAT(NearestPaths("weights", kNames, 1), ElementsAre("conv1/weights"));
}

TEST(NearestPathsTest, APathThatContainsTheWordIsNear) {
  EXPECT_THAT(NearestPaths("ense/b", kNames), ElementsAre("dense/bias"));
}

TEST(NearestPathsTest, NothingIsNear) {
  EXPECT_THAT(NearestPaths("", kNames), IsEmpty());
  EXPECT_THAT(NearestPaths("embedding", kNames), IsEmpty());
  EXPECT_THAT(NearestPaths("x", {}), IsEmpty());
}

TEST(NearHintTest, IsAPartOfASentenceOrNothing) {
  EXPECT_EQ(NearHint("los", kNames), "; did you mean loss?");
  EXPECT_EQ(NearHint("embedding", kNames), "");
}

TEST(NearestPathsTest, ANearWholeComesBeforeANearPart) {
  const std::string_view names[] = {"a/los", "loss"};
  EXPECT_THAT(NearestPaths("los", names), ElementsAre("loss", "a/los"));
}

TEST(NearestPathsTest, AContainedWordComesLast) {
  const std::string_view names[] = {"embedding_lookup", "x/embeding"};
  EXPECT_THAT(NearestPaths("embedding", names),
              ElementsAre("x/embeding", "embedding_lookup"));
}

TEST(NearestPathsTest, CaseDoesNotMatter) {
  EXPECT_THAT(NearestPaths("LOSS", kNames), ElementsAre("loss"));
}

TEST(NearestPathsTest, NoMoreThanTheLimit) {
  const std::string_view names[] = {"w1", "w2", "w3", "w4", "w5"};
  EXPECT_THAT(NearestPaths("w9", names), ElementsAre("w1", "w2", "w3"));
  EXPECT_THAT(NearestPaths("w9", names, 5),
              ElementsAre("w1", "w2", "w3", "w4", "w5"));
  // A nearer candidate replaces the last one.
  EXPECT_THAT(NearestPaths("w5", names, 2), ElementsAre("w5", "w1"));
}

}  // namespace
}  // namespace tfprof::util
