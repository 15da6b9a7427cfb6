#include "profiler/tui/picture.h"

#include <string>

#include "gtest/gtest.h"
#include "util/text/text_layout.h"

namespace tfprof::tui {
namespace {

TEST(ScreenTextTest, EscapesControlsAndWithoutUnicodeAllButAscii) {
  EXPECT_EQ(ScreenText("a\x1b[2J\n", true), "a\\x1b[2J\\x0a");
  EXPECT_EQ(ScreenText("数", true), "数");
  EXPECT_EQ(ScreenText("数", false), "\\xe6\\x95\\xb0");
}

TEST(InColumnsTest, HasExactlyTheColumns) {
  EXPECT_EQ(InColumns("ab", 4, true), "ab  ");
  EXPECT_EQ(InColumns("a/long/name", 7, true), "a/…name");
  for (size_t columns = 0; columns < 12; ++columns) {
    for (const bool unicode : {true, false}) {
      EXPECT_EQ(util::Columns(InColumns("数数数数数", columns, unicode)),
                columns);
    }
  }
}

TEST(AtRightTest, EndsAtTheLastColumn) {
  EXPECT_EQ(AtRight("12us", 6), "  12us");
  EXPECT_EQ(AtRight("12us", 2), "12");
}

TEST(PictureTest, WhatIsBelowTheWindowIsNotKept) {
  Picture picture;
  picture.lines.resize(2);
  picture.Put(3, 1, "a", Style::kPlain);
  picture.Put(0, 2, "b", Style::kPlain);
  EXPECT_EQ(picture.lines[1].size(), 1u);
  EXPECT_EQ(picture.lines[1][0].x, 3u);
}

}  // namespace
}  // namespace tfprof::tui
