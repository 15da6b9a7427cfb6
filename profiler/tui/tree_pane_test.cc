#include "profiler/tui/tree_pane.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/tui/tui_testing.h"

namespace tfprof::tui {
namespace {

using ::testing::ElementsAre;

class TreePaneTest : public testing::Test {
 protected:
  TreePaneTest() { Show(views::View::kScope); }

  void Show(views::View view) {
    auto rows = MakeRows(view, {}, workspace_);
    ASSERT_TRUE(rows.ok()) << rows.status();
    pane_.Show(*std::move(rows), {}, {});
  }

  // The labels below row 0, with a dot for each level.
  std::vector<std::string> Shown() const {
    std::vector<std::string> shown;
    for (const TreePane::Line& line : pane_.lines()) {
      if (line.row == kTopRow) continue;
      shown.push_back(std::string(line.depth - 1, '.') +
                      std::string(pane_.rows().Label(line.row)));
    }
    return shown;
  }

  std::string Here() const {
    return pane_.current().row == kTopRow
               ? "(top)"
               : std::string(pane_.rows().Name(pane_.current().row));
  }

  std::string Find(std::string_view text, bool forward = true) {
    return pane_.Search(text, forward, nullptr) == TreePane::Found::kYes
               ? Here()
               : "(nothing)";
  }

