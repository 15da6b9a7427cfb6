#include "loaders/chrome_json/event_details.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

ArgumentList ArgumentsOf(std::string_view object) {
  TraceEvent event;
  event.args = object;
  return ReadArguments(event);
}

TEST(ArgumentsTest, ValuesAreText) {
  EXPECT_THAT(
      ArgumentsOf(R"({"a": "x\n", "b": 1.50, "c": [1, 2], "d\"": null})"),
      ElementsAre(Pair("a", "x\n"), Pair("b", "1.50"), Pair("c", "[1, 2]"),
                  Pair("d\"", "null")));
  EXPECT_THAT(ArgumentsOf("{}"), IsEmpty());
  EXPECT_THAT(ArgumentsOf("[]"), IsEmpty());
  EXPECT_THAT(ArgumentsOf(""), IsEmpty());
  EXPECT_THAT(ArgumentsOf(R"({"a": 1, "b")"), ElementsAre(Pair("a", "1")));
}

TEST(EventDetailsTest, TheEventAtAnOffset) {
  const std::string text =
      R"([{"name": "first"}, {"ph": "X", "ts": 1, "args": {"k": "v"},)"
      R"( "name": "b\n"}])";
  const EventDetails details(InputFile::FromBytes("f", text));
  EXPECT_EQ(details.Text(1).name, "first");
  EXPECT_THAT(details.Arguments(1), IsEmpty());
  const size_t second = text.find("{\"ph\"");
  EXPECT_EQ(details.Text(second).name, "b\n");
  EXPECT_THAT(details.Arguments(second), ElementsAre(Pair("k", "v")));
  EXPECT_EQ(details.Text(text.size()).name, "");
}

}  // namespace
}  // namespace tfprof
