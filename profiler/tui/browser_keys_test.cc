// Keys that move, and what is typed; browser_test.cc has what they lead to.

#include <memory>
#include <string>

#include "accounting/tfprof_rules.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/tui/tui_testing.h"

namespace tfprof::tui {
namespace {

using Code = Key::Code;

// 100 operations, the heaviest first, and as many steps; a page has nine rows.
class BrowserKeysTest : public testing::Test {
 protected:
  BrowserKeysTest() {
    Type(browser_, "vv");  // op: a list
    browser_.Resize(80, 14);
    Settle(browser_);
    Press(browser_, Code::kHome);
  }

  static commands::Workspace ManyRows() {
    profile::ProfileBuilder builder((accounting::TfprofRules()));
    const profile::LaneId cpu =
        tensorflow::DeviceLane("/device:cpu:0", builder.mutable_graph());
    for (int64_t i = 0; i < 100; ++i) {
      profile::ExecutionRecord record;
      record.node = builder.AddNode(fmt::format("n{}", i),
                                    fmt::format("Op{}", i), profile::kNoRecord);
      record.lane = cpu;
      record.start = 1000;
      record.duration = 1000 - i;
      builder.AddExecutions(i, {record}, {});
    }
    loaders::Loaded loaded;
    loaded.profile = std::move(builder).Build();
    return commands::Workspace(std::move(loaded), {});
  }
  size_t Line() const { return browser_.tree().cursor(); }
  size_t Last() const { return browser_.tree().lines().size() - 1; }

