#include "util/json/json_tree.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string ErrorOf(std::string_view text) {
  return std::string(JsonTree::Parse(text).status().message());
}

TEST(JsonTreeTest, ValuesAreFoundInAnyOrder) {
  const std::string text =
      R"( {"b":[1,[2,3],{"c":4}],"a":"x","\u0061b":null,"n":-1.5e1} )";
  const auto tree = JsonTree::Parse(text);
  ASSERT_TRUE(tree.ok()) << tree.status();
  const JsonValue root = tree->root();
  EXPECT_EQ(root.size(), 4u);
  EXPECT_EQ(root["a"].String(), "x");
  EXPECT_EQ(root["n"].Double(), -15.0);
  EXPECT_TRUE(root["ab"].kind() == JsonReader::Kind::kWord);
  EXPECT_FALSE(root["ab"].IsGiven());
  EXPECT_FALSE(root["none"].IsGiven());
  EXPECT_FALSE(root["none"]["deeper"].String().has_value());
  std::vector<std::string> parts;
  for (const JsonValue part : root["b"]) parts.emplace_back(part.raw());
  EXPECT_THAT(parts, ElementsAre("1", "[2,3]", R"({"c":4})"));
  EXPECT_EQ(root["b"].offset(), 6u);
  std::vector<std::string> keys;
  for (const JsonValue member : root) keys.push_back(member.Key());
  EXPECT_THAT(keys, ElementsAre("b", "a", "ab", "n"));
}

TEST(JsonTreeTest, AValueIsOfOneKind) {
  const auto tree = JsonTree::Parse(
      R"([true,9223372036854775807,18446744073709551615,1.0,"1",[],1e999])");
  ASSERT_TRUE(tree.ok()) << tree.status();
  std::vector<JsonValue> values;
  for (const JsonValue value : tree->root()) values.push_back(value);
  ASSERT_EQ(values.size(), 7u);
  EXPECT_EQ(values[0].Bool(), true);
  EXPECT_FALSE(values[0].Int().has_value());
  EXPECT_EQ(values[1].Int(), std::numeric_limits<int64_t>::max());
  EXPECT_FALSE(values[2].Int().has_value());
  EXPECT_EQ(values[2].Uint(), std::numeric_limits<uint64_t>::max());
  EXPECT_FALSE(values[3].Int().has_value());
  EXPECT_EQ(values[3].Double(), 1.0);
  EXPECT_FALSE(values[4].Int().has_value());
  EXPECT_FALSE(values[5].String().has_value());
  EXPECT_TRUE(values[5].begin() == values[5].end());
  EXPECT_FALSE(values[6].Double().has_value());
}

TEST(JsonTreeTest, TheLastOfTwoMembersCounts) {
  const auto tree = JsonTree::Parse(R"({"":0,"a":1,"a":2})");
  ASSERT_TRUE(tree.ok());
  EXPECT_EQ(tree->root()["a"].Int(), 2);
  EXPECT_EQ(tree->root()[""].Int(), 0);
}

TEST(JsonTreeTest, WhatIsNotJsonIsNamedWithItsByte) {
  const std::pair<std::string_view, const char*> kWrong[] = {
      {"", "byte 0: not JSON: expected a value, found the end"},
      {" {", "byte 2: not JSON: expected '}', found the end"},
      {"[1 2]", "byte 3: not JSON: expected ',' or ']', found '2'"},
      {"[1,,2]", "byte 3: not JSON: expected a value, found ','"},
      {"[1,]", "byte 3: not JSON: expected a value, found ']'"},
      {"[,1]", "byte 1: not JSON: expected a value, found ','"},
      {"{\"a\":1,}", "byte 7: not JSON: expected a key, found '}'"},
      {"{,}", "byte 1: not JSON: expected a key, found ','"},
      {"{\"a\"}", "byte 4: not JSON: expected ':', found '}'"},
      {"{\"a\":}", "byte 5: not JSON: expected a value, found '}'"},
      {"{1:2}", "byte 1: not JSON: expected a key, found '1'"},
      {"[NaN]", "byte 1: not JSON: expected a value, found 'N'"},
      {"[-Infinity]", "byte 1: not JSON: expected a value"},
      {"[01]", "byte 1: not JSON: expected a number, found '0'"},
      {"[+1]", "byte 1: not JSON: expected a number, found '+'"},
      {"nul", "byte 3: not JSON: expected the end of a value"},
      {"{} x", "byte 3: not JSON: expected the end, found 'x'"},
      {"{}\f", "byte 2: not JSON: expected a space"},
      {R"("a\x")", "byte 2: not JSON: expected an escape"},
      {R"({"\u12":1})", "byte 2: not JSON: expected an escape"},
      {"\"a\tb\"", "byte 2: not JSON: expected an escape"},
      {"\"a\nb\"", "byte 2: not JSON: expected the end of a string"},
      {"\"a", "expected the end of a string, found the end"},
      {"\"\x01\"", "byte 1: not JSON"},
      {"\"\xff\"", "byte 1: not JSON: expected a character of UTF-8"},
      {std::string_view("{}\0", 3), "byte 2: not JSON"}};
  for (const auto& [text, message] : kWrong) {
    EXPECT_THAT(ErrorOf(text), HasSubstr(message)) << text;
  }
  EXPECT_TRUE(JsonTree::Parse(R"(["\ud83d\ude00","é\/"])").ok());
}

TEST(JsonTreeTest, NestingUsesNoStack) {
  const std::string half(1 << 20, '[');
  EXPECT_TRUE(JsonTree::Parse(half + std::string(1 << 20, ']')).ok());
  EXPECT_FALSE(JsonTree::Parse(half).ok());
}

TEST(JsonTreeTest, ValuesAreLimited) {
  std::string text = "[0";
  for (size_t i = 2; i < JsonTree::kMaxValues; ++i) text += ",0";
  EXPECT_TRUE(JsonTree::Parse(text + "]").ok());
  EXPECT_THAT(ErrorOf(text + ",0]"), HasSubstr("4194304 values"));
}

}  // namespace
}  // namespace tfprof::util
