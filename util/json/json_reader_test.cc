#include "util/json/json_reader.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

using Kind = JsonReader::Kind;
using Members = std::vector<std::pair<std::string, std::string>>;

// Returns the members of an object as (key, text of the value).
Members MembersOf(JsonReader& r) {
  Members members;
  std::string_view key;
  for (bool in = r.EnterObject(); in && r.NextMember(key);) {
    const std::string name(key);
    members.emplace_back(name, r.Skip());
  }
  return members;
}

Members MembersOf(std::string_view text) {
  JsonReader r(text);
  Members members = MembersOf(r);
  EXPECT_FALSE(r.damaged()) << r.Describe();
  EXPECT_EQ(r.depth(), 0);
  return members;
}

std::vector<std::string> ElementsOf(std::string_view text) {
  JsonReader r(text);
  std::vector<std::string> elements;
  for (bool in = r.EnterArray(); in && r.NextElement();) {
    elements.emplace_back(r.Skip());
  }
  EXPECT_FALSE(r.damaged()) << r.Describe();
  return elements;
}

std::string Decode(std::string_view raw) {
  std::string buffer;
  return std::string(DecodeJsonString(raw, buffer));
}

TEST(JsonReader, MembersOfAnObject) {
  EXPECT_EQ(
      MembersOf(R"( {"a": 1, "b" : "x", "c":[1,{"d":2}], "e":{}} )"),
      (Members{
          {"a", "1"}, {"b", "\"x\""}, {"c", "[1,{\"d\":2}]"}, {"e", "{}"}}));
  EXPECT_EQ(MembersOf("{}"), Members());
}

TEST(JsonReader, ElementsOfAnArray) {
  EXPECT_EQ(ElementsOf("[1, \"]\", [2, [3]], null]"),
            (std::vector<std::string>{"1", "\"]\"", "[2, [3]]", "null"}));
  EXPECT_EQ(ElementsOf("[]"), std::vector<std::string>());
}

TEST(JsonReader, NestedObjectsAreEnteredAndLeft) {
  JsonReader r(R"({"a": {"b": 1}, "c": [[2], 3]})");
  std::string_view key, value;
  ASSERT_TRUE(r.EnterObject());
  ASSERT_TRUE(r.NextMember(key));
  ASSERT_TRUE(r.EnterObject());
  EXPECT_EQ(r.depth(), 2);
  ASSERT_TRUE(r.NextMember(key));
  EXPECT_EQ(key, "b");
  EXPECT_EQ(r.Skip(), "1");
  EXPECT_FALSE(r.NextMember(key));
  ASSERT_TRUE(r.NextMember(key));
  EXPECT_EQ(key, "c");
  ASSERT_TRUE(r.EnterArray());
  ASSERT_TRUE(r.NextElement());
  ASSERT_TRUE(r.EnterArray());
  ASSERT_TRUE(r.NextElement());
  ASSERT_TRUE(r.ReadNumber(value));
  EXPECT_EQ(value, "2");
  EXPECT_FALSE(r.NextElement());
  ASSERT_TRUE(r.NextElement());
  EXPECT_EQ(r.Skip(), "3");
  EXPECT_FALSE(r.NextElement());
  EXPECT_FALSE(r.NextMember(key));
  EXPECT_FALSE(r.damaged());
  EXPECT_EQ(r.depth(), 0);
}

TEST(JsonReader, KindsOfValues) {
  const std::pair<std::string_view, Kind> cases[] = {
      {" {}", Kind::kObject}, {"[", Kind::kArray},        {"\"", Kind::kString},
      {"-1", Kind::kNumber},  {".5", Kind::kNumber},      {"null", Kind::kWord},
      {"NaN", Kind::kWord},   {"-Infinity", Kind::kWord}, {"", Kind::kNone},
      {"}", Kind::kNone},
  };
  for (const auto& [text, kind] : cases) {
    EXPECT_EQ(JsonReader(text).Peek(), kind) << text;
  }
}