  commands::Workspace workspace_ = TreeWorkspace();
  TreePane pane_;
};

TEST_F(TreePaneTest, TheLargestComeFirst) {
  EXPECT_THAT(Shown(), ElementsAre("a", "d", "x\ny"));
}

TEST_F(TreePaneTest, OpensAndCloses) {
  pane_.MoveTo(1);
  pane_.Open();
  EXPECT_THAT(Shown(), ElementsAre("a", ".b", ".c", "d", "x\ny"));
  EXPECT_EQ(Here(), "a");
  pane_.MoveTo(3);
  EXPECT_EQ(Here(), "a/c");
  pane_.Open();  // a node has nothing to open
  pane_.MoveUp();
  EXPECT_EQ(Here(), "a");
  pane_.Close();
  EXPECT_THAT(Shown(), ElementsAre("a", "d", "x\ny"));
}

TEST_F(TreePaneTest, TheWholeIsAlwaysOpen) {
  pane_.MoveTo(0);
  pane_.Close();
  pane_.MoveUp();
  EXPECT_EQ(pane_.lines().size(), 4u);
  EXPECT_TRUE(pane_.path().empty());
}

TEST_F(TreePaneTest, TheHeaviestIsOpened) {
  pane_.OpenHeaviest();
  EXPECT_EQ(Here(), "a/b/slow");
  EXPECT_THAT(Shown(),
              ElementsAre("a", ".b", "..slow", "..fast", ".c", "d", "x\ny"));
  EXPECT_EQ(pane_.path().size(), 3u);
}

TEST_F(TreePaneTest, AnotherOrderKeepsTheCursor) {
  pane_.OpenHeaviest();
  pane_.Sort({.stat = accounting::kMicros, .by_name = true});
  EXPECT_EQ(Here(), "a/b/slow");
  EXPECT_THAT(Shown(),
              ElementsAre("a", ".b", "..fast", "..slow", ".c", "d", "x\ny"));
}

TEST_F(TreePaneTest, OtherRowsOfTheViewKeepWhatIsOpen) {
  pane_.OpenHeaviest();
  const TreePane::State state = pane_.state();
  views::ViewOptions options;
  options.step = 3;
  auto rows = MakeRows(views::View::kScope, options, workspace_);
  ASSERT_TRUE(rows.ok());
  pane_.Show(*std::move(rows), {}, state);
  EXPECT_EQ(Here(), "a/b/slow");
}

TEST_F(TreePaneTest, SearchFindsClosedRowsInTheirOrder) {
  EXPECT_EQ(Find("S"), "a/b/slow") << "upper case is the same";
  EXPECT_EQ(Find("s"), "a/b/fast");
  EXPECT_EQ(Find("s"), "a/b/slow") << "it goes on at the top";
  EXPECT_EQ(Find("s", false), "a/b/fast");
  EXPECT_EQ(Find("s", false), "a/b/slow");
}

TEST_F(TreePaneTest, SearchBackwardsFindsARowAboveOthers) {
  pane_.OpenHeaviest();
  EXPECT_EQ(Find("b", false), "a/b");
  EXPECT_EQ(Find("b", false), "a/b") << "it is the only one";
}

TEST_F(TreePaneTest, ATextWithASlashIsOfTheWholeName) {
  EXPECT_EQ(Find("b/"), "a/b/slow");
  EXPECT_EQ(Find("b/"), "a/b/fast");
}

TEST_F(TreePaneTest, NothingIsFound) {
  pane_.MoveTo(2);
  EXPECT_EQ(Find("nothing like this"), "(nothing)");
  EXPECT_EQ(Here(), "d");
}

TEST_F(TreePaneTest, ASearchThatIsCancelledMovesNothing) {
  util::Cancellation cancellation;
  cancellation.Request();
  EXPECT_EQ(pane_.Search("slow", true, &cancellation),
            TreePane::Found::kCancelled);
  EXPECT_EQ(Here(), "(top)");
}

TEST_F(TreePaneTest, AFilterKeepsWhatIsAboveAndBelow) {
  ASSERT_TRUE(pane_.Filter("b", nullptr));
  EXPECT_THAT(Shown(), ElementsAre("a", ".b"));
  pane_.MoveTo(2);
  pane_.Open();
  EXPECT_THAT(Shown(), ElementsAre("a", ".b", "..slow", "..fast"));
  EXPECT_EQ(pane_.filter().count(), 1u);
  EXPECT_EQ(Find("e"), "(nothing)") << "it is not shown";
  ASSERT_TRUE(pane_.Filter("", nullptr));
  EXPECT_THAT(Shown(),
              ElementsAre("a", ".b", "..slow", "..fast", ".c", "d", "x\ny"));
}

TEST_F(TreePaneTest, AFilterOpensWhatItFinds) {
  ASSERT_TRUE(pane_.Filter("slow", nullptr));
  EXPECT_THAT(Shown(), ElementsAre("a", ".b", "..slow"));
}

TEST_F(TreePaneTest, SearchesNodesBelowOps) {
  Show(views::View::kOp);
  EXPECT_THAT(Shown(), ElementsAre("MatMul", "Conv", "Add"));
  EXPECT_EQ(Find("fast"), "a/b/fast");
  EXPECT_EQ(pane_.path().size(), 2u);
}

TEST(TreePaneDepthTest, ADeepChainIsWalked) {
  // Each node is below the one that reads it.
  class Chain : public TreeRows {
   public:
    size_t size() const override { return 200000; }
    std::vector<uint32_t> Children(uint32_t row) const override {
      return HasChildren(row) ? std::vector<uint32_t>{row + 1}
                              : std::vector<uint32_t>();
    }
    bool HasChildren(uint32_t row) const override { return row + 1 < size(); }
    std::string_view Label(uint32_t row) const override {
      return row + 1 < size() ? "inner" : "leaf";
    }
    std::string_view Name(uint32_t row) const override { return Label(row); }
    std::vector<tables::DataColumn> Columns(const Measure&) const override {
      return {};
    }
    void Cells(uint32_t, const Measure&,
               std::vector<tables::DataCell>&) const override {}
    int64_t Key(uint32_t, const Measure&) const override { return 1; }
    double Share(uint32_t, const Measure&) const override { return 1; }
    tables::DataDocument Details(std::span<const uint32_t>) const override {
      return {};
    }
    std::vector<Measure> Measures() const override { return {{}}; }
  };
  TreePane pane;
  pane.Show(std::make_shared<Chain>(), {}, {});
  pane.OpenHeaviest();
  EXPECT_LT(pane.lines().size(), 20u) << "only a screen of it is opened";
  ASSERT_EQ(pane.Search("leaf", true, nullptr), TreePane::Found::kYes);
  EXPECT_EQ(pane.current().depth, 199999u);
}

}  // namespace
}  // namespace tfprof::tui
