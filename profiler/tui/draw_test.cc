#include "profiler/tui/draw.h"

#include <memory>
#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/tui/tui_testing.h"

namespace tfprof::tui {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Code = Key::Code;

// Styles, borders and the place of the cursor; browser_test.cc has the texts.
class DrawTest : public testing::Test {
 protected:
  DrawTest() { Resize(100, 24); }

  void Resize(size_t width, size_t height) {
    browser_.Resize(width, height);
    Settle(browser_);
  }
  Picture Shown(bool unicode = true) const { return Draw(browser_, unicode); }
  // The style of the first span with this text in a pane.
  std::optional<Style> StyleOf(std::string_view text, Pane pane) const {
    const size_t begin = browser_.layout().of(pane).begin;
    for (const auto& spans : Shown().lines) {
      for (const Picture::Span& span : spans) {
        if (span.x == begin && span.text.find(text) != span.text.npos) {
          return span.style;
        }
      }
    }
    return std::nullopt;
  }

  const commands::Workspace workspace_ = TreeWorkspace();
  Browser browser_{workspace_, {}, nullptr};
};

TEST_F(DrawTest, HeavyRowsAreHotAndLightOnesDim) {
  Press(browser_, Code::kHome);
  struct Case {
    const char* name;
    Style style;
  };
  for (const Case& c :
       {Case{"total", Style::kSelected}, Case{" slow ", Style::kHot},
        Case{" d ", Style::kWarm}, Case{" fast ", Style::kPlain},
        Case{"x\\x0ay", Style::kDim}}) {
    EXPECT_EQ(StyleOf(c.name, Pane::kTree), c.style) << c.name;
  }
}

TEST_F(DrawTest, TheCursorOfAPaneWithoutKeysIsOnlyMarked) {
  EXPECT_EQ(StyleOf(" slow ", Pane::kTree), Style::kSelected);
  EXPECT_EQ(StyleOf("●average", Pane::kSteps), Style::kMarked);
  Press(browser_, Code::kBackTab);
  EXPECT_EQ(StyleOf(" slow ", Pane::kTree), Style::kMarked);
  EXPECT_EQ(StyleOf("●average", Pane::kSteps), Style::kSelected);
}

TEST_F(DrawTest, TheHeadingOfThePaneWithTheKeysIsActive) {
  EXPECT_EQ(StyleOf("scope", Pane::kTree), Style::kActive);
  EXPECT_EQ(StyleOf("details", Pane::kDetails), Style::kHeading);
  Press(browser_, Code::kTab);
  EXPECT_EQ(StyleOf("scope", Pane::kTree), Style::kHeading);
  EXPECT_EQ(StyleOf("details", Pane::kDetails), Style::kActive);
}

TEST_F(DrawTest, ALineStandsBetweenTwoPanes) {
  for (const bool unicode : {true, false}) {
    const Picture picture = Shown(unicode);
    for (const Pane pane : {Pane::kTree, Pane::kDetails}) {
      const size_t x = browser_.layout().of(pane).begin - 1;
      size_t found = 0;
      for (const auto& spans : picture.lines) {
        for (const Picture::Span& span : spans) {
          found += span.x == x && span.text == (unicode ? "│" : "|");
        }
      }
      EXPECT_EQ(found, browser_.layout().rows + 1);
    }
  }
}

TEST_F(DrawTest, TheStepThatIsShownHasAMark) {
  EXPECT_THAT(ScreenOf(browser_), HasSubstr("●average"));
  EXPECT_THAT(ScreenOf(browser_, false), HasSubstr("*average"));
}

TEST_F(DrawTest, ThePromptHasTheCursorAndTheEndOfALongText) {
  EXPECT_FALSE(Shown().cursor);
  Type(browser_, "/ab");
  Picture picture = Shown();
  EXPECT_TRUE(picture.cursor);
  EXPECT_EQ(picture.cursor_y, 22u);
  EXPECT_EQ(picture.cursor_x, 10u) << "behind \"Search: ab\"";
  Press(browser_, Key{.text = "数"});
  EXPECT_EQ(Shown().cursor_x, 12u) << "two columns";
  Type(browser_, std::string(200, 'x') + "end");
  picture = Shown();
  EXPECT_LT(picture.cursor_x, 100u);
  EXPECT_THAT(Lines(picture)[22], StartsWith("Search: xxx"));
  EXPECT_TRUE(Lines(picture)[22].ends_with("xend"));
}

TEST_F(DrawTest, WhatIsTypedIsHarmless) {
  Type(browser_, "/");
  Press(browser_, Key{.text = "\x1b[2J"});
  EXPECT_THAT(Lines(Shown())[22], StartsWith("Search: \\x1b[2J"));
}

TEST_F(DrawTest, TheLastLineNamesTheKeysThatMeanSomething) {
  const auto last = [&] { return Lines(Shown()).back(); };
  EXPECT_THAT(last(), HasSubstr("d diff  ? help  q quit"));
  Type(browser_, "/");
  EXPECT_THAT(last(), HasSubstr("Esc: do nothing"));
  Press(browser_, Code::kEscape);
  Type(browser_, "?");
  EXPECT_THAT(last(), HasSubstr("Any key goes back"));
  Type(browser_, "x");
  Resize(72, 24);
  EXPECT_THAT(last(), HasSubstr("? help  q quit"));
}

TEST_F(DrawTest, AWindowThatIsTooSmallSaysSoOnAsManyLinesAsItNeeds) {
  Resize(10, 3);
  EXPECT_THAT(Lines(Shown()),
              testing::ElementsAre("This windo", "w is 10x3;", " tui needs"));
  Resize(0, 0);
  EXPECT_TRUE(Shown().lines.empty());
}

TEST_F(DrawTest, DetailsThatAreLongSayWhereTheyAre) {
  Press(browser_, Code::kEnter);
  const size_t lines = browser_.details().size();
  ASSERT_GT(lines, browser_.layout().rows);
  Press(browser_, Code::kDown);
  const auto shows = [&](const std::string& text) {
    const Picture picture = Shown();
    for (const Picture::Span& span : picture.lines[1]) {
      if (span.text == text) return true;
    }
    return false;
  };
  EXPECT_TRUE(shows("2/" + std::to_string(lines)));
  Resize(100, lines + 4);
  EXPECT_FALSE(shows("1/" + std::to_string(lines)));
}

}  // namespace
}  // namespace tfprof::tui
