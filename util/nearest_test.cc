#include "util/nearest.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kNames[] = {"conv1/weights", "conv2/weights",
                                       "dense/kernel", "dense/bias", "loss"};

TEST(NearestNamesTest, TheLastPartIsEnough) {
  EXPECT_THAT(NearestNames("kernal", kNames), ElementsAre("dense/kernel"));
  EXPECT_THAT(NearestNames("conv1/wieghts", kNames),
              ElementsAre("conv1/weights", "conv2/weights"));
}

TEST(NearestNamesTest, EqualsStayInOrder) {
  EXPECT_THAT(NearestNames("weights", kNames),
              ElementsAre("conv1/weights", "conv2/weights"));
  EXPECT_THAT(NearestNames("weights", kNames, 1), ElementsAre("conv1/weights"));
}

TEST(NearestNamesTest, APartOfAName) {
  EXPECT_THAT(NearestNames("ense/b", kNames), ElementsAre("dense/bias"));
}

TEST(NearestNamesTest, NothingIsNear) {
  EXPECT_THAT(NearestNames("", kNames), IsEmpty());
  EXPECT_THAT(NearestNames("embedding", kNames), IsEmpty());
  EXPECT_THAT(NearestNames("x", {}), IsEmpty());
}

TEST(NearHintTest, IsAPartOfASentenceOrNothing) {
  EXPECT_EQ(NearHint("los", kNames), "; did you mean loss?");
  EXPECT_EQ(NearHint("embedding", kNames), "");
}

}  // namespace
}  // namespace tfprof
