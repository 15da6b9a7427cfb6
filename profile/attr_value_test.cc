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

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(AttrValueTest, Shapes) {
  const auto shape = [](std::string_view text) {
    TensorShapeProto proto;
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
    AttrValue value;
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

// A value that ends early reads as absent.
TEST(AttrValueTest, Damage) {
  AttrValue value;
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

}  // namespace
}  // namespace tfprof
