#include "profiler/tui/browser.h"

#include <memory>
#include <string>
#include <vector>

#include "accounting/small_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/tui/tui_testing.h"
#include "util/text/text_layout.h"

namespace tfprof::tui {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Code = Key::Code;

class BrowserTest : public testing::Test {
 protected:
  explicit BrowserTest(const options::Options& options = {}) {
    workspace_.work.cancellation = &cancellation_;
    browser_ = std::make_unique<Browser>(workspace_, options, &cancellation_);
    browser_->Resize(80, 24);
    Settle(*browser_);
  }

  std::string Here() const {
    const TreePane& tree = browser_->tree();
    return tree.current().row == kTopRow
               ? "(top)"
               : std::string(tree.rows().Name(tree.current().row));
  }
  std::string Screen() const { return ScreenOf(*browser_); }
  // The line of the tree with this text; "": there is none on the screen.
  std::string LineWith(std::string_view text) const {
    const size_t begin = browser_->layout().of(Pane::kTree).begin;
    for (const auto& spans : Draw(*browser_, true).lines) {
      for (const Picture::Span& span : spans) {
        if (span.x == begin && span.text.find(text) != span.text.npos) {
          return span.text;
        }
      }
    }
    return "";
  }

  util::Cancellation cancellation_;
  commands::Workspace workspace_ = TreeWorkspace();
  std::unique_ptr<Browser> browser_;
};

TEST_F(BrowserTest, TheFirstScreenShowsTheHeaviestNode) {
  EXPECT_EQ(Here(), "a/b/slow");
  EXPECT_THAT(Screen(), HasSubstr("model.pb"));
  EXPECT_THAT(Screen(), HasSubstr("scope, by time, average of the steps"));
  EXPECT_THAT(LineWith(" slow "), HasSubstr("360us"));
  EXPECT_THAT(LineWith("total"), HasSubstr("100.0%"));
  // Its details, as in `show`.
  EXPECT_THAT(Screen(), HasSubstr("MatMul"));
}

TEST_F(BrowserTest, ArrowsMoveOpenAndClose) {
  Press(*browser_, Code::kLeft);
  EXPECT_EQ(Here(), "a/b");
  Press(*browser_, Code::kLeft);
  EXPECT_EQ(LineWith("fast"), "");
  Press(*browser_, Code::kRight);
  EXPECT_NE(LineWith("fast"), "");
  EXPECT_EQ(Here(), "a/b");
  Press(*browser_, Code::kRight);
  EXPECT_EQ(Here(), "a/b/slow");
  Press(*browser_, Code::kDown);
  EXPECT_EQ(Here(), "a/b/fast");
  Press(*browser_, Code::kUp);
  Press(*browser_, Code::kEnd);
  EXPECT_EQ(Here(), "x\ny");
  Press(*browser_, Code::kHome);
  EXPECT_EQ(Here(), "(top)");
  Press(*browser_, Code::kUp);
  Press(*browser_, Code::kLeft);
  EXPECT_EQ(Here(), "(top)");
}

TEST_F(BrowserTest, EnterOnANodeReadsItsDetails) {
  Press(*browser_, Code::kEnter);
  EXPECT_EQ(browser_->focus(), Pane::kDetails);
  EXPECT_EQ(Here(), "a/b/slow");
  Press(*browser_, Code::kLeft);
  EXPECT_EQ(browser_->focus(), Pane::kTree);
}

TEST_F(BrowserTest, DetailsScroll) {
  Press(*browser_, Code::kEnter);
  ASSERT_GT(browser_->details().size(), browser_->layout().rows);
  Press(*browser_, Code::kDown);
  EXPECT_EQ(browser_->top(Pane::kDetails), 1u);
  Press(*browser_, Code::kEnd);
  EXPECT_EQ(browser_->top(Pane::kDetails) + browser_->layout().rows,
            browser_->details().size());
  // The details of another row begin at their top.
  Press(*browser_, Code::kLeft);
  Press(*browser_, Code::kDown);
  EXPECT_EQ(browser_->top(Pane::kDetails), 0u);
}

TEST_F(BrowserTest, TabGoesAround) {
  for (const Pane pane : {Pane::kDetails, Pane::kSteps, Pane::kTree}) {
    Press(*browser_, Code::kTab);
    EXPECT_EQ(browser_->focus(), pane);
  }
  Press(*browser_, Code::kBackTab);
  EXPECT_EQ(browser_->focus(), Pane::kSteps);
}

TEST_F(BrowserTest, AStepIsShownWhenItIsEntered) {
  Press(*browser_, Code::kBackTab);
  Press(*browser_, Code::kEnd);
  EXPECT_EQ(browser_->shown().step, accounting::kAverageOfSteps);
  EXPECT_THAT(Screen(), HasSubstr("wall")) << "what `steps` says of step 7";
  Press(*browser_, Code::kEnter);
  EXPECT_EQ(browser_->shown().step, 7);
  EXPECT_THAT(Screen(), HasSubstr("by time, step 7"));
  EXPECT_THAT(LineWith(" slow "), HasSubstr("660us"));
  EXPECT_EQ(Here(), "a/b/slow") << "the place is kept";
  // The sum of all steps.
  Press(*browser_, Code::kHome);
  Press(*browser_, Code::kDown);
  Press(*browser_, Code::kRight);
  EXPECT_EQ(browser_->focus(), Pane::kTree);
  EXPECT_THAT(LineWith(" slow "), HasSubstr("720us"));
}

TEST_F(BrowserTest, SortsByTheNextNumber) {
  Type(*browser_, "s");
  EXPECT_THAT(Screen(), HasSubstr("by self time"));
  Type(*browser_, "s");
  EXPECT_THAT(Screen(), HasSubstr("by peak sum"));
  EXPECT_THAT(LineWith("scope"), HasSubstr("peak"));
  Type(*browser_, "SSS");
  EXPECT_THAT(Screen(), HasSubstr("by name"));
}

TEST_F(BrowserTest, ViewsGoAroundAndKeepTheirPlace) {
  Press(*browser_, Code::kDown);
  Type(*browser_, "v");
  EXPECT_THAT(Screen(), HasSubstr("graph, by time"));
  Type(*browser_, "v");
  EXPECT_THAT(Screen(), HasSubstr("op, by time"));
  EXPECT_EQ(Here(), "MatMul");
  EXPECT_THAT(LineWith(" MatMul "), HasSubstr("91.8%"));
  Type(*browser_, "v");
  EXPECT_THAT(Screen(), HasSubstr("No code trace"));
  EXPECT_EQ(Here(), "MatMul") << "there is no code; the view stays";
  Type(*browser_, "v");
  EXPECT_THAT(Screen(), HasSubstr("scope, by time"));
  EXPECT_EQ(Here(), "a/b/fast");
}

TEST_F(BrowserTest, Searches) {
  Type(*browser_, "/");
  EXPECT_EQ(browser_->prompt(), Browser::Prompt::kSearch);
  Type(*browser_, "exq");  // keys of the browser are text now
  Press(*browser_, Code::kBackspace);
  Press(*browser_, Code::kBackspace);
  EXPECT_THAT(Screen(), HasSubstr("Search: e"));
  Press(*browser_, Code::kEnter);
  EXPECT_EQ(Here(), "d/e");
  EXPECT_THAT(Screen(), HasSubstr("1 row has \"e\""));
  Type(*browser_, "/s");
  Press(*browser_, Code::kEnter);
  EXPECT_EQ(Here(), "a/b/slow");
  Type(*browser_, "n");
  EXPECT_EQ(Here(), "a/b/fast");
  Type(*browser_, "N");
  EXPECT_EQ(Here(), "a/b/slow");
}

TEST_F(BrowserTest, ASearchWithoutAMatchSaysSo) {
  Type(*browser_, "n");
  EXPECT_THAT(Screen(), HasSubstr("/ asks for a text"));
  Type(*browser_, "/nowhere");
  Press(*browser_, Code::kEnter);
  EXPECT_THAT(Screen(), HasSubstr("No row has \"nowhere\""));
  EXPECT_EQ(Here(), "a/b/slow");
}

TEST_F(BrowserTest, EscapeAndCtrlCDropWhatIsTyped) {
  for (const Code code : {Code::kEscape, Code::kInterrupt}) {
    Type(*browser_, "/e");
    Press(*browser_, code);
    EXPECT_EQ(browser_->prompt(), Browser::Prompt::kNone);
    EXPECT_FALSE(browser_->done());
    EXPECT_EQ(Here(), "a/b/slow");
  }
}

TEST_F(BrowserTest, Filters) {
  Type(*browser_, "fe");
  Press(*browser_, Code::kEnter);
  EXPECT_THAT(Screen(), HasSubstr("filter \"e\": 1 row"));
  EXPECT_EQ(LineWith(" slow "), "");
  EXPECT_THAT(LineWith(" e "), HasSubstr("25us"));
  // It stays in another view.
  Type(*browser_, "vv");
  EXPECT_THAT(Screen(), HasSubstr("filter \"e\""));
  // An empty text ends it.
  Type(*browser_, "f\x15");
  Press(*browser_, Code::kEnter);
  EXPECT_THAT(Screen(), Not(HasSubstr("filter \"")));
  Type(*browser_, "fnowhere");
  Press(*browser_, Code::kEnter);
  EXPECT_THAT(Screen(), HasSubstr("No row has"));
  EXPECT_GT(browser_->tree().lines().size(), 1u);
}

TEST_F(BrowserTest, AsksForABase) {
  Type(*browser_, "d");
  EXPECT_THAT(Screen(), HasSubstr("Compare with the file:"));
  Type(*browser_, "/no/such/file.pb");
  Press(*browser_, Code::kEnter);
  EXPECT_THAT(Screen(), HasSubstr("/no/such/file.pb"));
  EXPECT_FALSE(browser_->shown().diff);
  EXPECT_THAT(LineWith(" slow "), HasSubstr("360us"));
}

class DiffBrowserTest : public BrowserTest {
 protected:
  DiffBrowserTest() {
    loaders::Loaded loaded;
    loaded.profile = accounting::SmallModel();
    auto base = std::make_shared<commands::Base>();
    base->name = "small.pb";
    base->opened = std::make_shared<commands::OpenProfile>(std::move(loaded));
    workspace_.base = base;
    browser_ = std::make_unique<Browser>(workspace_, options::Options(),
                                         &cancellation_);
    browser_->Resize(120, 24);
    Settle(*browser_);
  }
};

TEST_F(DiffBrowserTest, ComparesAndGoesBack) {
  EXPECT_THAT(LineWith(" slow "), HasSubstr("360us"));
  Type(*browser_, "d");
  EXPECT_THAT(Screen(), HasSubstr("difference to the base"));
  EXPECT_THAT(Screen(), HasSubstr("delta"));
  EXPECT_THAT(LineWith(" Conv2D "), HasSubstr("-226us   -4.07ms"));
  Type(*browser_, "vv");
  EXPECT_THAT(LineWith(" MatMul "), HasSubstr("+370us"));
  EXPECT_THAT(Screen(), HasSubstr("gone")) << "of Conv2D, the largest change";
  Type(*browser_, "d");
  EXPECT_THAT(Screen(), Not(HasSubstr("delta")));
  EXPECT_EQ(Here(), "MatMul");
}

TEST_F(DiffBrowserTest, AStepThatCannotBeComparedStaysAsItWas) {
  Type(*browser_, "d");
  Press(*browser_, Code::kBackTab);
  Press(*browser_, Code::kEnd);
  Press(*browser_, Code::kEnter);
  EXPECT_THAT(Screen(), HasSubstr("has no step 7"));
  EXPECT_EQ(browser_->shown().step, accounting::kAverageOfSteps);
  EXPECT_TRUE(browser_->shown().diff);
}

TEST_F(BrowserTest, CancelledWorkLeavesWhatWasShown) {
  browser_->Press(Key{.text = "v"});
  ASSERT_TRUE(browser_->HasWork());
  EXPECT_THAT(Screen(), HasSubstr("Working"));
  cancellation_.Request();
  browser_->DoWork();
  EXPECT_THAT(Screen(), HasSubstr("Cancelled."));
  EXPECT_THAT(Screen(), HasSubstr("scope, by time"));
  EXPECT_FALSE(cancellation_.requested());
  EXPECT_EQ(Here(), "a/b/slow");
}

TEST_F(BrowserTest, LeavesByQAndByCtrlC) {
  Type(*browser_, "q");
  EXPECT_TRUE(browser_->done());
  Browser other(workspace_, {}, &cancellation_);
  Settle(other);
  Press(other, Code::kInterrupt);
  EXPECT_TRUE(other.done());
}

TEST_F(BrowserTest, HelpNamesTheKeysAndGoesAway) {
  Type(*browser_, "?");
  EXPECT_THAT(Screen(), HasSubstr("search in all names"));
  EXPECT_THAT(Screen(), HasSubstr("compare with the base"));
  Type(*browser_, "x");
  EXPECT_THAT(Screen(), Not(HasSubstr("search in all names")));
  EXPECT_FALSE(browser_->done());
}

TEST_F(BrowserTest, TheMouseSelectsOpensAndScrolls) {
  const Layout::Columns tree = browser_->layout().of(Pane::kTree);
  // The second row is a; the first is the total.
  Press(*browser_, MouseKey(Code::kClick, tree.begin + 3, 3));
  EXPECT_EQ(Here(), "a");
  Press(*browser_, MouseKey(Code::kClick, tree.begin + 3, 3));
  EXPECT_EQ(LineWith("fast"), "") << "again: closed";
  // Beyond the last row, and on the lines of the title and the keys.
  for (const size_t y : {0, 20, 23}) {
    Press(*browser_, MouseKey(Code::kClick, tree.begin + 3, y));
    EXPECT_EQ(Here(), "a");
  }
  Press(*browser_, MouseKey(Code::kClick, 2, 5));
  EXPECT_EQ(browser_->shown().step, 7);
  const size_t details = browser_->layout().of(Pane::kDetails).begin;
  Press(*browser_, MouseKey(Code::kWheelDown, details + 1, 5));
  Press(*browser_, MouseKey(Code::kWheelUp, tree.begin, 5));
  Press(*browser_, MouseKey(Code::kWheelDown, tree.begin, 5));
  EXPECT_EQ(browser_->top(Pane::kTree), 0u) << "all is on the screen";
}

TEST_F(BrowserTest, LongListsScrollWithTheCursor) {
  browser_->Resize(80, kLeastHeight);  // four rows
  Settle(*browser_);
  for (size_t i = 0; i < browser_->tree().lines().size(); ++i) {
    EXPECT_THAT(Screen(), HasSubstr(Here() == "(top)" ? "total" : "us "));
    EXPECT_LE(browser_->top(Pane::kTree), browser_->tree().cursor());
    EXPECT_LT(browser_->tree().cursor(), browser_->top(Pane::kTree) + 4);
    Press(*browser_, Code::kDown);
  }
  Press(*browser_, Code::kHome);
  EXPECT_EQ(browser_->top(Pane::kTree), 0u);
}

TEST_F(BrowserTest, EveryLineFitsIntoAnyWindow) {
  for (const bool unicode : {true, false}) {
    for (size_t width = 1; width < 140; width += 3) {
      for (const size_t height : {1, 7, 8, 24}) {
        for (const Code code : {Code::kTab, Code::kEnd, Code::kTab}) {
          browser_->Resize(width, height);
          browser_->Press(CodeKey(code));
          Settle(*browser_, unicode);
          const Picture picture = Draw(*browser_, unicode);
          ASSERT_EQ(picture.lines.size(), height);
          for (const std::string& line : Lines(picture)) {
            EXPECT_LE(util::Columns(line), width) << line;
            EXPECT_EQ(line.find_first_of("\n\x1b"), line.npos);
          }
        }
      }
    }
  }
}

TEST_F(BrowserTest, ASmallWindowSaysSo) {
  browser_->Resize(30, 24);
  EXPECT_THAT(Screen(), HasSubstr("This window is 30x24; tui need"));
  Type(*browser_, "q");
  EXPECT_TRUE(browser_->done());
}

TEST_F(BrowserTest, ANarrowWindowHasThePaneOfTheKeys) {
  browser_->Resize(50, 24);
  Settle(*browser_);
  EXPECT_THAT(Screen(), HasSubstr("slow"));
  EXPECT_THAT(Screen(), Not(HasSubstr("details")));
  Press(*browser_, Code::kTab);
  EXPECT_THAT(Screen(), HasSubstr("details"));
  EXPECT_THAT(Screen(), HasSubstr("MatMul"));
  Press(*browser_, Code::kTab);
  EXPECT_THAT(Screen(), HasSubstr("average"));
}

TEST_F(BrowserTest, NamesAreHarmlessAndColumnsStraight) {
  EXPECT_THAT(Screen(), HasSubstr("x\\x0ay"));
  Press(*browser_, Code::kEnd);
  Press(*browser_, Code::kUp);
  Press(*browser_, Code::kRight);
  // A wide character takes two columns.
  EXPECT_EQ(util::Columns(LineWith("数")), util::Columns(LineWith("▾ a")));
  Settle(*browser_, false);
  const std::string ascii = ScreenOf(*browser_, false);
  EXPECT_THAT(ascii, HasSubstr("\\xe6\\x95\\xb0"));
  for (const char c : ascii) EXPECT_LT(static_cast<uint8_t>(c), 0x80);
}

TEST(BrowserOptionsTest, BeginsWithTheStepTheOrderAndTheTypes) {
  options::Options options;
  options.view.step = 7;
  options.order = {views::ViewOptions::Order::kStat, accounting::kPeakBytes};
  options.view.account_types = {"MatMul"};
  const commands::Workspace workspace = TreeWorkspace();
  Browser browser(workspace, options, nullptr);
  Settle(browser);
  const std::string screen = ScreenOf(browser);
  EXPECT_THAT(screen, HasSubstr("scope, by peak sum, step 7"));
  EXPECT_THAT(screen, HasSubstr("670B"));
  EXPECT_THAT(screen, Not(HasSubstr("fast")));
}

TEST(BrowserOptionsTest, AStepThatIsNotThereIsNamedAndTheAverageShown) {
  options::Options options;
  options.view.step = 5;
  const commands::Workspace workspace = TreeWorkspace();
  Browser browser(workspace, options, nullptr);
  Settle(browser);
  EXPECT_EQ(browser.shown().step, accounting::kAverageOfSteps);
  EXPECT_THAT(ScreenOf(browser), HasSubstr("-step=5 not found"));
}

TEST(BrowserOptionsTest, BeginsInTheScopeOfTheSession) {
  commands::Workspace workspace = TreeWorkspace();
  auto place = inspect::FindPlace(workspace.views(), {}, "d/e");
  ASSERT_TRUE(place.ok());
  workspace.here = *place;
  Browser browser(workspace, {}, nullptr);
  Settle(browser);
  EXPECT_EQ(browser.tree().rows().Name(browser.tree().current().row), "d/e");
}

TEST(BrowserOptionsTest, AProfileWithoutNodesIsShown) {
  loaders::Loaded loaded;
  loaded.profile = profile::ProfileBuilder(accounting::TfprofRules()).Build();
  const commands::Workspace workspace(std::move(loaded), {});
  Browser browser(workspace, {}, nullptr);
  Settle(browser);
  for (const char key : std::string_view("vvvvsn /x")) {
    Type(browser, std::string(1, key));
  }
  Press(browser, Code::kEnter);
  EXPECT_THAT(ScreenOf(browser), HasSubstr("total"));
}

}  // namespace
}  // namespace tfprof::tui
