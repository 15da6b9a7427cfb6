#include "server/question.h"

#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "util/json/json_reader.h"

namespace tfprof::server {
namespace {
namespace question_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

absl::StatusOr<Question> Parse(std::string_view command,
                               std::string_view query) {
  HttpRequest request;
  EXPECT_TRUE(DecodeQuery(query, request.query)) << query;
  return ParseQuestion(command, request);
}

std::string ErrorOf(std::string_view command, std::string_view query) {
  return std::string(Parse(command, query).status().message());
}

TEST(QuestionTest, OptionsAreThoseOfTheCommandLine) {
  const auto question =
      Parse("op", "profile=a/b.pb&order_by=micros&min_micros=5&step=-1");
  ASSERT_TRUE(question.ok()) << question.status();
  EXPECT_EQ(question->profile, "a/b.pb");
  EXPECT_EQ(commands::SpellCommand(question->command),
            "op -min_micros 5 -order_by micros");
}

TEST(QuestionTest, TakesThePartOfATable) {
  const auto question =
      Parse("steps", "table=steps&from=20&count=10&sort=-span_micros&find=x");
  ASSERT_TRUE(question.ok()) << question.status();
  EXPECT_EQ(question->page.table, "steps");
  EXPECT_EQ(question->page.from, 20u);
  EXPECT_EQ(question->page.count, 10u);
  EXPECT_EQ(question->page.sort, "span_micros");
  EXPECT_TRUE(question->page.descending);
  EXPECT_EQ(question->page.find, "x");
}

TEST(QuestionTest, TakesWords) {
  const auto question = Parse("show", "argument=-a%20name");
  ASSERT_TRUE(question.ok()) << question.status();
  EXPECT_THAT(question->command.arguments, ElementsAre("-a name"));
  // An optional argument is not taken for a file.
  const auto place = Parse("ls", "argument=conv1");
  ASSERT_TRUE(place.ok()) << place.status();
  EXPECT_THAT(place->command.arguments, ElementsAre("conv1"));
}

TEST(QuestionTest, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(
      ErrorOf("op", "order_bi=x"),
      AllOf(HasSubstr("op has no option 'order_bi'"), HasSubstr("order_by")));
  EXPECT_THAT(ErrorOf("op", "order_by=nonsense"), HasSubstr("order_by"));
  EXPECT_THAT(ErrorOf("op", "from=x"), HasSubstr("number"));
  EXPECT_THAT(ErrorOf("op", "count=1000000"), HasSubstr("at most"));
  EXPECT_THAT(ErrorOf("skew", "argument=x"), HasSubstr("no option 'argument'"));
  EXPECT_THAT(ErrorOf("op", "show_name_regexes=("), Not(""));
}

TEST(QuestionTest, NothingThatReadsOrWritesFiles) {
  for (const char* option :
       {"output=file:outfile=/tmp/x", "source_path=/", "to=x", "color=always",
        "graph_path=/etc/passwd", "base_path=/x", "agent=true"}) {
    EXPECT_FALSE(Parse("op", option).ok()) << option;
  }
  for (const char* command : {"save", "convert", "load", "base", "set", "serve",
                              "mcp", "tui", "exit", "check", "diff", "", "?"}) {
    EXPECT_TRUE(absl::IsNotFound(Parse(command, "").status())) << command;
  }
}

TEST(QuestionTest, TheCatalogHasEachServedCommand) {
  const std::string catalog = ServedCatalogJson();
  util::JsonReader reader(catalog);
  reader.Skip();
  EXPECT_FALSE(reader.damaged()) << reader.Describe();
  for (const char* name : {"op", "scope", "graph", "code", "steps", "advise",
                           "overview", "devices"}) {
    EXPECT_THAT(catalog, HasSubstr(std::string("{\"name\":\"") + name + "\","));
  }
  EXPECT_THAT(catalog, Not(HasSubstr("{\"name\":\"save\",")));
  // Pages explain their headings with the glossary.
  EXPECT_THAT(catalog, HasSubstr("{\"word\":\"busy\",\"meaning\":\"The time"));
}

}  // namespace question_test
}  // namespace
}  // namespace tfprof::server
