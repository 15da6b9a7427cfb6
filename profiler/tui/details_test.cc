#include "profiler/tui/details.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tables/table_builder.h"
#include "util/text/text_layout.h"

namespace tfprof::tui {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

tables::DataDocument Document() {
  tables::DataDocument document;
  document.facts = {
      {{.name = "op", .title = "op"}, tables::TextCell("MatMul")},
      {{.name = "where", .title = "where"},
       tables::TextCell("a/long/name/of/a/node/that/goes/on")},
      {{.name = "micros", .title = "time", .unit = util::Unit::kMicros},
       int64_t{0}},
      {{.name = "bytes", .title = "memory", .unit = util::Unit::kBytes},
       int64_t{0}},
      {{.name = "for_programs"}, tables::TextCell("hidden")},
  };
  return document;
}

TEST(DetailLinesTest, FactsHaveTheirTitlesBesideThem) {
  EXPECT_THAT(
      DetailLines(Document(), 60, true),
      ElementsAre("op      MatMul",
                  "where   a/long/name/of/a/node/that/goes/on", "time    0us"));
}

TEST(DetailLinesTest, ALongFactGoesOnBelowItself) {
  EXPECT_THAT(DetailLines(Document(), 34, true), Contains("        /goes/on"));
}

TEST(DetailLinesTest, InANarrowPaneALongFactIsBelowItsTitle) {
  EXPECT_THAT(DetailLines(Document(), 20, true),
              ElementsAre("op      MatMul", "where", "  a/long/name/of/a/n",
                          "  ode/that/goes/on", "time    0us"));
}

TEST(DetailLinesTest, TablesFollow) {
  tables::DataDocument document = Document();
  tables::TableBuilder table("steps", {{.name = "step", .title = "step"}});
  table.AddRow({tables::TextCell("x\x1b[2J\xe6\x95\xb0")});
  document.parts.push_back({"Steps", std::move(table).Build()});
  EXPECT_THAT(DetailLines(document, 60, false),
              Contains("x\\x1b[2J\\xe6\\x95\\xb0"));
  document.facts.clear();
  EXPECT_EQ(DetailLines(document, 60, true).front(), "Steps:");
}

TEST(DetailLinesTest, FitsIntoAnyWidth) {
  for (size_t width = 1; width < 50; ++width) {
    for (const std::string& line : DetailLines(Document(), width, true)) {
      // Titles are not cut: the screen does that.
      if (line.find_first_of('/') == line.npos) continue;
      EXPECT_LE(util::Columns(line), std::max<size_t>(width, 3)) << line;
    }
  }
}

TEST(CutLinesTest, KeepsLinesAndCutsLongOnes) {
  EXPECT_THAT(CutLines("abcdef\n\nx\n", 4, true),
              ElementsAre("abcd", "ef", "", "x"));
  // A wide character is not cut.
  EXPECT_THAT(CutLines("a数数", 4, true), ElementsAre("a数", "数"));
}

}  // namespace
}  // namespace tfprof::tui
