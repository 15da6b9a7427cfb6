#include "util/json/json_writer.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

TEST(JsonWriterTest, CommasAndColonsComeByThemselves) {
  JsonWriter json;
  json.Object().Member("a", 1).Key("b").Array().Value(2).Value(3).End();
  json.Key("c").Object().End().Member("d", "x").End();
  EXPECT_EQ(json.Take(), R"({"a":1,"b":[2,3],"c":{},"d":"x"})");
}

TEST(JsonWriterTest, EveryKindOfValue) {
  JsonWriter json;
  const std::optional<int64_t> none;
  json.Array().Value(true).Value(false).Null().Value(none);
  json.Value(std::numeric_limits<int64_t>::min());
  json.Value(std::numeric_limits<uint64_t>::max());
  json.Value(1.5).Value(2.0).Value(std::nan("")).Value(HUGE_VAL);
  json.Value(std::vector<std::string>{"p", "q"}).Raw("{}").End();
  EXPECT_EQ(json.Take(),
            "[true,false,null,null,-9223372036854775808,18446744073709551615,"
            "1.5,2,null,null,[\"p\",\"q\"],{}]");
}

TEST(JsonWriterTest, TextsMayHaveAnyBytes) {
  JsonWriter json;
  json.Object().Member("\"\n", std::string("\xff\0", 2)).End();
  EXPECT_EQ(json.Take(), R"({"\"\n":"\ufffd\u0000"})");
}

TEST(JsonWriterTest, LinesAreBrokenBehindCommas) {
  JsonWriter json;
  json.Object().Member("a", 1).Line().Key("list").Array();
  for (int i = 0; i < 2; ++i) json.Line().Value(i);
  json.Line().End().RawMember("b", "null").End().Line();
  EXPECT_EQ(json.Take(), "{\"a\":1,\n\"list\":[\n0,\n1\n],\"b\":null}\n");
}

}  // namespace
}  // namespace tfprof::util
