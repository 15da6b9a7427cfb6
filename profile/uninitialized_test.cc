#include "profile/uninitialized.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::profile {
namespace {

TEST(UninitializedVectorTest, ResizingKeepsTheElements) {
  UninitializedVector<int> v = {1, 2, 3};
  v.resize(100000);
  ASSERT_EQ(v.size(), 100000u);
  EXPECT_EQ(v[0], 1);
  EXPECT_EQ(v[2], 3);
  v.resize(1);
  EXPECT_EQ(v.size(), 1u);
}

TEST(UninitializedVectorTest, AGivenValueIsUsed) {
  const UninitializedVector<int> filled(3, 7);
  EXPECT_EQ(filled[2], 7);
  UninitializedVector<int> grown;
  grown.resize(3, 8);
  EXPECT_EQ(grown[2], 8);
}

TEST(UninitializedVectorTest, ClassesAreConstructed) {
  UninitializedVector<std::string> v;
  v.resize(3);
  EXPECT_EQ(v[2], "");
  v.emplace_back(2, 'x');
  EXPECT_EQ(v[3], "xx");
}

}  // namespace
}  // namespace tfprof::profile
