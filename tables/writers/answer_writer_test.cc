// Tests answers in every format, and the default formats.

#include "tables/writers/answer_writer.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tables/tables_testing.h"

namespace tfprof::tables {
namespace {
namespace answer_writer_test {

using ::testing::HasSubstr;

Answer Words(size_t rows) {
  return TableAnswer(
      List("words", "word", std::vector<std::string>(rows, "w")));
}

Answer WithForm(bool safe) {
  Answer answer = Words(2);
  answer.forms.push_back({.name = "text",
                          .write =
                              [](const TextLook& look, util::Sink& sink) {
                                sink.Write(look.width == 0 ? "a\nb\nc\n"
                                                           : "narrow\n");
                              },
                          .safe = safe});
  return answer;
}

std::string As(const Answer& answer, std::string_view format,
               const WriteOptions& options = {}) {
  return Written([&](util::Sink& sink) {
    const absl::Status status = WriteAnswer(answer, format, options, sink);
    EXPECT_TRUE(status.ok()) << status;
  });
}

TEST(AnswerWriterTest, EveryFormatHasTheRows) {
  const Answer answer = Words(3);
  for (const AnswerFormat& format : AnswerFormats()) {
    const std::string text = As(answer, format.name);
    EXPECT_THAT(text, HasSubstr("word")) << format.name;
    EXPECT_EQ(FindAnswerFormat(format.name)->name, format.name);
  }
  EXPECT_EQ(FindAnswerFormat("xml"), nullptr);
  EXPECT_EQ(As(answer, "csv"), "word\r\nw\r\nw\r\nw\r\n");
  EXPECT_EQ(As(answer, "table"), "word\nw\nw\nw\n");
}

TEST(AnswerWriterTest, TheCommandIsAFact) {
  Answer answer = Words(1);
  AddCommand("words -step 1", &answer);
  EXPECT_THAT(As(answer, "json"),
              HasSubstr("\"facts\":{\"command\":\"words -step 1\"}"));
  EXPECT_EQ(As(answer, "table"), "word\nw\n");
}

TEST(AnswerWriterTest, AnOwnFormIsWrittenAsItIs) {
  WriteOptions options;
  EXPECT_EQ(As(WithForm(true), "text", options), "a\nb\nc\n");
  options.look.width = 40;
  EXPECT_EQ(As(WithForm(true), "text", options), "narrow\n");
  // Without a form "text", the text is the table.
  EXPECT_EQ(As(Words(1), "text"), "word\nw\n");
}

TEST(AnswerWriterTest, AnUnknownFormatIsAnErrorThatListsTheKnown) {
  util::StringSink sink;
  const absl::Status status = WriteAnswer(WithForm(true), "junit", {}, sink);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "words cannot be written as junit, only as json, ndjson, csv, "
            "markdown, table, agent, text");
  EXPECT_EQ(sink.text(), "");
}

TEST(AnswerWriterTest, DefaultsDependOnTheReader) {
  Answer answer = Words(1);
  EXPECT_EQ(DefaultFormat(answer, false, false), "table");
  EXPECT_EQ(DefaultFormat(answer, false, true), "table");
  EXPECT_EQ(DefaultFormat(answer, true, true), "agent");
  answer.reference_form = "text";
  EXPECT_EQ(DefaultFormat(answer, false, false), "table");
  EXPECT_EQ(DefaultFormat(answer, false, true), "text");
  EXPECT_EQ(DefaultFormat(answer, true, false), "agent");
  answer.own_form = answer.agent_form = "words";
  EXPECT_EQ(DefaultFormat(answer, false, false), "words");
  EXPECT_EQ(DefaultFormat(answer, false, true), "text");
  answer.reference_form.clear();
  EXPECT_EQ(DefaultFormat(answer, false, true), "words");
  EXPECT_EQ(DefaultFormat(answer, true, false), "words");
}

TEST(AnswerWriterTest, BytesOfTheProfileAreNotSafe) {
  EXPECT_TRUE(IsSafe(WithForm(true), "text"));
  EXPECT_FALSE(IsSafe(WithForm(false), "text"));
  EXPECT_TRUE(IsSafe(WithForm(false), "json"));
}

TEST(AnswerWriterTest, ProgressCountsTheRows) {
  Answer answer = DocumentAnswer(Several());
  EXPECT_EQ(AnswerRows(answer), 3u);
  util::Progress progress;
  WriteOptions options;
  options.progress = &progress;
  EXPECT_EQ(As(answer, "csv", options), As(answer, "csv"));
  // At the last row, this counts the rows before it.
  EXPECT_EQ(progress.done, 2);
}

TEST(AnswerWriterTest, CountsLinesOfTablesAndForms) {
  EXPECT_EQ(AnswerLines(WithForm(true), "text", {}), 3u);
  EXPECT_EQ(AnswerLines(WithForm(true), "text", {.width = 40}), 1u);
  EXPECT_EQ(AnswerLines(WithForm(true), "json", {}), 0u);
  // The rows, the header, and a line for columns that do not fit.
  EXPECT_EQ(AnswerLines(Words(10), "table", {}), 12u);
}

TEST(AnswerWriterTest, ALongAnswerIsScrolledOrCut) {
  Answer answer = Words(100);
  const auto fit = [&](size_t height, bool pager) {
    return FitWindow(answer, "table", {.width = 80}, height, pager);
  };
  EXPECT_TRUE(fit(24, true).pager);
  EXPECT_FALSE(fit(24, false).pager);
  EXPECT_FALSE(fit(200, true).pager);
  EXPECT_EQ(fit(24, false).height, 0u);
  answer.cut_to_window = true;
  EXPECT_EQ(fit(24, true).height, 0u);
  EXPECT_EQ(fit(24, false).height, 23u);
  EXPECT_EQ(fit(1, false).height, 1u);
  EXPECT_FALSE(FitWindow(answer, "json", {}, 24, true).pager);
}

TEST(AnswerWriterTest, AFormThatFitsAnyWindowIsNotScrolled) {
  Answer answer = WithForm(true);
  answer.fits_window = true;
  const WindowFit fit =
      FitWindow(answer, "text", {.width = 80}, 3, /*has_pager=*/true);
  EXPECT_FALSE(fit.pager);
  EXPECT_EQ(fit.height, 2u);
}

}  // namespace answer_writer_test
}  // namespace
}  // namespace tfprof::tables
