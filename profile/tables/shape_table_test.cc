#include "profile/tables/shape_table.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::profile {
namespace {
namespace shape_table_test {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

TEST(ShapeTableTest, ShapesAndParameters) {
  ShapeTable shapes;
  EXPECT_EQ(shapes.Intern({}), kUnknownShape);
  const auto parameters = [&](std::vector<int64_t> dims) {
    return shapes.Parameters(shapes.Intern(dims));
  };
  EXPECT_EQ(parameters({}), 0);
  EXPECT_EQ(parameters({1}), 1);
  EXPECT_EQ(parameters({3, 3, 3, 6}), 162);
  EXPECT_EQ(parameters({3, -1}), 0);
  EXPECT_EQ(parameters({3, 0}), 0);
  // Overflows wrap around as in the reference.
  EXPECT_EQ(parameters({int64_t{1} << 62, 2}), kMin);
  EXPECT_EQ(parameters({int64_t{1} << 32, int64_t{1} << 32}), 0);
}

TEST(ShapeTableTest, DistinctShapesOnce) {
  ShapeTable shapes;
  const std::vector<int64_t> ab = {2, 3}, ba = {3, 2};
  const ShapeId id = shapes.Intern(ab);
  EXPECT_NE(shapes.Intern(ba), id);
  EXPECT_EQ(shapes.Intern(ab), id);
  EXPECT_THAT(shapes[id], ElementsAre(2, 3));
  EXPECT_EQ(shapes.size(), 3u);
}

TEST(ShapeTableTest, TheUnknownShapeAlwaysExists) {
  const ShapeTable shapes;
  EXPECT_EQ(shapes.size(), 1u);
  EXPECT_THAT(shapes[kUnknownShape], IsEmpty());
  EXPECT_EQ(shapes.Parameters(kUnknownShape), 0);
}

TEST(ShapeTableTest, APrefixIsAnotherShape) {
  ShapeTable shapes;
  const std::vector<int64_t> one = {1}, two = {1, 1}, negative = {-1};
  const ShapeId scalar = shapes.Intern(one);
  EXPECT_NE(shapes.Intern(two), scalar);
  EXPECT_NE(shapes.Intern(negative), scalar);
  EXPECT_EQ(shapes.size(), 4u);
}

TEST(ShapeTableTest, AnyNegativeDimensionIsUnknown) {
  ShapeTable shapes;
  for (const int64_t dim : {int64_t{-1}, int64_t{-7}, kMin}) {
    const std::vector<int64_t> first = {dim, 5}, last = {5, dim};
    EXPECT_EQ(shapes.Parameters(shapes.Intern(first)), 0) << dim;
    EXPECT_EQ(shapes.Parameters(shapes.Intern(last)), 0) << dim;
  }
}

TEST(ShapeTableTest, ManyShapesOfAnyRank) {
  ShapeTable shapes;
  std::vector<std::vector<int64_t>> all;
  for (int64_t i = 0; i < 3000; ++i) {
    all.emplace_back(static_cast<size_t>(i % 12 + 1), i);
  }
  std::vector<ShapeId> ids;
  for (const auto& dims : all) ids.push_back(shapes.Intern(dims));
  ShapeTable copy = shapes;
  for (size_t i = 0; i < all.size(); ++i) {
    ASSERT_THAT(shapes[ids[i]], ElementsAreArray(all[i]));
    ASSERT_EQ(copy.Intern(all[i]), ids[i]);
  }
  EXPECT_EQ(copy.size(), shapes.size());
  EXPECT_GT(shapes.bytes(), all.size() * sizeof(int64_t));
}

}  // namespace shape_table_test
}  // namespace
}  // namespace tfprof::profile