  const commands::Workspace workspace_ = ManyRows();
  Browser browser_{workspace_, {}, nullptr};
};

TEST_F(BrowserKeysTest, KeysMoveByALineAPageOrToTheEnd) {
  const size_t page = browser_.layout().rows - 1;
  ASSERT_EQ(page, 9u);
  ASSERT_GE(Last(), 100u);
  struct Case {
    Key key;
    size_t from, to;
  };
  const auto code = [](Code c) { return CodeKey(c); };
  const auto text = [](const char* t) { return Key{.text = t}; };
  for (const Case& c :
       {Case{code(Code::kDown), 0, 1}, Case{text("j"), 0, 1},
        Case{code(Code::kUp), 5, 4}, Case{text("k"), 5, 4},
        Case{code(Code::kUp), 0, 0}, Case{text("k"), 0, 0},
        Case{code(Code::kPageDown), 3, 12}, Case{text(" "), 3, 12},
        Case{code(Code::kPageUp), 12, 3}, Case{code(Code::kPageUp), 4, 0},
        Case{code(Code::kEnd), 3, Last()}, Case{text("G"), 3, Last()},
        Case{code(Code::kHome), 50, 0}, Case{text("g"), 50, 0},
        Case{code(Code::kDown), Last(), Last()},
        Case{code(Code::kPageDown), Last() - 2, Last()}}) {
    Press(browser_, Code::kHome);
    for (size_t i = 0; i < c.from; ++i) Press(browser_, Code::kDown);
    Press(browser_, c.key);
    EXPECT_EQ(Line(), c.to)
        << static_cast<int>(c.key.code) << c.key.text << " from " << c.from;
    EXPECT_LE(browser_.top(Pane::kTree), Line());
    EXPECT_LT(Line(), browser_.top(Pane::kTree) + browser_.layout().rows);
  }
}

TEST_F(BrowserKeysTest, StepsMoveTheSameWay) {
  Press(browser_, Code::kBackTab);
  ASSERT_EQ(browser_.focus(), Pane::kSteps);
  Type(browser_, "j ");
  EXPECT_EQ(browser_.step_cursor(), 10u);
  Type(browser_, "G");
  EXPECT_EQ(browser_.step_cursor(), browser_.steps().entries().size() - 1);
  Type(browser_, "j");
  EXPECT_EQ(browser_.step_cursor(), browser_.steps().entries().size() - 1);
}

TEST_F(BrowserKeysTest, TheWheelScrollsAndTheCursorStaysOnTheScreen) {
  const Layout panes = browser_.layout();
  const auto wheel = [&](Code code, Pane pane) {
    Press(browser_, MouseKey(code, panes.of(pane).begin + 1, 4));
  };
  wheel(Code::kWheelUp, Pane::kTree);
  EXPECT_EQ(browser_.top(Pane::kTree), 0u);
  wheel(Code::kWheelDown, Pane::kTree);
  EXPECT_EQ(browser_.top(Pane::kTree), 3u);
  EXPECT_EQ(Line(), 3u);
  for (int i = 0; i < 60; ++i) wheel(Code::kWheelDown, Pane::kTree);
  EXPECT_EQ(browser_.top(Pane::kTree), Last() + 1 - panes.rows);
  wheel(Code::kWheelUp, Pane::kTree);
  EXPECT_EQ(browser_.top(Pane::kTree), Last() - 2 - panes.rows);
  EXPECT_LT(Line(), browser_.top(Pane::kTree) + panes.rows);
  // The pane below the mouse, whichever has the keys.
  EXPECT_EQ(browser_.focus(), Pane::kTree);
  wheel(Code::kWheelDown, Pane::kSteps);
  EXPECT_EQ(browser_.top(Pane::kSteps), 3u);
  EXPECT_EQ(browser_.step_cursor(), 3u);
  EXPECT_EQ(browser_.focus(), Pane::kTree);
}

TEST_F(BrowserKeysTest, AClickOnALineBetweenPanesDoesNothing) {
  const size_t line = Line();
  for (const Pane pane : {Pane::kTree, Pane::kDetails}) {
    Press(browser_,
          MouseKey(Code::kClick, browser_.layout().of(pane).begin - 1, 6));
    EXPECT_EQ(browser_.focus(), Pane::kTree);
  }
  Press(browser_, MouseKey(Code::kClick, 5000, 5000));
  EXPECT_EQ(Line(), line);
  browser_.Resize(20, 5);  // too small for panes
  Press(browser_, MouseKey(Code::kClick, 1, 3));
  EXPECT_EQ(Line(), line);
}

TEST_F(BrowserKeysTest, WhatIsTypedIsRemovedByWholeCharacters) {
  Type(browser_, "/a");
  for (const char* text : {"ä", "数", "😀"}) Press(browser_, Key{.text = text});
  EXPECT_EQ(browser_.typed(), "aä数😀");
  for (const char* left : {"aä数", "aä", "a", ""}) {
    Press(browser_, Code::kBackspace);
    EXPECT_EQ(browser_.typed(), left);
  }
  EXPECT_EQ(browser_.prompt(), Browser::Prompt::kSearch);
  Press(browser_, Code::kBackspace);
  EXPECT_EQ(browser_.prompt(), Browser::Prompt::kNone)
      << "nothing is left to remove";
  Type(browser_, "/abc");
  Press(browser_, Key{.text = "\x15"});  // Ctrl-U
  EXPECT_EQ(browser_.typed(), "");
  Press(browser_, Code::kDown);
  EXPECT_EQ(browser_.prompt(), Browser::Prompt::kSearch)
      << "no key of a prompt";
}

TEST_F(BrowserKeysTest, AnEmptySearchIsTheLastOne) {
  Type(browser_, "/Op77");
  Press(browser_, Code::kEnter);
  const size_t found = Line();
  Press(browser_, Code::kHome);
  Type(browser_, "/");
  Press(browser_, Code::kEnter);
  EXPECT_EQ(Line(), found);
  EXPECT_NE(found, 0u);
}

TEST_F(BrowserKeysTest, UnknownKeysDoNothing) {
  const std::string before = ScreenOf(browser_);
  for (const char* text : {"z", "Z", "0", "\x01", "数", ""}) {
    Press(browser_, Key{.text = text});
  }
  Press(browser_, Code::kEscape);
  EXPECT_EQ(ScreenOf(browser_), before);
  EXPECT_FALSE(browser_.done());
}

}  // namespace
}  // namespace tfprof::tui
