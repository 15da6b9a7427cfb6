// Tests answers for people: facts, titles, and the window.

#include "tables/writers/screen_writer.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tables/tables_testing.h"

namespace tfprof::tables {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Screen(const DataDocument& document, const TextLook& look = {},
                   std::string_view introduction = "") {
  return Written([&](util::Sink& sink) {
    WriteScreen(document, introduction, look, sink);
  });
}

TEST(ScreenWriterTest, OneTableWithoutFacts) {
  EXPECT_EQ(Screen(One(Tree({"all", "b"}, {26678, 3}))),
            "name     time  bytes\n"
            "all   26.68ms      -\n"
            "  b       3us      -\n");
}

TEST(ScreenWriterTest, OneTableIsShownWithoutRows) {
  EXPECT_EQ(Screen(One(List("words", "word", {}))), "word\n");
}

TEST(ScreenWriterTest, SeveralTablesHaveTitles) {
  const std::string text =
      "times  of step 1\n"
      "nodes  10.44k\n"
      "\n"
      "Inputs:\n"
      "name\n"
      "a\n"
      "b|c\n"
      "\n"
      "Sizes:\n"
      "name   bytes\n"
      "c     2.50KB\n"
      "1 of 3 rows are within the limits and filters\n";
  EXPECT_EQ(Screen(Several()), text);
  EXPECT_THAT(Screen(Several(), {.color = true}),
              HasSubstr("\x1b[1mInputs:\x1b[0m\n"));
  // Each table may have a line about columns that a narrow window lacks.
  EXPECT_EQ(ScreenLines(Several(), {}), LinesOf(text).size() + 2);
}

TEST(ScreenWriterTest, SentencesAreBrokenWithoutAWindow) {
  DataDocument document = One(List("words", "word", {"a"}));
  std::string sentence;
  for (int i = 0; i < 100; ++i) sentence += "four ";
  document.facts.push_back({{"why", "why"}, TextCell(sentence + "end")});
  const std::string text = Screen(document);
  for (const std::string& line : LinesOf(text)) EXPECT_LE(line.size(), 80u);
  EXPECT_THAT(text, AllOf(StartsWith("why  four four "), HasSubstr(" end\n")));
}

TEST(ScreenWriterTest, Facts) {
  DataDocument document = One(List("words", "word", {"a"}));
  std::string long_name(1000, 'x');
  long_name.push_back('\x1b');
  document.facts = {
      {{.name = "", .title = "span", .drawn = true}, "▁█"},
      {{.name = "noise", .title = "noise", .unit = util::Unit::kShare}, 0.05},
      {{.name = "x", .title = "device", .nothing = "(none)"}, DataCell()},
      {{.name = "y", .title = "name"}, long_name}};
  EXPECT_THAT(Screen(document),
              AllOf(StartsWith("span    ▁█\nnoise   5.0%\ndevice  (none)\n"),
                    HasSubstr("xx\\x1b\n\nword\na\n")));
  const TextLook look = {.width = 20, .unicode = false};
  const std::string narrow = Screen(document, look);
  EXPECT_THAT(narrow, StartsWith("noise   5.0%\n"));
  EXPECT_THAT(narrow, HasSubstr("name    xxx"));
  EXPECT_LT(narrow.size(), 200u);
}

TEST(ScreenWriterTest, OnlyAWindowHasTheIntroduction) {
  const DataDocument document = One(List("words", "word", {"a"}));
  EXPECT_EQ(Screen(document, {.width = 12}, "Some words.\nAnd then more.\n"),
            "Some words.\nAnd then\nmore.\n\nword\na\n");
  EXPECT_EQ(Screen(document, {}, "Some words.\n"), "word\na\n");
}

TEST(ScreenWriterTest, RowsThatDoNotFitAreCounted) {
  DataDocument document =
      One(List("words", "word", std::vector<std::string>(100, "n")));
  document.facts = {{{.name = "", .title = "times"}, "average"}};
  const std::vector<std::string> lines =
      LinesOf(Screen(document, {.width = 80, .height = 20}));
  EXPECT_LE(lines.size(), 20u);
  EXPECT_THAT(lines.back(), StartsWith("… "));
}

TEST(ScreenWriterTest, AnEmptyTableBelowFactsFitsALowWindow) {
  DataDocument document = One(List("words", "word", {}));
  document.facts = {{{.name = "", .title = "times"}, "average"}};
  for (const size_t height : {1u, 2u, 10u}) {
    EXPECT_EQ(Screen(document, {.width = 80, .height = height}),
              "times  average\n\nword\n");
  }
}

TEST(ScreenWriterTest, AnEmptyDocumentIsEmpty) {
  EXPECT_EQ(Screen(DataDocument()), "");
  EXPECT_EQ(ScreenLines(DataDocument(), {}), 0u);
}

TEST(ScreenWriterTest, FactsForProgramsTakeNoLines) {
  DataDocument document = One(List("words", "word", {"a"}));
  const size_t before = ScreenLines(document, {});
  document.facts.push_back({{.name = "base"}, "x.pb"});
  EXPECT_EQ(ScreenLines(document, {}), before);
  document.facts.push_back({{.name = "", .title = "span", .drawn = true}, "█"});
  EXPECT_EQ(ScreenLines(document, {.unicode = false}), before);
  // One line for the fact, and an empty line after the facts.
  EXPECT_EQ(ScreenLines(document, {}), before + 2);
}

}  // namespace
}  // namespace tfprof::tables
