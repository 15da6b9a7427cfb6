// Tests answers as Markdown: markup in names, limits, and the form for agents.

#include "tables/writers/markdown_writer.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tables/tables_testing.h"
#include "util/text/token_count.h"

namespace tfprof::tables {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Markdown(const DataDocument& document,
                     const MarkdownLimits& limits = {}) {
  return Written(
      [&](util::Sink& sink) { WriteMarkdown(document, limits, sink); });
}

TEST(MarkdownWriterTest, OneTable) {
  DataTable table = Tree({"all", "b"}, {26678, 3});
  table.totals = {TextCell("total"), int64_t{26678}, DataCell()};
  EXPECT_EQ(Markdown(One(table)),
            "tfprof.test, step: -1\n"
            "\n"
            "| depth | name | total_micros | self_bytes |\n"
            "|---:|---|---:|---:|\n"
            "| 0 | all | 26678 |  |\n"
            "| 1 | b | 3 |  |\n"
            "|  | total | 26678 |  |\n"
            "\n");
}

TEST(MarkdownWriterTest, NamesAreNoMarkup) {
  const std::string text =
      Markdown(One(Tree({"a|b\nc`d`", "<img src=x>", "_x_y_"}, {1, 2, 3})));
  EXPECT_THAT(text, HasSubstr("| 0 | a\\|b<br>c\\`d\\` | 1 |  |\n"));
  EXPECT_THAT(text, HasSubstr("| &lt;img src=x&gt; |"));
  EXPECT_THAT(text, HasSubstr("| \\_x_y\\_ |"));
}

TEST(MarkdownWriterTest, Limits) {
  MarkdownLimits limits;
  limits.max_rows = 2;
  limits.max_columns = 9;
  limits.all_rows = "op -output json";
  const DataDocument answer =
      One(Tree({"all", std::string(10000, 'x'), "c", "d"}, {1, 2, 3, 4}));
  const std::string text = Markdown(answer, limits);
  EXPECT_THAT(text, HasSubstr("| xx…xxxxxx |"));
  EXPECT_THAT(text, HasSubstr("… 2 more rows of 4, shown by -budget "));
  EXPECT_THAT(text, HasSubstr("; get them with: op -output json"));
  limits.max_rows = 100;
  limits.max_tokens = 1;
  EXPECT_THAT(Markdown(answer, limits), HasSubstr("… 3 more rows of 4"));
  limits = {.max_rank = 0, .all_rows = "", .to_file = ""};
  EXPECT_THAT(Markdown(answer, limits), Not(HasSubstr("self_bytes")));
}

TEST(MarkdownWriterTest, SeveralTablesHaveHeadings) {
  EXPECT_EQ(Markdown(Several()),
            "tfprof.several, step: -1, nodes: 10440\n"
            "\n"
            "## inputs\n"
            "\n"
            "| name |\n"
            "|---|\n"
            "| a |\n"
            "| b\\|c |\n"
            "\n"
            "## sizes\n"
            "\n"
            "| name | bytes |\n"
            "|---|---:|\n"
            "| c | 2500 |\n"
            "\n"
            "1 of 3 rows are within the limits and filters.\n"
            "\n");
}

TEST(MarkdownWriterTest, AnAgentLearnsHowToGetTheRest) {
  const std::vector<std::string> names(100, "n");
  DataTable table = Tree(names, std::vector<int64_t>(100, 1));
  const auto written = [&](const std::vector<std::string>& narrowing) {
    return Written([&](util::Sink& sink) {
      WriteForAgent(One(table), "test -step 1", narrowing, 4000, sink);
    });
  };
  EXPECT_THAT(
      written({}),
      HasSubstr("… 60 more rows of 100, shown by -budget 10100; get them with: "
                "test -step 1 -output ndjson:outfile=test.ndjson\n"
                "For more: test -step 1 -output json.\n"));
  EXPECT_THAT(written({"select", "step"}),
              HasSubstr("\nFor more: test -step 1 -output json, or -select, "
                        "-step; see help OPTION.\n"));
  // If another command shows more rows.
  table.rest = "test 1000";
  table.total_rows = 1000;
  EXPECT_THAT(written({}),
              HasSubstr("… 960 more rows of 1000; get them with: test 1000 "
                        "-output ndjson:outfile=test.ndjson\n"
                        "For more: test 1000 -output json.\n"));
}

TEST(MarkdownWriterTest, AnAgentGetsNoMoreThanItsBudget) {
  const std::vector<std::string> names(40, "a_name_of/some/length");
  DataDocument document = One(Tree(names, std::vector<int64_t>(40, 1)));
  document.parts[0].title = "First";
  document.parts.push_back(document.parts[0]);
  for (const size_t budget : {500u, 1000u, 2000u}) {
    const std::string text = Written([&](util::Sink& sink) {
      WriteForAgent(document, "test", {}, budget, sink);
    });
    EXPECT_LE(util::CountTokens(text), budget) << text;
    EXPECT_GE(util::CountTokens(text), budget / 2) << text;
  }
}

TEST(MarkdownWriterTest, TheRowsOfTheLargestCostStay) {
  DataTable table = Tree({"first", "large", "small", "last"}, {20, 70, 1, 9});
  table.depth = nullptr;
  std::string text;
  for (size_t budget = 150; text.find("| small") == text.npos; budget += 5) {
    text = Written([&](util::Sink& sink) {
      WriteForAgent(One(table), "test", {}, budget, sink);
    });
    if (text.find("| last") == text.npos) {
      EXPECT_THAT(text, HasSubstr("| large"));
    }
    if (text.find("… 2 more rows of 4") != text.npos) {
      EXPECT_THAT(text, HasSubstr("| first | 20 |\n| large | 70 |\n"));
      EXPECT_THAT(
          text,
          HasSubstr("… 2 more rows of 4, 10us (10.0%), shown by -budget "));
    }
  }
}

TEST(MarkdownWriterTest, ATextIsCutToItsBudget) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "a line of it\n";
  std::string cut = text;
  CutToBudget(4000, cut);
  EXPECT_EQ(cut, text);
  CutToBudget(1000, cut);
  EXPECT_LE(util::CountTokens(cut), 1000u);
  EXPECT_GE(util::CountTokens(cut), 900u);
  EXPECT_THAT(cut, HasSubstr("a line of it\n… 3040 of 4000 tokens are left "
                             "out; -budget 4100 shows all.\n"));
  std::string line(100000, '.');
  CutToBudget(1000, line);
  EXPECT_LE(util::CountTokens(line), 1000u);
}