TEST(JsonReader, AReadOfAnotherKindTakesNothing) {
  JsonReader r("12");
  std::string_view text;
  EXPECT_FALSE(r.EnterObject());
  EXPECT_FALSE(r.EnterArray());
  EXPECT_FALSE(r.ReadString(text));
  EXPECT_FALSE(r.damaged());
  EXPECT_TRUE(r.ReadNumber(text));
  EXPECT_EQ(text, "12");
}

TEST(JsonReader, ScalarsAreTextWithoutQuotes) {
  JsonReader r(R"(["stream 7", 7, true, {}])");
  std::vector<std::string> scalars;
  std::string_view text;
  for (bool in = r.EnterArray(); in && r.NextElement();) {
    if (r.ReadScalar(text)) {
      scalars.emplace_back(text);
    } else {
      r.Skip();
    }
  }
  EXPECT_EQ(scalars, (std::vector<std::string>{"stream 7", "7", "true"}));
}

TEST(JsonReader, QuotesAndBracketsInStringsAreText) {
  EXPECT_EQ(MembersOf(R"({"a": "}\"]{", "b\"": "\\"})"),
            (Members{{"a", R"("}\"]{")"}, {R"(b\")", R"("\\")"}}));
}

TEST(JsonReader, StringsOfAllLengths) {
  // Sizes around 16 bytes, the size of a scanned block.
  for (size_t size = 0; size < 70; ++size) {
    for (const std::string_view special : {"", "\\\"", "{", "]"}) {
      std::string value(size, 'x');
      value += special;
      std::string text = "{\"key\": \"";
      text += value;
      text += "\", \"n\": {\"s\": \"";
      text += value;
      text += "\"}}";
      const Members members = MembersOf(text);
      ASSERT_EQ(members.size(), 2u);
      EXPECT_EQ(members[0].second, "\"" + value + "\"");
      EXPECT_EQ(members[1].second, "{\"s\": \"" + value + "\"}");
    }
  }
}

TEST(JsonReader, CommasTooMany) {
  EXPECT_EQ(ElementsOf("[1,,2,]"), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(MembersOf("{,\"a\":1,\n}"), (Members{{"a", "1"}}));
}

TEST(JsonReader, ControlCharactersInStrings) {
  const std::string text = "{\"a\": \"tab\there \x01 esc\x1b\"}";
  EXPECT_EQ(MembersOf(text).at(0).second, "\"tab\there \x01 esc\x1b\"");
}

TEST(JsonReader, NumbersThatAreNone) {
  EXPECT_EQ(MembersOf("{\"a\": NaN, \"b\":-Infinity, \"c\": -nan}"),
            (Members{{"a", "NaN"}, {"b", "-Infinity"}, {"c", "-nan"}}));
}

// Deviations are read and counted, at any depth, whether they are skipped or
// not.
TEST(JsonReader, Deviations) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"[1,,2]", "byte 3: expected a value, found ','"},
      {"[1,]", "byte 3: expected a value, found ']'"},
      {"[,1]", "byte 1: expected a value, found ','"},
      {"[\"a\\q\"]", "byte 3: expected an escape, found '\\'"},
      {"[\"\\u00g0\"]", "byte 2: expected an escape, found '\\'"},
      {"[\"a\tb\"]", "byte 3: expected an escape, found byte 0x09"},
      {"[\"a\xff\"]", "byte 3: expected a character of UTF-8, found byte 0xff"},
      {"[\"\xed\xa0\x80\"]",
       "byte 2: expected a character of UTF-8, found byte 0xed"},
      {"[1,\x01 2]", "byte 3: expected a space, found byte 0x01"},
      {"[nan]", "byte 1: expected a number, found 'n'"},
  };
  for (const auto& [text, message] : cases) {
    JsonReader flat(text);
    for (bool in = flat.EnterArray(); in && flat.NextElement();) flat.Skip();
    EXPECT_FALSE(flat.damaged()) << flat.Describe();
    EXPECT_GT(flat.deviations(), 0) << text;
    EXPECT_EQ(flat.DescribeDeviation(), message);
    JsonReader skipped(text);
    EXPECT_EQ(skipped.Skip(), text);
    EXPECT_EQ(skipped.DescribeDeviation(), message);
    flat.ClearDeviations();
    EXPECT_EQ(flat.DescribeDeviation(), "");
  }
  for (const std::string_view text :
       {"[NaN,Infinity,-Infinity,true,false,null]",
        "[0,-0,1.5,0.5,1e9,-1.5E-3]",
        "[\"\\u00e9\\ud800\\n\\/\", \"\u00e9\U0001F600\"]", "[ ]\r\n\t "}) {
    JsonReader r(text);
    r.Skip();
    EXPECT_TRUE(r.AtEnd());
    EXPECT_EQ(r.DescribeDeviation(), "") << text;
  }
}

