#include "inspect/nodes/attribute_text.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/graph.pb.h"

namespace tfprof::inspect {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using std::string_view_literals::operator""sv;

// "TYPE VALUE" for the bytes of an AttrValue.
std::string OfBytes(std::string_view bytes) {
  const AttributeText text = DescribeAttribute(bytes);
  return fmt::format("{} {}", text.type, text.value);
}

std::string Of(const proto::AttrValue& value) {
  return OfBytes(value.SerializeAsString());
}

TEST(AttributeTextTest, Scalars) {
  proto::AttrValue value;
  value.set_type(proto::DT_FLOAT);
  EXPECT_EQ(Of(value), "type float");
  value.set_s("NHWC\n");
  EXPECT_EQ(Of(value), "string \"NHWC\\n\"");
  value.set_i(-3);
  EXPECT_EQ(Of(value), "int -3");
  value.set_f(0.5);
  EXPECT_EQ(Of(value), "float 0.5");
  value.set_b(true);
  EXPECT_EQ(Of(value), "bool true");
  value.set_b(false);
  EXPECT_EQ(Of(value), "bool false");
  value.set_placeholder("T");
  EXPECT_EQ(Of(value), "placeholder \"T\"");
}

TEST(AttributeTextTest, Shapes) {
  proto::AttrValue value;
  auto* shape = value.mutable_shape();
  EXPECT_EQ(Of(value), "shape []");
  shape->add_dim()->set_size(2);
  shape->add_dim()->set_size(-1);
  EXPECT_EQ(Of(value), "shape [2,?]");
  shape->set_unknown_rank(true);
  EXPECT_EQ(Of(value), "shape ?");
}

TEST(AttributeTextTest, TensorsAndFunctions) {
  proto::AttrValue value;
  value.mutable_tensor()->set_dtype(proto::DT_INT64);
  EXPECT_EQ(Of(value), "tensor int64 []");
  value.mutable_tensor()->mutable_tensor_shape()->add_dim()->set_size(4);
  EXPECT_EQ(Of(value), "tensor int64 [4]");
  value.mutable_func()->set_name("body_1");
  EXPECT_EQ(Of(value), "func \"body_1\"");
}

TEST(AttributeTextTest, ListsOfNumbers) {
  proto::AttrValue value;
  auto* list = value.mutable_list();
  for (int i = 1; i <= 2; ++i) list->add_i(i * 1000);
  list->add_i(-1);
  EXPECT_EQ(Of(value), "list(int) [1000, 2000, -1]");
  list->Clear();
  list->add_f(1.5);
  list->add_f(-2);
  EXPECT_EQ(Of(value), "list(float) [1.5, -2]");
  list->Clear();
  list->add_b(true);
  list->add_b(false);
  EXPECT_EQ(Of(value), "list(bool) [true, false]");
}

TEST(AttributeTextTest, ListsOfMessagesAndStrings) {
  proto::AttrValue value;
  auto* list = value.mutable_list();
  list->add_s("a\"b");
  EXPECT_EQ(Of(value), "list(string) [\"a\\\"b\"]");
  list->Clear();
  list->add_shape()->add_dim()->set_size(7);
  list->add_shape();
  EXPECT_EQ(Of(value), "list(shape) [[7], []]");
  list->Clear();
  list->add_tensor()->set_dtype(proto::DT_BOOL);
  EXPECT_EQ(Of(value), "list(tensor) [bool []]");
  list->Clear();
  list->add_func()->set_name("f");
  EXPECT_EQ(Of(value), "list(func) [\"f\"]");
}

TEST(AttributeTextTest, AnEmptyListHasNoKnownType) {
  proto::AttrValue value;
  value.mutable_list();
  EXPECT_EQ(Of(value), "list []");
}

// A writer may put each number into a field of its own.
TEST(AttributeTextTest, NumbersOfAListNeedNotBePacked) {
  EXPECT_EQ(OfBytes("\x0a\x04\x18\x05\x18\x06"sv), "list(int) [5, 6]");
  EXPECT_EQ(OfBytes("\x0a\x05\x25\x00\x00\x00\x3f"sv), "list(float) [0.5]");
}

TEST(AttributeTextTest, LongListsAreCutAndCounted) {
  proto::AttrValue value;
  for (int i = 0; i < 16; ++i) value.mutable_list()->add_type(proto::DT_BOOL);
  EXPECT_THAT(Of(value), EndsWith("bool, bool]"));
  for (int i = 0; i < 4; ++i) value.mutable_list()->add_type(proto::DT_BOOL);
  EXPECT_THAT(Of(value), EndsWith("bool, … 20 in all]"));
}

TEST(AttributeTextTest, LongStringsAreCut) {
  proto::AttrValue value;
  value.set_s(std::string(60, 'x'));
  EXPECT_EQ(Of(value), fmt::format("string \"{:x>60}\"", ""));
  value.set_s(std::string(1000, 'x'));
  EXPECT_EQ(Of(value), fmt::format("string \"{:x>60}\"…", ""));
}

TEST(AttributeTextTest, AStringIsCutBetweenCharacters) {
  proto::AttrValue value;
  std::string umlauts = "x";
  for (int i = 0; i < 40; ++i) umlauts += "ä";
  value.set_s(umlauts);
  const std::string text = Of(value);
  EXPECT_THAT(text, EndsWith("\\u00e4\"…"));
  EXPECT_THAT(text, Not(HasSubstr("\\ufffd")));
}

TEST(AttributeTextTest, BytesThatAreNotTextAreCutAnywhere) {
  proto::AttrValue value;
  value.set_s(std::string(100, '\x80'));
  EXPECT_THAT(Of(value), HasSubstr("\\ufffd\"…"));
}

TEST(AttributeTextTest, DamagedValues) {
  EXPECT_EQ(OfBytes("\x12\x7f"sv), " (damaged)");
  // Damage inside a list, and inside a shape.
  EXPECT_EQ(OfBytes("\x0a\x02\x12\x7f"sv), " (damaged)");
  EXPECT_EQ(OfBytes("\x3a\x02\x12\x7f"sv), "shape (damaged)");
}

TEST(AttributeTextTest, AValueWithoutKnownFieldsIsEmpty) {
  EXPECT_EQ(OfBytes(""), " ");
  // Field 15 is unknown, and the other field has a number instead of a string.
  EXPECT_EQ(OfBytes("\x78\x01"sv), " ");
  EXPECT_EQ(OfBytes("\x10\x01"sv), " ");
}

TEST(AttributeTextTest, OfAOneofTheLastMemberCounts) {
  EXPECT_EQ(OfBytes("\x18\x05\x12\x01"
                    "a"sv),
            "string \"a\"");
}

TEST(DataTypeTextTest, NamesReferencesAndUnknownNumbers) {
  EXPECT_EQ(DataTypeText(proto::DT_FLOAT), "float");
  EXPECT_EQ(DataTypeText(proto::DT_INT32_REF), "int32_ref");
  EXPECT_EQ(DataTypeText(99), "type 99");
  EXPECT_EQ(DataTypeText(199), "type 99_ref");
  EXPECT_EQ(DataTypeText(100), "type 100");
  EXPECT_EQ(DataTypeText(UINT64_MAX), "type 18446744073709551615");
}

TEST(ShapeTextTest, UnknownRanksAndDimensions) {
  EXPECT_EQ(ShapeText({}), "?");
  EXPECT_EQ(ShapeText(std::vector<int64_t>{2, -1, 0}), "[2,?,0]");
}

TEST(ShapeTextTest, ManyDimensionsAreCut) {
  const std::vector<int64_t> dims(17, 1);
  EXPECT_EQ(ShapeText(dims), "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,…]");
}

}  // namespace
}  // namespace tfprof::inspect
