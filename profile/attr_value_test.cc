#include "profile/attr_value.h"

#include <google/protobuf/text_format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/graph.pb.h"
#include "util/files/wire.h"

namespace tfprof::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(AttrValueTest, Shapes) {
  const auto shape = [](std::string_view text) {
    proto::TensorShapeProto proto;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(std::string(text),
                                                              &proto));
    const std::string bytes = proto.SerializeAsString();
    std::vector<int64_t> dims = {99};
    EXPECT_TRUE(ReadShape(bytes, dims));
    return dims;
  };
  EXPECT_THAT(shape(""), ElementsAre(1));
  EXPECT_THAT(shape("unknown_rank: true"), IsEmpty());
  EXPECT_THAT(shape("dim { size: 2 } dim { size: -1 } dim { }"),
              ElementsAre(2, -1, 0));
}

TEST(AttrValueTest, Kinds) {
  const auto bytes = [](std::string_view text) {
    proto::AttrValue value;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(std::string(text),
                                                              &value));
    return value.SerializeAsString();
  };
  EXPECT_EQ(AttrString(bytes("s: 'NHWC'")), "NHWC");
  EXPECT_EQ(AttrString(bytes("i: 7")), std::nullopt);
  EXPECT_TRUE(AttrBool(bytes("b: true")));
  EXPECT_FALSE(AttrBool(bytes("b: false")));
  EXPECT_FALSE(AttrBool(bytes("i: 1")));
  EXPECT_FALSE(AttrBool(""));
  EXPECT_THAT(AttrInts(bytes("list { i: [1, -2, 3] }")), ElementsAre(1, -2, 3));
  EXPECT_THAT(AttrInts(bytes("i: 3")), IsEmpty());
  EXPECT_THAT(AttrShape(bytes("shape { dim { size: 2 } }")), ElementsAre(2));
  EXPECT_THAT(AttrShapes(bytes("list { shape { dim { size: 2 } } shape { } }")),
              ElementsAre(ElementsAre(2), ElementsAre(1)));
  EXPECT_THAT(
      AttrTensorShape(bytes("tensor { tensor_shape { dim { size: 2 } } }")),
      ElementsAre(2));
  EXPECT_THAT(AttrFunctions(bytes("func { name: 'f' }")), ElementsAre("f"));
  EXPECT_THAT(AttrFunctions(bytes("list { func { name: 'f' } func { } }")),
              ElementsAre("f", ""));
  EXPECT_THAT(AttrFunctions(bytes("s: 'f'")), IsEmpty());
}

// A truncated value reads as absent.
TEST(AttrValueTest, Damage) {
  proto::AttrValue value;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "list { i: [1, 2, 300000] shape { dim { size: 2 } } "
      "func { name: 'f' } }",
      &value));
  const std::string whole = value.SerializeAsString();
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string_view cut(whole.data(), size);
    EXPECT_THAT(AttrInts(cut), IsEmpty()) << size;
    EXPECT_THAT(AttrShapes(cut), IsEmpty()) << size;
    EXPECT_THAT(AttrFunctions(cut), IsEmpty()) << size;
  }
}

// Returns a serialized field whose length is below 128.
std::string Field(uint32_t number, std::string_view content) {
  std::string bytes = {static_cast<char>(util::LengthTag(number)),
                       static_cast<char>(content.size())};
  bytes += content;
  return bytes;
}
constexpr std::string_view kCutField = "\x0a\x05x";

TEST(AttrValueTest, DamageInsideAListReadsAsAbsent) {
  constexpr uint32_t kList = 1, kShape = 7, kFunction = 9;
  std::string shapes = Field(kShape, ""), functions = Field(kFunction, "");
  EXPECT_THAT(AttrShapes(Field(kList, shapes)), ElementsAre(ElementsAre(1)));
  EXPECT_THAT(AttrFunctions(Field(kList, functions)), ElementsAre(""));
  shapes += kCutField;
  functions += kCutField;
  EXPECT_THAT(AttrShapes(Field(kList, shapes)), IsEmpty());
  EXPECT_THAT(AttrFunctions(Field(kList, functions)), IsEmpty());
}

TEST(AttrValueTest, DamageInsideATensorReadsAsAbsent) {
  constexpr uint32_t kTensor = 8, kShape = 2;
  std::string tensor = Field(kShape, "");
  EXPECT_THAT(AttrTensorShape(Field(kTensor, tensor)), ElementsAre(1));
  tensor += kCutField;
  EXPECT_THAT(AttrTensorShape(Field(kTensor, tensor)), IsEmpty());
}

TEST(AttrValueTest, ADamagedShapeOfAListIsUnknown) {
  constexpr uint32_t kList = 1, kShape = 7;
  std::string shapes = Field(kShape, kCutField);
  shapes += Field(kShape, "");
  EXPECT_THAT(AttrShapes(Field(kList, shapes)),
              ElementsAre(IsEmpty(), ElementsAre(1)));
  EXPECT_THAT(AttrShape(Field(kShape, kCutField)), IsEmpty());
}

TEST(AttrValueTest, ADamagedDimensionMakesAShapeDamaged) {
  std::vector<int64_t> dims;
  EXPECT_FALSE(ReadShape(Field(/*number=*/2, kCutField), dims));
  EXPECT_FALSE(ReadShape(kCutField, dims));
  EXPECT_TRUE(ReadShape("", dims));
  EXPECT_THAT(dims, ElementsAre(1));
}

TEST(AttrValueTest, TheLastFieldOfTheOneofCounts) {
  constexpr uint32_t kString = 2, kShape = 7, kPlaceholder = 9;
  std::string value = Field(kString, "first");
  value += Field(kString, "second");
  EXPECT_EQ(AttrString(value), "second");
  EXPECT_EQ(AttrMember(value, kShape), std::nullopt);
  value += Field(kPlaceholder, "p");
  EXPECT_EQ(AttrString(value), std::nullopt);
  EXPECT_EQ(AttrMember(value, kPlaceholder), "p");
  // Fields above 10 are not part of the oneof.
  value += Field(11, "x");
  EXPECT_EQ(AttrMember(value, kPlaceholder), "p");
}

TEST(AttrValueTest, ABoolAfterAnotherValueCounts) {
  std::string value = Field(2, "text");
  value += {util::VarintTag(5), 1};
  EXPECT_TRUE(AttrBool(value));
  value += Field(2, "text");
  EXPECT_FALSE(AttrBool(value));
  std::string damaged = {util::VarintTag(5), 1};
  damaged += kCutField;
  EXPECT_FALSE(AttrBool(damaged));
}

TEST(AttrValueTest, TheFirstAttributeOfAKeyCounts) {
  const AttributeList attributes = {{"a", "1"}, {"b", "2"}, {"a", "3"}};
  EXPECT_EQ(FindAttribute(attributes, "a"), "1");
  EXPECT_EQ(FindAttribute(attributes, "b"), "2");
  EXPECT_EQ(FindAttribute(attributes, "c"), "");
  EXPECT_EQ(FindAttribute({}, "a"), "");
}

}  // namespace
}  // namespace tfprof::profile