TEST(JsonReader, WhatIsNoNumberIsDamage) {
  for (const std::string_view word :
       {"04", "-04", "+1", ".5", "5.", "1.2.3", "1e", "0x1", "null52", "tru",
        "-", "None"}) {
    const std::string text = "[[" + std::string(word) + "]]";
    JsonReader r(text);
    EXPECT_EQ(r.Skip(), "") << word;
    EXPECT_TRUE(r.damaged()) << word;
    EXPECT_FALSE(r.truncated()) << word;
    EXPECT_EQ(r.offset(), 2u) << word;
  }
}

TEST(JsonReader, KeysWithEscapes) {
  JsonReader r(R"({"p\u0068": 1, "a\n": 2, "c": 3})");
  std::vector<std::string> keys;
  std::string_view key;
  for (bool in = r.EnterObject(); in && r.NextDecodedMember(key);) {
    keys.emplace_back(key);
    r.Skip();
  }
  EXPECT_EQ(keys, (std::vector<std::string>{"ph", "a\n", "c"}));
}

TEST(JsonReader, AByteOrderMark) {
  JsonReader r("\xef\xbb\xbf[1]");
  EXPECT_EQ(r.Skip(), "[1]");
  EXPECT_EQ(r.offset(), 6u);
  EXPECT_TRUE(r.AtEnd());
}

TEST(JsonReader, AnUnescapedQuoteIsDamage) {
  JsonReader r(R"({"name": "has "quotes"", "pid": 1})");
  MembersOf(r);
  ASSERT_TRUE(r.damaged());
  EXPECT_FALSE(r.truncated());
  EXPECT_EQ(r.Describe(100), "byte 115: expected ',' or '}', found 'q'");
}

TEST(JsonReader, ALineFeedInAStringIsDamage) {
  JsonReader r("{\"a\": \"b\n\"}");
  MembersOf(r);
  EXPECT_EQ(r.Describe(),
            "byte 8: expected the end of a string, found byte 0x0a");
}

TEST(JsonReader, EveryTruncationIsSeen) {
  const std::string_view text =
      R"({"name": "a\"b", "args": {"x": [1, 2, "3"]}, "n": 12})";
  for (size_t size = 0; size < text.size(); ++size) {
    JsonReader r(text.substr(0, size));
    MembersOf(r);
    EXPECT_TRUE(r.truncated()) << size;
    EXPECT_LE(r.offset(), size);
  }
}

TEST(JsonReader, WhatIsMissing) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {R"({"a" 1})", "byte 5: expected ':', found '1'"},
      {R"({a: 1})", "byte 1: expected a key, found 'a'"},
      {R"({"a": })", "byte 6: expected a value, found '}'"},
      {R"({"a": 1 "b": 2})", "byte 8: expected ',' or '}', found '\"'"},
      {R"({"a": [1)", "byte 8: expected ']', found the end"},
  };
  for (const auto& [text, message] : cases) {
    JsonReader r(text);
    MembersOf(r);
    EXPECT_EQ(r.Describe(), message) << text;
  }
}

