#include "profiler/shell/pipe/pipe_request.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::shell {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

PipeRequest Parsed(std::string_view line) {
  PipeRequest request;
  const absl::Status status = ParsePipeRequest(line, request);
  EXPECT_TRUE(status.ok()) << std::string(status.message());
  return request;
}

std::string ErrorOf(std::string_view line) {
  PipeRequest request;
  return std::string(ParsePipeRequest(line, request).message());
}

TEST(PipeRequestTest, HasAllParts) {
  const PipeRequest request = Parsed(
      R"({"id": 7, "command": "op", "arguments": ["a b", 3],)"
      R"( "options": {"select": ["micros", "bytes"], "step": 3, "agent": true},)"
      R"( "output": "json"} )");
  EXPECT_EQ(request.id, "7");
  EXPECT_EQ(request.command, "op");
  EXPECT_THAT(request.arguments, ElementsAre("a b", "3"));
  ASSERT_THAT(request.options, SizeIs(4));
  EXPECT_EQ(request.options[0].name, "select");
  EXPECT_THAT(request.options[0].values, ElementsAre("micros", "bytes"));
  EXPECT_THAT(request.options[1].values, ElementsAre("3"));
  EXPECT_THAT(request.options[2].values, ElementsAre("true"));
  EXPECT_EQ(request.options[3].name, "output");
}

TEST(PipeRequestTest, TextIsTheDefaultOutput) {
  EXPECT_THAT(Parsed(R"({"command":"op","output":"text"})").options, IsEmpty());
  EXPECT_THAT(Parsed(R"({"command":"op"})").options, IsEmpty());
}

TEST(PipeRequestTest, NothingIsQuoted) {
  EXPECT_THAT(
      Parsed(R"({"command":"show","arguments":["'a, \"b\" #"]})").arguments,
      ElementsAre("'a, \"b\" #"));
}

TEST(PipeRequestTest, IdsAreScalars) {
  for (const char* id : {"0", "-1.5e+3", "true", "null", R"("a\u00e9")"}) {
    EXPECT_EQ(Parsed(std::string(R"({"command":"ping","id":)") + id + "}").id,
              id);
  }
  for (const char* id : {"[1]", "{}", "NaN"}) {
    EXPECT_THAT(ErrorOf(std::string(R"({"command":"ping","id":)") + id + "}"),
                HasSubstr("an id is"))
        << id;
  }
  for (const char* id : {"01", "1.", "tru"}) {
    EXPECT_THAT(ErrorOf(std::string(R"({"command":"ping","id":)") + id + "}"),
                HasSubstr("not JSON: byte 23"))
        << id;
  }
  EXPECT_THAT(ErrorOf(R"({"command":"ping","id":")" +
                      std::string(kMaxIdBytes, 'x') + "\"}"),
              HasSubstr("at most 4096"));
}

TEST(PipeRequestTest, AnErrorKeepsTheId) {
  PipeRequest request;
  EXPECT_FALSE(ParsePipeRequest(R"({"comand":"op","id":5})", request).ok());
  EXPECT_EQ(request.id, "5");
}

TEST(PipeRequestTest, ErrorsSayWhatWasFoundAndExpected) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("found no JSON"));
  EXPECT_THAT(ErrorOf("[]"), HasSubstr("found an array"));
  EXPECT_THAT(ErrorOf("{}"), HasSubstr("no \"command\""));
  EXPECT_THAT(ErrorOf(R"({"comand":"op"})"),
              HasSubstr("no \"comand\"; it has \"id\""));
  EXPECT_THAT(ErrorOf(R"({"command":7})"), HasSubstr("found a number"));
  EXPECT_THAT(ErrorOf(R"({"command":"op","arguments":"x"})"),
              HasSubstr("\"arguments\" is an array; found a string"));
  EXPECT_THAT(ErrorOf(R"({"command":"op","options":[]})"),
              HasSubstr("\"options\" is an object; found an array"));
  EXPECT_THAT(ErrorOf(R"({"command":"op","options":{"step":null}})"),
              HasSubstr("\"step\" is a string, a number"));
  EXPECT_THAT(ErrorOf(R"({"command":"op","options":{"step":1,"step":2}})"),
              HasSubstr("given twice"));
  EXPECT_THAT(ErrorOf(R"({"command":"op","command":"op"})"),
              HasSubstr("given twice"));
  EXPECT_THAT(ErrorOf(R"({"command":"op"} x)"), HasSubstr("found more"));
  EXPECT_THAT(ErrorOf(R"({"command":"op")"), HasSubstr("found the end"));
}

TEST(PipeRequestTest, DepthAndSizeAreNoDanger) {
  const std::string deep(1 << 20, '[');
  EXPECT_THAT(ErrorOf(R"({"command":"op","id":)" + deep),
              HasSubstr("not JSON"));
  const std::string large(1 << 20, 'a');
  EXPECT_THAT(ErrorOf("{\"" + large + "\":1}").size(), ::testing::Lt(300u));
}

}  // namespace
}  // namespace tfprof::shell
