#include "util/text/edit_distance.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(EditDistanceTest, CountsEachKindOfEdit) {
  EXPECT_EQ(EditDistance("scope", "scope", 3), 0u);
  EXPECT_EQ(EditDistance("scope", "SCOPE", 3), 0u);  // case is no edit
  EXPECT_EQ(EditDistance("scope", "scoope", 3), 1u);
  EXPECT_EQ(EditDistance("scope", "scpe", 3), 1u);
  EXPECT_EQ(EditDistance("scope", "scape", 3), 1u);
  EXPECT_EQ(EditDistance("scope", "socpe", 3), 1u);  // two letters swapped
  EXPECT_EQ(EditDistance("", "abc", 3), 3u);
  EXPECT_EQ(EditDistance("", "", 0), 0u);
}

TEST(EditDistanceTest, BeyondTheLimitAnyLargerNumberIsReturned) {
  EXPECT_GT(EditDistance("kitten", "sitting", 2), 2u);
  EXPECT_EQ(EditDistance("kitten", "sitting", 3), 3u);
  EXPECT_GT(EditDistance("a", std::string(1000000, 'b'), 5), 5u);
}

// A slow but simple model: the textbook table, with swaps of neighbours.
size_t SlowDistance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> d(a.size() + 1,
                                     std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1,
                          d[i - 1][j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

TEST(EditDistanceTest, AgreesWithTheTextbook) {
  uint32_t x = 3;
  const auto word = [&x] {
    std::string text;
    const size_t size = (x = x * 1664525 + 1013904223) >> 29;
    for (size_t i = 0; i < size; ++i) {
      x = x * 1664525 + 1013904223;
      text.push_back(static_cast<char>('a' + (x >> 30)));
    }
    return text;
  };
  for (int round = 0; round < 3000; ++round) {
    const std::string a = word(), b = word();
    const size_t slow = SlowDistance(a, b);
    for (const size_t limit : {0, 2, 9}) {
      const size_t fast = EditDistance(a, b, limit);
      if (slow <= limit) {
        EXPECT_EQ(fast, slow) << a << " " << b << " limit " << limit;
      } else {
        EXPECT_GT(fast, limit) << a << " " << b;
      }
    }
  }
}

TEST(NearestTest, AtMostAThirdOfTheBytesMayBeWrong) {
  const std::vector<std::string> words = {"micros", "max_depth", "min_micros",
                                          "output", "order_by"};
  EXPECT_THAT(Nearest("micors", words), ElementsAre("micros"));
  EXPECT_THAT(Nearest("max_deptj", words), ElementsAre("max_depth"));
  EXPECT_THAT(Nearest("max", words), ElementsAre("max_depth"));  // a beginning
  EXPECT_THAT(Nearest("banana", words), IsEmpty());
}

TEST(NearestTest, AtMostThreeThatAreEquallyNear) {
  const std::vector<std::string> words = {"aax", "aay", "aaz", "aaw"};
  EXPECT_EQ(Nearest("aab", words).size(), 3u);
}

TEST(DidYouMeanTest, Words) {
  const std::vector<std::string> none, one = {"a"}, three = {"a", "b", "c"};
  EXPECT_EQ(DidYouMean(none), "");
  EXPECT_EQ(DidYouMean(one), "did you mean a?");
  EXPECT_EQ(DidYouMean(three, "--"), "did you mean --a, --b or --c?");
}

TEST(NearestHintTest, FollowsAnError) {
  const std::vector<std::string> words = {"select", "step"};
  EXPECT_EQ(NearestHint("selec", words), "; did you mean select?");
  EXPECT_EQ(NearestHint("banana", words), "");
}

TEST(EditDistanceTest, BothOrdersAreEqual) {
  EXPECT_EQ(EditDistance("scope", "soep", 9), EditDistance("soep", "scope", 9));
  EXPECT_EQ(EditDistance("abc", "", 3), 3u);
}

TEST(EditDistanceTest, PastedTextIsNeverNear) {
  const std::string name(257, 'a');
  EXPECT_GT(EditDistance(name, name, 3), 3u);
  const std::string typed(256, 'a');
  EXPECT_EQ(EditDistance(typed, typed, 3), 0u);
}

TEST(NearestTest, ASingleByteIsOnlyNearItself) {
  const std::vector<std::string> words = {"a", "b", "ab"};
  EXPECT_THAT(Nearest("b", words), ElementsAre("b"));
  EXPECT_THAT(Nearest("B", words), ElementsAre("b"));
  EXPECT_THAT(Nearest("c", words), IsEmpty());
  EXPECT_THAT(Nearest("", words), IsEmpty());
}

TEST(NearestTest, ABeginningOfThreeBytesIsNear) {
  const std::vector<std::string> words = {"accelerator_micros"};
  EXPECT_THAT(Nearest("acc", words), ElementsAre("accelerator_micros"));
  EXPECT_THAT(Nearest("ac", words), IsEmpty());
}

}  // namespace
}  // namespace tfprof::util