TEST(MarkdownWriterTest, UnknownFactsAreSkipped) {
  DataDocument document = One(List("words", "word", {"a"}));
  document.facts = {{{.name = "base"}, DataCell()},
                    {{.name = "", .title = "times"}, "average"},
                    {{.name = "share", .unit = util::Unit::kShare}, 0.123456}};
  EXPECT_THAT(Markdown(document), StartsWith("tfprof.words, share: 0.1235\n"));
}

TEST(MarkdownWriterTest, ATableWithoutRowsHasItsHeader) {
  EXPECT_EQ(Markdown(One(List("words", "word", {}))),
            "tfprof.words, step: -1\n\n| word |\n|---|\n\n");
}

TEST(MarkdownWriterTest, TheFirstRowIsThereHoweverLong) {
  MarkdownLimits limits;
  limits.max_tokens = 1;
  const std::string text =
      Markdown(One(List("words", "word", {"long", "b"})), limits);
  EXPECT_THAT(text, HasSubstr("| long |\n\n… 1 more row of 2"));
}

TEST(MarkdownWriterTest, TablesShareTheTokens) {
  DataDocument document;
  document.kind = "several";
  for (const char* name : {"first", "second"}) {
    document.parts.push_back(
        {name, List(name, "word", std::vector<std::string>(100, "1234"))});
  }
  MarkdownLimits limits;
  limits.max_tokens = 261;
  const std::string text = Markdown(document, limits);
  // A row needs 4 tokens; each table leaves room for the following ones.
  EXPECT_THAT(text, HasSubstr("## first\n"));
  size_t first = 0, second = 0;
  for (const std::string& line : LinesOf(text)) {
    if (line == "## second") std::swap(first, second);
    second += line == "| 1234 |";
  }
  EXPECT_EQ(first, 10u);
  EXPECT_GE(second, 10u);
  EXPECT_LE(util::CountTokens(text), 261u + 20);
}

}  // namespace
}  // namespace tfprof::tables
