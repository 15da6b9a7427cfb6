#include "loaders/tensorflow/checkpoint/tensor_slice.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/checkpoint/checkpoint_testing.h"

namespace tfprof::tensorflow {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

template <typename T>
std::string Message(const absl::StatusOr<T>& result) {
  return std::string(result.status().message());
}

std::string Hex(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) {
    hex += fmt::format("{:02x}", static_cast<uint8_t>(c));
  }
  return hex;
}

TEST(TensorSliceTest, KeyIsTensorFlowsOrderedCode) {
  // The V1 file in testdata has this key.
  EXPECT_EQ(Hex(TensorSliceKey("f32", Slice({{0, -1}, {0, -1}}))),
            "0066333200010102807f807f");
  EXPECT_EQ(Hex(TensorSliceKey("", Slice({}))), "00000100");
  EXPECT_EQ(Hex(TensorSliceKey(std::string("\x00\xff", 2), Slice({}))),
            "0000ffff00000100");
  EXPECT_EQ(Hex(TensorSliceKey("", Slice({{63, 64}}))), "0000010101bfc040");
  EXPECT_EQ(Hex(TensorSliceKey("", Slice({{-64, 1 << 20}}))),
            "000001010140f0100000");
  EXPECT_EQ(Hex(TensorSliceKey(
                "", Slice({{-65, std::numeric_limits<int64_t>::max()}}))),
            "00000101013fbfffc07fffffffffffffff");
}

TEST(TensorSliceTest, KeysSortAsTheRanges) {
  std::string before;
  for (int64_t start :
       {int64_t{0}, int64_t{1}, int64_t{63}, int64_t{64}, int64_t{8191},
        int64_t{8192}, int64_t{1} << 32, (int64_t{1} << 55) - 1,
        int64_t{1} << 55, int64_t{1} << 62}) {
    const std::string key = TensorSliceKey("w", Slice({{start, 1}}));
    EXPECT_LT(before, key) << start;
    before = key;
  }
}

TEST(TensorSliceTest, BadShapes) {
  proto::TensorShapeProto unknown;
  unknown.set_unknown_rank(true);
  EXPECT_EQ(Message(ShapeFromProto(unknown)), "the shape is unknown");
  EXPECT_EQ(Message(ShapeFromProto(Shape({3, -1}))),
            "dimension 1 of the shape has size -1");
  EXPECT_EQ(Message(ShapeFromProto(Shape(std::vector<int64_t>(255, 1)))),
            "the shape has 255 dimensions, expected at most 254");
  const int64_t big = int64_t{1} << 32;
  EXPECT_EQ(Message(ShapeFromProto(Shape({big, big}))),
            "the shape has 2^63 elements or more");
  const auto empty = ShapeFromProto(Shape({big, 0, big}));
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(ElementCount(*empty), 0);
}

TEST(TensorSliceTest, AScalarHasOneElement) {
  const auto shape = ShapeFromProto(Shape({}));
  ASSERT_TRUE(shape.ok());
  EXPECT_THAT(*shape, IsEmpty());
  EXPECT_EQ(ElementCount(*shape), 1);
}

TEST(TensorSliceTest, ASliceWithoutLengthsIsAllOfTheTensor) {
  const auto place = PlaceSlice(Slice({{0, -1}, {1, 2}}), {4, 3});
  ASSERT_TRUE(place.ok()) << place.status();
  EXPECT_THAT(place->start, ElementsAre(0, 1));
  EXPECT_THAT(place->length, ElementsAre(4, 2));
}

TEST(TensorSliceTest, SlicesOutsideOfTheTensor) {
  EXPECT_EQ(Message(PlaceSlice(Slice({{0, 1}}), {4, 3})),
            "a slice has 1 dimensions, expected 2");
  EXPECT_EQ(Message(PlaceSlice(Slice({{2, 3}}), {4})),
            "a slice takes 3 elements from 2 on along dimension 0, which has "
            "4");
  EXPECT_FALSE(PlaceSlice(Slice({{5, 0}}), {4}).ok());
  EXPECT_FALSE(PlaceSlice(Slice({{-1, 1}}), {4}).ok());
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_FALSE(PlaceSlice(Slice({{1, kMax}}), {kMax}).ok());
  // An empty slice at the end is valid.
  EXPECT_TRUE(PlaceSlice(Slice({{4, 0}}), {4}).ok());
}

TEST(TensorSliceTest, CopiesASliceToItsPlace) {
  profile::TensorValue whole;
  whole.shape = {2, 3};
  whole.ints.resize(6, -1);
  std::vector<bool> filled(6, false);
  // The slice is the last two columns.
  profile::TensorValue part;
  part.ints = {1, 2, 4, 5};
  const SlicePlace place = {.start = {0, 1}, .length = {2, 2}};
  ASSERT_TRUE(CopySlice(part, place, &whole, &filled).ok());
  EXPECT_THAT(whole.ints, ElementsAre(-1, 1, 2, -1, 4, 5));
  EXPECT_THAT(filled, ElementsAre(false, true, true, false, true, true));
  // Copying it to the same position again is an error.
  EXPECT_EQ(CopySlice(part, place, &whole, &filled).message(),
            "two slices hold element 1");
}

}  // namespace
}  // namespace tfprof::tensorflow