TEST(JsonReader, AfterDamageAllFails) {
  JsonReader r("{\"a\" 1, \"b\": 2}");
  MembersOf(r);
  const size_t offset = r.offset();
  std::string_view text;
  EXPECT_FALSE(r.NextMember(text));
  EXPECT_FALSE(r.ReadScalar(text));
  EXPECT_FALSE(r.EnterObject());
  EXPECT_EQ(r.Skip(), "");
  EXPECT_EQ(r.Peek(), Kind::kNone);
  EXPECT_EQ(r.offset(), offset);
}

TEST(JsonReader, DepthIsNotLimited) {
  std::string text(1'000'000, '[');
  JsonReader open(text);
  open.Skip();
  EXPECT_TRUE(open.truncated());
  text.append(1'000'000, ']');
  JsonReader whole(text);
  EXPECT_EQ(whole.Skip().size(), text.size());
  EXPECT_FALSE(whole.damaged());
}

TEST(JsonReader, BeginsAtAnOffset) {
  const std::string_view text = R"(, {"a": 1})";
  JsonReader r(text, 2);
  EXPECT_EQ(MembersOf(r), (Members{{"a", "1"}}));
  EXPECT_EQ(r.offset(), text.size());
}

TEST(JsonReader, GoesOnBehindDamage) {
  const std::string_view text = R"([{"a" 1}, {"b": 2}, 3])";
  JsonReader r(text);
  ASSERT_TRUE(r.EnterArray());
  ASSERT_TRUE(r.NextElement());
  MembersOf(r);
  ASSERT_TRUE(r.damaged());
  r.ContinueAt(text.find(", {"), 1, /*after_value=*/true);
  ASSERT_TRUE(r.NextElement());
  EXPECT_EQ(MembersOf(r), (Members{{"b", "2"}}));
  r.ContinueAt(text.find('3'), 1, /*after_value=*/false);
  ASSERT_TRUE(r.NextElement());
  EXPECT_EQ(r.Skip(), "3");
  EXPECT_FALSE(r.NextElement());
  EXPECT_EQ(r.depth(), 0);
  EXPECT_FALSE(r.damaged());
}

TEST(DecodeJsonString, Escapes) {
  EXPECT_EQ(Decode("plain"), "plain");
  EXPECT_EQ(Decode(R"(a\"b\\c\/d\n\t\r\b\f)"), "a\"b\\c/d\n\t\r\b\f");
  EXPECT_EQ(Decode(R"(\u0041\u00e9\u4e2d)"), "A\u00e9\u4e2d");
  EXPECT_EQ(Decode(R"(\ud83d\ude00!)"), "\U0001F600!");
}

TEST(DecodeJsonString, HalfOfASurrogatePair) {
  EXPECT_EQ(Decode(R"(\ud83dx)"), "\ufffdx");
  EXPECT_EQ(Decode(R"(\ude00)"), "\ufffd");
  EXPECT_EQ(Decode(R"(\ud83d\u0041)"), "\ufffdA");
}

TEST(DecodeJsonString, BackslashesThatBeginNoEscape) {
  EXPECT_EQ(Decode(R"(C:\xmp\qux)"), R"(C:\xmp\qux)");
  EXPECT_EQ(Decode(R"(end\)"), R"(end\)");
  EXPECT_EQ(Decode(R"(\u12)"), R"(\u12)");
  EXPECT_EQ(Decode(R"(\uzzzz)"), R"(\uzzzz)");
}

TEST(DecodeJsonString, WithoutABackslashNothingIsCopied) {
  const std::string_view raw = "name";
  std::string buffer;
  EXPECT_EQ(DecodeJsonString(raw, buffer).data(), raw.data());
}

}  // namespace
}  // namespace tfprof::util
