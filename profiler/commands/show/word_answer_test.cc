#include "profiler/commands/show/word_answer.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tables/writers/answer_writer.h"
#include "util/files/sink.h"

namespace tfprof::commands {
namespace {

using ::testing::HasSubstr;

std::string WrittenAs(const tables::Answer& answer, std::string_view format) {
  util::StringSink sink;
  EXPECT_TRUE(tables::WriteAnswer(answer, format, {}, sink).ok()) << format;
  return sink.text();
}

TEST(WordAnswerTest, IsTextOrATableOfOneValue) {
  const tables::Answer answer =
      WordAnswer("base", "file", "a.pb", "The base is a.\n");
  EXPECT_EQ(WrittenAs(answer, "text"), "The base is a.\n");
  EXPECT_EQ(WrittenAs(answer, "csv"), "file\r\na.pb\r\n");
  EXPECT_THAT(WrittenAs(answer, "json"),
              HasSubstr("\"schema\":\"tfprof.base\""));
}

TEST(WordAnswerTest, AnEmptyWordIsNoValue) {
  const tables::Answer answer =
      WordAnswer("base", "file", "", "There is no base.\n");
  EXPECT_THAT(WrittenAs(answer, "json"), HasSubstr("{\"file\":null}"));
  EXPECT_EQ(WrittenAs(answer, "text"), "There is no base.\n");
}

TEST(WordAnswerTest, TextIsTheDefaultForEveryReader) {
  const tables::Answer answer = WordAnswer("pwd", "place", "/", "/\n");
  for (const bool agent : {false, true}) {
    for (const bool terminal : {false, true}) {
      EXPECT_EQ(tables::DefaultFormat(answer, agent, terminal), "text");
    }
  }
}

TEST(WordAnswerTest, TheTextMayBeSetForOtherAnswers) {
  tables::DataTable table;
  table.kind = "help";
  table.columns = {{.name = "command", .title = "command"}};
  tables::Answer answer = tables::TableAnswer(std::move(table));
  SetText("usage\n", answer);
  EXPECT_EQ(WrittenAs(answer, "text"), "usage\n");
  EXPECT_EQ(tables::DefaultFormat(answer, /*agent=*/false, /*reference=*/false),
            "text");
  // The table is still there for programs.
  EXPECT_EQ(WrittenAs(answer, "csv"), "command\r\n");
}

}  // namespace
}  // namespace tfprof::commands
